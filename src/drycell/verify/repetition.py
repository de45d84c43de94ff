"""Repetition: whether a run has come to go round in a circle.

The state of a run is the value of every signal, where every program stands (with its plain local variables), and how
long it is to each coming event. Sensors that tick and programs that poll come back to the same state for ever.
"""

from collections import Counter
from types import FrameType
from typing import Final

from drycell.kernel import Kernel, is_users
from drycell.verify.spans import agenda

OFTEN: Final = 10
"""A state that has come so many times is taken to come for ever."""


class Repetition:
    """Counts the states of one run from the moment it is asked to."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._states: Counter[object] = Counter()
        self._last: object = None

    def note(self) -> None:
        """Looks at the state after a step."""
        self._last = state(self._kernel)
        self._states[self._last] += 1

    @property
    def circles(self) -> bool:
        """Whether the last state has come often."""
        return self._states[self._last] >= OFTEN


def state(kernel: Kernel) -> object:
    """All that decides how a run goes on, as far as it can be seen."""
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
