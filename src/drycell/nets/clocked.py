"""Nets on the clock of a cell: transitions fire when tokens and conditions allow it, and take time."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from drycell.base import UnknownName
from drycell.kernel import (
    Change,
    Condition,
    Possible,
    Rank,
    Signal,
    Value,
    as_condition,
    choose,
    interval,
    ticks,
    wait_any,
)
from drycell.nets.net import Marking, Net, Transition

if TYPE_CHECKING:
    from drycell.cell import Cell


class _CanFire(Condition):
    """The condition that a transition can start."""

    __slots__ = ("_it", "_net")

    def __init__(self, net: "ClockedNet", it: Transition) -> None:
        touched = dict.fromkeys((*it.takes, *it.needs, *it.unless, *it.gives))
        super().__init__(tuple(net.places[name] for name in touched), f"{net.net.name} can fire {it.name}")
        self._net, self._it = net, it

    def evaluate(self, change: Change | None) -> bool:
        return self._net.enabled(self._it)

    def possible(self, values: Mapping[Signal[Any], Collection[Value] | None]) -> Possible:
        if any(signal in values for signal in self.signals):
            return True, True
        holds = self._net.enabled(self._it)
        return holds, not holds


class ClockedNet:
    """A net that runs as a program of a cell.

    Every place is a signal ``NAME.PLACE`` that counts its tokens. A transition fires as soon as it can: it takes its
    tokens, waits for its duration, and gives tokens. If several can fire, the run's chooser selects one. It also draws
    the duration from the transition's interval, so ``drycell verify`` searches all of this.

    Args:
        cell: The cell that it runs in.
        net: A plain net.
        when: Conditions of the cell, by transition: the transition fires only while its condition holds.
        sets: Signals of the cell, by place: the signal is on while the place has tokens.
    """

    def __init__(
        self,
        cell: "Cell",
        net: Net,
        *,
        when: Mapping[str, Condition | Signal[Any]] | None = None,
        sets: Mapping[str, Signal[bool]] | None = None,
    ) -> None:
        self.net, self._kernel = net, cell.kernel
        self.places = {
            name: self._kernel.signal(f"{net.name}.{name}", place.tokens, quiet=True)
            for name, place in net.places.items()
        }
        self._coming = dict.fromkeys(net.places, 0)  # tokens of firings in progress, by the place that receives them
        tied = {name: as_condition(given) for name, given in (when or {}).items()}
        for name in tied:
            if name not in net.transitions:
                raise UnknownName("transition", name, net.transitions)
        for name, signal in (sets or {}).items():
            if name not in self.places:
                raise UnknownName("place", name, self.places)
            self._keep(self.places[name], signal)
        self._written: tuple[Signal[Any], ...] = (*self.places.values(), *(sets or {}).values())
        self._ready = {it.name: _with(_CanFire(self, it), tied.get(it.name)) for it in net.transitions.values()}
        cell.program(self._play, name=net.name, daemon=True)

    @property
    def marking(self) -> Marking:
        """The current marking. Tokens of firings in progress are on no place."""
        return tuple(signal.peek() for signal in self.places.values())

    def enabled(self, it: Transition) -> bool:
        """Return whether the net enables a transition and the places will have room for its tokens."""
        if self.net.why_disabled(self.marking, it.name):
            return False
        for name in it.gives:
            capacity = self.net.places[name].capacity
            if capacity is not None and it.after(name, self.places[name].peek()) + self._coming[name] > capacity:
                return False
        return True

    def _keep(self, place: Signal[int], signal: Signal[bool]) -> None:
        place.subscribe(lambda count: signal.set(count > 0))

    def _play(self) -> None:
        names = list(self._ready)
        while names:
            came = wait_any(*self._ready.values())
            ready = [name for name, condition in self._ready.items() if condition.holds()]
            if came is not None and names[came] not in ready:  # its condition no longer holds
                ready = [names[came]] if self.enabled(self.net.transitions[names[came]]) else []
            if ready:
                name = ready[0] if len(ready) == 1 else choose(f"{self.net.name} fires", ready)
                self._start(self.net.transitions[name])

    def _start(self, it: Transition) -> None:
        low, high = it.lasts
        lasts = low if low == high else interval(f"{self.net.name}.{it.name}", low, high)
        self._kernel.journal.write("fires", self.net.name, event=it.event, **({"lasts_s": +lasts} if it.timed else {}))
        for name, weight in it.gives.items():
            self._coming[name] += weight
        for name in it.changes:
            before = self.places[name].peek()
            left = it.after(name, before) - it.gives.get(name, 0)
            if left != before:
                self.places[name].set(left)
        if it.timed:
            self._kernel.at(
                self._kernel.now + ticks(lasts), lambda: self._end(it), Rank.DEVICE, self.net.name, writes=self._written
            )
        else:
            self._end(it)

    def _end(self, it: Transition) -> None:
        for name, weight in it.gives.items():
            self._coming[name] -= weight
            self.places[name].set(self.places[name].peek() + weight)


def _with(condition: Condition, tied: Condition | None) -> Condition:
    return condition if tied is None else (tied & condition).named(f"{condition.text}, with {tied.text}")
