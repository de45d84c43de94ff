"""Watching a run: a chooser that delegates to another chooser and inspects the cell after every step."""

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Final

from drycell.kernel import (
    CLOCK,
    Abandoned,
    Blocked,
    Chooser,
    Kernel,
    Pending,
    Step,
    comes_from_outside,
    is_users,
    seconds,
    ticks,
)
from drycell.verify.checks import Check
from drycell.verify.intervals import agenda
from drycell.verify.lost_signals import LostSignals, detected
from drycell.verify.sharing import Sharing

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.world import LiveBody


OFTEN: Final = 10
"""A state that occurs this many times is assumed to recur indefinitely."""


class Repetition:
    """Counts the states of a run, starting with its first call, to detect that the run repeats itself.

    The state of a run is the value of every signal, the position of every program (with its plain local variables), and
    the time to each pending event. Sampling sensors and polling programs return to the same state repeatedly.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._states: Counter[object] = Counter()
        self._last: object = None

    def note(self) -> None:
        """Record the state after a step."""
        self._last = state(self._kernel)
        self._states[self._last] += 1

    @property
    def circles(self) -> bool:
        """Whether the last state has occurred often."""
        return self._states[self._last] >= OFTEN


def state(kernel: Kernel) -> object:
    """Return everything observable that determines how a run continues."""
    values = tuple(signal.peek() for signal in kernel.signals.values())
    programs = []
    for process in kernel.processes.living():
        waiter = process.fibre.waiter
        programs.append((process.name, None if waiter is None else waiter.text, *_frames(process.fibre.gr_frame)))
    coming = tuple(sorted((owner, time - kernel.now) for (owner, _), (time, _, _) in agenda(kernel)))
    return values, tuple(programs), coming


def _frames(frame: FrameType | None) -> list[object]:
    found: list[object] = []
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            plain = tuple(
                (name, value)
                for name, value in frame.f_locals.items()
                if isinstance(value, (bool, int, float, str)) and not name.startswith("_turns_")  # see program.py
            )
            found.append((frame.f_code.co_name, frame.f_lasti, plain))
        frame = frame.f_back
    return found


WORLD: Final = "world"
"""The name for all geometry: written by a step that moves or attaches something, read by every other step."""
Draw = tuple[str, int, float]
"""A draw from a declared choice or interval: its name, the number of earlier draws from it, and the result."""


class CutOff(Abandoned):
    """Raised when a run has made more steps than allowed."""


class OutOfTime(Abandoned):
    """Raised when the time of the search is over before the run has ended."""


class Violated(Abandoned):
    """Raised when a check does not hold."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.text)
        self.check = check


class RunWatcher(Chooser):
    """Delegates every choice to another chooser, and records what the search needs."""

    def __init__(
        self, inner: Chooser, most_steps: int, visible: dict[str, set[str]], deadline: float = math.inf
    ) -> None:
        self.inner = inner
        self.steps = 0
        self.ties = 0
        self.draws: list[Draw] = []
        self.clock_read = False
        self.world_moved = False
        self.checks: list[Check] = []
        self.lost_signals: LostSignals | None = None
        self._most = most_steps
        self._deadline = deadline
        self._visible = visible
        self._asked: dict[str, int] = {}
        self._moved = False
        self._repetition: Repetition | None = None
        self._until: int | None = None
        self._last_change = 0
        self._stuck_since: int | None = None
        self._asked_for: dict[str, set[str]] = {}
        """The signals that each program has read since the last change of a signal."""
        self._waits = False
        self.blocked: tuple[Blocked, ...] = ()
        """The waits of programs when the run was abandoned."""

    @property
    def choices(self) -> Sequence[int]:
        """The choices that replay the run."""
        found: Sequence[int] = getattr(self.inner, "choices", ())
        return found

    @property
    def stuck(self) -> int | None:
        """The time from which every program waits without a timeout, apparently indefinitely: only daemons and sensors
        still run, in a cycle or, if an end is set, for the second half of the time. None if a daemon may still release
        one of them: it may only be slow, or have drawn other choices."""
        since = self._stuck_since
        if since is None:
            return None
        permanent = self.circles if self._until is None else since <= self._until // 2
        return since if permanent and not self.cell.kernel.deadlock.released_by_daemon else None

    @property
    def circles(self) -> bool:
        """Whether the run repeats itself: without end, or, if an end is set, without any change of a signal in the
        second half of the time."""
        repeats = self._repetition is not None and self._repetition.circles
        return repeats and (self._until is None or self._last_change <= self._until // 2) and not self._idles

    @property
    def _idles(self) -> bool:
        """Whether the programs that have not ended only poll inputs that are set from outside, such as an emergency
        stop, and let time pass: the work is done."""
        kernel = self.cell.kernel
        names = kernel.signals
        return not self._waits and comes_from_outside(
            kernel, {id(names[name]): names[name] for asked in self._asked_for.values() for name in asked}.values()
        )

    @property
    def polled(self) -> dict[str, tuple[str, ...]]:
        """The polled inputs of each program that has not ended: the signals that it has read since the last change of
        any signal."""
        return {program: tuple(sorted(names)) for program, names in self._asked_for.items()}

    def asks(self) -> Iterator[str]:
        """Yield a line for each polled input of a program, with the time of its last change, and its cause: the writer,
        or what a sensor detects."""
        kernel = self.cell.kernel
        for program, names in self.polled.items():
            for name in names:
                signal = kernel.signals[name]
                time, value, writer = signal.history[-1]
                cause = detected(signal, kernel.now) or writer
                since = f"since {seconds(time):.3f} s ({cause})" if writer else "from the start"
                yield f"{program:<10} polls {name}, which is {value} {since}"

    def bind(self, cell: "Cell", checks: list[Check], until: float | None) -> None:
        """Watch this cell from now on."""
        self.cell = cell
        self.checks = checks
        self.lost_signals = LostSignals(cell.kernel)
        self.sharing = Sharing(cell)
        self._until = None if until is None else ticks(until)
        cell.world.subscribe(self._moves)
        for check in checks:
            if not check.holds(cell):
                raise Violated(check)
            self._visible.setdefault(check.text, set()).update(check.reads)

    # -- as a chooser

    def pick(self, pending: Sequence[Pending]) -> int:
        if self.steps >= self._most:
            kernel = self.cell.kernel
            self.blocked = tuple(kernel.processes.blocked(kernel.deadlock.stuck()))
            raise CutOff
        if time.monotonic() > self._deadline:
            raise OutOfTime
        self.ties += len(pending) > 1
        self._moved = False
        return self.inner.pick(pending)

    def value(self, name: str, count: int) -> int:
        number = self.inner.value(name, count)
        self._drew(name, number)
        return number

    def interval(self, name: str, low: float, high: float) -> float:
        value = self.inner.interval(name, low, high)
        self._drew(name, float(+value))
        return value

    def after(self, step: Step) -> None:
        self.steps += 1
        footprint = {**step.footprint, WORLD: self._moved, **self.sharing.of(step.event.owner, step.footprint)}
        for text, names in self._visible.items():
            if any(footprint.get(name) for name in names):
                footprint[f"check:{text}"] = True
        self.clock_read = self.clock_read or CLOCK in footprint
        widened = Step(step.index, step.event, footprint, step.cancelled)
        self.inner.after(widened)
        if self.lost_signals is None:
            return
        self.lost_signals.note(widened)
        for check in self.checks:
            touched = not check.reads or any(footprint.get(name) for name in check.reads)
            if touched and not check.holds(self.cell):
                raise Violated(check)
            self._visible[check.text].update(check.reads)
        self._look_for_cycles(step.event.owner, step.event.time, footprint)

    # -- records

    def _drew(self, name: str, value: float) -> None:
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        self.draws.append((name, asked, value))

    def _moves(self, body: "LiveBody") -> None:
        self._moved = self.world_moved = True

    def _look_for_cycles(self, owner: str, time: int, footprint: dict[str, bool]) -> None:
        kernel = self.cell.kernel
        programs = [process for process in kernel.processes.living() if not process.daemon]
        waiters = [process.fibre.waiter for process in programs]
        self._waits = any(waiter is not None and not waiter.timed for waiter in waiters)
        if any(waiter is None or waiter.timed for waiter in waiters):
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = time
        if any(written and name in kernel.signals for name, written in footprint.items()):
            self._last_change = time
            self._asked_for.clear()
        elif any(process.name == owner for process in programs):
            self._asked_for.setdefault(owner, set()).update(name for name in footprint if name in kernel.signals)
        late = self.steps >= self._most // 2 if self._until is None else time >= self._until // 2
        if late:
            if self._repetition is None:
                self._repetition = Repetition(kernel)
            self._repetition.note()
