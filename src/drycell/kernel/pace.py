"""Pacing: run against the wall clock, pause, step by event or by line, and stop at breakpoints.

A :class:`Pace` is passed to ``run`` on the cell's thread and controlled from another thread. It decides when the next
event happens in real time, but never what happens: the journal is identical at every pace.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import TYPE_CHECKING, Literal

from drycell.base import KernelError
from drycell.kernel.clock import FOREVER

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.program_file import ProgramFile

State = Literal["ready", "running", "paused", "ended"]


class WallClock:
    """The computer's monotonic clock; tests replace it."""

    def now(self) -> float:
        """Return seconds since some instant."""
        return time.monotonic()

    def wait(self, condition: Condition, seconds: float | None) -> None:
        """Wait until the condition is notified, or until a timeout."""
        condition.wait(seconds)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a run. Process, file and line are known if it was stopped at a line; ``number`` counts these
    stops, because a loop can reach a line several times at one instant."""

    state: State
    time: int
    process: str | None = None
    file: str | None = None
    line: int | None = None
    number: int = 0


class Pace:
    """The speed of a run: as fast as possible (factor None), or seconds of cell time per second of real time.

    With ``attended``, the run waits for input from outside instead of ending when no event is left. All methods may be
    called from any thread.
    """

    def __init__(
        self,
        factor: float | None = None,
        *,
        paused: bool = False,
        attended: bool = False,
        wall: WallClock | None = None,
    ) -> None:
        self.attended = attended
        self._wall = wall or WallClock()
        self._condition = Condition()
        self._factor = _checked(factor)
        self._paused = paused
        self._steps = 0
        self._line_wanted = False
        self._breaks: set[tuple[str, int]] = set()
        self._kernel: Kernel | None = None
        self._programs: list[ProgramFile] = []
        self._position = Position("ready", 0)
        self._goal: Callable[[], bool] | None = None
        self._last: int | None = None
        self._ahead: Callable[[int], int | None] | None = None
        self._looked = False  # whether it was asked about the event that is due
        self._halts = 0
        # The cell time and the wall-clock time when the pace last changed, and the time of the next event.
        self._anchor = (0.0, 0)
        self._due: int | None = None

    # -- from other threads

    @property
    def position(self) -> Position:
        """Where the run is now."""
        with self._condition:
            if self._position.state == "running" and self._kernel is not None:
                return Position("running", self._kernel.now)
            return self._position

    @property
    def shown(self) -> int:
        """The cell time to show now. Between two events of a paced run it advances with the wall clock, up to the
        event that is due; the kernel's own clock stays at the last event."""
        with self._condition:
            return self._shown()

    @property
    def goes(self) -> bool:
        """Whether it should continue; otherwise it stops before its next event."""
        return self._may_go()

    @property
    def factor(self) -> float | None:
        """Seconds of cell time per second of real time; None: as fast as possible."""
        return self._factor

    @factor.setter
    def factor(self, factor: float | None) -> None:
        with self._changing():
            self._factor = _checked(factor)

    def pause(self) -> None:
        """Pause the run before its next event."""
        with self._changing():
            self._paused, self._line_wanted = True, False
            self._aim(None)

    def resume(self) -> None:
        """Continue the run."""
        self._let_go(None)

    def go_to(self, goal: Callable[[], bool] | int) -> None:
        """Continue at this pace until a goal is reached: a time (in ticks, including that instant), or a condition that
        the cell's thread evaluates before every event."""
        self._let_go(goal)

    def stop_ahead(self, ask: Callable[[int], int | None] | None) -> None:
        """Ask before every event where to pause.

        Args:
            ask: Gets the time of the next event, in ticks, and returns an earlier time at which to pause; None: go on.
                The cell's thread calls it. None ends the asking.
        """
        with self._changing():
            self._ahead, self._looked = ask, False

    def step(self) -> None:
        """Run one event, or run a program that was stopped at a line to the end of its event."""
        with self._changing():
            self._paused, self._line_wanted = True, False
            self._steps += 1
            self._aim(None)

    def step_line(self) -> None:
        """Continue to the next line of a program file."""
        with self._changing():
            self._paused = self._line_wanted = True
            self._aim(None)

    def break_at(self, file: str, line: int) -> None:
        """Stop whenever a program reaches a line."""
        with self._changing():
            self._breaks.add((os.path.abspath(file), line))

    def clear_break(self, file: str, line: int) -> None:
        """Remove the breakpoint at a line."""
        with self._changing():
            self._breaks.discard((os.path.abspath(file), line))

    def wait_for(self, state: State, timeout: float | None = None) -> Position | None:
        """Block this thread until the run is in a state; return None after the timeout.

        A run that was asked to continue no longer counts as paused, even if it has not moved yet.
        """
        with self._condition:
            reached = self._condition.wait_for(
                lambda: self._position.state == state and not (state == "paused" and self._may_go()), timeout
            )
            return self._position if reached else None

    # -- from the run

    @property
    def governs(self) -> bool:
        """Whether events must be run one by one."""
        aims = self._goal is not None or self._last is not None
        return self._paused or self._factor is not None or self.attended or aims or self._ahead is not None

    def attach(self, kernel: Kernel) -> None:
        """Take control of a run."""
        with self._condition:
            if self._kernel is not None:
                raise KernelError("this pace already belongs to another run", hint="make a new Pace for each run")
            self._kernel = kernel
            self._set_anchor()
            self._stand("running")
            self._changed()

    def detach(self) -> None:
        """Release the run, which has ended."""
        with self._condition:
            self._due = None
            self._set_anchor()
            self._stand("ended")
            self._changed()

    def adopt(self, program: ProgramFile) -> None:
        """Enable breakpoints in a program file."""
        with self._condition:
            self._programs.append(program)
            self._watch()

    def nudge(self) -> None:
        """Check again, because something was posted."""
        with self._condition:
            self._condition.notify_all()

    def admit(self, now: int, due: int) -> bool:
        """Wait until the next event may happen; return False if the loop must check again because something came up."""
        kernel = self._kernel
        if kernel is None:
            return True
        with self._condition:
            self._due, self._looked = due, False
            admitted = self._wait_for_event(kernel, now, due)
            if admitted:
                self._due = None
            return admitted

    def reach(self, process: str, file: str, line: int) -> None:
        """Stop a program at a line if a breakpoint or a step requires it."""
        kernel = self._kernel
        if kernel is None:
            return
        with self._condition:
            if not self._line_wanted and (os.path.abspath(file), line) not in self._breaks:
                return
            self._line_wanted = False
            self._paused = True
            self._steps = 0
            self._aim(None)
            self._watch()
            self._halts += 1
            # A program paused at a line cannot be ended there: like all programs, it continues to the end of the
            # instant.
            while self._paused and not self._line_wanted and not self._steps and not kernel.ending:
                self._hold(kernel, Position("paused", kernel.now, process, file, line, self._halts))
            self._steps = max(self._steps - 1, 0)
            self._go()

    def _wait_for_event(self, kernel: Kernel, now: int, due: int) -> bool:
        while True:
            if kernel.wants_attention():
                if kernel.inbox.has_arrivals():
                    # Input between two events of a paced run happens at the displayed time.
                    kernel.now = self._shown()
                return False
            if kernel.ending:
                return True  # the rest of the instant at which the run stops
            if not self.governs:
                return False
            if self._goal is not None and self._goal():
                self._arrive(self._shown())
            if self._paused and not self._line_wanted:
                if self._steps:
                    self._steps -= 1
                    self._go()
                    return True
                self._hold(kernel, Position("paused", now))
                continue
            pause_at = None
            if self._ahead is not None and not self._looked:
                self._looked = True
                pause_at = self._ahead(due)
            if pause_at is not None:
                self._last = pause_at if self._last is None else min(self._last, pause_at)
            beyond = self._last is not None and due > self._last
            target = self._last if beyond and self._last is not None else due
            if target >= FOREVER:
                if not self.attended:
                    return True
                self._wall.wait(self._condition, None)
                continue
            if self._factor is not None:
                left = self._anchor[0] + (target - self._anchor[1]) / 1e6 / self._factor - self._wall.now()
                if left > 0:
                    self._wall.wait(self._condition, left)
                    continue
            if not beyond:
                return True
            self._arrive(target)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Apply a change from outside at the currently displayed time; the run sees it at once."""
        with self._condition:
            self._set_anchor()
            yield
            self._changed()

    def _let_go(self, goal: Callable[[], bool] | int | None) -> None:
        with self._changing():
            self._paused = self._line_wanted = self._looked = False
            self._steps = 0
            self._aim(goal)

    def _aim(self, goal: Callable[[], bool] | int | None) -> None:
        self._last = goal if isinstance(goal, int) else None
        self._goal = None if isinstance(goal, int) else goal

    def _arrive(self, shown: int) -> None:
        self._anchor = (self._wall.now(), shown)
        self._aim(None)
        self._paused = True

    def _may_go(self) -> bool:
        return not self._paused or self._line_wanted or self._steps > 0

    def _hold(self, kernel: Kernel, position: Position) -> None:
        if self._position != position:
            self._position = position
            self._condition.notify_all()
        if kernel.inspections:
            self._condition.release()  # a thread that drives the run need not wait for inspections
            try:
                kernel.serve_inspections()
            finally:
                self._condition.acquire()
        else:
            self._wall.wait(self._condition, None)
        if self._may_go():
            self._go()

    def _go(self) -> None:
        self._stand("running")
        self._set_anchor()

    def _stand(self, state: State) -> None:
        self._position = Position(state, self._kernel.now if self._kernel is not None else 0)

    def _changed(self) -> None:
        self._watch()
        if self._kernel is not None:
            self._kernel.call_attention()
        self._condition.notify_all()

    def _shown(self) -> int:
        if self._kernel is None:
            return 0
        now = self._kernel.now
        if self._due is None:
            return now
        wall, reached = self._anchor
        if self._factor is not None and (not self._paused or self._line_wanted):
            reached += round((self._wall.now() - wall) * self._factor * 1e6)
        return max(now, min(reached, self._due))

    def _set_anchor(self) -> None:
        if self._kernel is not None:
            self._anchor = (self._wall.now(), self._shown())

    def _watch(self) -> None:
        for program in self._programs:
            here = os.path.abspath(program.file)
            program.watch(self._line_wanted or any(file == here for file, _ in self._breaks))


def _checked(factor: float | None) -> float | None:
    if factor is not None and not factor > 0:
        raise KernelError(f"a pace of {factor} × real time would never advance", hint="use a factor above 0, or None")
    return factor
