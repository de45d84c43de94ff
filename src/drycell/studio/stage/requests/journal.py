"""The journal, a page at a time: filtered on stage, so that the browser holds only what it shows."""

from typing import Literal

from drycell.studio.review.pages import Filter
from drycell.studio.review.review import review
from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre


@request("journal")
def journal(
    theatre: Theatre,
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
    seen = review(theatre)
    wanted = Filter(frozenset(kinds or ()), text, t0, t1)
    tail = seen.tail(theatre)
    return {**seen.pages(theatre).page(wanted, after, count, tail), "tail": len(tail)}


@request("journal_place")
def journal_place(
    theatre: Theatre,
    *,
    t: int,
    kinds: list[str] | None = None,
    text: str = "",
    t0: int | None = None,
    t1: int | None = None,
) -> Reply:
    """Where an instant is among the rows that pass: how many of them come up to it."""
    seen = review(theatre)
    return {"place": seen.pages(theatre).place(Filter(frozenset(kinds or ()), text, t0, t1), t, seen.tail(theatre))}


@request("journal_text")
def journal_text(
    theatre: Theatre,
    *,
    form: Literal["text", "jsonl"],
    kinds: list[str] | None = None,
    text: str = "",
    t0: int | None = None,
    t1: int | None = None,
) -> Reply:
    """All rows that pass as a file: lines for people, or JSON lines for programs, as ``drycell run`` writes them."""
    seen = review(theatre)
    tail = seen.tail(theatre)
    pages = seen.pages(theatre)
    numbers = pages.numbers(Filter(frozenset(kinds or ()), text, t0, t1), tail)
    records = (pages.record(number, tail) for number in numbers)
    told = "".join((each.text() if form == "text" else each.json()) + "\n" for each in records)
    return {"rows": len(numbers)}, told.encode()
