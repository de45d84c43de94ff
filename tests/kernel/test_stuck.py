"""Programs that can never continue are found while others continue, and no other program is reported as stuck."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from drycell import Cell, delay, spawn, wait, wait_any
from drycell.base import KernelError
from drycell.kernel import Kernel, Mailbox, Signal

Bit = Signal[bool]
Third = Callable[[Bit, Bit, Bit], None]


def lock(mutex: Bit) -> None:
    wait(~mutex)
    mutex.set(True)


def stuck(third: Third, *, daemon: bool = False) -> list[tuple[str, int | None]]:
    """Run two programs that block each other, beside a third one."""
    cell = Cell()
    a, b, other = cell.signal("a", False), cell.signal("b", False), cell.signal("other", False)

    @cell.program
    def left() -> None:
        while True:
            lock(a)
            delay(1)
            lock(b)
            delay(1)
            b.set(False)
            a.set(False)

    @cell.program
    def right() -> None:
        delay(0.5)
        lock(b)
        delay(1)
        lock(a)
        a.set(False)
        b.set(False)

    cell.program(lambda: third(a, b, other), name="third", daemon=daemon)
    result = cell.run(20)
    assert not (result.stuck and result.clean)
    return [(each.process, each.stuck_since) for each in result.stuck]


BOTH = [("left", 1_500_000), ("right", 1_500_000)]


def counts(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(1)
        other.set(not other.value)


def reads(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        other.set(a.value and bool(b))
        delay(0.3)


def tries(a: Bit, b: Bit, other: Bit) -> None:
    delay(1.2)
    while True:
        if not a:
            a.set(True)
            delay(0.1)
            a.set(False)
        delay(0.3)


def tries_with_a_timeout(a: Bit, b: Bit, other: Bit) -> None:
    delay(1.2)
    while True:
        if wait(~b, timeout=0.5):
            b.set(False)


def wrote_before(a: Bit, b: Bit, other: Bit) -> None:
    b.set(False)
    while True:
        delay(1)


def never_gets_there(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(1)
        while not other:
            delay(0.5)
        a.set(False)


def sets_again(a: Bit, b: Bit, other: Bit) -> None:
    delay(1.2)
    while True:
        a.set(True)
        delay(1)


class Tally:
    """A user's object without signals."""

    def __init__(self) -> None:
        self.number = 0

    def add_one(self) -> None:
        self.number += 1


TALLY = Tally()


def counts_in_an_object(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(1)
        TALLY.add_one()


class Zone:
    """A zone as an object."""

    def __init__(self, taken: Bit) -> None:
        self.taken = taken

    def leave(self) -> None:
        self.taken.set(False)


def leaves_another_zone(a: Bit, b: Bit, other: Bit) -> None:
    uses({"a": Zone(a), "b": Zone(b), "other": Zone(other)})


def uses(zones: dict[str, Zone]) -> None:
    while True:
        delay(1)
        zones["other"].leave()


def leaves_each_of_some(a: Bit, b: Bit, other: Bit) -> None:
    zones = {"a": Zone(a), "b": Zone(b), "other": Zone(other)}
    leaves_each(zones, (other, zones["other"]))


def leaves_each(zones: dict[str, Zone], those: tuple[Bit, Zone]) -> None:
    while True:
        delay(1)
        for name in ("other",):
            zones[name].leave()
        for number, _ in enumerate(those):
            while those[0]:
                delay(0.1)
            if number == 1:
                those[number].leave()


def takes_what_it_leaves(a: Bit, b: Bit, other: Bit) -> None:
    takes_each([other])


def takes_each(zones: list[Bit]) -> None:
    delay(1)
    while True:
        for zone in reversed(zones):
            wait(~zone)
            zone.set(True)
            delay(0.1)
        for zone in zones:
            zone.set(False)


def releases_if_a_wait_fails_that_holds(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(1)
        if not wait(~other, timeout=0.5):
            a.set(False)


@pytest.mark.parametrize("daemon", [False, True])
@pytest.mark.parametrize(
    "third",
    [
        counts,
        reads,
        tries,
        tries_with_a_timeout,
        wrote_before,
        never_gets_there,
        sets_again,
        counts_in_an_object,
        leaves_another_zone,
        leaves_each_of_some,
        takes_what_it_leaves,
        releases_if_a_wait_fails_that_holds,
    ],
)
def test_programs_that_can_never_continue_are_stuck(third: Third, daemon: bool) -> None:
    assert stuck(third, daemon=daemon) == BOTH


def releases_late(a: Bit, b: Bit, other: Bit) -> None:
    delay(1000)
    a.set(False)


def releases_by_helper(a: Bit, b: Bit, other: Bit) -> None:
    def helper(signal: Bit) -> None:
        signal.set(False)

    while True:
        delay(100)
        helper(b)


def releases_by_container(a: Bit, b: Bit, other: Bit) -> None:
    every = {"a": a, "b": b}
    while True:
        delay(100)
        for each in every.values():
            each.set(False)


def releases_in_a_later_turn(a: Bit, b: Bit, other: Bit) -> None:
    releases_each([other, a])


def releases_after_a_turn_that_ends(a: Bit, b: Bit, other: Bit) -> None:
    delay(0.1)
    other.set(True)
    releases_each([b, a])


def releases_each(zones: list[Bit]) -> None:
    for zone in zones:
        while zone:
            zone.set(False)
        delay(50)


def releases_one_that_a_turn_chooses(a: Bit, b: Bit, other: Bit) -> None:
    for zone in (other, other):
        delay(15)
        for zone in (other, a):
            zone.set(False)
        zone.set(False)


def releases_by_a_list_that_grows(a: Bit, b: Bit, other: Bit) -> None:
    zones = [other]

    def each() -> None:
        while True:
            for zone in zones:
                delay(50)
                zone.set(False)
            zones.append(a)

    each()


def releases_by_a_pulse(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(50)
        a.set(False)
        a.set(True)


def leaves_by_object(a: Bit, b: Bit, other: Bit) -> None:
    uses({"other": Zone(a)})


def leaves_a_zone_that_changes(a: Bit, b: Bit, other: Bit) -> None:
    zone = Zone(other)

    def chooses() -> None:
        delay(100)
        zone.taken = a

    spawn(chooses)
    while True:
        delay(1)
        zone.leave()


def leaves_a_list_that_changes(a: Bit, b: Bit, other: Bit) -> None:
    zones = [other]

    def chooses() -> None:
        delay(100)
        zones[0] = a

    spawn(chooses)
    while True:
        delay(1)
        zones[0].set(False)


def releases_by_method(a: Bit, b: Bit, other: Bit) -> None:
    release = a.set
    while True:
        delay(100)
        release(False)


def releases_by_child(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(100)
        spawn(a.set, False)


def releases_after_a_condition(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        delay(100)
        other.set(True)
        if other & a:
            a.set(False)


def releases_in_the_end(a: Bit, b: Bit, other: Bit) -> None:
    try:
        delay(1000)
    finally:
        b.set(False)


def releases_if_one_of_two(a: Bit, b: Bit, other: Bit) -> None:
    while True:
        wait_any(other, a, timeout=100)
        a.set(False)


def releases_by_object(a: Bit, b: Bit, other: Bit) -> None:
    class Releaser:
        def release(self) -> None:
            a.set(False)

    releaser = Releaser()
    while True:
        delay(100)
        releaser.release()


def releases_by_property(a: Bit, b: Bit, other: Bit) -> None:
    class Releaser:
        @property
        def released(self) -> bool:
            a.set(False)
            return True

    releaser = Releaser()
    while True:
        delay(100)
        if releaser.released:
            delay(1)


def releases_by_operator(a: Bit, b: Bit, other: Bit) -> None:
    class Releaser:
        def __len__(self) -> int:
            a.set(False)
            return 1

    releaser = Releaser()
    while True:
        delay(100)
        len(releaser)


def releases_by_a_method_with_a_common_name(a: Bit, b: Bit, other: Bit) -> None:
    class Releaser:
        def update(self) -> None:
            a.set(False)

    class Holder:
        def __init__(self) -> None:
            self.inner = Releaser()

    holder = Holder()
    while True:
        delay(100)
        holder.inner.update()


@pytest.mark.parametrize(
    "third",
    [
        releases_by_object,
        releases_by_property,
        releases_by_operator,
        releases_by_a_method_with_a_common_name,
        releases_late,
        releases_by_helper,
        releases_by_container,
        releases_in_a_later_turn,
        releases_after_a_turn_that_ends,
        releases_one_that_a_turn_chooses,
        releases_by_a_list_that_grows,
        releases_by_a_pulse,
        leaves_by_object,
        leaves_a_zone_that_changes,
        leaves_a_list_that_changes,
        releases_by_method,
        releases_by_child,
        releases_after_a_condition,
        releases_in_the_end,
        releases_if_one_of_two,
    ],
)
def test_programs_that_may_be_released_are_not_stuck(third: Third) -> None:
    assert stuck(third) == []


def polls(mutex: Bit) -> None:
    while mutex.value:
        delay(0.1)


def polls_with_break(mutex: Bit) -> None:
    while True:
        delay(0.1)
        if not mutex:
            break


def tries_again(mutex: Bit) -> None:
    while not wait(~mutex, timeout=0.5):
        pass


def returns_when_free(mutex: Bit) -> None:
    while True:
        if wait(~mutex, timeout=0.5):
            return


@pytest.mark.parametrize("until_free", [polls, polls_with_break, tries_again, returns_when_free])
@pytest.mark.parametrize("rescued", [False, True])
def test_programs_that_poll_each_other_are_stuck(until_free: Callable[[Bit], None], rescued: bool) -> None:
    cell = Cell()
    a, b, ticks = cell.signal("a", False), cell.signal("b", False), cell.signal("ticks", 0)

    def left() -> None:
        until_free(a)
        a.set(True)
        delay(1)
        until_free(b)
        b.set(True)

    def right() -> None:
        until_free(b)
        b.set(True)
        delay(1)
        until_free(a)
        a.set(True)

    cell.program(left)
    cell.program(right)

    @cell.program
    def clock() -> None:
        while True:
            delay(1)
            ticks.set(ticks.value + 1)
            if rescued and ticks == 100:
                a.set(False)
                b.set(False)

    result = cell.run(20)
    assert [(each.process, each.polls, each.waits_for) for each in result.stuck] == (
        [] if rescued else [("left", True, "b"), ("right", True, "a")]
    )
    assert result.clean == rescued
    assert ("  STUCK         left, right since " in result.summary()) != rescued


def pulses(mutex: Bit, other: Bit) -> None:
    mutex.set(True)
    while True:
        delay(1)
        mutex.set(False)
        other.set(True)
        mutex.set(True)


def takes_again_at_once(mutex: Bit, other: Bit) -> None:
    while True:
        wait(~mutex)
        mutex.set(True)
        delay(1)
        other.set(not other.value)
        mutex.set(False)


def takes_again_after_polling(mutex: Bit, other: Bit) -> None:
    while True:
        while mutex:
            delay(0.2)
        mutex.set(True)
        delay(1)
        mutex.set(False)


def leaves_for_a_moment(mutex: Bit, other: Bit) -> None:
    mutex.set(True)
    while True:
        delay(1)
        mutex.set(False)
        delay(0.000001)
        mutex.set(True)


def leaves_if_it_is_free(mutex: Bit, other: Bit) -> None:
    mutex.set(True)
    while True:
        delay(1)
        mutex.set(False)
        wait(~other)
        mutex.set(True)


def leaves_with_an_error(mutex: Bit, other: Bit) -> None:
    mutex.set(True)
    while True:
        delay(1)
        try:
            mutex.set(False)
            other.set(1)  # type: ignore[arg-type]  # the error leaves the mutex free
            mutex.set(True)
        except KernelError:
            delay(0.05)


@pytest.mark.parametrize("until_free", [polls, polls_with_break])
@pytest.mark.parametrize("owner", [pulses, takes_again_at_once, takes_again_after_polling])
def test_a_test_sees_no_value_that_is_replaced_in_the_same_step(
    until_free: Callable[[Bit], None], owner: Callable[[Bit, Bit], None]
) -> None:
    assert left_waiting(until_free, owner) == ["poller"]


@pytest.mark.parametrize("until_free", [lambda mutex: wait(~mutex), tries_again])
@pytest.mark.parametrize("owner", [pulses, takes_again_at_once, takes_again_after_polling])
def test_a_program_that_waits_sees_such_a_value(
    until_free: Callable[[Bit], None], owner: Callable[[Bit, Bit], None]
) -> None:
    assert left_waiting(until_free, owner) == []


@pytest.mark.parametrize("owner", [leaves_for_a_moment, leaves_if_it_is_free, leaves_with_an_error])
def test_a_value_that_may_last_is_seen(owner: Callable[[Bit, Bit], None]) -> None:
    assert left_waiting(polls, owner) == []


def left_waiting(until_free: Callable[[Bit], None], owner: Callable[[Bit, Bit], None]) -> list[str]:
    cell = Cell()
    mutex, other = cell.signal("mutex", False), cell.signal("other", False)
    cell.program(lambda: owner(mutex, other), name="owner")

    @cell.program
    def poller() -> None:
        delay(0.55)
        until_free(mutex)

    return [each.process for each in cell.run(0.9).stuck]


def idles_for_stop(stop: Bit, work: Bit) -> None:
    while not stop:
        delay(0.1)


def idles_for_work(stop: Bit, work: Bit) -> None:
    while True:
        if work:
            work.set(False)
        delay(0.1)


def counts_its_tries(stop: Bit, work: Bit) -> None:
    tries = 0
    while not work and tries < 1000:
        delay(0.1)
        tries += 1


def idles(stop: Bit, work: Bit) -> None:
    while True:
        delay(1)


@pytest.mark.parametrize("third", [idles_for_stop, idles_for_work, counts_its_tries, idles])
def test_a_program_that_polls_because_nothing_is_left_to_do_is_not_stuck(third: Callable[[Bit, Bit], None]) -> None:
    cell = Cell()
    stop, work = cell.signal("stop", False), cell.signal("work", False)

    @cell.program
    def feeds() -> None:
        for _ in range(3):
            delay(0.2)
            work.set(True)
            delay(0.3)
            work.set(False)

    cell.program(lambda: third(stop, work), name="third")
    assert cell.run(20).stuck == ()


def test_a_program_that_might_set_a_signal_does_not_make_it_one_that_the_cell_sets() -> None:
    cell = Cell()
    stop, lamp = cell.signal("stop", False), cell.signal("lamp", False)
    panel = {"stop": stop, "lamp": lamp}

    @cell.program
    def shows() -> None:
        for name in sorted(panel):
            if name == "lamp":
                panel[name].set(True)

    @cell.program
    def guards() -> None:
        while not stop:
            delay(0.1)

    assert cell.run(20).stuck == ()


def test_a_function_of_the_user_that_follows_a_signal_may_release() -> None:
    def follows(a: Bit, b: Bit, other: Bit) -> None:
        other.subscribe(lambda value: a.set(False))
        while True:
            delay(100)
            other.set(True)

    assert stuck(follows) == []


SCRIPT = """
from drycell import Cell, delay, wait

cell = Cell()
zone, lamp = cell.signal("zone", True), cell.signal("lamp", False)


class Tally:
    number = 0

    def add_one(self):
        self.number += 1


@cell.program
def enters():
    wait(~zone)


@cell.program
def blinks():
    while True:
        delay(1)
        tally.add_one()
        lamp.set(not lamp.value)


tally = Tally()
result = cell.run(10)
"""


def test_a_script_whose_cell_is_a_variable_of_the_module_is_judged_as_well(tmp_path: Path) -> None:
    # Only the decorator mentions the cell, through which everything could be reached.
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    assert [each.process for each in runpy.run_path(str(path))["result"].stuck] == ["enters"]


def test_a_program_of_unclear_source_that_might_release_others_is_named() -> None:
    cell = Cell()
    zone = cell.signal("zone", True)
    cell.program(lambda: wait(~zone), name="enters")

    @cell.program
    def obscure() -> None:
        while True:
            delay(1)
            for signal in cell.kernel.signals.values():
                signal.peek()

    assert cell.run(10).stuck == ()
    assert cell.kernel.deadlock.unclear == ("program 'obscure'",)


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("until_free", [polls, tries_again, lambda mutex: wait(~mutex)])
def test_a_program_that_might_reach_what_others_wait_for_is_named(
    until_free: Callable[[Bit], None], released: bool
) -> None:
    cell = Cell()
    zones = [cell.signal("zone", True), cell.signal("another", False)]
    cell.program(lambda: until_free(zones[0]), name="enters")

    @cell.program
    def chooses() -> None:
        zones[0].set(True)
        while True:
            delay(1)
            zone = zones[1]  # not followed, as it is assigned in the loop
            zone.set(not zone.value)

    if released:

        @cell.program(daemon=True)
        def releases() -> None:
            delay(100)
            zones[0].set(False)

    assert cell.run(10).stuck == ()
    assert cell.kernel.deadlock.unclear == (() if released else ("program 'chooses'",))


def test_a_daemon_that_takes_part_is_named() -> None:
    cell = Cell()
    request, zone = cell.signal("request", False), cell.signal("zone", "free")

    @cell.program
    def palletise() -> None:
        zone.set("taken")
        request.set(True)
        wait(~request)

    @cell.program(daemon=True)
    def sheets() -> None:
        while True:
            wait(request)
            wait(zone == "free")
            request.set(False)

    @cell.program(daemon=True)
    def bystander() -> None:
        while True:
            wait(zone == "gone")

    result = cell.run()
    assert result.ending == "deadlock"
    assert [each.process for each in result.stuck] == ["palletise", "sheets"]
    assert "sheets (test_stuck.py:" in result.summary()
    assert "waits for zone == 'free' (daemon)" in result.summary()


def test_the_summary_lists_stuck_programs_with_times() -> None:
    cell = Cell()
    never = cell.signal("never", False)

    @cell.program
    def main() -> None:
        delay(19)
        wait(never)

    @cell.program
    def belt() -> None:
        while True:
            delay(1)

    result = cell.run(300)
    assert not result.clean
    assert result.ending == "until"
    assert "  STUCK         main since 19.000 s\n                main (test_stuck.py:" in result.summary()
    assert result.as_json()["stuck"] == [{"process": "main", "since_s": 19.0}]


@pytest.mark.parametrize("puts", [True, False])
def test_only_a_message_may_release_a_program_that_reads_a_mailbox(puts: bool) -> None:
    cell = Cell()
    box: Mailbox[int] = Mailbox(cell.kernel, "box")

    @cell.program
    def reader() -> None:
        box.get()

    @cell.program
    def writer() -> None:
        while True:
            delay(100)
            if puts:
                box.put(1)
            else:
                len(box)

    result = cell.run(10)
    assert [each.process for each in result.stuck] == ([] if puts else ["reader"])


def test_waits_for_signals_set_from_outside_are_not_stuck() -> None:
    kernel = Kernel()
    go = kernel.signal("go", False)
    kernel.spawn(lambda: wait(go), name="waits")
    kernel.inbox.attended = True
    assert kernel.run(until=5_000_000).stuck == ()
