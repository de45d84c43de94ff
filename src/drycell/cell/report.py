"""Reports: a result as text for people and as plain data for programs."""

from typing import TYPE_CHECKING, Any

from drycell.kernel import seconds
from drycell.units import format_time, mm

if TYPE_CHECKING:
    from drycell.cell.result import Result
    from drycell.devices import Parts
    from drycell.world import Crash, NearMiss

_ENDINGS = {
    "finished": "finished: every program came to its end",
    "until": "the time asked for is up",
    "deadlock": "DEADLOCK: no program can ever proceed",
    "stopped": "stopped",
    "interrupted": "interrupted; results so far",
}
_SHOWN = 5  # of crashes, near misses and lost parts, each


def summary(result: "Result") -> str:
    """What a person wants to know of a run, in a few lines."""
    lines = [_line("ended", f"{_ENDINGS[result.ending]}, at {format_time(result.duration)}")]
    if result.outcome.reason:
        lines.append(_line("", result.outcome.reason))
    lines += [_line("", str(blocked)) for blocked in result.outcome.blocked if not blocked.daemon]
    if result.parts.kept:
        lines.append(_line("parts", _parts(result.parts)))
    for robot, moves in result.moves.items():
        moving = sum(move.duration for move in moves)
        share = f", {moving / result.duration:.0%} of the time" if result.duration else ""
        lines.append(_line("cycle", f"{robot}: {len(moves)} moves, {moving:.3f} s in motion{share}"))
    if result.devices:
        shares = ", ".join(f"{name} {used.busy:.0%}" for name, used in result.devices.items())
        lines.append(_line("busy", shares))
    lines += _incidents("crashes", result.checked, [_crash(crash) for crash in result.crashes])
    lines += _incidents("near", result.checked, [_near(near) for near in result.near_misses])
    lines += _incidents("lost", True, list(result.lost))
    return "\n".join(lines)


def _line(label: str, text: str) -> str:
    return f"  {label:<9} {text}"


def _incidents(label: str, checked: bool, found: list[str]) -> list[str]:
    if not found:
        return [_line(label, "none" if checked else "not checked")]
    lines = [_line(label if number == 0 else "", text) for number, text in enumerate(found[:_SHOWN])]
    if len(found) > _SHOWN:
        lines.append(_line("", f"and {len(found) - _SHOWN} more: see the journal"))
    return lines


def _parts(parts: "Parts") -> str:
    stored = [each for each in parts.records if each.end == "stored"]
    done = "machined and stored" if stored and all(each.machined for each in stored) else "stored"
    told = [f"{parts.arrived} arrived", f"{parts.stored} {done}", f"{parts.sunk} taken out"]
    told += [f"{parts.inside} in the cell", f"{parts.lost} lost"]
    return " · ".join(each for each in told if not each.startswith("0 ") or each.endswith(("cell", "lost")))


def _crash(crash: "Crash") -> str:
    x, y, z = (v / mm for v in crash.point)
    return (
        f"{crash.a} – {crash.b} from {format_time(seconds(crash.time))}, {crash.depth / mm:.2f} mm deep, "
        f"at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    )


def _near(near: "NearMiss") -> str:
    return f"{near.a} – {near.b} within {near.distance / mm:.2f} mm at {format_time(seconds(near.time))}"


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
        total = sum(move.duration for move in moves)
        lines.append(f"  {'in all':<8}  {'':>9}  {total:8.3f}")
    return "\n".join(lines)


def as_json(result: "Result") -> dict[str, Any]:
    """The result as plain data; times in seconds to 1 µs, lengths in metres to 1 nm, as in the journal."""
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
        "crashes": [
            {"time_s": seconds(c.time), "a": c.a, "b": c.b, "depth_m": c.depth, "point_m": list(c.point)}
            for c in result.crashes
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
    rounded: dict[str, Any] = _rounded(plain)
    return rounded


def _rounded(value: Any) -> Any:
    # Last bits differ between processors and must not reach what is compared.
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
