"""Spans: what a sweep finds out about stretches of time, and how it is put."""

from dataclasses import dataclass

from drycell.base import Pose
from drycell.world.body import LiveBody
from drycell.world.envelope import Envelope
from drycell.world.linkage import Linkage
from drycell.world.narrowing import Flight
from drycell.world.stretch import Stretch


@dataclass(frozen=True, slots=True)
class Window:
    """A pair that may be within the margin during ``lo`` ≤ t < ``hi``, and how fast it can close at most."""

    lo: int
    hi: int
    a: Stretch
    b: Stretch
    closing: float


@dataclass(frozen=True, slots=True)
class Span:
    """An envelope set into time: its times count from ``start``; the part from ``lo`` to ``hi`` is meant.

    That of a mechanism follows a ``flight``, or rests.
    """

    envelope: Envelope
    start: int
    lo: int
    hi: int
    stretches: tuple[Stretch, ...]
    linkage: Linkage | None = None
    flight: Flight | None = None

    @property
    def rests(self) -> bool:
        """Whether nothing of it moves."""
        return self.linkage is not None and self.flight is None


@dataclass(frozen=True, slots=True)
class Company:
    """What sits on a mechanism in a section of a trajectory, where on its links, and what meets what."""

    offsets: tuple[Pose, ...]
    envelope: Envelope
    met: list[tuple[int, int]]  # stretch, row of what stands
    pairs: list[tuple[int, int]]


# What was found for a section of a trajectory: relative times, a stretch's number, another's or a fixture, closing
# speed.
Found = tuple[int, int, int, int | LiveBody, float]
