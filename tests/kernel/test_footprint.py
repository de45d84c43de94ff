"""Footprints are complete: a search that uses them to skip orders still finds every outcome.

The search below prunes with sleep sets (Godefroid 1996): after an event was tried first, it need not be tried
again further down until something that depends on it has happened. If a footprint left out one thing a step
depends on, some outcome that the exhaustive search finds would be missing here.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from drycell.kernel import (
    Abandoned,
    Chooser,
    EventFlags,
    Kernel,
    Mailbox,
    Pending,
    Step,
    choose,
    delay,
    spawn,
    wait,
)

Key = tuple[str, int]
Footprint = Mapping[str, bool]
Op = tuple[str, int, int | None]


@dataclass
class Node:
    """A point at which the search had a choice."""

    events: tuple[Key, ...]
    chosen: Key
    asleep: dict[Key, Footprint]
    tried: dict[Key, Footprint] = field(default_factory=dict)
    footprint: dict[str, bool] = field(default_factory=dict)


class Search(Chooser):
    """Depth first through all orders, or through those that sleep sets leave."""

    def __init__(self, sleeping: bool) -> None:
        self.sleeping = sleeping
        self.nodes: list[Node] = []
        self.runs = 0

    def begin(self) -> None:
        self.depth = 0
        self.asleep: dict[Key, Footprint] = {}
        self.runs += 1

    def advance(self) -> bool:
        while self.nodes:
            node = self.nodes[-1]
            node.tried[node.chosen], node.footprint = node.footprint, {}
            for event in node.events:
                if event not in node.tried and event not in node.asleep:
                    node.chosen = event
                    return True
            self.nodes.pop()
        return False

    def pick(self, pending: Sequence[Pending]) -> int:
        node = self._node(tuple(event.key for event in pending), self.asleep)
        self.asleep = {**node.asleep, **node.tried} if self.sleeping else {}
        self.last = node
        return node.events.index(node.chosen)

    def value(self, name: str, count: int) -> int:
        node = self._node(tuple((name, option) for option in range(count)), {})
        return node.events.index(node.chosen)

    def after(self, step: Step) -> None:
        for name, written in step.footprint.items():
            self.last.footprint[name] = self.last.footprint.get(name, False) or written
        self.asleep = {
            key: footprint
            for key, footprint in self.asleep.items()
            if key[0] != step.event.owner and key not in step.cancelled and not depend(footprint, step.footprint)
        }

    def _node(self, events: tuple[Key, ...], asleep: dict[Key, Footprint]) -> Node:
        if self.depth == len(self.nodes):
            awake = [event for event in events if event not in asleep]
            if not awake:
                raise Abandoned
            self.nodes.append(Node(events, awake[0], dict(asleep)))
        node = self.nodes[self.depth]
        assert node.events == events, "uncontrolled nondeterminism"
        self.depth += 1
        return node


def depend(one: Footprint, other: Footprint) -> bool:
    return any(name in other and (written or other[name]) for name, written in one.items())


VERBS = (
    "delay", "delay", "set", "set", "read", "wait", "both", "edge", "if", "join", "cancel", "spawn", "put", "get",
    "choose", "timer", "flags",
)  # fmt: skip


class Cell:
    """A few short programs over every primitive, and the observable outcome of a run."""

    def __init__(self, kernel: Kernel, programs: list[list[Op]]) -> None:
        self.kernel = kernel
        self.signals = [kernel.signal(f"x{n}", 0) for n in range(2)]
        self.box: Mailbox[int] = Mailbox(kernel, "box")
        self.flags = EventFlags(kernel, "flags")
        self.logs: list[list[object]] = [[] for _ in programs]
        self.processes = [
            kernel.spawn(self.program, ops, log, name=f"p{number}")
            for number, (ops, log) in enumerate(zip(programs, self.logs, strict=True))
        ]

    def program(self, ops: list[Op], log: list[object]) -> None:
        for op in ops:
            log.append(self.do(*op))

    def do(self, verb: str, n: int, value: int | None) -> object:
        kernel, signal, other = self.kernel, self.signals[n], self.signals[1 - n]
        match verb:
            case "delay":
                delay(n)
            case "set":
                signal.set(value or 0)
            case "read":
                return signal.value
            case "wait":
                return wait(signal, value)
            case "both":
                return wait(signal & ~other, value)
            case "edge":
                return wait(signal.changes(), value)
            case "if":
                if signal:
                    other.set(1)
                delay(1)
            case "join":
                return wait(self.processes[n], value)
            case "cancel":
                self.processes[n].cancel()
                delay(1)
            case "spawn":
                spawn(self.program, [("set", n, value)], [], name="child")
            case "put":
                self.box.put(n)
            case "get":
                return self.box.get(value) if value else self.box.poll()
            case "choose":
                return choose("c", [0, 1])
            case "timer":
                kernel.at(kernel.now + n * 1_000_000, lambda: signal.set(value or 0), owner=f"t{n}")
            case "flags":
                return self.flags.set(1 << n) if value is None else self.flags.wait(1 << n, clear=True, timeout=value)
        return None


def outcomes(programs: list[list[Op]], sleeping: bool, most: int = 400) -> tuple[set[object], int] | None:
    search = Search(sleeping)
    found: set[object] = set()
    while search.runs < most:
        search.begin()
        kernel = Kernel(chooser=search)
        cell = Cell(kernel, programs)
        try:
            outcome = kernel.run(until=100_000_000)
        except Abandoned:
            pass
        else:
            histories = tuple(tuple((time, value) for time, value, _ in s.history) for s in cell.signals)
            ends = tuple(process.cancelled for process in cell.processes)
            found.add((outcome.ending, outcome.time, histories, tuple(map(tuple, cell.logs)), ends))
        if not search.advance():
            return found, search.runs
    return None


@pytest.mark.parametrize("batch", range(4))
def test_reduction_by_footprints_loses_no_outcome(batch: int) -> None:
    source = random.Random(f"footprints {batch}")
    compared = exhaustive_runs = skipping_runs = 0
    while compared < 30:
        programs = [
            [
                (source.choice(VERBS), source.randrange(2), source.choice((None, 1, 2)))
                for _ in range(source.randint(1, 4))
            ]
            for _ in range(source.choice((2, 3)))
        ]
        exhaustive = outcomes(programs, sleeping=False)
        if exhaustive is None:
            continue
        skipping = outcomes(programs, sleeping=True)
        assert skipping is not None
        assert skipping[0] == exhaustive[0], programs
        compared += 1
        exhaustive_runs += exhaustive[1]
        skipping_runs += skipping[1]
    assert skipping_runs < exhaustive_runs / 2


def test_the_search_would_notice_a_missing_footprint(monkeypatch: pytest.MonkeyPatch) -> None:
    programs: list[list[Op]] = [[("set", 0, 1)], [("read", 0, None)]]
    honest = outcomes(programs, sleeping=True)
    monkeypatch.setattr(Kernel, "note_write", lambda self, name: None)
    blind = outcomes(programs, sleeping=True)
    assert honest is not None
    assert blind is not None
    assert len(honest[0]) == 2
    assert len(blind[0]) == 1
