"""Nets derived from runs: each program and device becomes a ring of states between its events."""

from collections.abc import Iterable

from drycell.kernel import JournalLine
from drycell.nets.events import Event, events_of
from drycell.nets.net import Net


def derive(run: Iterable[JournalLine], name: str = "run", *, memory: int = 1, who: Iterable[str] | None = None) -> Net:
    """The net of what a run's journal tells, of all that did something or only of those in ``who``.

    A state of a program or device is its last events, ``memory`` of them: one folds its loops, more tell apart more.
    A signal that is switched has two places, and a change needs it to be as it was. A journal does not tell what
    programs wait for: the net allows every order of events that the states and signals allow.
    """
    wanted = None if who is None else set(who)
    lanes: dict[str, list[Event]] = {}
    signals: dict[str, bool] = {}  # what each is before its first change
    for event in events_of(run):
        if wanted is None or event.who in wanted:
            lanes.setdefault(event.who, []).append(event)
            if event.switches is not None:
                signals.setdefault(event.switches[0], not event.switches[1])
    net = Net(name)
    moves = [move for lane, own in lanes.items() for move in _ring(net, lane, own, memory)]
    for signal, on in signals.items():
        net.place(_state(signal, True), int(on))
        net.place(_state(signal, False), int(not on))
    used: dict[str, int] = {}
    for before, event, after in moves:
        takes, gives = [before], [after]
        if event.switches is not None:
            signal, on = event.switches
            takes.append(_state(signal, not on))
            gives.append(_state(signal, on))
        used[event.text] = number = used.get(event.text, 0) + 1
        net.transition(event.text if number == 1 else f"{event.text} ({number})", takes, gives, label=event.text)
    return net


def _ring(net: Net, lane: str, events: list[Event], memory: int) -> list[tuple[str, Event, str]]:
    """Adds the states of one program or device; returns the events that lead from one to another, each once."""
    state, last = f"{lane} at start", tuple[str, ...]()
    net.place(state, 1)
    moves: dict[tuple[str, str, str], Event] = {}
    for event in events:
        last = (*last, event.what)[-memory:]
        after = f"{lane} after {', '.join(last)}"
        if after not in net.places:
            net.place(after)
        moves.setdefault((state, event.text, after), event)
        state = after
    return [(before, event, after) for (before, _, after), event in moves.items()]


def _state(signal: str, on: bool) -> str:
    return f"{signal} {'on' if on else 'off'}"
