"""A supervisor: a net that runs along with a cell, a look ahead of it, and lets nothing happen that ends in a deadlock.

The idea is Yeung and Moore's: a copy of the net that controls the cell is played ahead of it, and what it runs into is
kept off the cell (seed 001, section 7.4).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic

from drycell.base import UnknownName
from drycell.kernel import Condition, Kernel, Level, in_program, now, wait
from drycell.nets.coloured import Firing
from drycell.nets.expression import Token
from drycell.nets.net import AnyNet, F, M, NetError

if TYPE_CHECKING:
    from drycell.cell import Cell


HORIZON: Final = 20_000
"""Markings that are looked at from one marking on by default."""


@dataclass(frozen=True, slots=True)
class _Explored(Generic[M, F]):
    """What was seen from a marking on: the firings of each marking, and which were not looked at any further."""

    after: dict[M, list[tuple[F, M]]]
    beyond: set[M]


class DeadlockLookahead(Generic[M, F]):
    """Tells safe markings from lost ones, by exploring ahead of them.

    A marking is lost if every way on ends in a deadlock; one that is a ``goal`` is not a deadlock, and where a goal is
    given, a marking from which none can be reached is lost, too. Transitions in ``uncontrollable`` happen by
    themselves: one that leads to a lost marking makes a marking lost. Beyond the horizon all is taken to be safe.
    """

    def __init__(
        self,
        net: AnyNet[M, F],
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

    def _explore(self, first: M) -> _Explored[M, F]:
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
        return _Explored(after, seen - after.keys())

    def _safe(self, ahead: _Explored[M, F]) -> set[M]:
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

    def _leading(self, markings: set[M], ahead: _Explored[M, F]) -> set[M]:
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


class Supervisor(Generic[M, F]):
    """Keeps a net's marking up with what happens, and says which events may happen next.

    Events are named as transitions are, or by their labels; where the net is coloured, with what is known of the
    binding. With a cell, programs ask before they take something: ``supervisor.request("take", who="left")`` waits
    until the net can do it and no deadlock lies behind it.
    """

    def __init__(
        self,
        net: AnyNet[M, F],
        cell: "Cell | None" = None,
        *,
        name: str = "supervisor",
        goal: Callable[[M], bool] | None = None,
        uncontrollable: Iterable[str] = (),
        horizon: int = HORIZON,
    ) -> None:
        self.net, self.name = net, name
        self.marking: M = net.initial
        self.refusals: list[str] = []
        """What was asked for and could have been done, and had to wait because of what lay behind it."""
        self._ahead = DeadlockLookahead(net, goal=goal, uncontrollable=uncontrollable, horizon=horizon)
        self._kernel: Kernel | None = None if cell is None else cell.kernel
        self._count = None if self._kernel is None else self._kernel.signal(f"{name}.firings", 0, quiet=True)

    def enabled(self, event: str, /, **binding: Token) -> bool:
        """Whether the net, as it stands, can do it at all."""
        self._note_read()
        return bool(self._moves(event, binding))

    def allows(self, event: str, /, **binding: Token) -> bool:
        """Whether it can be done now, and a deadlock can still be kept off afterwards."""
        self._note_read()
        return self._safe_move(event, binding) is not None

    def happens(self, event: str, /, **binding: Token) -> None:
        """Takes note of an event, allowed or not; one that the net cannot do is an error."""
        found = self._safe_move(event, binding)
        self._fire(self._first(event, binding) if found is None else found)

    def allowing(self, event: str, /, **binding: Token) -> Condition:
        """The condition that an event is allowed, for ``wait`` and ``wait_any``."""
        if self._count is None:
            raise NetError("a supervisor without a cell cannot be waited for", hint="Supervisor(net, cell)")
        self._known(event)
        text = f"{self.name} to allow {_event_text(event, binding)}"
        return Level(self._count, text, lambda: self._safe_move(event, binding) is not None)

    def request(self, event: str, /, *, timeout: float | None = None, **binding: Token) -> bool:
        """Waits in a program until an event is allowed, and notes that it happens; False when the time is out first."""
        if not in_program():
            raise NetError(f"'{event}' can only be requested in a running program", hint="ask allows(event) instead")
        allowed = self.allowing(event, **binding)
        if not allowed.holds() and self._kernel is not None and self._moves(event, binding):
            self.refusals.append(_event_text(event, binding))
            self._kernel.journal.write("refuses", self.name, event=_event_text(event, binding))
        deadline = None if timeout is None else now() + timeout
        # Between being woken and going on, another program may have taken what was free: look again.
        while not allowed.holds():
            if not wait(allowed, None if deadline is None else max(0.0, deadline - now())):
                return False
        self.happens(event, **binding)
        return True

    # ---------------------------------------------------------------- inside

    def _moves(self, event: str, binding: Mapping[str, Token]) -> list[F]:
        return [move for move in self.net.enabled(self.marking) if self._is(move, event, binding)]

    def _is(self, move: F, event: str, binding: Mapping[str, Token]) -> bool:
        if event not in (self.net.named(move), self.net.event(move), str(move)):
            return False
        bound = dict(getattr(move, "binding", ()))
        return all(name in bound and bound[name] == value for name, value in binding.items())

    def _safe_move(self, event: str, binding: Mapping[str, Token]) -> F | None:
        moves = self._moves(event, binding)
        return next((move for move in moves if self._ahead.safe(self.net.fire(self.marking, move))), None)

    def _first(self, event: str, binding: Mapping[str, Token]) -> F:
        self._known(event)
        moves = self._moves(event, binding)
        if not moves:
            raise NetError(
                f"{_event_text(event, binding)} happened, which net '{self.net.name}' does not allow with "
                f"{self.net.text(self.marking)}",
                hint=f"it allows {', '.join(map(str, self.net.enabled(self.marking))) or 'nothing: it is a deadlock'}",
            )
        return moves[0]

    def _note_read(self) -> None:
        """A search of event orders must learn that what follows hangs on what has happened so far."""
        if self._kernel is not None and self._count is not None:
            self._kernel.note_read(self._count.name)

    def _known(self, event: str) -> None:
        labels = {it.label for it in self.net.transitions.values() if it.label}
        if event.partition("(")[0] not in self.net.transitions and event not in labels:
            raise UnknownName("event of the net", event, {*self.net.transitions, *labels})

    def _fire(self, move: F) -> None:
        self.marking = self.net.fire(self.marking, move)
        if self._kernel is not None and self._count is not None:
            self._kernel.journal.write("fires", self.name, event=str(move))
            self._count.set(self._count.value + 1)


def _event_text(event: str, binding: Mapping[str, Token]) -> str:
    return str(Firing(event, tuple(binding.items()))) if binding else event
