"""The timing diagram of a link: which command was under way from when to when, and what happened to messages."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Final

from drycell.effector.messages import (
    VOCABULARY,
    Command,
    Handling,
    Message,
    MessageRefused,
    Refusal,
    Traffic,
    Vocabulary,
)
from drycell.pictures import Panel, Series, save_plot

_NAMED: Final = 40
"""Rows that are named; of more, only every so many are numbered."""
_ROW: Final = 0.16
"""Inches of a row."""
_TROUBLE: Final = ("refused", "late", "lost", "doubled", "dropped")
_BARS: Final = {"queued": 0, "failed": 1, "at once": 2, "no reply": 6}
"""Kinds of commands, and the colours of their bars: the same in every panel."""
_DOTS: Final = {"reply": 3, "refused": 4, "late": 5, "lost": 1, "doubled": 0, "dropped": 6}


@dataclass(slots=True)
class Span:
    """A command of one peer, from when it was sent to when its reply was delivered; None while there is none."""

    peer: str
    place: int
    message: Message
    command: Command
    start: float
    end: float | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that happened to a message, at the place of its command in the diagram."""

    peer: str
    place: int
    event: str
    time: float


def spans(traffic: Iterable[Traffic], vocabulary: Vocabulary = VOCABULARY) -> tuple[list[Span], list[Trouble]]:
    """Commands with their replies, by number, or without numbers by order; and all troubles."""
    made: list[Span] = []
    troubles: list[Trouble] = []
    open_spans: dict[str, list[Span]] = {}
    ended: dict[tuple[str, int | None], Span] = {}
    for seen in traffic:
        message = seen.message
        mine = open_spans.setdefault(seen.peer, [])
        span = _belonging(mine, message)
        if seen.event in _TROUBLE:
            if span is None and message is not None:  # the second copy of a message whose first has arrived
                span = ended.get((seen.peer, message.sequence))
            place = span.place if span is not None else len(made) + 1
            troubles.append(Trouble(seen.peer, place, seen.event, seen.time))
        elif seen.event == "sent" and isinstance(message, Message):
            entry = _meaning(message, vocabulary)
            if isinstance(entry, Command):
                made.append(Span(seen.peer, len(made) + 1, message, entry, seen.time))
                mine.append(made[-1])
        elif seen.event == "delivered" and span is not None:
            mine.remove(span)
            ended[seen.peer, message.sequence if message is not None else None] = span
            span.end = seen.time
            span.failed = isinstance(message, Refusal) or message is None or message.command == "FAI"
    return made, troubles


def draw_timing(traffic: Iterable[Traffic], path: str | Path, *, title: str = "") -> None:
    """Writes the timing diagram as SVG or PNG: time to the right, one row for each command, from top to bottom."""
    seen = list(traffic)
    made, troubles = spans(seen)
    first, last = (most((each.time for each in seen), default=0.0) for most in (min, max))
    edge = 0.02 * (last - first) or 0.5
    drawn = {span.peer for span in made} | {trouble.peer for trouble in troubles}
    peers = [peer for peer in dict.fromkeys(each.peer for each in seen) if peer in drawn]  # as they came
    times = (first - edge, last + edge)  # one axis for all: who waited for whom is seen across panels
    panels = [_panel(peer, made, troubles, times) for peer in peers or ["no traffic"]]
    rows = min(max((span.place for span in made), default=0), _NAMED)
    save_plot(path, panels, title=title or "Commands and their replies", size=(7.2, max(2.9, _ROW * rows)))


def _panel(peer: str, made: list[Span], troubles: list[Trouble], times: tuple[float, float]) -> Panel:
    last = times[1]  # what has no reply goes on beyond the record
    mine = [span for span in made if span.peer == peer]
    kinds = {
        "queued": [s for s in mine if s.end is not None and not s.failed and s.command.handling is Handling.QUEUED],
        "failed": [s for s in mine if s.failed],
        "at once": [s for s in mine if s.end is not None and not s.failed and s.command.handling is Handling.AT_ONCE],
    }
    series = [_bars(label, chosen, last) for label, chosen in kinds.items() if chosen]
    ends = [span for span in mine if span.end is not None]
    if ends:
        series.append(_dots("reply", [(span.end or 0.0, span.place) for span in ends]))
    unanswered = [span for span in mine if span.end is None]
    if unanswered:
        series.append(_bars("no reply", unanswered, last))
    troubled = [trouble for trouble in troubles if trouble.peer == peer]
    for event in _TROUBLE:
        chosen = [trouble for trouble in troubled if trouble.event == event]
        if chosen:
            series.append(_dots(event, [(each.time, each.place) for each in chosen]))
    # What was refused at the door has no command whose row it could be in.
    names = {float(each.place): each.event for each in troubled} | {float(each.place): _name(each) for each in mine}
    places = list(names) or [1.0]
    limits = (max(places) + 1.0, min(places) - 1.0)
    return Panel(
        title=peer,
        x_label="time in s",
        y_label="command",
        series=series,
        x_range=times,
        y_range=limits,
        y_names=names if len(names) <= _NAMED else {},
    )


def _name(span: Span) -> str:
    number = span.message.sequence
    return span.command.letters if number is None else f"{span.command.letters} {number}"


def _bars(label: str, chosen: list[Span], last: float) -> Series:
    x: list[float] = []
    y: list[float] = []
    for span in chosen:
        x += [span.start, last if span.end is None else span.end, nan]
        y += [span.place, span.place, nan]
    return Series(x, y, label, "dashed" if label == "no reply" else "line", _BARS[label])


def _dots(label: str, places: list[tuple[float, int]]) -> Series:
    return Series([x for x, _ in places], [y for _, y in places], label, "dots", _DOTS[label])


def _belonging(open_spans: list[Span], message: Message | Refusal | None) -> Span | None:
    """The command that a message is, or is a reply to."""
    if message is None:
        return None
    for span in open_spans:
        if span.message.sequence != message.sequence:
            continue
        fits = isinstance(message, Refusal) or message == span.message or message.command in span.command.replies
        if fits:
            return span
    return None


def _meaning(message: Message, vocabulary: Vocabulary) -> object:
    try:
        return vocabulary.entry(message)
    except MessageRefused:
        return None
