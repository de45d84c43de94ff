"""The journal, a page at a time: filtered on stage, so that the browser holds only what it shows."""

from typing import Literal

from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.review.pages import Filter
from drycell.studio.review.review import review


@request("journal")
def journal(
    session: HostSession,
    *,
    after: int = 0,
    count: int = 100,
    kinds: list[str] | None = None,
    text: str = "",
    t0: int | None = None,
    t1: int | None = None,
) -> Reply:
    """So many rows from a place on (from the end if negative) of those that pass; see ``review.pages.Pages.page``.

    The last ``tail`` records of the journal are not final: others may still come between them.
    """
    seen = review(session)
    wanted = Filter(frozenset(kinds or ()), text, t0, t1)
    tail = seen.tail(session)
    return {**seen.pages(session).page(wanted, after, count, tail), "tail": len(tail)}


@request("journal_place")
def journal_place(
    session: HostSession,
    *,
    t: int,
    kinds: list[str] | None = None,
    text: str = "",
    t0: int | None = None,
    t1: int | None = None,
) -> Reply:
    """Where an instant is among the rows that pass: how many of them come up to it."""
    seen = review(session)
    return {"place": seen.pages(session).place(Filter(frozenset(kinds or ()), text, t0, t1), t, seen.tail(session))}


@request("journal_text")
def journal_text(
    session: HostSession,
    *,
    form: Literal["text", "jsonl"],
    kinds: list[str] | None = None,
    text: str = "",
    t0: int | None = None,
    t1: int | None = None,
) -> Reply:
    """All rows that pass as a file: lines for people, or JSON lines for programs, as ``drycell run`` writes them."""
    seen = review(session)
    tail = seen.tail(session)
    pages = seen.pages(session)
    numbers = pages.numbers(Filter(frozenset(kinds or ()), text, t0, t1), tail)
    records = (pages.record(number, tail) for number in numbers)
    told = "".join((each.text() if form == "text" else each.json()) + "\n" for each in records)
    return {"rows": len(numbers)}, told.encode()
