"""The instants at which something happened, to step from one to the next through what has been."""

from bisect import bisect_left, bisect_right
from typing import Literal

from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request


@request("moment")
def moment(session: HostSession, *, t: int, by: Literal[-1, 1]) -> Reply:
    """The nearest instant of the journal before or after one; null where there is none."""
    journal = session.journal
    if by > 0:
        place = bisect_right(journal, t, key=lambda record: record.time)
        return {"t": journal[place].time if place < len(journal) else None}
    place = bisect_left(journal, t, key=lambda record: record.time)
    return {"t": journal[place - 1].time if place > 0 else None}
