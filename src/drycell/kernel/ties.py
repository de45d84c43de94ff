"""Ties: the events that could be next at one instant, as a chooser sees them."""

from __future__ import annotations

from heapq import heappop
from typing import TYPE_CHECKING

from drycell.kernel.chooser import Pending
from drycell.kernel.strand import Entry, Event, Strand, program_of

if TYPE_CHECKING:
    from drycell.kernel.scheduler import Scheduler


def is_live(what: Strand | Event) -> bool:
    """Whether something in the queue will still do anything."""
    return isinstance(what, Strand) or what.is_live()


def take(scheduler: Scheduler, head: Entry) -> None:
    """Take the first event out of the queue. Another thread may have called since it was looked at: later, then."""
    called = False
    while heappop(scheduler.queue) is not head:
        called = True
    if called:
        scheduler.call_attention()


def offered(ties: list[Entry]) -> tuple[list[int], list[Pending]]:
    """The first event of each owner: its place among the ties, and what the chooser sees of it."""
    places: list[int] = []
    pending: list[Pending] = []
    owners: set[str] = set()
    for place, (time, at_level, _, what) in enumerate(ties):
        strand = program_of(what)
        if strand is None:
            owner, number, made = what.identity()
        else:
            owner, number, made = strand.process.name, strand.steps, strand.made
        seen = Pending((owner, number), time, at_level, made)
        if seen.owner not in owners:
            owners.add(seen.owner)
            places.append(place)
            pending.append(seen)
    return places, pending
