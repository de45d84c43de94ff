"""How long programs waited up to an instant: the longest wait of each, and all of them line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from drycell.kernel import Kernel, Wait, seconds
from drycell.kernel.location import Location
from drycell.kernel.wait_log import WaitLog


@dataclass(frozen=True)
class LineOfWaits:
    """All waits of a program in one line for one thing: how many, how long in all, and the longest."""

    process: str
    condition: str
    file: str
    line: int
    count: int
    total: float
    longest: float


def longest_waits(log: WaitLog, kernel: Kernel, t: int, still: Sequence[Wait] = ()) -> dict[str, Wait]:
    """The longest wait of each program up to an instant, as a run that ended then would have told it.

    ``still`` are the longest waits at the end of a run that is over, those that never ended among them.
    """
    now = kernel.now
    if t >= now:
        found = still if kernel.closed else tuple(kernel.waits())
        return {wait.process: wait for wait in found}
    daemons = {process.name: process.daemon for process in kernel.processes}
    told: dict[str, Wait] = {}
    for name, daemon in daemons.items():
        span, condition, at, over = 0, "", Location("", 0, ""), True
        for each in log.waits(name, t):
            if each.span > span:
                span, condition, at = each.span, each.condition, each.at
        going_on = log.during(name, t)
        if going_on is not None and t - (going_on.end - going_on.span) > span:
            span, over = t - (going_on.end - going_on.span), False
            condition, at = going_on.condition, going_on.at
        last = _last(kernel, name, still)
        if last is not None and t - (now - last[0]) > span:
            span, over, condition, at = t - (now - last[0]), False, last[1], last[2]
        if span:
            told[name] = Wait(name, seconds(span), condition, at.file, at.line, over, daemon)
    return told


def lines_of_waits(log: WaitLog, t: int) -> list[LineOfWaits]:
    """Where programs waited, the longest in all first; waits that were over at the instant count."""
    found: dict[tuple[str, str, str, int], tuple[int, int, int]] = {}
    for process in log.processes:
        for each in log.waits(process, t):
            key = (process, each.condition, each.at.file, each.at.line)
            count, total, longest = found.get(key, (0, 0, 0))
            found[key] = (count + 1, total + each.span, max(longest, each.span))
    rows = [LineOfWaits(*key, count, seconds(total), seconds(most)) for key, (count, total, most) in found.items()]
    return sorted(rows, key=lambda row: (-row.total, row.process, row.line))


def _last(kernel: Kernel, name: str, still: Sequence[Wait]) -> tuple[int, str, Location] | None:
    """The wait that a program is in now, or was in when the run ended: its ticks so far, what for, and where."""
    for wait in still:
        if wait.process == name and not wait.over:
            return round(wait.seconds * 1e6), wait.condition, Location(wait.file, wait.line, "")
    for process in kernel.processes:
        waiter = process.strand.waiter
        if process.name == name and waiter is not None and waiter.since is not None:
            return kernel.now - waiter.since, waiter.text, process.where()
    return None
