"""Records all traffic of a link as JSON lines, reads it, and draws it as a timing diagram.

The diagram shows when each command was executed, and what happened to messages.
"""

import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from math import nan
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self, TextIO, get_args

from drycell.base import FileError, text_beside
from drycell.effector.messages import (
    VOCABULARY,
    Code,
    CommandEntry,
    Message,
    MessageRefused,
    Refusal,
    Traffic,
)
from drycell.effector.messages.message import Event
from drycell.pictures import Panel, Series, save_plot


class Recorder:
    """Writes traffic to a file, a line for each event. The file replaces the previous one when the recorder is closed.

    Add it to the ``watchers`` of a server or of mailboxes. Any thread may call it.
    """

    def __init__(self, path: str | Path) -> None:
        self._ends = ExitStack()
        self._file: TextIO | None = self._ends.enter_context(text_beside(path))
        self._lock = Lock()

    def __call__(self, seen: Traffic) -> None:
        """Write a line."""
        line = json.dumps(_as_json(seen), ensure_ascii=False, allow_nan=False) + "\n"
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(line)
            except BaseException:
                self._file = None
                self._ends.__exit__(*sys.exc_info())  # keeps the previous file
                raise

    def close(self) -> None:
        """Close the file. Later traffic is not written."""
        with self._lock:
            if self._file is not None:
                self._file = None
                self._ends.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_traffic(path: str | Path) -> list[Traffic]:
    """Read the file of a Recorder, without an incomplete last line. Raises FileError for other files."""
    found = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {error}", hint="is it a file that --record wrote?") from None
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            found.append(_from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, MessageRefused) as error:
            why = error.what if isinstance(error, MessageRefused) else repr(error)
            where = f"{path}, line {number}"
            raise FileError(
                f"not a line of traffic: {why}", where=where, hint="is it a file that --record wrote?"
            ) from None
    return found


def _as_json(seen: Traffic) -> dict[str, object]:
    line: dict[str, object] = {"time": round(seen.time, 6), "peer": seen.peer, "event": seen.event}
    message = seen.message
    if message is not None:
        if isinstance(message, Refusal):
            line |= {"code": message.code.value, "what": message.what}
        else:
            line |= {"message": message.characters, "reals": list(message.reals)}
        line["number"] = message.sequence
    if seen.text:
        line["text"] = seen.text
    return line


def _from_json(line: dict[str, Any]) -> Traffic:
    message: Message | Refusal | None = None
    if "message" in line:
        message = Message.of(line["message"], tuple(float(real) for real in line["reals"]), line["number"])
    elif "code" in line:
        message = Refusal(Code(line["code"]), str(line["what"]), line["number"])
    event: Event = line["event"]
    if event not in get_args(Event):
        raise ValueError(f"there is no event {event!r}")
    return Traffic(float(line["time"]), str(line["peer"]), event, message, str(line.get("text", "")))


_NAMED: Final = 40
"""The most rows with names; with more rows, the axis has numbers instead."""
_ROW: Final = 0.16
"""Height of a row in inches."""
_TROUBLE: Final = ("refused", "late", "lost", "doubled", "dropped")
_BARS: Final = {"queued": 0, "failed": 1, "at once": 2, "no reply": 6}
"""Kinds of commands and the colours of their bars in all panels."""
_DRAWN: Final = ("queued", "failed", "at once", "reply", "no reply", *_TROUBLE)
"""The order of drawing: later ones are on top."""
_DOTS: Final = {"reply": 3, "refused": 4, "late": 5, "lost": 1, "doubled": 0, "dropped": 6}


@dataclass(slots=True)
class CommandSpan:
    """A command of one client, from sending to the delivery of its reply; ``end`` is None if there is none."""

    peer: str
    place: int
    message: Message
    command: CommandEntry
    start: float
    end: float | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class DisturbanceMark:
    """A disturbance of a message, in the row of its command."""

    peer: str
    place: int
    event: str
    time: float


def spans(traffic: Iterable[Traffic]) -> tuple[list[CommandSpan], list[DisturbanceMark]]:
    """Match commands with their replies, by number or by order; returns them and all disturbances."""
    made: list[CommandSpan] = []
    troubles: list[DisturbanceMark] = []
    open_spans: dict[str, list[CommandSpan]] = {}
    ended: dict[tuple[str, int | None], CommandSpan] = {}
    for seen in traffic:
        message = seen.message
        mine = open_spans.setdefault(seen.peer, [])
        span = _belonging(mine, message)
        if seen.event in _TROUBLE:
            if span is None and message is not None:  # the copy of a message that has arrived before
                span = ended.get((seen.peer, message.sequence))
            place = span.place if span is not None else len(made) + 1
            troubles.append(DisturbanceMark(seen.peer, place, seen.event, seen.time))
        elif seen.event == "sent" and isinstance(message, Message):
            entry = _meaning(message)
            if isinstance(entry, CommandEntry):
                made.append(CommandSpan(seen.peer, len(made) + 1, message, entry, seen.time))
                mine.append(made[-1])
        elif seen.event == "delivered" and span is not None:
            mine.remove(span)
            ended[seen.peer, message.sequence if message is not None else None] = span
            span.end = seen.time
            span.failed = isinstance(message, Refusal) or message is None or message.command == "FAI"
    return made, troubles


def draw_timing(traffic: Iterable[Traffic], path: str | Path, *, title: str = "") -> None:
    """Draw a timing diagram as SVG or PNG: time to the right, a row for each command from top to bottom."""
    seen = list(traffic)
    made, troubles = spans(seen)
    first, last = (most((each.time for each in seen), default=0.0) for most in (min, max))
    edge = 0.02 * (last - first) or 0.5
    drawn = {span.peer for span in made} | {trouble.peer for trouble in troubles}
    peers = [peer for peer in dict.fromkeys(each.peer for each in seen) if peer in drawn]  # in order of appearance
    times = (first - edge, last + edge)  # one time axis for all panels, to compare them
    panels = [_panel(peer, made, troubles, times) for peer in peers or ["no traffic"]]
    rows = min(max((span.place for span in made), default=0), _NAMED)
    save_plot(path, panels, title=title or "Commands and their replies", size=(7.2, max(2.9, _ROW * rows)))


def _panel(peer: str, made: list[CommandSpan], troubles: list[DisturbanceMark], times: tuple[float, float]) -> Panel:
    mine = [span for span in made if span.peer == peer]
    troubled = [trouble for trouble in troubles if trouble.peer == peer]
    bars: dict[str, list[CommandSpan]] = {label: [] for label in _BARS}
    dots: dict[str, list[tuple[float, int]]] = {label: [] for label in _DOTS}
    for span in mine:
        bars[_kind(span)].append(span)
        if span.end is not None:
            dots["reply"].append((span.end, span.place))
    for trouble in troubled:
        dots[trouble.event].append((trouble.time, trouble.place))
    last = times[1]  # a command without a reply extends beyond the record
    drawn = {label: _bars(label, chosen, last) for label, chosen in bars.items() if chosen}
    drawn |= {label: _dots(label, chosen) for label, chosen in dots.items() if chosen}
    # A message that the server refused has no row of a command.
    names = {float(each.place): each.event for each in troubled} | {float(each.place): _name(each) for each in mine}
    places = list(names) or [1.0]
    return Panel(
        title=peer,
        x_label="time in s",
        y_label="command",
        series=[drawn[label] for label in _DRAWN if label in drawn],
        x_range=times,
        y_range=(max(places) + 1.0, min(places) - 1.0),
        y_names=names if len(names) <= _NAMED else {},
    )


def _kind(span: CommandSpan) -> str:
    if span.end is None:
        return "no reply"
    return "failed" if span.failed else span.command.handling.value


def _name(span: CommandSpan) -> str:
    number = span.message.sequence
    return span.command.letters if number is None else f"{span.command.letters} {number}"


def _bars(label: str, chosen: list[CommandSpan], last: float) -> Series:
    x: list[float] = []
    y: list[float] = []
    for span in chosen:
        x += [span.start, last if span.end is None else span.end, nan]
        y += [span.place, span.place, nan]
    return Series(x, y, label, "dashed" if label == "no reply" else "line", _BARS[label])


def _dots(label: str, places: list[tuple[float, int]]) -> Series:
    return Series([x for x, _ in places], [y for _, y in places], label, "dots", _DOTS[label])


def _belonging(open_spans: list[CommandSpan], message: Message | Refusal | None) -> CommandSpan | None:
    """Return the command that a message is, or is a reply to."""
    if message is None:
        return None
    for span in open_spans:
        if span.message.sequence != message.sequence:
            continue
        fits = isinstance(message, Refusal) or message == span.message or message.command in span.command.replies
        if fits:
            return span
    return None


def _meaning(message: Message) -> object:
    try:
        return VOCABULARY.entry(message)
    except MessageRefused:
        return None
