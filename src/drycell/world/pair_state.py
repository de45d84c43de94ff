"""Pair states: turn observed distances into collisions and near misses, each reported once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Protocol

from drycell.base import Vector
from drycell.geometry import TOUCH, Closest
from drycell.world.body import LiveBody

APART: Final = 1e-3  # metres: a pair that touched when attached is watched again once it is this far apart
AT_REST: Final = 1e-6  # metres: pairs attached closer than this touch: contacts are exact only to a tick
_NM: Final = 1e9

Pair = tuple[LiveBody, LiveBody]


def contact_threshold(pair: Pair) -> float:
    """The distance at which a pair collides, in metres.

    Parts may touch without overlapping, because otherwise they could not be placed.
    """
    return -AT_REST if pair[0].part or pair[1].part else TOUCH


class Attached(IntEnum):
    """Whether a body of the pair was attached at an observed instant."""

    NO = 0
    WHERE_IT_WAS = 1  # the pair may touch if it touches then
    ELSEWHERE = 2  # the body jumped: an overlap of more than 1 mm is a collision


@dataclass(frozen=True, slots=True)
class Observation:
    """The distance between a pair at the grid instants ``first``…``last``, or at an instant of attachment."""

    first: int
    last: int
    distance: float
    near: float
    attached: Attached = Attached.NO
    on_grid: bool = True


@dataclass(slots=True)
class Collision:
    """A collision of two bodies from ``time`` to ``end`` (None while it lasts), with its largest ``depth``.

    Times are in ticks; ``point`` is the first contact in the world, between the two surfaces.
    """

    time: int
    a: str
    b: str
    point: Vector
    depth: float
    end: int | None = None


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A pass of two bodies within the clearance: the time and distance of the closest approach, and both points."""

    time: int
    a: str
    b: str
    distance: float
    points: tuple[Vector, Vector]
    end: int


class Reporter(Protocol):
    """Receives the results."""

    def began(self, collision: Collision) -> None:
        """Two bodies touch."""

    def ended(self, collision: Collision) -> None:
        """The two bodies are apart again."""

    def missed(self, miss: NearMiss) -> None:
        """Two bodies passed each other too closely."""


@dataclass(slots=True, eq=False)
class PairState:
    """The state of one pair: in a collision, in a near pass, allowed to touch for now, or none of these."""

    pair: Pair
    last: int = 0
    silent: bool = False
    separating: bool = False  # released: not a near miss until it has been farther apart than the clearance
    collision: Collision | None = None
    deepest: tuple[float, int] = (0.0, 0)  # estimate of the distance, instant
    measured: int = -1  # the instant at which the collision's depth was computed
    nearest: tuple[int, int] | None = None  # nanometres, instant
    seen: tuple[int, Closest] | None = None  # the instant of the smallest distance, and its observation
    touched: bool = False  # in this pass: then it is only a collision, not also a near miss

    def copy(self) -> "PairState":
        """An independent copy."""
        return replace(self, collision=None if self.collision is None else replace(self.collision))

    @property
    def idle(self) -> bool:
        """Whether there is no state to keep."""
        return not self.silent and not self.separating and self.collision is None and self.nearest is None


class _Predicted:
    """Collects predicted collisions."""

    def __init__(self) -> None:
        self.collisions: list[Collision] = []

    def began(self, collision: Collision) -> None:
        self.collisions.append(collision)

    def ended(self, collision: Collision) -> None:
        pass

    def missed(self, miss: NearMiss) -> None:
        pass


class PairTracker:
    """Processes observations of pairs in chronological order. A pair without an observation is apart.

    The results do not depend on how the observations are grouped, because states are kept.
    """

    def __init__(
        self,
        cycle: int,
        closest: Callable[[LiveBody, LiveBody, int], Closest],
        watched: Callable[[LiveBody, LiveBody, int], bool],
        reporter: Reporter,
        *,
        each_cycle: bool = False,
    ) -> None:
        self._cycle = cycle
        self._closest = closest
        self._watched = watched
        self._report = reporter
        self._each_cycle = each_cycle
        self.states: dict[Pair, PairState] = {}

    def take(self, pair: Pair, observations: list[Observation]) -> None:
        """Process the observations of a pair in an interval, in order."""
        state = self.states.get(pair)
        if state is None:
            state = self.states[pair] = PairState(pair)
        for seen in observations:
            if not state.idle and seen.first > state.last + self._cycle:
                self._gap(state)
                if self._watched(*pair, self._before(seen.first)):
                    state.silent = False  # not watched at first, then apart
            if seen.attached:
                self._attach(state, seen)
            if seen.on_grid:
                self._step(state, seen)
                state.last = seen.last

    def preview(self, observations: dict[Pair, list[Observation]]) -> list[Collision]:
        """The collisions in observations of the future, in chronological order. The states do not change."""
        found = _Predicted()
        tracker = PairTracker(self._cycle, self._closest, self._watched, found)
        tracker.states = {pair: state.copy() for pair, state in self.states.items()}
        for pair, seen in observations.items():
            tracker.take(pair, seen)
        return sorted(found.collisions, key=lambda collision: (collision.time, collision.a, collision.b))

    def settle(self, until: int) -> None:
        """Process the end of an interval: pairs that were not observed at its last instant are apart."""
        last = self._before(until)
        for state in list(self.states.values()):
            if not state.idle and state.last < last:
                self._gap(state)
                state.silent = state.silent and all(body.exists(last) for body in state.pair)
            if state.idle:
                del self.states[state.pair]
            else:
                self._measure(state)

    def close(self, t: int) -> None:
        """End the run: report near misses that are still going on."""
        for state in self.states.values():
            self._pass_over(state, t)

    def look_closely(self) -> None:
        """Measure current passes at their closest approach so far, before the past is dropped."""
        for state in self.states.values():
            if state.nearest is not None:
                self._nearest(state, state.nearest[1])

    def _before(self, t: int) -> int:
        return (t - 1) // self._cycle * self._cycle

    def _gap(self, state: PairState) -> None:
        """Process a gap: at the instant after the last observation, the pair was apart or not watched."""
        a, b = state.pair
        instant = state.last + self._cycle
        self._contact_over(state, instant)
        if self._watched(a, b, instant):
            state.silent = state.separating = False
        elif (a.exists(instant) and b.exists(instant)) or a.parent is b or b.parent is a:
            state.nearest = None  # it approached in order to be grasped or placed
        self._pass_over(state, instant)

    def _attach(self, state: PairState, seen: Observation) -> None:
        deepest = -APART if seen.attached is Attached.ELSEWHERE else -float("inf")
        if state.collision is None and deepest <= seen.distance <= AT_REST:
            state.silent = True
            state.nearest = None
            state.last = max(state.last, self._before(seen.first))

    def _step(self, state: PairState, seen: Observation) -> None:
        t, distance = seen.first, seen.distance
        if state.silent:
            if distance <= APART:
                return
            state.silent, state.separating = False, True
        if distance <= contact_threshold(state.pair):
            state.touched = True
            for instant in range(t, seen.last + 1, self._cycle) if self._each_cycle else (t,):
                self._contact(state, instant, distance)
        else:
            self._contact_over(state, t)
        if distance > seen.near:
            state.separating = False
            self._pass_over(state, t)
        elif seen.near > 0.0 and not state.separating:
            nanometres = round(distance * _NM)
            if state.nearest is None or nanometres < state.nearest[0]:
                state.nearest = (nanometres, t)

    def _contact(self, state: PairState, t: int, distance: float) -> None:
        collision = state.collision
        if collision is None:
            a, b = state.pair
            near = self._closest(a, b, t)
            x, y, z = (0.5 * (p + q) for p, q in zip(near.point_a, near.point_b, strict=True))
            collision = state.collision = Collision(t, a.name, b.name, (x, y, z), max(-near.distance, 0.0))
            self._report.began(collision)
            state.measured = t
            state.deepest = (distance, t)
        elif distance < state.deepest[0]:
            state.deepest = (distance, t)
        if self._each_cycle:
            collision.end, state.collision = t, None

    def _contact_over(self, state: PairState, t: int) -> None:
        if state.collision is not None:
            self._measure(state)
            state.collision.end = t
            self._report.ended(state.collision)
            state.collision = None

    def _measure(self, state: PairState) -> None:
        """Compute the exact depth at the instant of the largest estimate."""
        collision, t = state.collision, state.deepest[1]
        if collision is not None and state.measured != t:
            collision.depth = max(collision.depth, -self._closest(*state.pair, t).distance)
            state.measured = t

    def _pass_over(self, state: PairState, t: int) -> None:
        if state.nearest is not None and not state.touched:
            a, b = state.pair
            instant = state.nearest[1]
            near = self._nearest(state, instant)
            distance = max(near.distance, 0.0)  # a placed part overlaps by less than AT_REST
            self._report.missed(NearMiss(instant, a.name, b.name, distance, (near.point_a, near.point_b), t))
        state.nearest, state.seen, state.touched = None, None, False

    def _nearest(self, state: PairState, t: int) -> Closest:
        if state.seen is None or state.seen[0] != t:
            state.seen = (t, self._closest(*state.pair, t))
        return state.seen[1]
