"""Time laws: the position of one axis, or along one path, as piecewise cubics in time.

ruckig computes a law, which is then stored as its exact polynomials, without sampling: seven phases of constant jerk,
or three phases of constant acceleration if the jerk is unlimited.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from drycell.base import MotionError

if TYPE_CHECKING:
    from ruckig import InputParameter, Trajectory

Piece = tuple[float, float, float, float]  # c0 + c1·u + c2·u² + c3·u³, u in seconds from the piece's start

# Phases shorter than this (s) are rounding errors of ruckig's root finder.
_NO_TIME: Final = 1e-12
_REDUCTION: Final = 1e-9


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """The maximum speed, acceleration and jerk of a law, per s, s² and s³; the jerk may be ``math.inf``."""

    speed: float
    acceleration: float
    jerk: float

    def __post_init__(self) -> None:
        if not (self.speed > 0 and self.acceleration > 0 and self.jerk > 0):
            raise MotionError(
                f"a move needs a speed, an acceleration and a jerk above zero, "
                f"not {self.speed:g}, {self.acceleration:g} and {self.jerk:g}"
            )

    def over(self, length: float) -> "MotionLimits":
        """These limits in another unit of distance, which is ``length`` of the current unit."""
        return MotionLimits(self.speed / length, self.acceleration / length, self.jerk / length)

    def stretched(self, factor: float) -> "MotionLimits":
        """The limits of a motion that is made ``factor`` times longer in time."""
        return MotionLimits(self.speed / factor, self.acceleration / factor**2, self.jerk / factor**3)


@dataclass(frozen=True, slots=True)
class TimeLaw:
    """A position s(u), where u is in seconds from the start. The axis is at rest after the end."""

    breaks: tuple[float, ...]
    pieces: tuple[Piece, ...]

    @property
    def duration(self) -> float:
        """Seconds from start to rest."""
        return self.breaks[-1]

    @property
    def end(self) -> float:
        """The position at rest."""
        return self.state(self.breaks[-1])[0]

    def state(self, u: float) -> tuple[float, float, float]:
        """Position, speed and acceleration after ``u`` seconds."""
        u = min(max(u, 0.0), self.breaks[-1])
        i = min(bisect_right(self.breaks, u) - 1, len(self.pieces) - 1)
        u -= self.breaks[i]
        a, b, c, d = self.pieces[i]
        return ((d * u + c) * u + b) * u + a, (3 * d * u + 2 * c) * u + b, 6 * d * u + 2 * c

    def when(self, position: float) -> float:
        """The first time in seconds at which a law without reversal reaches a position (bisected exactly)."""
        if position <= self.pieces[0][0]:
            return 0.0
        low, high = 0.0, self.breaks[-1]
        while True:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                return high
            if self.state(middle)[0] >= position:
                high = middle
            else:
                low = middle

    def after(self, u: float) -> "TimeLaw":
        """The rest of the law after ``u`` seconds, shifted to start at 0."""
        if u <= 0.0:
            return self
        position, speed, _ = self.state(u)
        if u >= self.breaks[-1]:
            return TimeLaw((0.0, 0.0), ((position, 0.0, 0.0, 0.0),))
        i = bisect_right(self.breaks, u) - 1
        _, _, c, d = self.pieces[i]
        first = (position, speed, c + 3 * d * (u - self.breaks[i]), d)
        return TimeLaw((0.0, *(b - u for b in self.breaks[i + 1 :])), (first, *self.pieces[i + 1 :]))

    def stretched(self, factor: float) -> "TimeLaw":
        """This law, stretched in time by a factor."""
        k, kk, kkk = 1 / factor, 1 / factor**2, 1 / factor**3
        return TimeLaw(
            tuple(factor * u for u in self.breaks), tuple((a, b * k, c * kk, d * kkk) for a, b, c, d in self.pieces)
        )

    @property
    def top_speed(self) -> float:
        """The maximum speed that the law reaches."""
        best = 0.0
        for (_, b, c, d), start, end in zip(self.pieces, self.breaks, self.breaks[1:], strict=False):
            span = end - start
            best = max(best, abs(b), abs((3 * d * span + 2 * c) * span + b))
            if d and 0 < -c / (3 * d) < span:
                best = max(best, abs(b - c * c / (3 * d)))
        return best


def time_law(end: float, limits: MotionLimits, start: Sequence[float] = (0.0, 0.0, 0.0)) -> TimeLaw:
    """The fastest law within limits from a state to rest at the position ``end``.

    Args:
        end: The position at rest.
        limits: The maximum speed, acceleration and jerk.
        start: Position, speed and acceleration at the start.

    Raises:
        MotionError: No law fits.
    """
    from ruckig import InputParameter

    wanted = InputParameter(1)
    wanted.target_position = [end]
    return _solve(wanted, limits, start)


def least_time(distance: float, limits: MotionLimits) -> float:
    """The duration in seconds of the fastest law from rest to rest over a distance: that of :func:`time_law`.

    >>> least_time(1.0, MotionLimits(speed=0.5, acceleration=2.0, jerk=math.inf))  # 1/0.5 + 0.5/2
    2.25
    """
    if distance <= 0.0:
        return 0.0
    return _duration(distance, min(limits.speed, _peak(distance, limits)), limits)


def speed_for(distance: float, limits: MotionLimits, duration: float) -> float:
    """The top speed with which a law from rest to rest takes a duration, with the acceleration and jerk of its limits.

    Args:
        distance: The distance, above zero.
        limits: The limits; the result is at most their speed.
        duration: Seconds, at least :func:`least_time`.

    >>> speed_for(1.0, MotionLimits(speed=9.0, acceleration=2.0, jerk=math.inf), 2.25)
    0.5
    """
    low, high = 0.0, min(limits.speed, _peak(distance, limits))
    while True:  # the duration falls as the speed rises; bisected as far as floats go
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        if _duration(distance, middle, limits) > duration:
            low = middle
        else:
            high = middle


def _run_up(speed: float, limits: MotionLimits) -> float:
    """The time in seconds from rest to a speed."""
    a, j = limits.acceleration, limits.jerk
    if math.isinf(j):
        return speed / a
    return speed / a + a / j if speed * j >= a * a else 2.0 * math.sqrt(speed / j)


def _peak(distance: float, limits: MotionLimits) -> float:
    """The speed that a law reaches if it brakes as soon as it has run up."""
    a, j = limits.acceleration, limits.jerk
    if math.isinf(j):
        return math.sqrt(distance * a)
    full = 0.5 * a * (math.sqrt((a / j) ** 2 + 4.0 * distance / a) - a / j)  # v · (v/a + a/j) = distance
    if full * j >= a * a:
        return full
    return float((0.25 * distance * distance * j) ** (1.0 / 3.0))  # v · 2 √(v/j) = distance


def _duration(distance: float, speed: float, limits: MotionLimits) -> float:
    """The time for a distance if the top speed is reached."""
    return distance / speed + _run_up(speed, limits)


def stop_law(limits: MotionLimits, start: Sequence[float]) -> TimeLaw:
    """The fastest law within limits from a state (position, speed, acceleration) to rest at any position."""
    from ruckig import ControlInterface, InputParameter

    wanted = InputParameter(1)
    wanted.control_interface = ControlInterface.Velocity
    wanted.target_velocity = [0.0]
    wanted.target_acceleration = [0.0]
    return _solve(wanted, limits, start)


def _solve(wanted: "InputParameter", limits: MotionLimits, start: Sequence[float]) -> TimeLaw:
    position, speed, acceleration = start
    if math.isinf(limits.jerk):
        acceleration = 0.0  # the acceleration may jump, so the current value does not matter
    wanted.current_position, wanted.current_velocity = [position], [speed]
    wanted.max_velocity, wanted.max_jerk = [limits.speed], [limits.jerk]
    # Where the acceleration limit is only just reached (distance = 2·a³/j²), two of ruckig's cases meet, and rounding
    # can make it reject both. A slightly lower limit selects one of them.
    solved = _calculated(wanted, limits.acceleration, acceleration)
    solved = solved or _calculated(wanted, limits.acceleration * (1 - _REDUCTION), acceleration)
    if solved is None:
        raise MotionError(
            f"no time law from {position:g} at speed {speed:g} with limits {limits.speed:g}, {limits.acceleration:g}, "
            f"{limits.jerk:g}"
        )
    profile = solved.profiles[0][0]
    brake = profile.brake
    phases = [
        (t, (p, v, a / 2, j / 6))
        for part, count in ((brake, 2), (profile, 7))
        for t, p, v, a, j in zip(part.t, part.p[:count], part.v[:count], part.a[:count], part.j, strict=True)
        if t > _NO_TIME
    ]
    if not phases:
        return TimeLaw((0.0, 0.0), ((position, 0.0, 0.0, 0.0),))
    return TimeLaw((0.0, *accumulate(t for t, _ in phases)), tuple(piece for _, piece in phases))


def _calculated(wanted: "InputParameter", most: float, acceleration: float) -> "Trajectory | None":
    """ruckig's law for an acceleration limit ``most`` and a start acceleration; None if it finds none."""
    from ruckig import Result, Ruckig, RuckigError, Trajectory

    wanted.max_acceleration = [most]
    # Rounding must not move the start past the limit: ruckig would insert a braking phase.
    wanted.current_acceleration = [min(max(acceleration, -most), most)]
    # Created here and discarded at once: ruckig's objects report leaks if they outlive the interpreter.
    solved = Trajectory(1)
    try:
        verdict = Ruckig(1).calculate(wanted, solved)
    except RuckigError:
        return None
    return solved if verdict in (Result.Working, Result.Finished) else None
