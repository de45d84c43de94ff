"""Looking ahead: which markings of a net are lost, because from there a deadlock can no longer be kept off."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Generic

from drycell.nets.game import F, Game, M

HORIZON: Final = 20_000
"""Markings that are looked at from one marking on, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Ahead(Generic[M, F]):
    """What was seen from a marking on: the firings of each marking, and which were not looked at any further."""

    after: dict[M, list[tuple[F, M]]]
    beyond: set[M]


class Lookahead(Generic[M, F]):
    """Tells safe markings from lost ones, by exploring ahead of them.

    A marking is lost if every way on ends in a deadlock; one that is a ``goal`` is not a deadlock, and where a goal is
    given, a marking from which none can be reached is lost, too. Transitions in ``uncontrollable`` happen by
    themselves: one that leads to a lost marking makes a marking lost. Beyond the horizon all is taken to be safe.
    """

    def __init__(
        self,
        net: Game[M, F],
        *,
        goal: Callable[[M], bool] | None = None,
        uncontrollable: Iterable[str] = (),
        horizon: int = HORIZON,
    ) -> None:
        self.net = net
        self._goal = goal
        self._uncontrollable = frozenset(uncontrollable)
        self._horizon = horizon
        self._known: dict[M, bool] = {}

    def safe(self, marking: M) -> bool:
        """Whether a deadlock can still be kept off."""
        if marking not in self._known:
            ahead = self._explore(marking)
            safe = self._safe(ahead)
            # Of markings on the way more can be said, from nearer by, unless all was seen.
            judged = ahead.after if not ahead.beyond else [marking]
            self._known.update((each, each in safe) for each in judged)
        return self._known[marking]

    def _explore(self, first: M) -> Ahead[M, F]:
        order, after = [first], dict[M, list[tuple[F, M]]]()
        seen = {first}
        for marking in order:
            if len(after) >= self._horizon:
                break
            after[marking] = [(move, self.net.fire(marking, move)) for move in self.net.enabled(marking)]
            for _, to in after[marking]:
                if to not in seen:
                    seen.add(to)
                    order.append(to)
        return Ahead(after, seen - after.keys())

    def _safe(self, ahead: Ahead[M, F]) -> set[M]:
        """The greatest set of markings that can be kept to: each has a way on within it, or is a goal."""
        after = ahead.after
        safe = set(after) | ahead.beyond
        while True:
            kept = {each for each in safe if each in ahead.beyond or self._holds(each, after[each], safe)}
            if self._goal is not None:
                kept = self._leading(kept, ahead)
            if kept == safe:
                return safe
            safe = kept

    def _holds(self, marking: M, after: list[tuple[F, M]], safe: set[M]) -> bool:
        if any(self.net.named(move) in self._uncontrollable and to not in safe for move, to in after):
            return False
        return any(to in safe for _, to in after) or (self._goal is not None and self._goal(marking))

    def _leading(self, markings: set[M], ahead: Ahead[M, F]) -> set[M]:
        """Those from which a goal, or what lies beyond the horizon, can be reached within them."""
        assert self._goal is not None
        before: dict[M, list[M]] = {}
        for marking in markings - ahead.beyond:
            for _, to in ahead.after[marking]:
                if to in markings:
                    before.setdefault(to, []).append(marking)
        waiting = [each for each in markings if each in ahead.beyond or self._goal(each)]
        found = set(waiting)
        while waiting:
            for each in before.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found
