"""The flow of trays, without geometry: trays never come closer than the gap, and none is lost."""

import math
import random
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from drycell.devices.tray_flow import Entry, FlowLine, Tray, TrayFlow

GAP = 0.01


class Silent:
    """Counts changes of motion."""

    moves = 0

    def moved(self, tray: Tray) -> None:
        self.moves += 1

    def held(self, tray: Tray, why: str) -> None:
        """Do nothing."""


@dataclass(eq=False)
class Gate:
    """A gate that closes behind each tray for some time."""

    at: float
    loop: "Loop"
    open: bool = True
    waiting: Tray | None = None
    passed: int = 0

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        if not self.open:
            self.waiting, tray.held = tray, "gate"
            return False
        self.passed += 1
        self.open = False
        dwell = self.loop.chance.uniform(*self.loop.dwell)
        self.loop.openings.append((flow.now + int(dwell * 1e6), self))
        return True


@dataclass(eq=False)
class Fork:
    """A director that chooses at random, once for each tray that arrives."""

    at: float
    spur: FlowLine
    loop: "Loop"
    chosen: dict[Tray, bool] = field(default_factory=dict)

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        free = self.spur.row.count < 4
        if not self.chosen.setdefault(tray, free and self.loop.chance.random() < 0.35):
            del self.chosen[tray]
            return True
        if flow.enter(tray, Entry(self.spur, 0.0)):
            del self.chosen[tray]
            return True
        tray.held = "space"
        return False


@dataclass(eq=False)
class Merge:
    """The end of a spur."""

    at: float
    entry: Entry

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        return flow.enter(tray, self.entry)


class Loop:
    """A loop with trays and spurs that yield to it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        count, spurs = self.chance.choice([5, 20, 60, 120]), self.chance.choice([1, 3, 8])
        length, speed = self.chance.choice([0.2, 0.3, 0.5]), self.chance.choice([0.1, 0.3, 0.8])
        self.dwell = (self.chance.uniform(0, 2), self.chance.uniform(2, 6))
        self.openings: list[tuple[int, Gate]] = []
        self.gates: list[Gate] = []
        self.flow = TrayFlow(Silent())
        around = max(count * length * 2.2, spurs * 8.0)
        main = FlowLine("main", around, speed, GAP, closed=True)
        self.lines = [main]
        for number in range(spurs):
            x = number * around / spurs + 1.0
            spur = FlowLine(f"spur{number}", 4.0, speed * self.chance.choice([0.5, 1.0, 2.0]), GAP)
            gate = Gate(2.0, self)
            spur.add(gate)
            spur.add(Merge(4.0, Entry(main, x + 2.5)))
            main.add(Fork(x, spur, self))
            self.gates.append(gate)
            self.lines.append(spur)
        self.trays = [Tray(f"tray{number}", length) for number in range(count)]
        for number, tray in enumerate(self.trays):
            self.flow.put(tray, Entry(main, (around - 0.5 - number * around / count) % around))
        self.flow.run(0)

    def advance(self, until: int) -> None:
        """Run to a time, and open the gates that are due on the way."""
        while True:
            self.openings.sort(key=lambda each: each[0])
            due = min(self.flow.run(self.flow.now), self.openings[0][0] if self.openings else until + 1)
            if due > until:
                self.flow.run(until)
                return
            self.flow.run(due)
            while self.openings and self.openings[0][0] <= due:
                gate = self.openings.pop(0)[1]
                gate.open = True
                if gate.waiting is not None:
                    self.flow.look(gate.waiting)
                    gate.waiting = None

    def least_gap(self) -> float:
        """The least distance from the front of a tray to the rear of another on its line, from their places alone.

        The front of a tray that has changed lines is no longer on the old one; its rear is.
        """
        least = math.inf
        for line in self.lines:
            found = []
            for node in line.nodes():
                place = node.tray.travelled(self.flow.now) - node.base
                found.append((place % line.length if line.closed else place, node.tray.length, node is node.tray.node))
            assert len(found) == line.row.count
            found.sort()
            pairs = list(pairwise(found))
            if line.closed and len(found) > 1:
                place, length, front = found[0]
                pairs.append((found[-1], (place + line.length, length, front)))
            for (behind, _, front), (ahead, length, _) in pairs:
                if front:
                    least = min(least, ahead - length - behind)
        return least


def fuzz(seeds: range, instants: int) -> tuple[int, float, int]:
    """Return the number of instants checked, the least gap, and how often trays have passed a gate on a spur."""
    checked, least, passed = 0, math.inf, 0
    for seed in seeds:
        loop = Loop(seed)
        for number in range(1, instants):
            loop.advance(number * 250_000 + loop.chance.randrange(1000))
            least = min(least, loop.least_gap())
            checked += 1
        assert sum(tray.line is not None for tray in loop.trays) == len(loop.trays)
        passed += sum(gate.passed for gate in loop.gates)
    return checked, least, passed


def test_trays_never_come_closer_than_the_gap() -> None:
    checked, least, passed = fuzz(range(9, 12), 200)
    assert checked == 597
    assert passed > 100
    assert least >= GAP - 1e-9


@pytest.mark.soak
def test_trays_never_come_closer_than_the_gap_in_20000_instants() -> None:
    checked, least, passed = fuzz(range(60), 400)
    print(f"{checked:,} instants, {passed:,} trays merged, least gap {least * 1e3:.6f} mm")
    assert checked >= 20_000
    assert least >= GAP - 1e-9


def test_the_same_loop_runs_the_same_way_twice() -> None:
    runs = []
    for _ in range(2):
        loop = Loop(3)
        loop.advance(60_000_000)
        runs.append([(tray.place, tray.since, tray.speed, tray.line and tray.line.name) for tray in loop.trays])
    assert runs[0] == runs[1]


def test_a_tray_follows_a_slower_one_at_its_speed() -> None:
    # 1 m ahead at 0.1 m/s, behind at 0.3 m/s: the gap of 1 - 0.2 - 0.01 m closes at 0.2 m/s in 3.95 s.
    flow = TrayFlow(Silent())
    slow = FlowLine("slow", 20.0, 0.1, GAP)
    first, second = Tray("first", 0.2), Tray("second", 0.2)
    flow.put(second, Entry(slow, 1.0))
    flow.put(first, Entry(slow, 2.0))
    flow.run(0)
    assert (first.speed, second.speed) == (0.1, 0.1)
    slow.speed = 0.3
    flow.look(second)
    flow.run(0)
    assert second.speed == 0.3
    assert flow.run(0) == 3_950_000
    flow.run(3_950_000)
    assert second.speed == 0.1
    assert first.on_line(3_950_000) - second.on_line(3_950_000) == pytest.approx(0.21, abs=1e-9)
