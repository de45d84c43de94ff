"""What the end of a run cuts off: steps of daemons, and timers, that were still to come when the last program ended.

Any of them could have come before the end, and changed what the programs did, if it writes something that they touch,
directly or through other daemons and devices. Sampling sensors and scans are not considered: they are pending at all
times. Nor are steps without such an effect, since they would only make the search longer.
"""

from collections.abc import Iterator, Mapping, Set

from drycell.kernel import Kernel, Key, Timer, is_live, program_of
from drycell.verify.intervals import Due, identified


def cut_off(kernel: Kernel, touched: Mapping[str, Mapping[str, bool]], programs: Set[str]) -> Iterator[tuple[Key, Due]]:
    """Yield the steps that a run that ends now cuts off, and that could have mattered, the earliest first.

    Args:
        kernel: The kernel, at the end of the run.
        touched: The names that each owner of steps has touched (True: written, False: only read).
        programs: The names of the programs that have kept the run alive.
    """
    coming = [
        (time, level, what)
        for time, level, _, what in sorted(kernel.queue, key=lambda entry: entry[:3])
        if time >= 0 and is_live(what) and (isinstance(what, Timer) or program_of(what) is not None)
    ]
    if not coming:
        return
    known, owners = _relevant(kernel, touched, programs)
    for time, level, what in coming:
        key, due = identified(time, level, what)
        sets = isinstance(what, Timer) and (
            what.writes is None
            or any(each.name in known for signal in what.writes for each in (signal, *signal.answered_by()))
        )
        if sets or key[0].removesuffix(".timeout") in owners:
            yield key, due


def _relevant(
    kernel: Kernel, touched: Mapping[str, Mapping[str, bool]], programs: Set[str]
) -> tuple[Set[str], Set[str]]:
    """Return the names that matter to some programs, and the owners that may write one of them."""
    known = {name for each in programs for name in touched.get(each, ())}
    writes: dict[str, Set[str] | None] = {
        owner: {name for name, written in names.items() if written} for owner, names in touched.items()
    }
    reads: dict[str, Set[str]] = {owner: names.keys() for owner, names in touched.items()}
    for process in kernel.processes.living():
        name, ahead = process.name, kernel.deadlock.ahead(process)
        if ahead is None:
            writes[name] = None
            continue
        writes[name] = {signal.name for signal in ahead.written}.union(writes.get(name) or ())
        reads[name] = {signal.name for signal in ahead.asked}.union(reads.get(name, ()))
    owners: set[str] = set()
    while True:
        more = [
            owner
            for owner, names in writes.items()
            if owner not in owners and owner not in programs and (names is None or not known.isdisjoint(names))
        ]
        if not more:
            return known, owners
        owners.update(more)
        for owner in more:
            known |= reads.get(owner, set())
