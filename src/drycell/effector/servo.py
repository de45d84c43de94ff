"""The servo of a jaw: two gains, limits for speed and acceleration, and the gap as a closed form of time.

    wanted speed  w = position_gain / rate_gain · (target − gap), at most ``speed``
    acceleration  a = rate_gain · (w − speed of the gap),         at most ``acceleration``

Within its limits, this is a = position_gain·error − rate_gain·speed, a spring and a damper. At the speed limit, it is
an exponential approach to that speed; at the acceleration limit, a parabola. A move is a sequence of such responses,
joined where a limit is reached or left: nothing is stepped. Each response knows the turning points of every linear
combination of position and speed. The first instant at which a limit is met therefore lies in a known bracket, and
bisection finds it exactly.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final, Protocol

from drycell.base import FieldError
from drycell.handling import Piece, TimeLaw

EXACT: Final = 10e-9
"""Maximum deviation of the cubics of a response from its closed form, in metres."""
_ROUNDING: Final = 1e-12  # metres: a start at rest falls back by as much as 1e-34 m before it rises
_NO_CURVE: Final = 1e-30  # m/s⁴: below this a cubic is exact for any duration
_FADED: Final = 32.0  # time constants after which a response has decayed, e⁻³² = 10⁻¹⁴


class ServoResponse(Protocol):
    """A position as a function of time."""

    def state(self, t: float) -> tuple[float, float]:
        """Position and speed after ``t`` seconds."""

    def turns(self, along: float, by: float) -> Iterator[float]:
        """The turning points of along·x + by·v, in chronological order; none if it only rises or only falls."""

    def curve(self, t: float) -> float:
        """An upper bound of the fourth derivative of the position after ``t``."""


class Parabola:
    """A constant acceleration."""

    def __init__(self, x: float, v: float, acceleration: float) -> None:
        self._x, self._v, self._a = x, v, acceleration

    def state(self, t: float) -> tuple[float, float]:
        """Position and speed."""
        return self._x + (self._v + 0.5 * self._a * t) * t, self._v + self._a * t

    def turns(self, along: float, by: float) -> Iterator[float]:
        """The instant at which along·v + by·a is 0."""
        if along and self._a:
            yield -(self._v + by * self._a / along) / self._a

    def curve(self, t: float) -> float:
        """Zero: a parabola has no fourth derivative."""
        return 0.0


class Approach:
    """An exponential approach to a constant speed: v = w + (v₀ − w)·e^(−rate·t)."""

    def __init__(self, x: float, v: float, speed: float, rate: float) -> None:
        self._x, self._w, self._rate = x, speed, rate
        self._short = v - speed

    def state(self, t: float) -> tuple[float, float]:
        """Position and speed."""
        left = math.exp(-self._rate * t)
        return self._x + self._w * t + self._short * (1.0 - left) / self._rate, self._w + self._short * left

    def turns(self, along: float, by: float) -> Iterator[float]:
        """The instant at which along·w + (along − by·rate)·(v₀ − w)·e^(−rate·t) is 0."""
        changing = (along - by * self._rate) * self._short
        share = -along * self._w / changing if changing else 0.0
        if share > 0.0:
            yield -math.log(share) / self._rate

    def curve(self, t: float) -> float:
        """(v₀ − w)·rate³·e^(−rate·t)."""
        return abs(self._short) * self._rate**3 * math.exp(-self._rate * t)


class SpringDamper:
    """A spring and a damper that pull towards a place: x″ = −stiffness·(x − place) − damping·x′.

    The solution is A·e^(−p·t) + B·e^(−q·t) if overdamped, (A + B·t)·e^(−p·t) if critically damped, and
    e^(−p·t)·(A·cos ωt + B·sin ωt) if underdamped.
    """

    def __init__(self, x: float, v: float, place: float, stiffness: float, damping: float) -> None:
        self._place = place
        off = x - place
        half = 0.5 * damping
        inner = half * half - stiffness
        self._p = self._q = half
        self._omega = 0.0
        if abs(inner) <= 1e-9 * half * half:
            self._a, self._b = off, v + half * off
        elif inner > 0.0:
            root = math.sqrt(inner)
            self._p, self._q = stiffness / (half + root), half + root  # p is the slow rate; no cancellation
            self._a = (v + self._q * off) / (self._q - self._p)
            self._b = off - self._a
        else:
            self._omega = math.sqrt(-inner)
            self._a, self._b = off, (v + half * off) / self._omega

    @property
    def faded(self) -> float:
        """Seconds after which it has settled, to the precision of a float."""
        return _FADED / self._p

    def within(self, tolerance: float) -> float:
        """Seconds after which it stays within ``tolerance`` of its place."""
        if self._envelope(0.0) <= tolerance:
            return 0.0
        return bisect(lambda t: self._envelope(t) <= tolerance, 0.0, self.faded)

    def _envelope(self, t: float) -> float:
        """A decreasing upper bound of its distance from its place."""
        a, b, p, q = abs(self._a), abs(self._b), self._p, self._q
        first = math.exp(-p * t)
        if self._omega:
            return math.hypot(a, b) * first
        return first * (a + b * (t + 1.0 / p)) if p == q else a * first + b * math.exp(-q * t)

    def state(self, t: float) -> tuple[float, float]:
        """Position and speed."""
        a, b, p, q, omega = self._a, self._b, self._p, self._q, self._omega
        first = math.exp(-p * t)
        if omega:
            cos, sin = math.cos(omega * t), math.sin(omega * t)
            swing = a * cos + b * sin
            return self._place + first * swing, first * (omega * (b * cos - a * sin) - p * swing)
        if p == q:
            return self._place + first * (a + b * t), first * (b - p * (a + b * t))
        second = math.exp(-q * t)
        return self._place + a * first + b * second, -p * a * first - q * b * second

    def turns(self, along: float, by: float) -> Iterator[float]:
        """One turning point at most, or one per half oscillation until it has decayed."""
        # The combination has the form of the position itself, with weights that its derivative gives.
        a, b, p, q, omega = self._a, self._b, self._p, self._q, self._omega
        if omega:
            (c, s) = _turned(a, b, p, omega)
            (c, s) = along * c + by * _turned(c, s, p, omega)[0], along * s + by * _turned(c, s, p, omega)[1]
            if c or s:
                t = math.atan2(-c, s) / omega  # c·cos + s·sin = 0
                half = math.pi / omega
                t -= math.floor(t / half) * half
                while t < self.faded:
                    yield t
                    t += half
        elif p == q:
            # (A + B·t)·e^(−p·t) has the derivative ((B − p·A) − p·B·t)·e^(−p·t): the same form again.
            c, d = b - p * a, -p * b
            c, d = along * c + by * (d - p * c), along * d - by * p * d
            if d:
                yield -c / d
        else:
            c, d = -p * a * (along - by * p), -q * b * (along - by * q)
            share = -c / d if d else 0.0
            if share > 0.0:
                yield -math.log(share) / (q - p)

    def curve(self, t: float) -> float:
        """The amplitude times the fourth power of its rate; it decays with time."""
        a, b, p, q, omega = self._a, self._b, self._p, self._q, self._omega
        first = math.exp(-p * t)
        if omega:
            return math.hypot(a, b) * (p * p + omega * omega) ** 2 * first
        if p == q:
            return first * (p**4 * (abs(a) + abs(b) * t) + 4.0 * p**3 * abs(b))
        return abs(a) * p**4 * first + abs(b) * q**4 * math.exp(-q * t)


def _turned(a: float, b: float, p: float, omega: float) -> tuple[float, float]:
    """The weights of the derivative of e^(−p·t)·(A·cos ωt + B·sin ωt)."""
    return omega * b - p * a, -omega * a - p * b


def first_above(response: ServoResponse, along: float, by: float, limit: float, end: float) -> float | None:
    """Find the first instant at which along·x + by·v is above a limit.

    Returns 0 if it is above it at the start, and None if it does not exceed it before ``end``.
    """

    def excess(t: float) -> float:
        x, v = response.state(t)
        return along * x + by * v - limit

    before = 0.0
    if excess(before) > 0.0:
        return 0.0
    for turn in (*(t for t in response.turns(along, by) if 0.0 < t < end), end):
        if excess(turn) > 0.0:
            return bisect(lambda t: excess(t) > 0.0, before, turn)
        before = turn
    return None


def bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Find the smallest float at which ``holds`` is true, if it is false at ``low`` and true at ``high``."""
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        if holds(middle):
            high = middle
        else:
            low = middle


def cubics(response: ServoResponse, span: float) -> Iterator[tuple[float, Piece]]:
    """Yield a response for ``span`` seconds as Hermite cubics with their durations, within ``EXACT`` of it."""
    t = 0.0
    while t < span:
        curve = response.curve(t)
        # A cubic through two states is off by h⁴/384 times the fourth derivative at most.
        step = (384.0 * EXACT / curve) ** 0.25 if curve > _NO_CURVE else span
        left = span - t
        step = left if step >= left else 0.5 * left if step >= 0.5 * left else step  # no sliver at the end
        yield step, joining(response.state(t), response.state(t + step), step)
        t = span if step == left else t + step


def joining(first: tuple[float, float], last: tuple[float, float], span: float) -> Piece:
    """The cubic from one (position, speed) to another within ``span`` seconds."""
    (x0, v0), (x1, v1) = first, last
    slope = (x1 - x0) / span
    return x0, v0, (3.0 * slope - 2.0 * v0 - v1) / span, (v0 + v1 - 2.0 * slope) / (span * span)


def passes(law: TimeLaw, place: float, after: float = 0.0, *, rising: bool) -> float | None:
    """Find the first instant from ``after`` at which a law is at or beyond a position; None if there is none."""
    sign = 1.0 if rising else -1.0

    def there(u: float) -> bool:
        return sign * (law.state(u)[0] - place) >= 0.0

    if there(after):
        return after
    for low, high in _monotonic_spans(law):
        if high > after and there(high):
            return bisect(there, max(low, after), high)
    return None


def stays_within(law: TimeLaw, place: float, tolerance: float) -> float:
    """Find the instant from which a law stays within a tolerance of a position; its end if it never does."""
    for low, high in reversed(list(_monotonic_spans(law))):
        if abs(law.state(high)[0] - place) > tolerance:
            return high
        if abs(law.state(low)[0] - place) > tolerance:
            return bisect(lambda u: abs(law.state(u)[0] - place) <= tolerance, low, high)
    return 0.0


def limited_between(law: TimeLaw, low: float, high: float) -> TimeLaw:
    """Limit a law to two stops: the result rests at a stop while the law is beyond it."""
    breaks, pieces = [0.0], list[Piece]()
    for start, end in _monotonic_spans(law):
        cuts = [start, *sorted(u for u in _met(law, start, end, (low, high)) if start < u < end), end]
        for a, b in pairwise(cuts):
            if b <= breaks[-1]:
                continue
            middle = law.state(0.5 * (a + b))[0]
            stop = low if middle < low else high if middle > high else None
            breaks.append(b)
            pieces.append(_since(law, a) if stop is None else (stop, 0.0, 0.0, 0.0))
    if not pieces:
        return resting(min(max(law.end, low), high))
    return TimeLaw(tuple(breaks), tuple(pieces))


def one_way(law: TimeLaw, way: int) -> TimeLaw:
    """Cut a law where it first moves against ``way``, down (−1) or up (1): a ratchet holds it there."""
    furthest, turn = law.state(0.0)[0], 0.0
    for _, high in _monotonic_spans(law):
        place = law.state(high)[0]
        if way * (place - furthest) >= 0.0:
            furthest, turn = place, high
        elif way * (furthest - place) > _ROUNDING:
            kept = [u for u in law.breaks if u < turn]
            return TimeLaw((*kept, turn), law.pieces[: len(kept)]) if kept else resting(furthest)
    return law


def resting(place: float) -> TimeLaw:
    """A law at rest."""
    return TimeLaw((0.0, 0.0), ((place, 0.0, 0.0, 0.0),))


def _since(law: TimeLaw, u: float) -> Piece:
    """The cubic that applies from an instant."""
    return law.after(u).pieces[0] if u > 0.0 else law.pieces[0]


def _met(law: TimeLaw, start: float, end: float, places: tuple[float, float]) -> Iterator[float]:
    first, last = law.state(start)[0], law.state(end)[0]
    for place in places:
        if min(first, last) < place < max(first, last):
            up = last > first
            yield bisect(lambda u, p=place, up=up: (law.state(u)[0] >= p) == up, start, end)  # type: ignore[misc]


def _monotonic_spans(law: TimeLaw) -> Iterator[tuple[float, float]]:
    """Yield the intervals in which a law only rises or only falls, each within one cubic."""
    for (_, b, c, d), start, end in zip(law.pieces, law.breaks, law.breaks[1:], strict=False):
        turns = [start + u for u in roots(3.0 * d, 2.0 * c, b) if 0.0 < u < end - start]
        cuts = [start, *sorted(turns), end]
        yield from pairwise(cuts)


def roots(a: float, b: float, c: float) -> list[float]:
    """The real roots of a·u² + b·u + c, in no order."""
    if a == 0.0:
        return [-c / b] if b else []
    inner = b * b - 4.0 * a * c
    if inner < 0.0:
        return []
    q = -0.5 * (b + math.copysign(math.sqrt(inner), b))
    return [q / a, *([c / q] if q else [])]


AT_REST: Final = 0.1e-6
"""Distance in metres from its target at which the jaw counts as at rest."""
LEAST_DAMPING: Final = 0.2
"""Fraction of critical damping below which a servo would oscillate for too long."""
_MOST_PHASES: Final = 1000
_HORIZON: Final = 1e5  # seconds: a limit that lasts longer is never left
_HAIR: Final = 1e-12  # relative tolerance at a limit, for rounding


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
        if self.damping < LEAST_DAMPING * (1.0 - 1e-9):  # the square root is rounded
            least = 2.0 * LEAST_DAMPING * math.sqrt(self.position_gain)
            raise FieldError(
                f"gains of {self.position_gain:g} 1/s² and {self.rate_gain:g} 1/s damp by {self.damping:.2f}, "
                f"limit {LEAST_DAMPING:g}",
                hint=f"a rate gain of {least:.3g} 1/s or more; {5.0 * least:.3g} 1/s does not overshoot",
            )

    @property
    def damping(self) -> float:
        """Fraction of critical damping; below 1 the servo overshoots."""
        return 0.5 * self.rate_gain / math.sqrt(self.position_gain)

    def limited(self, speed: float) -> "Servo":
        """A servo with these gains and a lower limit of speed."""
        return replace(self, speed=min(self.speed, speed))

    def to(self, target: float, x: float, v: float = 0.0) -> TimeLaw:
        """The law from gap ``x`` and speed ``v`` to rest at a target."""
        pieces: list[tuple[float, Piece]] = []
        cap, push = self._mode(target, x, v)
        for _ in range(_MOST_PHASES):
            response = self._response(cap, push, target, x, v)
            change = self._leaves(response, cap, push, target, x, v)
            if change is None and isinstance(response, SpringDamper):
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
            f"the servo never settles at {target:g} m from {x:g} m at {v:g} m/s",
            hint=f"gains are {self.position_gain:g} 1/s² and {self.rate_gain:g} 1/s: try others",
        )

    def at_rate(self, rate: float, x: float, v: float, low: float, high: float) -> TimeLaw:
        """The law from gap ``x`` and speed ``v`` to a constant rate, up to ``low`` or ``high``; to rest if it is 0."""
        pieces: list[tuple[float, Piece]] = []
        rate = max(-self.speed, min(rate, self.speed))
        most = self.acceleration / self.rate_gain  # the speed error at which the acceleration reaches its limit
        short = rate - v
        if abs(short) > most:
            response: ServoResponse = Parabola(x, v, math.copysign(self.acceleration, short))
            span = (abs(short) - most) / self.acceleration
            pieces += cubics(response, span)
            x, v = response.state(span)
        response = Approach(x, v, rate, self.rate_gain)
        off = abs(v - rate) / self.rate_gain  # the final lag
        span = math.log(off / AT_REST) / self.rate_gain if off > AT_REST else 0.0
        pieces += cubics(response, span)
        x, v = response.state(span)
        if rate:
            left = (high - x if rate > 0.0 else x - low) / abs(rate)
            pieces += cubics(Parabola(x, rate, 0.0), max(left, 0.0))
            x += rate * max(left, 0.0)
        return _law(pieces, x)

    # ---------------------------------------------------------------- which limits apply

    def _mode(self, target: float, x: float, v: float) -> tuple[int, int]:
        """Whether speed and acceleration are at a limit: −1, 0 or 1 each."""
        wanted = self._stiff * (target - x)
        cap = 0 if abs(wanted) <= self.speed else int(math.copysign(1, wanted))
        push = self.rate_gain * ((cap * self.speed if cap else wanted) - v)
        return cap, 0 if abs(push) <= self.acceleration else int(math.copysign(1, push))

    @property
    def _stiff(self) -> float:
        return self.position_gain / self.rate_gain

    def _response(self, cap: int, push: int, target: float, x: float, v: float) -> ServoResponse:
        if push:
            return Parabola(x, v, push * self.acceleration)
        if cap:
            return Approach(x, v, cap * self.speed, self.rate_gain)
        return SpringDamper(x, v, target, self.position_gain, self.rate_gain)

    def _leaves(
        self, response: ServoResponse, cap: int, push: int, target: float, x: float, v: float
    ) -> tuple[float, int, int] | None:
        """The time for which a pair of limits applies, and the next pair; None if it always applies."""
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
            end = response.faded if isinstance(response, SpringDamper) else _HORIZON
            span = first_above(response, along, by, limit + hair, end)
            if span is not None and (first is None or span < first[0]):
                first = (span, then[0], then[1])
        return first


def _law(pieces: list[tuple[float, Piece]], place: float) -> TimeLaw:
    """The pieces in sequence, or rest at a position."""
    if not pieces:
        return TimeLaw((0.0, 0.0), ((place, 0.0, 0.0, 0.0),))
    return TimeLaw((0.0, *accumulate(span for span, _ in pieces)), tuple(piece for _, piece in pieces))
