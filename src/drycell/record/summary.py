"""The summary of a run: a few lines for people, starting with the verdict."""

from typing import TYPE_CHECKING

from drycell.base import format_length, format_time, mm
from drycell.kernel import is_users, seconds

if TYPE_CHECKING:
    from drycell.kernel import Blocked
    from drycell.record.figures import Wait
    from drycell.record.parts import Parts
    from drycell.record.result import Result
    from drycell.world import Collision, NearMiss

_ENDINGS = {
    "finished": ("finished", "at {}, all programs ended"),
    "until": ("time limit", "reached at {}"),
    "deadlock": ("DEADLOCK", "at {}, no program can continue"),
    "stopped": ("stopped", "at {}"),
    "interrupted": ("interrupted", "at {}, results so far"),
}
_SHOWN = 5  # collisions, near misses and lost parts, each
_WAITS = 3  # programs


def summary(result: "Result") -> str:
    """Return the summary: how the run ended, its output, collisions, losses, and the longest waits."""
    label, text = _ENDINGS[result.ending]
    reason = f": {result.outcome.reason}" if result.outcome.reason else ""
    blocked = [_blocked(each) for each in result.stuck]
    dead = result.ending == "deadlock"
    lines = _lines(label, [text.format(format_time(result.duration)) + reason, *(blocked if dead else ())])
    if blocked and not dead:
        lines += _lines("STUCK", [*_stuck(result), *blocked])
    elif result.stalled is not None:
        lines += _lines("STALLED", [f"nothing has happened since {format_time(result.stalled)}"])
    lines += _lines("MISSED", list(result.missed))
    if result.parts.kept:
        lines += _lines("parts", [_parts(result.parts)])
    if result.cycle is not None:
        cycle = result.cycle
        lines += _lines("cycle time", [f"{cycle.mean:.1f} s mean ({cycle.shortest:.1f}–{cycle.longest:.1f} s)"])
    lines += _lines("devices", [", ".join(f"{name} {used.busy:.0%} busy" for name, used in result.devices.items())])
    for number, (robot, moved) in enumerate(result.robots.items()):
        moves = f"{moved.cycles:,} move{'' if moved.cycles == 1 else 's'}"
        share = f" ({moved.busy:.0%})" if result.duration else ""
        lines += _lines("" if number else "robots", [f"{robot}: {moves}, {format_time(moved.time)} in motion{share}"])
    if result.checked:
        lines += _lines("collisions", _few([_collision(each) for each in result.collisions], "use --collisions"))
        near = sorted(result.near_misses, key=lambda each: (each.distance, each.time))
        lines += _lines("near misses", _few([_near(each) for each in near], "use --collisions"))
    else:
        lines += _lines("collisions", ["not checked"])
    if result.lost or not result.parts.kept:
        lines += _lines("lost parts", _few(list(result.lost)))
    lines += _lines("longest wait", _waits(result))
    return "\n".join(lines + _lines("warnings", _few(list(result.warnings), "see --json") if result.warnings else []))


def _stuck(result: "Result") -> list[str]:
    """List the stuck programs, and the time at which each got stuck; programs that wait for each other share a line."""
    groups: dict[int, list[str]] = {}
    for each in result.stuck:
        if each.stuck_since is not None:
            groups.setdefault(each.stuck_since, []).append(each.process)
    return [f"{', '.join(names)} since {format_time(seconds(since))}" for since, names in groups.items()]


def _blocked(blocked: "Blocked") -> str:
    return f"{blocked}{' (daemon)' if blocked.daemon else ''}"


def _lines(label: str, texts: list[str]) -> list[str]:
    """Lay out texts one below the other, with the label beside the first."""
    return [f"  {'' if number else label:<12}  {text}" for number, text in enumerate(texts) if text]


def _few(found: list[str], see: str = "see result.lost") -> list[str]:
    more = [f"and {len(found) - _SHOWN} more: {see}"] if len(found) > _SHOWN else []
    return [*found[:_SHOWN], *more] or ["none"]


def _parts(parts: "Parts") -> str:
    texts = [f"{parts.arrived} arrived"]
    stored = [each for each in parts.records if each.end == "stored"]
    sunk = [each for each in parts.records if each.end == "sunk"]
    places = sorted({each.where for each in sunk})
    out = f"taken to {places[0]}" if len(places) == 1 else "taken out"
    for done, where in ((stored, "stored"), (sunk, out)):
        if done:
            machined = "machined and " if all(each.machined for each in done) else ""
            texts.append(f"{len(done)} {machined}{where}")
    return " · ".join([*texts, f"{parts.inside} in the cell", f"{parts.lost} lost"])


def _collision(collision: "Collision") -> str:
    x, y, z = (round(v / mm, 1) + 0.0 for v in collision.point)  # adding zero turns -0.0 into 0.0
    return (
        f"{collision.a} – {collision.b} from {format_time(seconds(collision.time))}, "
        f"{format_length(collision.depth, 2)} deep at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    )


def _near(near: "NearMiss") -> str:
    return f"{near.a} – {near.b} {format_length(near.distance, 2)} apart at {format_time(seconds(near.time))}"


def _waits(result: "Result") -> list[str]:
    """The programs that waited longest, without daemons, which are meant to wait, and without those shown as stuck."""
    stuck = {each.process for each in result.stuck}
    dead = result.ending == "deadlock"
    found = [
        each for each in result.waits.values() if not each.daemon and (each.over or not (dead or each.process in stuck))
    ]
    found.sort(key=lambda each: (-each.seconds, each.process))
    return [_wait(each) for each in found[:_WAITS]]


def _wait(wait: "Wait") -> str:
    # A task waits in drycell's own code, so its line does not help the user.
    notes = [wait.at] if is_users(wait.file) else []
    if not wait.over:
        notes.append("still waiting")
    where = f" ({', '.join(notes)})" if notes else ""
    return f"{wait.process}: {wait.seconds:.1f} s for {wait.condition}{where}"
