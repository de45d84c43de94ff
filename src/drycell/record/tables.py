"""A result as a table of moves, as plain data for programs, and as a row of a table of runs."""

from typing import TYPE_CHECKING, Any

from drycell.base import mm
from drycell.kernel import seconds

if TYPE_CHECKING:
    from drycell.record.result import Result


def move_table(result: "Result") -> str:
    """Every move with its start, duration, distance and top speed, robot by robot."""
    lines = []
    for robot, moves in result.moves.items():
        lines.append(f"{robot:<10}  {'start s':>9}  {'time s':>8}  {'way mm':>8}  {'mm/s':>7}  target")
        for move in moves:
            guard = "" if move.guard is None else f"  until {move.guard}"
            lines.append(
                f"  {move.kind:<8}  {move.start_time:9.3f}  {move.duration:8.3f}"
                f"  {move.distance / mm:8.1f}  {move.top_speed / mm:7.1f}  {move.target}{guard}"
            )
        lines.append(f"  {'in all':<8}  {'':>9}  {result.robots[robot].time:8.3f}")
    return "\n".join(lines)


def as_json(result: "Result") -> dict[str, Any]:
    """The result as plain data; times in seconds to 1 µs, lengths in metres to 1 nm, as in the journal."""
    cycle = result.cycle
    plain = {
        "cell": result.name,
        "seed": result.seed,
        "ending": result.ending,
        "reason": result.outcome.reason,
        "duration_s": result.duration,
        "clean": result.clean,
        "blocked": [
            {"process": b.process, "file": b.file, "line": b.line, "waits_for": b.waits_for}
            for b in result.outcome.blocked
        ],
        "collisions": [
            {"time_s": seconds(c.time), "a": c.a, "b": c.b, "depth_m": c.depth, "point_m": list(c.point)}
            for c in result.collisions
        ],
        "near_misses": [
            {"time_s": seconds(n.time), "a": n.a, "b": n.b, "distance_m": n.distance} for n in result.near_misses
        ],
        "lost": list(result.lost),
        "parts": {
            "arrived": result.parts.arrived,
            "machined": result.parts.machined,
            "stored": result.parts.stored,
            "sunk": result.parts.sunk,
            "inside": result.parts.inside,
            "lost": result.parts.lost,
        },
        "cycle": None
        if cycle is None
        else {"mean_s": cycle.mean, "shortest_s": cycle.shortest, "longest_s": cycle.longest, "count": cycle.count},
        "waits": {
            wait.process: {
                "longest_s": wait.seconds,
                "waits_for": wait.condition,
                "file": wait.file,
                "line": wait.line,
                "over": wait.over,
            }
            for wait in result.waits.values()
        },
        "devices": {
            name: {"busy": used.busy, "busy_s": used.time, "cycles": used.cycles}
            for name, used in result.devices.items()
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
            for robot, moves in result.moves.items()
        },
        "journal_sha256": result.journal_hash,
    }
    if result.settings:
        plain["settings"] = dict(result.settings)
    rounded: dict[str, Any] = _rounded(plain)
    return rounded


def row(result: "Result") -> dict[str, bool | int | float | str | None]:
    """The figures of a result as flat scalars."""
    parts, cycle = result.parts, result.cycle
    nearest = min((miss.distance for miss in result.near_misses), default=None)
    found: dict[str, bool | int | float | str | None] = {
        "cell": result.name,
        "seed": result.seed,
        "ending": result.ending,
        "clean": result.clean,
        "duration_s": result.duration,
        "collisions": len(result.collisions) if result.checked else None,
        "near_misses": len(result.near_misses) if result.checked else None,
        "closest_m": nearest,
        "arrived": parts.arrived,
        "machined": parts.machined,
        "stored": parts.stored,
        "sunk": parts.sunk,
        "inside": parts.inside,
        "lost": len(result.lost),
        "cycle_mean_s": None if cycle is None else cycle.mean,
        "cycle_shortest_s": None if cycle is None else cycle.shortest,
        "cycle_longest_s": None if cycle is None else cycle.longest,
    }
    found |= {f"set {path}": text for path, text in result.settings.items()}
    for name, used in result.devices.items():
        found |= {f"{name}.busy": used.busy, f"{name}.cycles": used.cycles}
    for name, moved in result.robots.items():
        found |= {f"{name}.moving": moved.busy, f"{name}.moves": moved.cycles}
    for name, wait in result.waits.items():
        found[f"{name}.longest_wait_s"] = wait.seconds
    rounded: dict[str, bool | int | float | str | None] = _rounded(found | {"journal_sha256": result.journal_hash})
    return rounded


def _rounded(value: Any) -> Any:
    # Last bits differ between processors and must not reach what is compared.
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
