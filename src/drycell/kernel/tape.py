"""The tape: what came from outside while a run went on, as plain data, so that the run can be repeated to the byte.

One row is one request, however many values it sets. Rows are put down when they are carried out, in that order. A
request is carried out after everything else of its instant, so its tick and its place on the tape are enough to carry
it out again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, KernelError, UnknownName
from drycell.kernel.clock import clock_text
from drycell.kernel.track import Track

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.outcome import Ending

Arguments = Mapping[str, Any]
"""Plain JSON, by name."""

BEFORE: Final = -1
"""The tick of what was done before the run began."""
OUTSIDE: Final = "outside"
"""Who a request is from when nobody is named."""

# What the kernel itself puts on the tape; all else is the name of a request.
CODE: Final = "code"
STOP: Final = "stop"
ATTEND: Final = "attend"
ANSWER: Final = "answer"
LATE: Final = "late"
_OWN: Final = (CODE, STOP, ATTEND, ANSWER, LATE)
_STOPS: Final = ("stopped", "interrupted")
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One request: when (in ticks; ``BEFORE`` the run), who asked, what for, and with what arguments.

    ``code`` was a function given to ``kernel.post``: its note is kept, but not what it did. ``stop`` is the last row of
    a run that was ended from outside. ``answer`` is what a program was told when it asked. ``attend`` says that the run
    never took itself for a deadlock, because somebody might still do something. ``late`` is a request that came when
    the run was about to end: it was never carried out, but until then the run was no deadlock because of it.
    """

    tick: int
    who: str
    what: str
    arguments: Arguments

    def __str__(self) -> str:
        when = "before the run" if self.tick < 0 else f"at {clock_text(self.tick)} s"
        told = self.arguments.get("note", json.dumps(self.arguments, ensure_ascii=False))
        return f"{when}, {self.who}: {self.what} {told}"


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request: how the journal tells of one, and how it is carried out.

    ``carry_out(who, arguments)`` returns why it refuses, or None. A refusal is journalled and the run goes on; what
    ``carry_out`` raises ends the run. ``takes`` has the types of the arguments; None: they are any names.
    """

    text: Callable[[Arguments], str]
    carry_out: Callable[[str, Arguments], DrycellError | None]
    takes: Mapping[str, type | UnionType] | None = None

    def check(self, what: str, arguments: Arguments) -> None:
        """Raise if the arguments are not those that it takes."""
        if self.takes is None:
            return
        for name in (*self.takes, *arguments):
            if name not in self.takes or name not in arguments:
                raise KernelError(
                    f"request '{what}' has {', '.join(map(repr, arguments)) or 'no arguments'}",
                    hint=f"it takes {', '.join(map(repr, self.takes))}",
                )
            if not isinstance(arguments[name], self.takes[name]):
                raise KernelError(f"request '{what}' cannot have {name}={arguments[name]!r}")


class Tape:
    """The rows of a run so far, and those that are still to be played."""

    def __init__(self, kernel: Kernel) -> None:
        self.rows: Track[Row] = kernel.tracks.track("inputs")
        self.playing = False
        """Whether the run is a repetition: all that comes from outside is on the tape."""
        self.left: deque[Row] = deque()
        """Rows that are to be carried out at their ticks."""
        self.keeps = True
        """False: rows are forgotten, in a run that goes on for days and is not recorded."""
        self._kernel = kernel
        self._answers: deque[Row] = deque()

    def insert(self, rows: Iterable[Row]) -> None:
        """Take rows to be played. What was done before the run is done at once."""
        kernel = self._kernel
        if self.playing or self.rows:
            raise KernelError("this run has a tape already", hint="play the rows on a cell that was just built")
        self.playing = True
        last = BEFORE
        for number, row in enumerate(rows, 1):
            _check(row, kernel.requests)
            if row.tick < last or (self.left and self.left[-1].what in (STOP, LATE)):
                raise KernelError(
                    f"row {number} of the tape ({row}) is out of order", hint="the tape was not written by drycell"
                )
            last = row.tick
            if row.what == ATTEND:
                kernel.attended = True
            elif row.what == ANSWER:
                self._answers.append(row)
            elif row.tick < 0:
                kernel.do_before(row.what, row.arguments, row.who)
            else:
                self.left.append(row)

    def note(self, row: Row) -> None:
        """Put a row down."""
        if self.keeps:
            self.rows.append(row.tick, row)

    def ask(self, who: str, ask: Callable[[], str]) -> str:
        """What a program is told from outside, at this instant: by ``ask``, or by the tape when it is played.

        Raises EOFError where there is no answer, and KeyboardInterrupt where the question was interrupted, as ``ask``
        does; both are put down and come again when the tape is played.
        """
        row = self._next_answer(who) if self.playing else self._asked(who, ask)
        self.note(row)
        if row.arguments.get("interrupted"):
            raise KeyboardInterrupt
        text = row.arguments.get("text")
        if not isinstance(text, str):
            raise EOFError
        return text

    def _asked(self, who: str, ask: Callable[[], str]) -> Row:
        try:
            told: dict[str, Any] = {"text": ask()}
        except EOFError:
            told = {}
        except KeyboardInterrupt:
            told = {"interrupted": True}
        return Row(self._kernel.now, who, ANSWER, told)

    def _next_answer(self, who: str) -> Row:
        if not self._answers:
            raise KernelError(f"'{who}' asks for an answer, but the tape has no more of them")
        return Row(self._kernel.now, who, ANSWER, self._answers.popleft().arguments)


def _check(row: Row, requests: Mapping[str, Request]) -> None:
    """Whether a row can be played."""
    if row.what not in requests and row.what not in _OWN:
        raise UnknownName("request", row.what, requests)
    if row.what in requests:
        requests[row.what].check(row.what, row.arguments)
    needed = {CODE: ("note",), STOP: ("ending", "reason")}.get(row.what, ())
    if not all(isinstance(row.arguments.get(name), str) for name in needed):
        raise KernelError(f"the tape has a row '{row.what}' without {' and '.join(needed)}: {row}")
    if row.what == STOP and row.arguments["ending"] not in _STOPS:
        raise KernelError(f"the tape stops the run in an unknown way: {row}", hint=f"one of {', '.join(_STOPS)}")


def plain(what: str, arguments: Arguments) -> dict[str, Any]:
    """The arguments of a request as a recording will give them back; raises if they are not plain data."""
    try:
        text = json.dumps(arguments, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise KernelError(
            f"request '{what}' has arguments that cannot be kept: {error}",
            hint="give names with finite numbers, texts, true or false, or lists of these",
        ) from None
    kept = json.loads(text)
    if not isinstance(kept, dict):
        raise KernelError(f"request '{what}' has {arguments!r} for arguments", hint="give them by name")
    return kept


def checked_who(who: str) -> str:
    """A name of somebody outside."""
    if not isinstance(who, str) or not who or len(who) > _LONGEST_NAME or not who.isprintable():
        told = repr(who) if len(repr(who)) <= 60 else repr(who)[:59] + "…"
        raise KernelError(
            f"{told} is no name for whoever makes a request",
            hint=f"give a text of 1 to {_LONGEST_NAME} printable characters, without line breaks",
        )
    return who


def stop_row(tick: int, ending: Ending, reason: str) -> Row:
    """The last row of a run that was ended from outside."""
    return Row(tick, OUTSIDE, STOP, {"ending": ending, "reason": reason})
