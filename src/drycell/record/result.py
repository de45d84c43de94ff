"""Results of runs, for people, programs and tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from drycell.base import mm
from drycell.kernel import Blocked, Outcome, seconds, ticks
from drycell.record import figures
from drycell.record.expectation import Expectation
from drycell.record.figures import MoveRow, Usage, Wait
from drycell.record.parts import Cycle, Parts
from drycell.record.record import Record
from drycell.world import CarriedLoad, Collision, NearMiss


@dataclass(frozen=True)
class Result:
    """The result of a run: how it ended, collisions, near misses, lost parts, every move, the fate of every part, the
    utilisation of devices and robots, and how long programs waited.

    >>> from drycell import Cell, Result, delay
    >>> cell = Cell("pause")
    >>> @cell.program
    ... def rest():
    ...     delay(2)
    >>> result: Result = cell.run()
    >>> result.ending, result.duration, result.clean
    ('finished', 2.0, True)
    >>> print(result.summary())
      finished      at 2.000 s, all programs ended
      collisions    not checked
      lost parts    none
    """

    name: str
    seed: int
    outcome: Outcome
    record: Record
    journal_hash: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Overrides of fields of the cell file in this run, by path."""
    expectations: tuple[Expectation, ...] = ()
    """Limits for the figures of the run."""
    wall: float = 0.0  # wall time in seconds; shown to people, never compared

    @property
    def duration(self) -> float:
        """Cell time from start to end, in seconds."""
        return seconds(self.outcome.time)

    @property
    def ending(self) -> str:
        """``finished``, ``until``, ``deadlock``, ``stopped`` or ``interrupted``."""
        return self.outcome.ending

    @cached_property
    def parts(self) -> Parts:
        """The number of parts that arrived, and the fate of each."""
        return figures.parts(self.record, self.outcome.time)

    @cached_property
    def cycle(self) -> Cycle | None:
        """The time between finished parts; None before the second of them."""
        return figures.cycle(self.record, self.outcome.time)

    @cached_property
    def collisions(self) -> tuple[Collision, ...]:
        """Collisions in chronological order."""
        return figures.collisions(self.record, self.outcome.time)

    @cached_property
    def near_misses(self) -> tuple[NearMiss, ...]:
        """Near misses in chronological order."""
        return figures.near_misses(self.record, self.outcome.time)

    @property
    def checked(self) -> bool:
        """Whether collisions were checked."""
        return self.record.checked

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """Bodies that fell out of the cell."""
        return figures.lost(self.record, self.outcome.time)

    @cached_property
    def moves(self) -> Mapping[str, tuple[MoveRow, ...]]:
        """Every move of each robot, in order."""
        return figures.moves(self.record, self.outcome.time)

    @cached_property
    def devices(self) -> dict[str, Usage]:
        """The utilisation of each device."""
        return figures.devices(self.record, self.outcome.time)

    @cached_property
    def robots(self) -> dict[str, Usage]:
        """How long each robot moved, and the number of its moves."""
        return figures.robots(self.record, self.outcome.time)

    @cached_property
    def loads(self) -> dict[str, CarriedLoad]:
        """The maximum load of each robot and gripper whose payload is known: masses in kg, and what has no mass."""
        return figures.loads(self.record, self.outcome.time)

    @cached_property
    def waits(self) -> dict[str, Wait]:
        """The longest wait of each program that waited, by name: how long, for what, and where."""
        return figures.waits(self.record, self.outcome.time)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of probable mistakes in the cell or its programs. A result with warnings can be clean."""
        return figures.warnings(self.record, self.outcome.time)

    @property
    def speed(self) -> float:
        """The speed of the run relative to real time."""
        return self.duration / self.wall if self.wall > 0 else float("inf")

    @cached_property
    def stalled(self) -> float | None:
        """The time of the last activity, if the run reached its time limit and its second half was idle."""
        return figures.stalled(self.record, self.outcome.time) if self.ending == "until" else None

    @cached_property
    def missed(self) -> tuple[str, ...]:
        """The expectations that the run did not meet, with the figures."""
        row = self._row() if self.expectations else {}
        return tuple(filter(None, (each.missed(row) for each in self.expectations)))

    @property
    def stuck(self) -> tuple[Blocked, ...]:
        """The programs that can never continue, even if the run went on without them: where each waits, for what, and
        from what time."""
        return self.outcome.stuck

    @property
    def clean(self) -> bool:
        """Whether the run ended well: no collision, stuck program, lost part or stall, and all expectations met."""
        ended = self.ending in ("finished", "until") and self.stalled is None and not self.stuck
        return ended and not self.collisions and not self.lost and not self.missed

    def summary(self) -> str:
        """Return the result in a few lines for people, starting with the verdict."""
        from drycell.record.summary import summary

        return summary(self)

    def move_table(self) -> str:
        """Return a table of all moves with start, duration, distance and top speed, grouped by robot."""
        lines = []
        for robot, moves in self.moves.items():
            lines.append(f"{robot:<10}  {'start s':>9}  {'time s':>8}  {'distance mm':>11}  {'mm/s':>7}  target")
            for move in moves:
                guard = "" if move.guard is None else f"  until {move.guard}"
                lines.append(
                    f"  {move.kind:<8}  {move.start_time:9.3f}  {move.duration:8.3f}"
                    f"  {move.distance / mm:11.1f}  {move.top_speed / mm:7.1f}  {move.target}{guard}"
                )
            lines.append(f"  {'total':<8}  {'':>9}  {self.robots[robot].time:8.3f}")
        return "\n".join(lines)

    def collision_table(self) -> str:
        """Return a table of all collisions and near misses in chronological order."""
        lines = [f"{'':<10}  {'start s':>9}  {'mm':>9}  bodies"]
        rows = [(each.time, "collision", -each.depth, each.a, each.b) for each in self.collisions]
        rows += [(each.time, "near miss", each.distance, each.a, each.b) for each in self.near_misses]
        for time, what, distance, a, b in sorted(rows):
            lines.append(f"{what:<10}  {seconds(time):9.3f}  {round(distance / mm, 2) + 0.0:9.2f}  {a} – {b}")
        if not self.checked:
            return "collisions are not checked"
        return "\n".join(lines) if rows else "no collisions and no near misses"

    def part_table(self) -> str:
        """Return a table of all parts: when and where each arrived, the work done on it, and where it ended."""
        if not self.parts.records:
            return "no parts"
        lines = [f"{'part':<14}  {'arrived s':>9}  {'source':<12}  {'machined by':<18}  {'end':<7}  {'at s':>9}  where"]
        for part in self.parts.records:
            machines = ", ".join(each.by for each in part.machined)
            lines.append(
                f"{part.name:<14}  {part.arrived:9.3f}  {part.source:<12}  {machines:<18}  {part.end:<7}"
                f"  {part.time:9.3f}  {part.where}"
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain data; times in seconds to 1 µs, lengths in metres to 1 nm, as in the journal."""
        cycle = self.cycle
        plain = {
            "cell": self.name,
            "seed": self.seed,
            "ending": self.ending,
            "reason": self.outcome.reason,
            "duration_s": self.duration,
            "clean": self.clean,
            "blocked": [
                {"process": b.process, "file": b.file, "line": b.line, "waits_for": b.waits_for}
                for b in self.outcome.blocked
            ],
            "stuck": [
                {"process": b.process, "since_s": None if b.stuck_since is None else seconds(b.stuck_since)}
                for b in self.stuck
            ],
            "collisions": [
                {"time_s": seconds(c.time), "a": c.a, "b": c.b, "depth_m": c.depth, "point_m": list(c.point)}
                for c in self.collisions
            ],
            "near_misses": [
                {"time_s": seconds(n.time), "a": n.a, "b": n.b, "distance_m": n.distance} for n in self.near_misses
            ],
            "lost": list(self.lost),
            "stalled_s": self.stalled,
            "missed": list(self.missed),
            "warnings": list(self.warnings),
            "parts": {
                "arrived": self.parts.arrived,
                "machined": self.parts.machined,
                "stored": self.parts.stored,
                "sunk": self.parts.sunk,
                "inside": self.parts.inside,
                "lost": self.parts.lost,
            },
            "cycle": None
            if cycle is None
            else {"mean_s": cycle.mean, "shortest_s": cycle.shortest, "longest_s": cycle.longest, "count": cycle.count},
            "loads": {
                name: {"mass_kg": load.mass, "payload_kg": load.limit, "unknown": list(load.unknown)}
                for name, load in self.loads.items()
            },
            "waits": {
                wait.process: {
                    "longest_s": wait.seconds,
                    "waits_for": wait.condition,
                    "file": wait.file,
                    "line": wait.line,
                    "over": wait.over,
                }
                for wait in self.waits.values()
            },
            "devices": {
                name: {"busy": used.busy, "busy_s": used.time, "cycles": used.cycles}
                for name, used in self.devices.items()
            },
            "moves": {
                robot: [
                    {
                        "kind": move.kind,
                        "target": move.target,
                        "start_s": move.start_time,
                        "duration_s": move.duration,
                        "distance_m": move.distance,
                        "peak_speed_m_s": move.top_speed,
                    }
                    for move in moves
                ]
                for robot, moves in self.moves.items()
            },
            "journal_sha256": self.journal_hash,
        }
        if self.settings:
            plain["settings"] = dict(self.settings)
        rounded: dict[str, Any] = _rounded(plain)
        return rounded

    @cached_property
    def measures(self) -> dict[str, float]:
        """The last value of each measure that the cell or its programs reported with ``cell.measure``, by name."""
        return figures.measures(self.record, self.outcome.time)

    @property
    def problem(self) -> str:
        """Why the run is not clean, in a few words that are equal for similar runs; empty for a clean run.

        >>> from drycell import Cell, wait
        >>> cell = Cell("press")
        >>> door = cell.signal("door", False)
        >>> @cell.program
        ... def press():
        ...     wait(door)
        >>> cell.run().problem
        'deadlock: press waits for door'
        """
        if self.collisions:
            return f"collision: {self.collisions[0].a} – {self.collisions[0].b}"
        if self.stuck:
            kind = "deadlock" if self.ending == "deadlock" else "stuck"
            return f"{kind}: {self.stuck[0].process} waits for {self.stuck[0].waits_for}"
        if self.lost:
            return f"lost: {self.lost[0]}"
        if self.stalled is not None:
            return "stalled"
        if self.missed:
            row = self._row()
            return f"missed: {next(each for each in self.expectations if each.missed(row))}"
        return "" if self.clean else self.ending

    def row(self, after: float = 0.0) -> dict[str, bool | int | float | str | None]:
        """Return the figures as flat scalars, one per column, for tables of many runs. Times are in seconds, lengths
        in metres.

        Args:
            after: The warm-up time, in seconds. Counts of parts, cycle times, utilisation, moves and waits are those
                from this time on. Collisions, lost parts and ``clean`` are always those of the whole run. The run must
                have kept its past.
        """
        return {**self._row(ticks(after)), "clean": self.clean}

    def _row(self, since: int = 0) -> dict[str, bool | int | float | str | None]:
        t = self.outcome.time
        since = min(since, t)
        parts, cycle = self.parts, figures.cycle(self.record, t, since)
        before = figures.parts(self.record, since) if since else None
        arrived, machined, stored, sunk = (
            getattr(parts, name) - (getattr(before, name) if before else 0)
            for name in ("arrived", "machined", "stored", "sunk")
        )
        span = seconds(t - since)
        nearest = min((miss.distance for miss in self.near_misses), default=None)
        found: dict[str, bool | int | float | str | None] = {
            "cell": self.name,
            "seed": self.seed,
            "ending": self.ending,
            "clean": None,  # filled in by row(), because expectations depend on the other columns
            "duration_s": self.duration,
            "throughput_per_h": (stored + sunk) * 3600 / span if span else None,
            "collisions": len(self.collisions) if self.checked else None,
            "near_misses": len(self.near_misses) if self.checked else None,
            "closest_m": nearest,
            "arrived": arrived,
            "machined": machined,
            "stored": stored,
            "sunk": sunk,
            "inside": parts.inside,
            "lost": len(self.lost),
            "cycle_mean_s": None if cycle is None else cycle.mean,
            "cycle_shortest_s": None if cycle is None else cycle.shortest,
            "cycle_longest_s": None if cycle is None else cycle.longest,
        }
        found |= {f"set {path}": text for path, text in self.settings.items()}
        for name, used in figures.devices(self.record, t, since).items():
            found |= {f"{name}.busy": used.busy, f"{name}.cycles": used.cycles}
        for name, moved in figures.robots(self.record, t, since).items():
            found |= {f"{name}.moving": moved.busy, f"{name}.moves": moved.cycles}
        for name, wait in figures.waits(self.record, t, since).items():
            found[f"{name}.longest_wait_s"] = wait.seconds
        found |= self.measures
        rounded: dict[str, bool | int | float | str | None] = _rounded(found | {"journal_sha256": self.journal_hash})
        return rounded


def _rounded(value: Any) -> Any:
    # The last bits differ between processors, so they must not reach compared output.
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
