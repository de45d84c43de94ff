"""Input from outside a run: requests of other threads, the tape that keeps them, and Ctrl-C.

The tape is plain data, so that the run can be repeated byte for byte. One row is one request, however many values it
sets. Rows are written when requests are executed, in that order. A request is executed after everything else at its
instant, so its tick and its position on the tape are enough to repeat it.
"""

from __future__ import annotations

import json
import signal as posix_signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, UnionType
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, KernelError, UnknownName
from drycell.kernel.clock import REQUEST_LEVEL, STOP_LEVEL, clock_text
from drycell.kernel.event import Ending, Entry, Event, Finish

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.track import Track

Done = Callable[[DrycellError | None], object]
"""Called on the cell's thread when a request was executed (None) or refused (the error). Must not change anything."""

Arguments = Mapping[str, Any]
"""Arguments as plain JSON, by name."""

BEFORE: Final = -1
"""The tick of requests made before the run."""
OUTSIDE: Final = "outside"
"""The default name of a sender."""

# Rows that the kernel itself writes; every other row is a request.
CODE: Final = "code"
STOP: Final = "stop"
ATTEND: Final = "attend"
ANSWER: Final = "answer"
LATE: Final = "late"
_OWN: Final = (CODE, STOP, ATTEND, ANSWER, LATE)
_STOPS: Final = ("stopped", "interrupted")
_REASONS: Final[dict[int, str]] = {posix_signal.SIGINT: "Ctrl-C", posix_signal.SIGTERM: "SIGTERM"}
_LONGEST_NAME: Final = 200
_WIDEST: Final = 1 << 63  # the range of integers that a recording keeps


@dataclass(frozen=True, slots=True)
class TapeRow:
    """One request: the time (in ticks; ``BEFORE`` the run), the sender, the request and its arguments.

    ``code`` was a function passed to ``kernel.post``: the tape stores its note, but not its effect. ``stop`` is the
    last row of a run that was ended from outside. ``answer`` is the answer to a program's question. ``attend`` means
    that the run was never considered deadlocked, because someone outside could still act. ``late`` is a request that
    arrived when the run was about to end: it was never executed, but until then the run was not considered deadlocked.
    """

    tick: int
    who: str
    what: str
    arguments: Arguments

    def __str__(self) -> str:
        when = "before the run" if self.tick < 0 else f"at {clock_text(self.tick)} s"
        note = self.arguments.get("note", json.dumps(self.arguments, ensure_ascii=False))
        return f"{when}, {self.who}: {self.what} {note}"


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request: how the journal shows it, and how it is executed.

    ``carry_out(who, arguments)`` returns the reason for a refusal, or None. A refusal is journalled and the run
    continues; an exception from ``carry_out`` ends the run. ``takes`` maps the arguments to their types; None allows
    any names.
    """

    text: Callable[[Arguments], str]
    carry_out: Callable[[str, Arguments], DrycellError | None]
    takes: Mapping[str, type | UnionType] | None = None

    def check(self, what: str, arguments: Arguments) -> None:
        """Raise an error if the arguments do not match ``takes``."""
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
    """The rows of a run so far, and those that are still to be replayed."""

    def __init__(self, kernel: Kernel) -> None:
        self.rows: Track[TapeRow] = kernel.tracks.track("inputs")
        self.playing = False
        """Whether the run is a replay, in which all input from outside comes from the tape."""
        self.left: deque[TapeRow] = deque()
        """Rows to be executed at their ticks."""
        self.keeps = True
        """If False, rows are not kept; useful for runs of several days that are not recorded."""
        self._kernel = kernel
        self._answers: deque[TapeRow] = deque()

    def insert(self, rows: Iterable[TapeRow]) -> None:
        """Take rows to be replayed. Requests from before the run are executed immediately."""
        kernel = self._kernel
        if self.playing or self.rows:
            raise KernelError("this run already has a tape", hint="play the rows on a newly built cell")
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
                kernel.inbox.attended = True
            elif row.what == ANSWER:
                self._answers.append(row)
            elif row.tick < 0:
                kernel.do_before(row.what, row.arguments, row.who)
            else:
                self.left.append(row)

    def play_next(self) -> None:
        """Put the next row into the queue. As long as there is one, the run neither deadlocks nor ends."""
        if not self.left:
            return
        kernel, row = self._kernel, self.left[0]
        kernel.inbox.expected += 1
        if row.what == STOP:
            kernel.schedule(row.tick, STOP_LEVEL, _Stop(kernel, row.arguments["ending"], row.arguments["reason"]))
        elif row.what != LATE:  # a late row was never executed
            kernel.schedule(row.tick, REQUEST_LEVEL, _Played(kernel, row.who))

    def carry_out(self, row: TapeRow, action: Callable[[], object] | None = None) -> DrycellError | None:
        """Execute a request, journal it and put it on the tape; return the error if it was refused."""
        self.note(row)
        journal = self._kernel.journal
        if row.what == CODE:
            journal.write("post", row.who, note=row.arguments["note"])
            if action is not None:
                action()
            return None
        request = self._kernel.requests[row.what]
        note = request.text(row.arguments)
        journal.write("post", row.who, note=note)
        refused = request.carry_out(row.who, row.arguments)
        if refused is not None:
            journal.write("refused", row.who, note=note, reason=refused.what)
        return refused

    def note(self, row: TapeRow) -> None:
        """Append a row."""
        if self.keeps:
            self.rows.append(row.tick, row)

    def ask(self, who: str, ask: Callable[[], str]) -> str:
        """Return the answer from outside to a program's question: from ``ask``, or from the tape in a replay.

        Raises EOFError if there is no answer, and KeyboardInterrupt if the question was interrupted, as ``ask`` does;
        both are kept on the tape and raised again in a replay.
        """
        row = self._next_answer(who) if self.playing else self._asked(who, ask)
        self.note(row)
        if row.arguments.get("interrupted"):
            raise KeyboardInterrupt
        text = row.arguments.get("text")
        if not isinstance(text, str):
            raise EOFError
        return text

    def _asked(self, who: str, ask: Callable[[], str]) -> TapeRow:
        try:
            answer: dict[str, Any] = {"text": ask()}
        except EOFError:
            answer = {}
        except KeyboardInterrupt:
            answer = {"interrupted": True}
        return TapeRow(self._kernel.now, who, ANSWER, answer)

    def _next_answer(self, who: str) -> TapeRow:
        if not self._answers:
            raise KernelError(f"'{who}' asks for an answer, but the tape has none left")
        return TapeRow(self._kernel.now, who, ANSWER, self._answers.popleft().arguments)


def _check(row: TapeRow, requests: Mapping[str, Request]) -> None:
    """Raise an error if a row cannot be replayed."""
    if row.what not in requests and row.what not in _OWN:
        raise UnknownName("request", row.what, requests)
    if row.what in requests:
        requests[row.what].check(row.what, row.arguments)
    needed = {CODE: ("note",), STOP: ("ending", "reason")}.get(row.what, ())
    if not all(isinstance(row.arguments.get(name), str) for name in needed):
        raise KernelError(f"the tape has a row '{row.what}' without {' and '.join(needed)}: {row}")
    if row.what == STOP and row.arguments["ending"] not in _STOPS:
        raise KernelError(f"the tape stops the run in an unknown way: {row}", hint=f"one of {', '.join(_STOPS)}")


def _plain(what: str, arguments: Arguments) -> dict[str, Any]:
    """Return the arguments of a request as a recording will return them; raise an error if they are not plain data."""
    try:
        text = json.dumps(arguments, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise KernelError(
            f"request '{what}' has arguments that cannot be recorded: {error}",
            hint="use names with finite numbers, strings, booleans, or lists of these",
        ) from None
    kept = json.loads(text)
    if not isinstance(kept, dict):
        raise KernelError(f"request '{what}' has {arguments!r} as arguments", hint="pass them by name")
    return kept


def checked_who(who: str) -> str:
    """Return the name of a sender; raise an error if it is not printable or too long."""
    if not isinstance(who, str) or not who or len(who) > _LONGEST_NAME or not who.isprintable():
        raise KernelError(
            f"{_short(who)} is not a valid name for the sender of a request",
            hint=f"use 1 to {_LONGEST_NAME} printable characters, without line breaks",
        )
    return who


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A request of another thread: a row of the tape without its tick, and its function if it is code."""

    who: str
    what: str
    arguments: Arguments
    action: Callable[[], object] | None = None
    done: Done | None = None


class Inbox:
    """Requests of other threads that the loop has not processed yet, including the request to stop."""

    __slots__ = ("_arrivals", "_kernel", "_stopping", "attended", "expected", "held_open", "stop_wanted")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._arrivals: deque[_Arrival] = deque()
        self._stopping = False
        self.stop_wanted: tuple[Ending, str] | None = None
        self.attended = False
        """Whether someone outside may act at any time, so that the run never deadlocks."""
        self.expected = 0
        """The number of requests in the queue; 1 as long as rows of a tape are left."""
        self.held_open = False
        """Whether, since the last request, only an expected request has prevented a deadlock."""

    def request(self, what: str, arguments: Arguments, who: str, done: Done | None) -> None:
        """Queue a named request."""
        kept = checked_request(self._kernel, what, arguments)
        self._put(_Arrival(checked_who(who), what, kept, done=done))

    def post(self, action: Callable[[], object], note: str, who: str) -> None:
        """Queue a function to call."""
        self._put(_Arrival(checked_who(who), CODE, _plain(CODE, {"note": note}), action))

    def stop(self, ending: Ending, reason: str) -> None:
        """End the run from outside, at the end of this instant; the first call sets the reason."""
        if self.stop_wanted is None:
            self.stop_wanted = (ending, reason)
        self._kernel.interrupt()

    def has_arrivals(self) -> bool:
        """Whether there is a request that the loop has not processed yet, including the request to stop."""
        return not self._stopping and bool(self._arrivals or self.stop_wanted)

    def expects_requests(self) -> bool:
        """Return whether someone outside may still act: then the run is not deadlocked."""
        if self.attended:
            return True
        if self.expected or self.stop_wanted is not None or self._arrivals:
            self.held_open = True
            return True
        return False

    def take(self) -> None:
        """Schedule the requests that have arrived, after everything else at this instant."""
        if self._stopping:
            return
        # Requests after the request to stop are not executed; otherwise a fast sender could keep the run going.
        kernel, stop = self._kernel, self.stop_wanted
        for _ in range(len(self._arrivals)):
            self.expected += 1
            kernel.schedule(kernel.now, REQUEST_LEVEL, _Posted(kernel, self._arrivals.popleft()))
        if stop is not None:
            self._stopping = True
            kernel.schedule(kernel.now, STOP_LEVEL, _Stop(kernel, *stop))

    def _put(self, arrival: _Arrival) -> None:
        self._arrivals.append(arrival)
        self._kernel.interrupt()


class _Outside(Event):
    """An event from outside the cell."""

    __slots__ = ("_kernel", "_made", "_number", "owner")

    turn = (REQUEST_LEVEL, 0)

    def __init__(self, kernel: Kernel, who: str) -> None:
        self._kernel = kernel
        self.owner = who
        self._made = kernel.step
        self._number = kernel.serial("outside")

    def identity(self) -> tuple[str, int, int]:
        return "outside", self._number, self._made  # one owner for a chooser: requests keep their order

    def begin(self, time: int) -> None:
        """Start to execute it."""
        kernel = self._kernel
        kernel.now = time
        kernel.actor = self
        kernel.inbox.expected -= 1
        kernel.inbox.held_open = False
        kernel.deadlock.recheck = kernel.deadlock.watching


class _Posted(_Outside):
    """A request of another thread."""

    __slots__ = ("_arrival",)

    def __init__(self, kernel: Kernel, arrival: _Arrival) -> None:
        super().__init__(kernel, arrival.who)
        self._arrival = arrival

    def fire(self, time: int) -> Entry | None:
        self.begin(time)
        arrival = self._arrival
        row = TapeRow(time, arrival.who, arrival.what, arrival.arguments)
        refused = self._kernel.tape.carry_out(row, arrival.action)
        if arrival.done is not None:
            arrival.done(refused)
        return None


class _Played(_Outside):
    """A row of a replayed tape. It puts the next row into the queue, so the queue holds only one row of the tape."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        tape = self._kernel.tape
        row = tape.left.popleft()
        self.begin(time)
        tape.play_next()
        tape.carry_out(row)
        return None


class _Stop(Finish):
    """The end of a run that was requested from outside."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel, ending: Ending, reason: str) -> None:
        super().__init__(ending, reason)
        self._kernel = kernel

    def fire(self, time: int) -> Entry | None:
        kernel = self._kernel
        kernel.now = time
        kernel.inbox.held_open = False
        kernel.tape.note(TapeRow(time, OUTSIDE, STOP, {"ending": self.ending, "reason": self.reason}))
        return super().fire(time)


def set_request(kernel: Kernel) -> Request:
    """Return the request that every kernel has: set signals, either all of them or none."""

    def text(values: Arguments) -> str:
        return "set " + ", ".join(f"{name} = {value!r}" for name, value in values.items())

    def carry_out(who: str, values: Arguments) -> DrycellError | None:
        try:
            signals = [(kernel.signal_named(name), value) for name, value in values.items()]
            accepted = [(signal, signal.accepted(value)) for signal, value in signals]
        except DrycellError as error:
            return error
        for signal, value in accepted:
            signal.set(value, who)
        return None

    return Request(text, carry_out)


def settable(kernel: Kernel, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by signal name, converted to the signals' types; raise an error for values that cannot be set."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise KernelError(
            f"expected values by signal name, not {_short(values)}",
            hint="write for example post({'plc.start': True})",
        )
    accepted = {name: kernel.signal_named(name).accepted(value) for name, value in values.items()}
    for name, value in accepted.items():
        if value.__class__ is int and not -_WIDEST <= value < _WIDEST:
            raise KernelError(
                f"signal '{name}' cannot be set to {_short(value)}, which takes more than 64 bits",
                hint="make it a float or a string",
            )
    return accepted


def checked_request(kernel: Kernel, what: str, arguments: Arguments) -> dict[str, Any]:
    """Return the arguments of a request as plain data; raise an error if the request or its arguments do not exist."""
    kept = _plain(what, arguments)
    if what not in kernel.requests:
        raise UnknownName("request", what, kernel.requests)
    kernel.requests[what].check(what, kept)
    return kept


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


@contextmanager
def interrupt_calls(action: Callable[[str], None]) -> Iterator[None]:
    """Inside the block, Ctrl-C and SIGTERM call an action with the reason. A second signal interrupts Python as usual,
    which also ends a program that never blocks.

    Only the main thread can receive signals; on other threads, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        action(_REASONS[number])

    before = {number: posix_signal.signal(number, handle) for number in _REASONS}
    try:
        yield
    finally:
        for number, handler in before.items():
            posix_signal.signal(number, handler)
