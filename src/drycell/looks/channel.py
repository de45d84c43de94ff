"""Channels: numbers of a thing over time, and what they do to the parts that name them.

The value of a channel is a function of (record, t), like every figure: pictures of a run and of its recording agree.
"""

from dataclasses import dataclass
from typing import Final, Literal

from drycell.base import IDENTITY, Pose, Vector
from drycell.kernel import TICKS_PER_SECOND, seconds
from drycell.record import Record

COURSES: Final = "courses"
"""The table of tracks in which things publish numbers that change all the time, such as the travel of a belt."""

ChannelKind = Literal["turn", "slide", "scroll", "glow"]


@dataclass(frozen=True, slots=True)
class InState:
    """1 while the thing is in one of these states, else 0."""

    states: tuple[str, ...]

    def at(self, record: Record, body: str, t: int) -> float:
        """Return the value of a body's thing at an instant ``t``, in ticks of 1 µs."""
        track = record.tracks.named("states").get(_thing(body))
        return float(track is not None and track.at(t) in self.states)


@dataclass(frozen=True, slots=True)
class TimeInState:
    """The seconds that the thing has spent in these states, times a rate."""

    states: tuple[str, ...]
    rate: float = 1.0

    def at(self, record: Record, body: str, t: int) -> float:
        """Return the value of a body's thing at an instant ``t``, in ticks of 1 µs."""
        track = record.tracks.named("states").get(_thing(body))
        return 0.0 if track is None else self.rate * sum(seconds(track.spans(each).total(t)) for each in self.states)


@dataclass(frozen=True, slots=True)
class SignalValue:
    """The value of a signal, for example ``run``; by default the signal that has the name of the body.

    With ``rest``, it is 1 while the signal has another value, else 0.
    """

    signal: str = ""
    rest: float | None = None

    def at(self, record: Record, body: str, t: int) -> float:
        """Return the value of a body's thing at an instant ``t``, in ticks of 1 µs."""
        changes = record.signals.get(f"{_thing(body)}.{self.signal}" if self.signal else body)
        value = None if changes is None else changes.at(t)
        if isinstance(value, str) or value is None:
            return 0.0
        return float(value) if self.rest is None else float(value != self.rest)


@dataclass(frozen=True, slots=True)
class Course:
    """A number that the thing publishes as a track: rows of value, rate and acceleration from an instant on."""

    name: str

    def at(self, record: Record, body: str, t: int) -> float:
        """Return the value of a body's thing at an instant ``t``, in ticks of 1 µs."""
        track = record.tracks.named(COURSES).get(f"{_thing(body)}.{self.name}")
        row = 0 if track is None else track.count(t)
        if track is None or not row:
            return 0.0
        value, rate, acceleration = track.values[row - 1]
        since = (t - track.times[row - 1]) / TICKS_PER_SECOND
        return float(value + (rate + 0.5 * acceleration * since) * since)


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A number that never changes, such as a lamp that shows power."""

    value: float = 1.0

    def at(self, record: Record, body: str, t: int) -> float:
        """Return the value."""
        return self.value


Source = InState | TimeInState | SignalValue | Course | FixedValue


@dataclass(frozen=True, slots=True)
class Channel:
    """What a number does to the parts that name it.

    ``turn`` turns them about ``axis`` through ``pivot`` by ``scale`` · value rad, ``slide`` moves them by ``vector`` ·
    value, ``scroll`` runs the pattern of belts by value metres, and ``glow`` colours lamps from ``off`` (0) to ``on``
    (1).
    """

    kind: ChannelKind
    source: Source
    axis: Vector = (0.0, 0.0, 1.0)
    pivot: Vector = (0.0, 0.0, 0.0)
    scale: float = 1.0
    vector: Vector = (0.0, 0.0, 0.0)
    off: str = "#9aa2a8"
    on: str = "#ffffff"

    def pose(self, value: float) -> Pose:
        """Return by which motion in the frame of the body its parts are displaced.

        Args:
            value: The value of the channel.
        """
        if self.kind == "slide":
            x, y, z = (value * each for each in self.vector)
            return Pose(x, y, z)
        if self.kind == "turn":
            about = Pose(*self.pivot)
            turn = Pose.of_rotation_vector([self.scale * value * each for each in self.axis])
            return about @ turn @ about.inverse()
        return IDENTITY


def _thing(body: str) -> str:
    """The name of the thing that a body belongs to."""
    return body.partition("/")[0]
