"""A supervisor: it follows a cell with a net, looks ahead, and permits no event that leads to a deadlock.

The idea is Yeung and Moore's: a copy of the net that controls the cell is played ahead of it, and events that lead to
trouble are kept from the cell (section 7.4 of the first seed).
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
"""The number of markings that are explored from one marking by default."""


@dataclass(frozen=True, slots=True)
class _Explored(Generic[M, F]):
    """What was explored from a marking: the firings of each marking, and the markings that were not explored
    further."""

    after: dict[M, list[tuple[F, M]]]
    beyond: set[M]


class DeadlockLookahead(Generic[M, F]):
    """Decides whether markings are safe, by exploring ahead of them.

    A marking is lost if every continuation ends in a deadlock. A marking that is a ``goal`` is not a deadlock; if a
    goal is given, a marking from which no goal can be reached is lost, too. Transitions in ``uncontrollable`` happen by
    themselves: a marking from which one of them leads to a lost marking is lost. Everything beyond the horizon counts
    as safe.
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
        """Return whether a deadlock can still be avoided."""
        if marking not in self._known:
            ahead = self._explore(marking)
            safe = self._safe(ahead)
            # Unless all was explored, more can be said about later markings from there.
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
        """Return the greatest set of markings that can be kept: each has a continuation within the set, or is a
        goal."""
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
        """Return the markings from which a goal, or something beyond the horizon, can be reached within the set."""
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
    """Follows the events of a cell with a net, and decides which events may happen next.

    Events are named like transitions, or by their labels; for a coloured net, pass what is known of the binding. In a
    cell, programs ask before they take something: ``supervisor.request("take", who="left")`` waits until the net
    enables it and no deadlock follows from it.
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
        """Requests that the net would have enabled, but that had to wait because a deadlock followed from them."""
        self._ahead = DeadlockLookahead(net, goal=goal, uncontrollable=uncontrollable, horizon=horizon)
        self._kernel: Kernel | None = None if cell is None else cell.kernel
        self._count = None if self._kernel is None else self._kernel.signal(f"{name}.firings", 0, quiet=True)

    def enabled(self, event: str, /, **binding: Token) -> bool:
        """Return whether the net enables an event now."""
        self._note_read()
        return bool(self._moves(event, binding))

    def allows(self, event: str, /, **binding: Token) -> bool:
        """Return whether an event is enabled now and a deadlock can still be avoided after it."""
        self._note_read()
        return self._safe_move(event, binding) is not None

    def happens(self, event: str, /, **binding: Token) -> None:
        """Record an event, whether it was permitted or not. An event that the net does not enable is an error."""
        found = self._safe_move(event, binding)
        self._fire(self._first(event, binding) if found is None else found)

    def allowing(self, event: str, /, **binding: Token) -> Condition:
        """Return the condition that an event is permitted, for ``wait`` and ``wait_any``."""
        if self._count is None:
            raise NetError("a supervisor without a cell has no condition to wait for", hint="Supervisor(net, cell)")
        self._known(event)
        text = f"{self.name} to allow {_event_text(event, binding)}"
        return Level(self._count, text, lambda: self._safe_move(event, binding) is not None)

    def request(self, event: str, /, *, timeout: float | None = None, **binding: Token) -> bool:
        """Wait in a program until an event is permitted, and record it; return False if the timeout comes first."""
        if not in_program():
            raise NetError(f"'{event}' can only be requested in a running program", hint="call allows(event) instead")
        allowed = self.allowing(event, **binding)
        if not allowed.holds() and self._kernel is not None and self._moves(event, binding):
            self.refusals.append(_event_text(event, binding))
            self._kernel.journal.write("refuses", self.name, event=_event_text(event, binding))
        deadline = None if timeout is None else now() + timeout
        # Another program may have gone first since this one was woken: check again.
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
                f"{_event_text(event, binding)} happened, but net '{self.net.name}' does not allow it with "
                f"{self.net.text(self.marking)}",
                hint=f"it allows {', '.join(map(str, self.net.enabled(self.marking))) or 'nothing: a deadlock'}",
            )
        return moves[0]

    def _note_read(self) -> None:
        """Record a read: a search over event orders must know that what follows depends on the events so far."""
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
