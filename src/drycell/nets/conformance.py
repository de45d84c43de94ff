"""Conformance: the events of a run played as firings of a net, up to the first that the net does not allow."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from drycell.kernel import JournalLine, clock_text
from drycell.nets.errors import NetError
from drycell.nets.events import Event, events_of
from drycell.nets.game import F, Game, M

_MOST_MARKINGS: Final = 10_000
Naming = Mapping[str, str] | Callable[[Event], str | None] | None


@dataclass(frozen=True, slots=True)
class Conformance:
    """Whether a run is one of the net's."""

    events: int
    """Events of the run that the net knows."""
    refused: Event | None
    """The first of them that it does not allow."""
    marking: str
    """The marking at that event, or at the end."""
    allowed: tuple[str, ...]
    """What the net would have allowed instead."""
    never_fired: tuple[str, ...]
    """Transitions that no event of the run has fired."""
    unknown: tuple[str, ...]
    """Events of the run that no transition stands for, left out of the comparison."""

    @property
    def holds(self) -> bool:
        """Whether the net allows every event of the run that it knows."""
        return self.refused is None

    def text(self) -> str:
        """For people."""
        lines = [f"  events    {self.events}, of which the net allows {'all' if self.holds else self.events - 1}"]
        if self.refused is not None:
            lines[0] = f"  events    the first {self.events - 1} are allowed"
            lines.append(f"  refused   {clock_text(self.refused.time)} s  {self.refused.text}")
            lines.append(f"            the net has {self.marking}, and allows: {', '.join(self.allowed) or 'nothing'}")
        if self.never_fired:
            lines.append(f"  not seen  {', '.join(self.never_fired)}")
        if self.unknown:
            lines.append(f"  unknown   {', '.join(self.unknown)}")
        return "\n".join(lines)


def conform(
    net: Game[M, F],
    run: Iterable[JournalLine],
    names: Naming = None,
    *,
    silent: Iterable[str] = (),
) -> Conformance:
    """Plays a run's journal on a net.

    An event fires the transitions whose event (their label, or name) it is; ``names`` turns the run's events into the
    net's, as a table or a function, which gives None for those to leave out. Transitions in ``silent`` stand for no
    event and may fire in between. Where several transitions stand for one event, all ways are kept open.
    """
    quiet = set(silent)
    here: dict[M, None] = {net.initial: None}
    fired: set[str] = set()
    unknown: dict[str, None] = {}
    count = 0
    for event in events_of(run):
        name = event.text if names is None else names(event) if callable(names) else names.get(event.text, event.text)
        if name is None:
            continue
        if name not in net.transitions and not _knows(net, name):
            unknown[event.text] = None
            continue
        count += 1
        here, silently = _closure(net, here, quiet)
        after: dict[M, None] = {}
        moved: set[str] = set()
        for marking in here:
            for move in net.enabled(marking):
                if name in (net.event(move), net.named(move), str(move)) and net.named(move) not in quiet:
                    after[net.fire(marking, move)] = None
                    moved.add(net.named(move))
        if not after:
            first = next(iter(here))
            allowed = tuple(dict.fromkeys(net.event(move) for marking in here for move in net.enabled(marking)))
            return Conformance(count, event, net.told(first), allowed, _rest(net, fired), tuple(unknown))
        here, fired = after, fired | moved | silently
    return Conformance(count, None, net.told(next(iter(here))), (), _rest(net, fired), tuple(unknown))


def _knows(net: Game[M, F], name: str) -> bool:
    """Whether a transition stands for an event: by its name, with a binding or without, or by its label."""
    return name.partition("(")[0] in net.transitions or any(it.label == name for it in net.transitions.values())


def _closure(net: Game[M, F], markings: dict[M, None], silent: set[str]) -> tuple[dict[M, None], set[str]]:
    """All markings that silent transitions lead to, and which of these can have fired."""
    if not silent:
        return markings, set()
    found, fired = list(markings), set[str]()
    seen = dict(markings)
    for marking in found:
        for move in net.enabled(marking):
            if net.named(move) in silent:
                fired.add(net.named(move))
                after = net.fire(marking, move)
                if after not in seen:
                    seen[after] = None
                    found.append(after)
                    if len(found) > _MOST_MARKINGS:
                        raise NetError(f"silent transitions lead to more than {_MOST_MARKINGS} markings")
    return seen, fired


def _rest(net: Game[M, F], fired: set[str]) -> tuple[str, ...]:
    return tuple(name for name in net.transitions if name not in fired)
