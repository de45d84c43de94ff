"""What a sensor function is: something that gives a value when it is looked at, and says when that is needed."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import NamedTuple

from drycell.languages.emula.functions.look import Look


class Reads(Enum):
    """When a function must be read.

    * ``WHEN_ASKED``: its value depends on the world alone, so it is read in guarded moves, and otherwise when somebody
      wants to know.
    * ``WHEN_WATCHED``: it makes an event, which nobody would notice but a guard: once a cycle of every move that
      watches its sensor.
    * ``EVERY_CYCLE``: nothing is known of it: once a cycle of every move.
    """

    WHEN_ASKED = "when asked"
    WHEN_WATCHED = "when watched"
    EVERY_CYCLE = "every cycle"


class Answer(NamedTuple):
    """A value and, for people, what it comes from."""

    value: float
    what: str = ""


NOTHING = Answer(0.0)


class SensorFunction(ABC):
    """A function attached to one sensor. ``answer`` is what it said last."""

    name: str
    reads: Reads = Reads.EVERY_CYCLE

    def __init__(self) -> None:
        self.answer = NOTHING

    def begin(self, cycles: int, watched: bool) -> None:  # noqa: B027  # most have nothing to do then
        """A move of so many cycles begins; ``watched`` says whether its guard has this sensor."""

    @abstractmethod
    def read(self, look: Look) -> Answer:
        """The value now."""

    def quiet_until(self, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which it may give a value other than 0, as everything moves now; past
        ``end`` if it cannot before. The next tick, if nothing is known."""
        return tick + 1

    @abstractmethod
    def describe(self) -> str:
        """How the session would write it in ATTACH, without the sensor."""
