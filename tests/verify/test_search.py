"""A search finds faults of each kind, and reports whether it has seen all orders."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from drycell import Body, Box, Cell, ProgramError, choose, delay, interval, mm, now, spawn, wait
from drycell.base import KernelError, UnknownName
from drycell.kernel import Signal
from drycell.verify import Verdict, verify
from drycell.world import Travel


def kind(verdict: Verdict) -> str | None:
    return None if verdict.finding is None else verdict.finding.fault.kind


def two_increments(cell: Cell) -> None:
    count = cell.signal("count", 0)

    def add(pause: float) -> None:
        delay(pause)
        before = count.value
        delay(1)
        count.set(before + 1)

    cell.program(lambda: add(interval("first", 0, 5)), name="first")
    cell.program(lambda: add(3), name="second")

    @cell.program
    def judge() -> None:
        delay(20)
        assert count.value == 2, "an increment is lost"


def test_an_assertion_is_found_between_the_limits_of_an_interval_and_reported_with_its_line() -> None:
    verdict = verify(two_increments, ignore=["order"])
    assert kind(verdict) == "assertion"
    printed = str(verdict)
    assert "AssertionError in program 'judge': an increment is lost" in printed
    assert "program 'judge' (test_search.py:" in printed
    # The first one begins at most a second before the second: neither 0 nor 5 would show it.
    drawn = float(printed.split("draws ")[1].split(" ")[0])
    assert 2 <= drawn <= 4


def test_an_error_of_a_program_is_found() -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def work() -> None:
            if choose("part", ["there", "missing"]) == "missing":
                raise ProgramError("nothing between the jaws")

    verdict = verify(build)
    assert kind(verdict) == "error"
    assert "nothing between the jaws" in str(verdict)
    assert "option 2 of 2 for 'part'" in str(verdict)


def zone(cell: Cell) -> None:
    busy, inside = cell.signal("busy", False), cell.signal("inside", 0)

    def arm(name: str) -> None:
        delay(interval(f"{name} comes", 1, 3))
        wait(~busy)  # and any program woken with another goes in with it
        busy.set(True)
        inside.set(inside.value + 1)
        delay(2)
        inside.set(inside.value - 1)
        busy.set(False)

    for name in ("left", "middle", "right"):
        cell.program(lambda name=name: arm(name), name=name)


def never_two_inside(inside) -> bool:
    """Never two arms in the zone."""
    return inside.value < 2


def test_a_violated_custom_check_is_found() -> None:
    verdict = verify(zone, checks=[never_two_inside])
    assert kind(verdict) == "check"
    assert "does not hold: Never two arms in the zone" in str(verdict)


def test_a_check_makes_the_steps_that_it_looks_at_depend_on_each_other() -> None:
    def build(cell: Cell) -> None:
        left, right = cell.signal("left", True), cell.signal("right", False)
        cell.program(lambda: (delay(1), left.set(False)), name="closes")
        cell.program(lambda: (delay(1), right.set(True)), name="opens")

    def not_both(left, right) -> bool:
        return not (left.value and right.value)

    # The two programs share no signal: only the check makes their order matter.
    verdict = verify(build, checks=[not_both])
    assert kind(verdict) == "check"
    assert kind(verify(build)) is None


def test_checks_stand_in_a_file_beside_the_cell(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text("name: doors\nsignals: {open: 0}\nprograms: {door: {file: door.py}}\n")
    (tmp_path / "door.py").write_text("def door(open):\n    open.set(open.value + 2)\n")
    (tmp_path / "checks.py").write_text(
        "from drycell import mm\n\ndef _half(x):\n    return x / 2\n\ndef one_door(open):\n    return open.value <= 1\n"
    )
    verdict = verify(tmp_path)
    assert kind(verdict) == "check"
    assert "does not hold: one door" in str(verdict)


def test_an_endless_circle_is_a_livelock() -> None:
    def build(cell: Cell) -> None:
        answer = cell.signal("answer", False)

        @cell.program
        def asks() -> None:
            while not wait(answer, timeout=1):
                pass

        @cell.program
        def answers() -> None:
            if choose("mood", ["good", "bad"]) == "good":
                delay(5)
                answer.set(True)

    verdict = verify(build, most_steps=400)
    assert kind(verdict) == "livelock"


def test_a_long_count_is_not_a_livelock_but_a_run_given_up() -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def counts() -> None:
            for _ in range(1000):
                delay(1)

    verdict = verify(build, most_steps=400)
    assert kind(verdict) is None
    assert not verdict.exhausted
    assert "the rest of 1 run that did not end" in str(verdict)
    assert verify(build, most_steps=400, until=100).clean


def test_a_collision_that_requires_a_certain_order_is_found() -> None:
    def build(cell: Cell) -> None:
        cube = cell.add("cube", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0, 0, 0)))
        cell.add("wall", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(1, 0, 0)))
        gate = cell.signal("gate", False)
        cell.check_collisions()
        cell.program(lambda: (delay(1), gate.set(True)), name="opens")

        @cell.program
        def drives() -> None:
            delay(1)
            if not gate:
                cell.world.move(cube, Travel(cell.kernel.now, cell.kernel.now + 2_000_000, cube.pose, (1, 0, 0)))
            delay(2)

    verdict = verify(build)
    assert kind(verdict) == "collision"
    assert "cube with wall" in str(verdict) or "wall with cube" in str(verdict)


def test_an_omitted_footprint_is_not_found() -> None:
    assert kind(verify(zone, checks=[never_two_inside], ignore=["check"])) is None
    with pytest.raises(UnknownName, match="kind of fault 'chek'"):
        verify(zone, ignore=["chek"])  # type: ignore[list-item]


def test_the_signals_that_must_not_depend_on_an_order_can_be_named() -> None:
    def build(cell: Cell) -> None:
        last, count = cell.signal("last", ""), cell.signal("count", 0)
        for name in ("left", "right"):
            cell.program(lambda name=name: (last.set(name), count.set(count.value + 1)), name=name)

    assert kind(verify(build)) == "order"
    assert verify(build, outcome=["count"]).clean
    assert verify(build, ignore=["order"]).clean


def test_a_spent_budget_is_reported() -> None:
    verdict = verify(two_increments, budget=3, ignore=["order", "assertion"])
    assert (verdict.runs, verdict.exhausted, verdict.clean) == (3, False, False)
    assert verdict.exit_code == 3
    assert str(verdict).endswith("\n  NOT covered: the remaining orders (the budget of 3 runs is spent)")
    assert verify(two_increments, seconds=0.0).runs == 0


def test_a_cell_that_is_already_built_is_refused() -> None:
    with pytest.raises(KernelError, match="runs only once"):
        verify(Cell("used"))  # type: ignore[arg-type]


def through_a_variable(cell: Cell, names: list[str]) -> None:
    last = ""

    def work(name: str) -> None:
        nonlocal last
        names.append(last := name)

    for name in "abcd":
        cell.program(partial_of(work, name), name=name)


def through_a_list(cell: Cell, names: list[str]) -> None:
    for name in "abcd":
        cell.program(partial_of(names.append, name), name=name)


def through_an_object(cell: Cell, names: list[str]) -> None:
    class Book:
        def enter(self, name: str) -> None:
            names.append(name)

    book = Book()
    for name in "abcd":
        cell.program(partial_of(book.enter, name), name=name)


def partial_of(function: Callable[[str], object], name: str) -> Callable[[], object]:
    return lambda: function(name)


@pytest.mark.parametrize("build", [through_a_variable, through_a_list, through_an_object])
def test_programs_that_share_variables_are_tried_in_every_order(build: Callable[[Cell, list[str]], None]) -> None:
    orders: list[list[str]] = []

    def anew(cell: Cell) -> None:
        orders.append([])
        build(cell, orders[-1])

    verdict = verify(anew)
    assert verdict.clean
    assert len({"".join(order) for order in orders}) == 24
    assert any("shared by 'a' and 'b' and 'c' and 'd', is not a signal" in note for note in verdict.notes)


def test_a_table_that_programs_only_read_is_not_shared() -> None:
    places = {"left": 1.0, "right": 2.0}

    def build(cell: Cell) -> None:
        done = cell.signal("done", 0)
        for name in places:
            cell.program(lambda name=name: (delay(places[name]), done.set(int(places[name]))), name=name)

    assert verify(build).notes == ()


def test_programs_that_one_program_spawns_are_tried_in_every_order() -> None:
    orders: list[list[str]] = []

    def build(cell: Cell) -> None:
        @cell.program
        def work() -> None:
            names: list[str] = []
            orders.append(names)
            for name in "abcd":
                spawn(lambda name=name: names.append(name), name=name)

    assert verify(build).clean
    assert len({"".join(order) for order in orders}) == 24


def test_unknown_sources_of_randomness_are_refused() -> None:
    from drycell.base import DrycellError

    runs = []

    def build(cell: Cell) -> None:
        go = cell.signal("go", 0)
        runs.append(None)
        names = ["a", "b"] if len(runs) % 2 else ["b", "a", "c"]
        for name in names:
            cell.program(lambda: go.set(go.value + 1), name=name)

    with pytest.raises(DrycellError, match="is not repeatable"):
        verify(build)


CLOCKS: dict[str, Callable[[Cell], float]] = {
    "now()": lambda cell: now(),
    "cell.time": lambda cell: cell.time,
    "kernel.now": lambda cell: cell.kernel.now / 1e6,
    "history": lambda cell: cell.kernel.signals["tick"].history[-1][0] / 1e6,
}


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_intervals_of_a_program_that_reads_the_clock_are_searched_at_their_limits(
    clock: Callable[[Cell], float],
) -> None:
    def build(cell: Cell) -> None:
        cell.signal("tick", False)

        @cell.program
        def work() -> None:
            delay(interval("first", 1, 3))
            assert clock(cell) != 2.718281  # a single tick: samples miss it

    verdict = verify(build)
    assert (verdict.faults, verdict.exhausted, verdict.clean, verdict.exit_code) == ((), False, False, 3)
    assert verdict.scope.by_corners == ("first",)
    assert "NOT covered: values between the limits of all intervals, except those of" in str(verdict)
    assert verdict.scope.reason == "a program reads the clock"


# -------------------------------------------------------------------- the time it may take


def test_the_time_limit_holds_for_a_program_that_computes_endlessly(tmp_path: Path) -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def spin() -> None:
            while True:
                pass

    began = time.process_time()  # of this process alone, because others may keep the machine busy
    verdict = verify(build, seconds=2.0, out=tmp_path)
    assert time.process_time() - began < 2 * 2.0 + 1.0
    assert "has computed for more than 0.5 s without using the clock" in str(verdict)


def test_the_time_limit_holds_within_one_long_run() -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def tick() -> None:
            while True:
                delay(0.001)

    began = time.process_time()
    verdict = verify(build, seconds=0.5, most_steps=1_000_000_000)
    assert time.process_time() - began < 2 * 0.5 + 1.0
    assert not verdict.clean
    assert str(verdict).startswith("1 program: nothing found in 1 run")
    assert "NOT covered: the remaining orders (the time of 0.5 s is up)" in str(verdict)


def test_a_search_does_not_claim_to_cover_a_cell_without_programs() -> None:
    verdict = verify(lambda cell: None)
    assert "nothing to search: the cell has no programs" in str(verdict)


def test_the_report_says_that_values_between_the_limits_were_not_searched() -> None:
    def build(cell: Cell) -> None:
        @cell.program
        def look() -> None:
            delay(interval("pause", 1, 2))
            assert now() > 0

    assert verify(build).outcome.endswith("; search incomplete")


def test_a_slow_computer_makes_the_same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(cell: Cell) -> None:
        order = cell.signal("order", "")
        for name in "abcd":
            cell.program(lambda name=name: (delay(1), order.set(order.value + name)), name=name)

    quick = verify(build, ignore=["order"], seconds=10_000)
    real, calls = time.monotonic, count()
    monkeypatch.setattr("drycell.verify.search.time.monotonic", lambda: real() + 15 * next(calls))
    assert verify(build, ignore=["order"], seconds=10_000).runs == quick.runs


# -------------------------------------------------------------------- diagnosis


def lock(mutex: Signal[bool]) -> None:
    wait(~mutex)
    mutex.set(True)


def test_a_deadlock_of_two_in_the_second_round_is_a_deadlock() -> None:
    def build(cell: Cell) -> None:
        a, b = cell.signal("a", False), cell.signal("b", False)

        @cell.program
        def left() -> None:
            for _ in range(2):
                lock(a)
                delay(1)
                lock(b)
                delay(1)
                b.set(False)
                a.set(False)

        @cell.program
        def right() -> None:
            delay(2.5)
            lock(b)
            delay(1)
            lock(a)

    assert verify(build).faults[0].kind == "deadlock"


def test_a_deadlock_is_found_although_another_program_continues() -> None:
    def build(cell: Cell) -> None:
        a, b, beat = cell.signal("a", False), cell.signal("b", False), cell.signal("beat", 0)

        def both(first: Signal[bool], second: Signal[bool]) -> None:
            delay(interval(f"{first.name} comes", 0, 5))
            lock(first)
            delay(0.5)
            lock(second)
            second.set(False)
            first.set(False)

        cell.program(lambda: both(a, b), name="left")
        cell.program(lambda: both(b, a), name="right")

        @cell.program
        def belt() -> None:
            while True:
                delay(1)
                beat.set(1 - beat.value)

    verdict = verify(build, until=20, ignore=["order"])
    (fault,) = verdict.faults
    assert fault.kind == "deadlock"
    assert [line.split()[0] for line in fault.lines] == ["left", "right"]
    assert verdict.exit_code == 2


def polls_to_the_end(cell: Cell, writes: bool) -> None:
    stop, done = cell.signal("stop", False), cell.signal("done", 0)

    @cell.program
    def work() -> None:
        for _ in range(3):
            delay(1)
            done.set(done.value + 1)
        if writes and done.value > 3:
            stop.set(True)

    @cell.program
    def guard() -> None:
        while not stop:
            delay(0.1)


def test_a_program_that_polls_an_emergency_stop_after_all_work_is_done_is_not_a_fault() -> None:
    assert verify(lambda cell: polls_to_the_end(cell, writes=False), until=60).clean


def test_a_program_that_polls_what_another_has_not_set_is_in_a_livelock() -> None:
    verdict = verify(lambda cell: polls_to_the_end(cell, writes=True), until=60)
    assert verdict.faults[0].kind == "livelock"
    assert verdict.faults[0].lines[1:] == ("guard      polls stop, which is False from the start",)


def test_programs_that_poll_each_other_are_a_livelock_although_others_go_on() -> None:
    def build(cell: Cell) -> None:
        a, b, ticks = cell.signal("a", False), cell.signal("b", False), cell.signal("ticks", 0)

        def locks(one: Signal[bool], other: Signal[bool], pause: float) -> None:
            delay(pause)
            for mutex in (one, other):
                while mutex.value:
                    delay(0.1)
                mutex.set(True)
                delay(1)
            other.set(False)
            one.set(False)

        cell.program(lambda: locks(a, b, 0.0), name="left")
        cell.program(lambda: locks(b, a, interval("right comes", 0.0, 5.0)), name="right")

        @cell.program
        def clock() -> None:
            while True:
                delay(1)
                ticks.set(ticks.value + 1)

    verdict = verify(build, until=30, ignore=["order"])
    assert kind(verdict) == "livelock"
    assert "left       test_search.py:" in str(verdict)
    assert "polls      b" in str(verdict)


def test_a_search_is_not_exhausted_if_a_program_that_cannot_be_read_might_release_others() -> None:
    def build(cell: Cell) -> None:
        zone, lamp = cell.signal("zone", True), cell.signal("lamp", False)
        cell.program(lambda: wait(~zone), name="enters")

        @cell.program
        def obscure() -> None:
            while True:
                delay(1)
                lamp.set(not cell.kernel.signals["lamp"].peek())

    verdict = verify(build, until=30)
    assert not verdict.faults
    assert not verdict.exhausted
    assert verdict.exit_code == 3
    assert verdict.not_covered == "whether all waiting programs can continue (program 'obscure' may release them)"


ZONES = """
from drycell import delay, wait

def crosses(one, other):
    for zone in (one, other):
        while zone.value:
            wait(~zone)
        zone.set(True)
        delay(1)
    for zone in (one, other):
        zone.set(False)

def left(x, y):
    crosses(x, y)

def right(x, y):
    crosses(y, x)
"""


@pytest.mark.parametrize(("output", "found"), [("lamp", "deadlock"), ("x", None)])
def test_programs_are_stuck_beside_one_in_pascal_that_cannot_set_what_they_wait_for(
    tmp_path: Path, output: str, found: str | None
) -> None:
    (tmp_path / "zones.py").write_text(ZONES)
    (tmp_path / "blink.pas").write_text(
        "program blink; uses ScorPas; begin while true do begin SetOutputNo(1); delay(1000) end end."
    )
    (tmp_path / "cell.yaml").write_text(
        "name: zones\n"
        "signals: {x: false, y: false, lamp: false}\n"
        "robots: {arm: {model: scorbot-er3}}\n"
        f"controllers: {{plc: {{robot: arm, inputs: {{1: x}}, outputs: {{1: {output}}}}}}}\n"
        "programs: {left: {file: zones.py}, right: {file: zones.py}, blink: {file: blink.pas, controller: plc}}\n"
    )
    verdict = verify(tmp_path, until=20, budget=3, ignore=["order"])
    assert kind(verdict) == found


def test_a_daemon_that_is_slow_or_has_drawn_otherwise_may_still_release_a_program() -> None:
    def build(cell: Cell, slow: bool) -> None:
        ready = cell.signal("ready", False)
        cell.program(lambda: wait(ready), name="robot")

        @cell.program(daemon=True)
        def feeder() -> None:
            while True:
                delay(20 if slow else 1)
                if slow or choose("part comes", [False, True]):
                    ready.set(True)

    for slow in (False, True):
        verdict = verify(lambda cell, slow=slow: build(cell, slow), until=5, ignore=["order"])
        assert verdict.faults == ()
