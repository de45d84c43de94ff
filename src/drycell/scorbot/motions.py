"""Motions on their way to a controller: each is sent when the arm has arrived where the one before led.

So a program goes on while the arm moves, and never more than one motion is in the hands of the controller: if the line
is lost, the arm goes no further than to the end of that one.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from drycell.base import DrycellError, MotionError, ms, s
from drycell.devices import Calibration
from drycell.kernel import Signal, delay, now, wait
from drycell.scorbot.fault import Refused
from drycell.scorbot.link import Link
from drycell.scorbot.listing import listed_counts

POSITION: Final = "DRY"
"""The name of the controller's position that moves go to."""
LOOK: Final = 50 * ms
STALLED: Final = 3 * s


class Motion(NamedTuple):
    """Where the axes go, and the two commands that make them go there."""

    counts: tuple[int, ...]
    speed: str
    verb: str


class Motions:
    """The queue of one arm."""

    def __init__(self, link: Link, calibration: Calibration) -> None:
        self._link, self._calibration = link, calibration
        self._queue: deque[Motion] = deque()
        self._busy: Signal[bool] = Signal(link.kernel, f"{link.name}.busy", False, quiet=True)
        self._stored: list[int | None] = [None] * calibration.axes
        self._speeds: dict[str, str] = {}
        self._failure: DrycellError | None = None
        self._aborted = 0

    def begin(self) -> tuple[int, ...]:
        """Makes the controller ready; the counts at which the arm is."""
        session = self._link.session

        def define() -> None:
            with suppress(Refused):  # there is one from an earlier run
                session.ask(f"DEFP {POSITION}")

        self._link.do("open", session.open)
        self._link.ask("CON")
        self._link.do(f"DEFP {POSITION}", define)
        self._link.ask(f"HERE {POSITION}")
        return self._counts()

    def put(self, counts: tuple[int, ...], speed: str, verb: str) -> None:
        """Has a motion made when its turn comes."""
        self.check()
        self._queue.append(Motion(counts, speed, verb))
        if not self._busy.value:
            self._busy.set(True)
            self._link.kernel.spawn(self._serve, name=f"{self._link.name} motions", daemon=True, writes=(self._busy,))

    def wait(self) -> None:
        """Waits until all are done."""
        wait(~self._busy)
        self.check()

    def check(self) -> None:
        """Raises what went wrong with a motion meanwhile, where the program stands now; the arm was stopped then."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def abort(self) -> tuple[int, ...]:
        """Stops the arm and forgets what was to come; the counts at which it is then."""
        self._queue.clear()
        self._aborted += 1
        self._link.do("Ctrl-A", self._link.session.abort)
        self.wait()
        return self._counts()

    def _serve(self) -> None:
        try:
            while self._queue:
                aborted, motion = self._aborted, self._queue.popleft()
                self._send(motion)
                self._arrive(motion.counts, aborted)
        except DrycellError as failure:
            self._queue.clear()
            self._failure = failure
        finally:
            self._busy.set(False)

    def _send(self, motion: Motion) -> None:
        commands = [
            f"SETPV {POSITION} {axis} {count}"
            for axis, (count, stored) in enumerate(zip(motion.counts, self._stored, strict=True), 1)
            if count != stored
        ]
        if self._speeds.get(motion.verb) != motion.speed:
            commands.append(motion.speed)
        self._stored = [None] * self._calibration.axes  # until all of them have arrived
        self._link.ask(*commands, f"{motion.verb} {POSITION}")
        self._stored, self._speeds[motion.verb] = list(motion.counts), motion.speed

    def _arrive(self, target: Sequence[int], aborted: int) -> None:
        """Looks at the encoders until all axes are where they were sent."""
        last: tuple[int, ...] = ()
        since = now()
        while self._aborted == aborted:
            counts = self._counts()
            off = [abs(count - goal) for count, goal in zip(counts, target, strict=True)]
            if max(off) <= self._calibration.tolerance:
                return
            if counts != last:
                last, since = counts, now()
            elif now() - since > STALLED:
                self._give_up(target, counts, off)
            delay(LOOK)

    def _counts(self) -> tuple[int, ...]:
        counts = listed_counts(lines := self._link.ask("LISTPV POSITION"), self._calibration.axes)
        if counts is None:
            raise self._link.unread("LISTPV POSITION", lines)
        return counts

    def _give_up(self, target: Sequence[int], counts: Sequence[int], off: Sequence[int]) -> None:
        axis = max(range(len(off)), key=lambda each: off[each])
        stopped = self._link.do("stop", self._link.session.stop)
        raise MotionError(
            f"{self._link.name} stands still on its way: axis {axis + 1} at {counts[axis]} counts, its target is "
            f"{target[axis]} ± {self._calibration.tolerance}, for more than {STALLED:g} s; {stopped}",
            hint="see what the arm has met and whether its motors are on, or give the calibration a greater tolerance",
        )
