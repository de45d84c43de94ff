"""Choosers: ties and declared choices, footprints, and searches built on them from outside."""

from collections.abc import Callable, Sequence

import pytest

from drycell.base import KernelError
from drycell.kernel import (
    Abandoned,
    Chooser,
    Kernel,
    Outcome,
    Pending,
    RandomWalkChooser,
    Rank,
    ReplayingChooser,
    Step,
    choose,
    delay,
    interval,
    spawn,
    wait,
)

Build = Callable[[Kernel], None]


class DepthFirst(Chooser):
    """Explores every possible run: a search as another package would write it."""

    def __init__(self) -> None:
        self._path: list[list[int]] = []  # (choice, of how many)
        self._depth = 0
        self.steps: list[Step] = []

    def begin(self) -> None:
        self._depth = 0
        self.steps = []

    def advance(self) -> bool:
        while self._path and self._path[-1][0] + 1 == self._path[-1][1]:
            self._path.pop()
        if self._path:
            self._path[-1][0] += 1
        return bool(self._path)

    @property
    def choices(self) -> list[int]:
        return [choice for choice, _ in self._path[: self._depth]]

    def pick(self, pending: Sequence[Pending]) -> int:
        return self._of(len(pending))

    def value(self, name: str, count: int) -> int:
        return self._of(count)

    def after(self, step: Step) -> None:
        self.steps.append(step)

    def _of(self, count: int) -> int:
        if count == 1:
            return 0
        if self._depth == len(self._path):
            self._path.append([0, count])
        choice, known = self._path[self._depth]
        assert known == count, "uncontrolled nondeterminism"
        self._depth += 1
        return choice


def all_runs(build: Build) -> list[tuple[list[int], Outcome, Kernel, list[Step]]]:
    search = DepthFirst()
    runs = []
    while True:
        search.begin()
        kernel = Kernel(chooser=search)
        build(kernel)
        outcome = kernel.run(until=100_000_000)
        runs.append((search.choices, outcome, kernel, search.steps))
        if not search.advance():
            return runs


def exact_tie(kernel: Kernel) -> None:
    """A robot that resets 'start' at the very instant the machine looks at it waits indefinitely."""
    start, ready = kernel.signal("start", False), kernel.signal("ready", False)

    def robot() -> None:
        delay(1)
        start.set(True)
        delay(9)
        start.set(False)
        wait(ready)

    def machine() -> None:
        delay(interval("setting up", 8, 10))
        if start:
            ready.set(True)
        wait(ready)

    def clock() -> None:
        for _ in range(2):
            delay(5)

    for program in (robot, machine, clock):
        kernel.spawn(program)


def test_the_default_order_misses_the_deadlock_and_the_search_finds_it() -> None:
    runs = all_runs(exact_tie)
    endings = [outcome.ending for _, outcome, _, _ in runs]
    assert set(endings) == {"finished", "deadlock"}
    assert endings[0] == "finished"
    bad = next(outcome for _, outcome, _, _ in runs if outcome.ending == "deadlock")
    assert bad.time == 10_000_000  # only with the slow machine and with that order of the tie
    assert [(b.process, b.waits_for) for b in bad.blocked] == [("robot", "ready"), ("machine", "ready")]


def test_replaying_a_list_of_choices_repeats_the_run_byte_for_byte() -> None:
    for choices, outcome, kernel, _ in all_runs(exact_tie):
        chooser = ReplayingChooser(choices)
        again = Kernel(chooser=chooser)
        exact_tie(again)
        assert again.run(until=100_000_000) == outcome
        assert chooser.choices == choices
        assert again.journal.json_lines() == kernel.journal.json_lines()


def test_a_random_walk_is_replayed_by_the_choices_it_made() -> None:
    journals = set()
    for seed in range(20):
        walk = RandomWalkChooser(seed)
        kernel = Kernel(chooser=walk)
        exact_tie(kernel)
        kernel.run(until=100_000_000)
        again = Kernel(chooser=ReplayingChooser(walk.choices))
        exact_tie(again)
        again.run(until=100_000_000)
        assert again.journal.sha256() == kernel.journal.sha256()
        journals.add(kernel.journal.sha256())
    assert len(journals) > 3


def test_replaying_beyond_its_list_or_out_of_range_stays_in_range() -> None:
    chooser = ReplayingChooser([7, 1])
    assert [chooser.value("c", 3), chooser.value("c", 2), chooser.value("c", 5), chooser.value("c", 1)] == [2, 1, 0, 0]
    assert chooser.choices == [2, 1, 0]


def test_only_ties_within_rank_and_priority_are_choices() -> None:
    offered: list[list[str]] = []

    class Watching(ReplayingChooser):
        def pick(self, pending: Sequence[Pending]) -> int:
            offered.append([event.owner for event in pending])
            return super().pick(pending)

    kernel = Kernel(chooser=Watching())
    for name, rank in (("m1", Rank.MOTION), ("s1", Rank.SENSOR), ("s2", Rank.SENSOR), ("d1", Rank.DEVICE)):
        kernel.at(0, lambda: None, rank, owner=name)
    kernel.every(1000, lambda: None, owner="s3")
    kernel.spawn(lambda: None, name="low", priority=-1)
    kernel.spawn(lambda: None, name="a")
    kernel.spawn(lambda: None, name="b")
    kernel.run()
    assert offered == [["m1"], ["s3", "s1", "s2"], ["s1", "s2"], ["s2"], ["d1"], ["a", "b"], ["b"], ["low"]]


def test_events_of_one_owner_keep_their_order() -> None:
    orders = set()

    def build(kernel: Kernel) -> None:
        order: list[str] = []
        for owner, name in (("x", "x1"), ("x", "x2"), ("y", "y1")):
            kernel.at(0, lambda name=name: order.append(name), owner=owner)
        kernel.at(1, lambda: orders.add(tuple(order)))

    all_runs(build)
    assert orders == {("x1", "x2", "y1"), ("x1", "y1", "x2"), ("y1", "x1", "x2")}


def steps_of(build: Build) -> list[Step]:
    seen: list[Step] = []

    class Watching(ReplayingChooser):
        def after(self, step: Step) -> None:
            seen.append(step)

    kernel = Kernel(chooser=Watching())
    build(kernel)
    kernel.run(until=10_000_000)
    return seen


def touched(step: Step) -> dict[str, bool]:
    """The footprint without what every step of an instant reads."""
    return {name: written for name, written in step.footprint.items() if name != "instant"}


def test_footprints_name_what_each_step_read_and_wrote() -> None:
    def build(kernel: Kernel) -> None:
        a, b, c = (kernel.signal(name, False) for name in "abc")

        def reader() -> None:
            if a:
                wait(b)

        def writer() -> None:
            delay(1)
            b.set(True)
            c.set(False)  # no change, but still a write

        a.set(True)
        kernel.spawn(reader)
        kernel.spawn(writer)

    steps = steps_of(build)
    assert [(s.event.key, s.event.made) for s in steps] == [
        (("reader", 0), -1),
        (("writer", 0), -1),
        (("writer", 1), 1),
        (("reader", 1), 2),
    ]
    assert touched(steps[0]) == {"process:reader": False, "a": False, "b": False, "awaits:b": False}
    assert touched(steps[1]) == {"process:writer": False}
    assert touched(steps[2]) == {"process:writer": True, "b": True, "wait:reader": True, "c": True}


def test_evaluating_a_wait_reads_all_of_its_signals() -> None:
    def build(kernel: Kernel) -> None:
        a, b = kernel.signal("a", False), kernel.signal("b", False)
        kernel.spawn(lambda: wait(a & b, timeout=5), name="waiter")
        kernel.at(1_000_000, lambda: a.set(True), owner="device")

    look = steps_of(build)[1]
    assert look.event.owner == "device"
    assert touched(look) == {"a": True, "b": False}


def test_a_timeout_reads_the_signals_of_its_condition() -> None:
    def build(kernel: Kernel) -> None:
        a, b = kernel.signal("a", False), kernel.signal("b", False)
        kernel.spawn(lambda: wait(a | b, timeout=1), name="waiter")

    steps = steps_of(build)
    assert [step.event.owner for step in steps] == ["waiter", "waiter.timeout", "waiter"]
    assert touched(steps[1]) == {"a": False, "b": False, "wait:waiter": True}


def test_a_cancelled_timer_is_reported_with_its_canceller() -> None:
    def build(kernel: Kernel) -> None:
        a = kernel.signal("a", False)
        kernel.spawn(lambda: wait(a, timeout=1), name="waiter")
        kernel.at(1_000_000, lambda: a.set(True), owner="device")

    steps = steps_of(build)
    assert [(step.event.owner, step.cancelled) for step in steps] == [
        ("waiter", ()),
        ("device", (("waiter.timeout", 0),)),
        ("waiter", ()),
    ]


def test_cancelling_a_program_races_with_its_wakers() -> None:
    def build(kernel: Kernel) -> None:
        a = kernel.signal("a", False)
        victim = kernel.spawn(lambda: wait(a), name="victim")
        kernel.at(1_000_000, victim.cancel, owner="killer")
        kernel.spawn(delay, 2.0, name="main")

    killing = next(step for step in steps_of(build) if step.event.owner == "killer")
    assert touched(killing) == {"process:victim": True, "wait:victim": True, "a": False}


def test_cancelling_a_scheduled_program_cancels_its_step() -> None:
    def build(kernel: Kernel) -> None:
        def killer() -> None:
            victim.cancel()

        kernel.spawn(killer)
        victim = kernel.spawn(delay, 1.0, name="victim")

    steps = steps_of(build)
    assert [(step.event.key, step.cancelled) for step in steps] == [
        (("killer", 0), (("victim", 0),)),
        (("victim", 1), ()),
    ]


def test_a_step_that_schedules_an_earlier_rank_writes_the_instant() -> None:
    def build(kernel: Kernel) -> None:
        kernel.spawn(lambda: kernel.at(kernel.now, lambda: None, Rank.DEVICE, owner="device"), name="first")
        kernel.spawn(lambda: kernel.at(kernel.now + 1, lambda: None, Rank.DEVICE, owner="device"), name="second")

    assert [(step.event.owner, step.footprint["instant"]) for step in steps_of(build)] == [
        ("first", True),
        ("device", False),
        ("second", False),
    ]


def test_the_last_step_is_reported_too() -> None:
    def build(kernel: Kernel) -> None:
        a = kernel.signal("a", False)
        kernel.spawn(lambda: (a.set(True), wait(a.is_off)), name="main")

    assert touched(steps_of(build)[-1]) == {"process:main": False, "a": True, "awaits:a": False}


def test_a_reused_name_has_new_keys() -> None:
    def build(kernel: Kernel) -> None:
        def main() -> None:
            for _ in range(2):
                wait(spawn(delay, 1.0, name="child"))

        kernel.spawn(main)

    keys = [step.event.key for step in steps_of(build)]
    assert len(keys) == len(set(keys))


def test_a_chooser_may_abandon_a_run_at_a_tie_or_a_choice() -> None:
    class Impatient(ReplayingChooser):
        def answer(self, count: int) -> int:
            raise Abandoned

    cleaned: list[str] = []

    def program(name: str) -> None:
        try:
            delay(1)
            choose("colour", ["red", "blue"])
        finally:
            cleaned.append(name)

    kernel = Kernel(chooser=Impatient())
    kernel.spawn(program, "only")
    with pytest.raises(Abandoned):
        kernel.run()
    assert cleaned == ["only"]
    kernel = Kernel(chooser=Impatient())
    for name in ("a", "b"):
        kernel.spawn(program, name)
    with pytest.raises(Abandoned):
        kernel.run()


def test_without_a_chooser_choices_have_their_own_streams() -> None:
    def run(seed: int, extra: bool) -> list[object]:
        kernel = Kernel(seed=seed)
        got: list[object] = []

        def program() -> None:
            for _ in range(5):
                if extra:
                    choose("other", [1, 2, 3])
                got.append(choose("colour", ["red", "green", "blue"]))
                got.append(interval("time", 8, 12))

        kernel.spawn(program)
        kernel.run()
        return got

    assert run(1, extra=False) == run(1, extra=True)
    assert run(1, extra=False) != run(2, extra=False)
    assert all(8 <= value <= 12 for value in run(3, extra=False) if isinstance(value, float))


def test_choices_without_options_are_refused() -> None:
    kernel = Kernel()
    with pytest.raises(KernelError, match="choice 'colour' has no options"):
        kernel.choose("colour", [])
    with pytest.raises(KernelError, match=r"interval 'time' is empty: 3\.\.2"):
        kernel.interval("time", 3, 2)


def test_streams_depend_on_seed_and_owner_alone() -> None:
    kernel = Kernel(seed=7)
    first = kernel.random("eye").random()
    # sha256("7/eye") as an integer seeds Python's Mersenne twister
    from hashlib import sha256
    from random import Random

    assert first == Random(int.from_bytes(sha256(b"7/eye").digest(), "big")).random()
    assert kernel.random("eye") is kernel.random("eye")
    other = Kernel(seed=7)
    other.random("ear").random()
    assert other.random("eye").random() == first
    assert Kernel(seed=8).random("eye").random() != first
