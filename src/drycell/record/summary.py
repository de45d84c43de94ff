"""The summary of a run: what a person wants to know of it, in a few lines."""

from typing import TYPE_CHECKING

from drycell.base import format_time, mm
from drycell.kernel import is_users, seconds

if TYPE_CHECKING:
    from drycell.record.figures import Wait
    from drycell.record.parts import Cycle, Parts
    from drycell.record.result import Result
    from drycell.world import Collision, NearMiss

_ENDINGS = {
    "finished": "finished: every program came to its end",
    "until": "the time asked for is up",
    "deadlock": "DEADLOCK: no program can ever proceed",
    "stopped": "stopped",
    "interrupted": "interrupted; results so far",
}
_SHOWN = 5  # of collisions, near misses and lost parts, each
_WAITS = 3  # programs
_GAP = " " * 6


def summary(result: "Result") -> str:
    """How a run ended, and what there was on the way. Of a cell that parts go through, it begins with the parts."""
    return "\n".join((_flow if result.parts.kept else _steps)(result) + _waits(result))


def _flow(result: "Result") -> list[str]:
    """Of a cell with sources, stores or sinks."""
    lines = [] if result.ending == "until" else _ended(result)  # such a cell goes on for as long as it is let
    lines.append(_line("parts", _parts(result.parts)))
    shares = [f"{name} busy {used.busy:.0%}" for name, used in result.devices.items()]
    if result.duration:
        shares += [f"{robot} {moved.busy:.0%}" for robot, moved in result.robots.items()]
    shown = [each for each in (_cycle(result.cycle), ", ".join(shares)) if each]
    if shown:
        lines.append(_line("cycle", _GAP.join(shown)))
    if result.collisions or not result.checked:
        lines += _incidents("collisions", result.checked, [_collision(collision) for collision in result.collisions])
    if result.checked:
        near = f"near misses  {_nearest(result)}"
        lines.append(_line("", near) if result.collisions else _line("collisions", f"none{_GAP}{near}"))
    if result.lost:
        lines += _incidents("lost", True, list(result.lost))
    return lines


def _steps(result: "Result") -> list[str]:
    """Of any other cell: how much each robot did, and every incident."""
    lines = _ended(result)
    for robot, moved in result.robots.items():
        share = f", {moved.busy:.0%} of the time" if result.duration else ""
        lines.append(_line("cycle", f"{robot}: {moved.cycles} moves, {moved.time:.3f} s in motion{share}"))
    if result.devices:
        lines.append(_line("busy", ", ".join(f"{name} {used.busy:.0%}" for name, used in result.devices.items())))
    lines += _incidents("collisions", result.checked, [_collision(collision) for collision in result.collisions])
    lines += _incidents("near", result.checked, [_near(near) for near in result.near_misses])
    return lines + _incidents("lost", True, list(result.lost))


def _ended(result: "Result") -> list[str]:
    lines = [_line("ended", f"{_ENDINGS[result.ending]}, at {format_time(result.duration)}")]
    if result.outcome.reason:
        lines.append(_line("", result.outcome.reason))
    return lines + [_line("", str(blocked)) for blocked in result.outcome.blocked if not blocked.daemon]


def _waits(result: "Result") -> list[str]:
    """Whoever waited longest; daemons live by waiting, and who waits in a deadlock is reported already."""
    deadlock = result.ending == "deadlock"
    found = [each for each in result.waits.values() if not each.daemon and (each.over or not deadlock)]
    found.sort(key=lambda each: (-each.seconds, each.process))
    lines: list[str] = []
    for each in found[:_WAITS]:
        lines.append(_line("" if lines else "waits", f"{'' if lines else 'longest:':<9}{_wait(each)}"))
    return lines


def _line(label: str, text: str) -> str:
    return f"  {label:<10} {text}"


def _incidents(label: str, checked: bool, found: list[str]) -> list[str]:
    if not found:
        return [_line(label, "none" if checked else "not checked")]
    lines = [_line(label if number == 0 else "", text) for number, text in enumerate(found[:_SHOWN])]
    if len(found) > _SHOWN:
        lines.append(_line("", f"and {len(found) - _SHOWN} more: see the journal"))
    return lines


def _parts(parts: "Parts") -> str:
    told = [f"{parts.arrived} arrived"]
    stored = [each for each in parts.records if each.end == "stored"]
    sunk = [each for each in parts.records if each.end == "sunk"]
    places = sorted({each.where for each in sunk})
    out = f"taken to {places[0]}" if len(places) == 1 else "taken out"
    for done, where in ((stored, "stored"), (sunk, out)):
        if done:
            machined = "machined and " if all(each.machined for each in done) else ""
            told.append(f"{len(done)} {machined}{where}")
    return " · ".join([*told, f"{parts.inside} in the cell", f"{parts.lost} lost"])


def _cycle(cycle: "Cycle | None") -> str:
    return "" if cycle is None else f"{cycle.mean:.1f} s mean, {cycle.shortest:.1f}–{cycle.longest:.1f} s"


def _wait(wait: "Wait") -> str:
    still = "" if wait.over else ", and still does"
    at = f" ({wait.at})" if is_users(wait.file) else ""  # a task waits in a line of drycell's own
    return f"program '{wait.process}' {wait.seconds:.1f} s for {wait.condition}{at}{still}"


def _collision(collision: "Collision") -> str:
    x, y, z = (v / mm for v in collision.point)
    return (
        f"{collision.a} – {collision.b} from {format_time(seconds(collision.time))}, "
        f"{collision.depth / mm:.2f} mm deep, at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    )


def _near(near: "NearMiss") -> str:
    return f"{near.a} – {near.b} within {near.distance / mm:.2f} mm at {format_time(seconds(near.time))}"


def _nearest(result: "Result") -> str:
    if not result.near_misses:
        return "none"
    nearest = min(result.near_misses, key=lambda near: near.distance)
    at = format_time(seconds(nearest.time))
    return f"{len(result.near_misses)} (closest {nearest.distance / mm:.1f} mm: {nearest.a} – {nearest.b} at {at})"
