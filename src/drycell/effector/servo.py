"""The servo of a jaw: two gains, a limit of speed and one of acceleration, and the gap as a closed form of time.

    wanted speed  w = position_gain / rate_gain · (target − gap), at most ``speed``
    acceleration  a = rate_gain · (w − speed of the gap),         at most ``acceleration``

Within its limits that is a = position_gain·error − rate_gain·speed, a spring and a damper; at a limit it is an approach
to the greatest speed, or a parabola. A move is a row of these, joined where a limit is met or left: nothing is stepped.
"""

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from drycell.base import FieldError
from drycell.effector.response import (
    Approach,
    Parabola,
    Piece,
    Response,
    Swing,
    cubics,
    first_beyond,
    joining,
)
from drycell.handling import TimeLaw

AT_REST: Final = 0.1e-6
"""Metres from its place at which the jaw counts as standing."""
LEAST_DAMPING: Final = 0.2
"""The share of critical damping below which a servo would ring for too long to be of use."""
_MOST_PHASES: Final = 1000
_HORIZON: Final = 1e5  # seconds: a limit that is not left by then never is
_HAIR: Final = 1e-12  # of a limit: what rounding makes of a state that lies on it


@dataclass(frozen=True, slots=True)
class Servo:
    """Gains and limits. SI units: position gain in 1/s², rate gain in 1/s."""

    position_gain: float
    rate_gain: float
    speed: float
    acceleration: float

    def __post_init__(self) -> None:
        for name in ("position_gain", "rate_gain", "speed", "acceleration"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise FieldError(f"the servo's {name.replace('_', ' ')} must be above 0, not {getattr(self, name):g}")
        if self.damping < LEAST_DAMPING * (1.0 - 1e-9):  # rounding of a square root is no mistake
            least = 2.0 * LEAST_DAMPING * math.sqrt(self.position_gain)
            raise FieldError(
                f"gains of {self.position_gain:g} 1/s² and {self.rate_gain:g} 1/s damp by {self.damping:.2f}, "
                f"limit {LEAST_DAMPING:g}",
                hint=f"a rate gain of {least:.3g} 1/s or more; {5.0 * least:.3g} 1/s does not overshoot",
            )

    @property
    def damping(self) -> float:
        """The share of critical damping: below 1 it overshoots."""
        return 0.5 * self.rate_gain / math.sqrt(self.position_gain)

    def limited(self, speed: float) -> "Servo":
        """The same servo, no quicker than that."""
        return replace(self, speed=min(self.speed, speed))

    def to(self, target: float, x: float, v: float = 0.0) -> TimeLaw:
        """From a gap and its speed to rest at a target."""
        pieces: list[tuple[float, Piece]] = []
        cap, push = self._mode(target, x, v)
        for _ in range(_MOST_PHASES):
            response = self._response(cap, push, target, x, v)
            change = self._leaves(response, cap, push, target, x, v)
            if change is None and isinstance(response, Swing):
                span = response.within(AT_REST)
                pieces += cubics(response, span)
                state, last = response.state(span), 2.0 / math.sqrt(self.position_gain)
                return _law([*pieces, (last, joining(state, (target, 0.0), last))] if pieces else [], target)
            if change is None:
                break
            span, cap, push = change
            pieces += cubics(response, span)
            x, v = response.state(span)
        raise FieldError(
            f"the servo does not come to rest at {target:g} m from {x:g} m at {v:g} m/s",
            hint=f"gains are {self.position_gain:g} 1/s² and {self.rate_gain:g} 1/s: try others",
        )

    def at_rate(self, rate: float, x: float, v: float, low: float, high: float) -> TimeLaw:
        """From a gap and its speed to a steady rate, until it is beyond ``low`` or ``high``; to rest if that is 0."""
        pieces: list[tuple[float, Piece]] = []
        rate = max(-self.speed, min(rate, self.speed))
        most = self.acceleration / self.rate_gain  # the difference of speeds that takes all the acceleration
        short = rate - v
        if abs(short) > most:
            response: Response = Parabola(x, v, math.copysign(self.acceleration, short))
            span = (abs(short) - most) / self.acceleration
            pieces += cubics(response, span)
            x, v = response.state(span)
        response = Approach(x, v, rate, self.rate_gain)
        off = abs(v - rate) / self.rate_gain  # how far behind it stays in the end
        span = math.log(off / AT_REST) / self.rate_gain if off > AT_REST else 0.0
        pieces += cubics(response, span)
        x, v = response.state(span)
        if rate:
            left = (high - x if rate > 0.0 else x - low) / abs(rate)
            pieces += cubics(Parabola(x, rate, 0.0), max(left, 0.0))
            x += rate * max(left, 0.0)
        return _law(pieces, x)

    # ---------------------------------------------------------------- which limits hold

    def _mode(self, target: float, x: float, v: float) -> tuple[int, int]:
        """Whether speed and acceleration are at a limit: −1, 0 or 1 each."""
        wanted = self._stiff * (target - x)
        cap = 0 if abs(wanted) <= self.speed else int(math.copysign(1, wanted))
        push = self.rate_gain * ((cap * self.speed if cap else wanted) - v)
        return cap, 0 if abs(push) <= self.acceleration else int(math.copysign(1, push))

    @property
    def _stiff(self) -> float:
        return self.position_gain / self.rate_gain

    def _response(self, cap: int, push: int, target: float, x: float, v: float) -> Response:
        if push:
            return Parabola(x, v, push * self.acceleration)
        if cap:
            return Approach(x, v, cap * self.speed, self.rate_gain)
        return Swing(x, v, target, self.position_gain, self.rate_gain)

    def _leaves(
        self, response: Response, cap: int, push: int, target: float, x: float, v: float
    ) -> tuple[float, int, int] | None:
        """How long a pair of limits holds, and which hold next; None: for ever. One of the two changes at a time."""
        k, kd = self._stiff, self.rate_gain
        # The wanted speed before its limit is k·target − k·x; the push is kd·wanted − kd·v.
        base, slope = (cap * self.speed, 0.0) if cap else (k * target, -k)
        exits: list[tuple[float, float, float, int, int]] = []  # along·x + by·v > limit leads to (cap, push)
        if cap:
            exits.append((cap * k, 0.0, cap * k * target - self.speed, 0, push))
        else:
            exits += [(-sign * k, 0.0, self.speed - sign * k * target, sign, push) for sign in (1, -1)]
        if push:
            exits.append((-push * kd * slope, push * kd, push * kd * base - self.acceleration, cap, 0))
        else:
            exits += [(s * kd * slope, -s * kd, self.acceleration - s * kd * base, cap, s) for s in (1, -1)]
        first: tuple[float, int, int] | None = None
        for along, by, limit, *then in exits:
            hair = _HAIR * max(abs(along * x), abs(by * v), abs(limit), self.speed)
            end = response.faded if isinstance(response, Swing) else _HORIZON
            span = first_beyond(response, along, by, limit + hair, end)
            if span is not None and (first is None or span < first[0]):
                first = (span, then[0], then[1])
        return first


def _law(pieces: list[tuple[float, Piece]], place: float) -> TimeLaw:
    """The pieces in a row, or a rest at a place."""
    if not pieces:
        return TimeLaw((0.0, 0.0), ((place, 0.0, 0.0, 0.0),))
    return TimeLaw((0.0, *accumulate(span for span, _ in pieces)), tuple(piece for _, piece in pieces))
