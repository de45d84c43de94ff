"""Responses of a servo between its limits, each a closed form of time: parabola, approach to a speed, swing to a place.

Each is a way x(t) in metres, t in seconds from its start, which knows where any linear mix of way and speed turns, so
that the first instant at which a limit is met lies in a known bracket and is bisected to the last bit.
"""

import math
from collections.abc import Callable, Iterator
from typing import Final, Protocol

Piece = tuple[float, float, float, float]  # c0 + c1·u + c2·u² + c3·u³, u in seconds from the piece's start
EXACT: Final = 10e-9
"""Metres: how near the cubics of a response are to its closed form."""
_NO_CURVE: Final = 1e-30  # m/s⁴: below that a cubic is exact for any time there is
_FADED: Final = 32.0  # time constants after which nothing is left, e⁻³² = 10⁻¹⁴


class Response(Protocol):
    """A way as a function of time."""

    def state(self, t: float) -> tuple[float, float]:
        """Way and speed after ``t`` seconds."""

    def turns(self, along: float, by: float) -> Iterator[float]:
        """The instants, in order, at which along·x + by·v stands still; none where that never ends to fall or rise."""

    def curve(self, t: float) -> float:
        """At least as much as the fourth derivative of the way is from ``t`` on."""


class Parabola:
    """A steady acceleration."""

    def __init__(self, x: float, v: float, acceleration: float) -> None:
        self._x, self._v, self._a = x, v, acceleration

    def state(self, t: float) -> tuple[float, float]:
        """Way and speed."""
        return self._x + (self._v + 0.5 * self._a * t) * t, self._v + self._a * t

    def turns(self, along: float, by: float) -> Iterator[float]:
        """Where along·v + by·a is 0."""
        if along and self._a:
            yield -(self._v + by * self._a / along) / self._a

    def curve(self, t: float) -> float:
        """None."""
        return 0.0


class Approach:
    """The speed comes to a steady one exponentially: v = w + (v₀ − w)·e^(−rate·t)."""

    def __init__(self, x: float, v: float, speed: float, rate: float) -> None:
        self._x, self._w, self._rate = x, speed, rate
        self._short = v - speed

    def state(self, t: float) -> tuple[float, float]:
        """Way and speed."""
        left = math.exp(-self._rate * t)
        return self._x + self._w * t + self._short * (1.0 - left) / self._rate, self._w + self._short * left

    def turns(self, along: float, by: float) -> Iterator[float]:
        """Where along·w + (along − by·rate)·(v₀ − w)·e^(−rate·t) is 0."""
        changing = (along - by * self._rate) * self._short
        share = -along * self._w / changing if changing else 0.0
        if share > 0.0:
            yield -math.log(share) / self._rate

    def curve(self, t: float) -> float:
        """(v₀ − w)·rate³, fading."""
        return abs(self._short) * self._rate**3 * math.exp(-self._rate * t)


class Swing:
    """A spring and a damper draw it to a place: x″ = −stiffness·(x − place) − damping·x′.

    Overdamped it is A·e^(−p·t) + B·e^(−q·t), at the border (A + B·t)·e^(−p·t), underdamped e^(−p·t)·(A·cos ωt +
    B·sin ωt).
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
            self._p, self._q = stiffness / (half + root), half + root  # p is the slow one; no cancellation
            self._a = (v + self._q * off) / (self._q - self._p)
            self._b = off - self._a
        else:
            self._omega = math.sqrt(-inner)
            self._a, self._b = off, (v + half * off) / self._omega

    @property
    def faded(self) -> float:
        """Seconds after which it is where it is drawn to, as far as numbers tell."""
        return _FADED / self._p

    def within(self, tolerance: float) -> float:
        """When it is so near to where it is drawn to that it stays that near."""
        if self._envelope(0.0) <= tolerance:
            return 0.0
        return bisect(lambda t: self._envelope(t) <= tolerance, 0.0, self.faded)

    def _envelope(self, t: float) -> float:
        """At least how far it is from its place, and ever less."""
        a, b, p, q = abs(self._a), abs(self._b), self._p, self._q
        first = math.exp(-p * t)
        if self._omega:
            return math.hypot(a, b) * first
        return first * (a + b * (t + 1.0 / p)) if p == q else a * first + b * math.exp(-q * t)

    def state(self, t: float) -> tuple[float, float]:
        """Way and speed."""
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
        """One instant at most, or one every half swing until nothing is left of it."""
        # The mix has the same form as the way, with weights that its derivative gives.
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
        """The amplitude times the fourth power of its rate, fading."""
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


def first_beyond(response: Response, along: float, by: float, limit: float, end: float) -> float | None:
    """The first instant after the start at which along·x + by·v comes to be above a limit; None: not before the end.

    What is above it at the start already counts from the first instant on.
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
    """The first number at which something holds that does not at ``low``, and does at ``high``, to the last bit."""
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        if holds(middle):
            high = middle
        else:
            low = middle


def cubics(response: Response, span: float) -> Iterator[tuple[float, Piece]]:
    """A response for a time, as cubics and how long each lasts: Hermite, so near the closed form as ``EXACT`` says."""
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
    """The cubic from one way and speed to another in a time."""
    (x0, v0), (x1, v1) = first, last
    slope = (x1 - x0) / span
    return x0, v0, (3.0 * slope - 2.0 * v0 - v1) / span, (v0 + v1 - 2.0 * slope) / (span * span)
