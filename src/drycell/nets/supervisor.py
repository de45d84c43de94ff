"""A supervisor: follows a cell with a net, looks ahead, and permits no event that leads to a deadlock.

The idea is Yeung and Moore's: a copy of the net that controls the cell is played ahead of it, and events that lead to
trouble are kept from the cell (section 7.4 of the first seed).
"""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
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
    """The part explored from a marking: the firings of each marking, and the markings that were not explored
    further."""

    after: dict[M, list[tuple[F, M]]]
    beyond: set[M]


class DeadlockLookahead(Generic[M, F]):
    """Decides whether markings are safe, by exploring ahead of them.

    A marking is lost if every continuation ends in a deadlock. It is also lost if a transition that could fire
    repeatedly from the initial marking can never fire again: a cycle elsewhere in the net does not make up for stuck
    programs. In a coloured net, this holds for each binding of a transition: another arm that goes on does not make up
    for two that block each other, although all of them use the same transitions.

    If a ``goal`` is given, a marking is lost instead if no goal can be reached from it. Transitions in
    ``uncontrollable`` happen by themselves: a marking is lost if one of them leads from it to a lost marking.
    Everything beyond the horizon counts as safe.
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
        self._recurring: frozenset[Hashable] = frozenset()
        self._of: Callable[[F], Hashable] = _itself
        self._found_recurring = goal is not None

    def find_recurring(self) -> str:
        """Find the transitions that can fire repeatedly; return why using them is limited, or an empty text.

        Must be called before :meth:`safe` is. If they cannot all be kept, only deadlocks of the whole net are avoided.
        """
        if self._found_recurring:
            return ""
        self._found_recurring = True
        ahead = self._explore(self.net.initial)
        fired: set[Hashable] = {move for firings in ahead.after.values() for move, _ in firings}
        self._recurring = recurring = self._cycling(ahead)
        if self.net.initial not in self._safe(ahead):
            self._of = self.net.named  # the bindings of a transition exclude each other: keep the transition itself
            self._recurring = named = self._cycling(ahead)
            kept = "each of these transitions is kept able to fire with some binding"
            if named == recurring or self.net.initial not in self._safe(ahead):
                self._recurring = frozenset()
                kept = "only deadlocks of the whole net are avoided"
            if self.net.initial not in self._safe(ahead):
                return "every continuation ends in a deadlock, so no event is permitted"
            return (
                f"{_listed(recurring)} cannot all stay able to fire: a part of the net can get stuck while another "
                f"part goes on, and {kept}"
            )
        once = fired - self._recurring
        if once and self._recurring and not ahead.beyond:
            return (
                f"{_listed(once)} can fire only a limited number of times, so their end is not distinguished from "
                "being stuck"
            )
        return ""

    def safe(self, marking: M) -> bool:
        """Return whether a deadlock can still be avoided."""
        if marking not in self._known:
            ahead = self._explore(marking)
            safe = self._safe(ahead)
            # Unless everything was explored, exploring again from a later marking gives more information.
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

    def _inside(self, ahead: _Explored[M, F], markings: Iterable[M]) -> Iterator[tuple[int, M, Hashable]]:
        """The firings that stay in a strongly connected component of some markings: the component, the marking before
        the firing, and what it counts as."""
        import numpy as np
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        number = {marking: at for at, marking in enumerate(markings)}
        edges = [
            (number[marking], number[to], marking, move)
            for marking in number
            for move, to in ahead.after[marking]
            if to in number
        ]
        if not edges:
            return
        sources, targets, _, _ = zip(*edges, strict=True)
        matrix = coo_array((np.ones(len(edges), np.int8), (sources, targets)), shape=(len(number), len(number)))
        part = connected_components(matrix.tocsr(), connection="strong")[1].tolist()
        for source, target, marking, move in edges:
            if part[source] == part[target]:
                yield part[source], marking, self._of(move)

    def _cycling(self, ahead: _Explored[M, F]) -> frozenset[Hashable]:
        """Return the transitions, with their bindings, that are part of a cycle of markings."""
        return frozenset(what for _, _, what in self._inside(ahead, ahead.after))

    def _lasting(self, kept: set[M], ahead: _Explored[M, F]) -> set[M]:
        """Return the markings of the components in which every recurring transition fires.

        Within such a component, all of them can fire repeatedly. A marking that leads to no such component loses at
        least one of them.
        """
        fired: dict[int, set[Hashable]] = {}
        markings: dict[int, set[M]] = {}
        for part, marking, what in self._inside(ahead, kept - ahead.beyond):
            fired.setdefault(part, set()).add(what)
            markings.setdefault(part, set()).add(marking)
        return {each for part, what in fired.items() if what >= self._recurring for each in markings[part]}

    def _safe(self, ahead: _Explored[M, F]) -> set[M]:
        """Return the largest set of markings that can be kept: each has a continuation within the set, or is a goal."""
        after = ahead.after
        safe = set(after) | ahead.beyond
        while True:
            kept = {each for each in safe if each in ahead.beyond or self._holds(each, after[each], safe)}
            if self._goal is not None:
                kept = self._leading(kept, ahead, {each for each in kept - ahead.beyond if self._goal(each)})
            if self._recurring:
                kept = self._leading(kept, ahead, self._lasting(kept, ahead))
            if kept == safe:
                return safe
            safe = kept

    def _holds(self, marking: M, after: list[tuple[F, M]], safe: set[M]) -> bool:
        if any(self.net.named(move) in self._uncontrollable and to not in safe for move, to in after):
            return False
        return any(to in safe for _, to in after) or (self._goal is not None and self._goal(marking))

    def _leading(self, markings: set[M], ahead: _Explored[M, F], goals: set[M]) -> set[M]:
        """Return the markings from which a goal, or something beyond the horizon, can be reached within the set."""
        before: dict[M, list[M]] = {}
        for marking in markings - ahead.beyond:
            for _, to in ahead.after[marking]:
                if to in markings:
                    before.setdefault(to, []).append(marking)
        waiting = [*goals, *(markings & ahead.beyond)]
        found = set(waiting)
        while waiting:
            for each in before.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found


class Supervisor(Generic[M, F]):
    """Follows the events of a cell with a net, and decides which events may happen next.

    Events have the names of transitions, or their labels; for a coloured net, pass the known part of the binding. In a
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
        """Requests that the net enabled, but that had to wait because they led to a deadlock."""
        self._ahead = DeadlockLookahead(net, goal=goal, uncontrollable=uncontrollable, horizon=horizon)
        self.warning = ""
        """Why the supervisor cannot avoid all problems; known after it first looks ahead."""
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
        return Level(self._count, text, lambda _: self._safe_move(event, binding) is not None)

    def request(self, event: str, /, *, timeout: float | None = None, **binding: Token) -> bool:
        """Wait in a program until an event is permitted, and record it; return False if the timeout comes first."""
        if not in_program():
            raise NetError(f"'{event}' can only be requested in a running program", hint="call allows(event) instead")
        allowed = self.allowing(event, **binding)
        if not allowed.holds() and self._kernel is not None and self._moves(event, binding):
            self.refusals.append(_event_text(event, binding))
            self._kernel.journal.write("refuses", self.name, event=_event_text(event, binding))
        deadline = None if timeout is None else now() + timeout
        # Another program may have run first since this one was woken, so check again.
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
        self._warn()
        return next((move for move in moves if self._ahead.safe(self.net.fire(self.marking, move))), None)

    def _warn(self) -> None:
        limits = self._ahead.find_recurring()
        if limits:
            self.warning = f"{self.name} of net '{self.net.name}': {limits}; pass goal= to say what must be reached"
            warnings.warn(self.warning, RuntimeWarning, stacklevel=4)
            if self._kernel is not None:
                self._kernel.warn(self.name, limits)

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
        """Record a read: a search over event orders must know that later steps depend on the events so far."""
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


def _itself(move: Hashable) -> Hashable:
    return move


def _listed(transitions: Iterable[Hashable]) -> str:
    names = sorted(map(str, transitions))
    return ", ".join(f"'{name}'" for name in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
