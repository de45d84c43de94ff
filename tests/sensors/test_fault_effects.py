"""The effect of each kind of fault on a signal: the written value stays the truth, readers see the published value."""

import pytest

from drycell import Body, Box, Cell, Pose, delay, ms, s, wait
from drycell.kernel import Kernel, Signal, seconds
from drycell.sensors.faults import KINDS, Disturbance, Drift, Dropout, Late, Spike, Stuck, StuckOff, StuckOn, Swapped


def changes(signal: Signal) -> list[tuple[float, object]]:
    """(time, value) of everything that was published."""
    return [(seconds(time), value) for time, value, _ in signal.history]


def run(kernel: Kernel, signal: Signal, writes: list[tuple[float, object]], until: float = 10.0) -> None:
    """Let a program write a signal at given times."""

    def writer() -> None:
        for time, value in writes:
            delay(time - seconds(kernel.now))
            signal.set(value)

    kernel.spawn(writer)
    kernel.spawn(lambda: delay(until), name="clock")
    kernel.run()


@pytest.mark.parametrize(("kind", "held"), [("stuck_on", True), ("stuck_off", False)])
def test_a_stuck_switch_shows_one_value_and_then_the_truth_again(kind, held):
    kernel = Kernel()
    eye = kernel.signal("eye", not held)
    Disturbance(eye, KINDS[kind](at=2 * s, until=6 * s))
    run(kernel, eye, [(1.0, held), (3.0, not held), (4.0, held), (5.0, not held)])
    # from 2 s it shows `held`; the values written at 3, 4 and 5 s are hidden; the truth appears at 6 s
    assert changes(eye) == [(0.0, not held), (1.0, held), (6.0, not held)]


def test_the_truth_of_a_stuck_signal_can_be_asked_for():
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    fault = Disturbance(eye, StuckOff())

    def writer() -> None:
        eye.set(True)
        assert (eye.value, eye.peek(), eye.truth, bool(eye), fault.active) == (False, False, True, False, True)
        fault.end()
        assert (eye.value, eye.truth, fault.active, fault.over) == (True, True, False, True)

    kernel.spawn(writer)
    kernel.run()


def test_stuck_holds_the_last_value_or_a_given_one():
    kernel = Kernel()
    level, count = kernel.signal("level", 1.0), kernel.signal("count", 3)
    Disturbance(level, Stuck(at=2 * s, until=5 * s))
    Disturbance(count, Stuck(value=99, at=2 * s, until=5 * s))
    kernel.spawn(lambda: [delay(1), count.set(4), delay(2), count.set(5)], name="counting")
    run(kernel, level, [(1.0, 2.0), (3.0, 7.0), (4.0, 8.0), (6.0, 9.0)])
    assert changes(level) == [(0.0, 1.0), (1.0, 2.0), (5.0, 8.0), (6.0, 9.0)]
    assert changes(count) == [(0.0, 3), (1.0, 4), (2.0, 99), (5.0, 5)]


def test_a_whole_number_will_do_for_a_real_signal():
    kernel = Kernel()
    level = kernel.signal("level", 1.0)
    Disturbance(level, Stuck(value=3, lasting=1 * s))
    run(kernel, level, [])
    assert changes(level) == [(0.0, 1.0), (0.0, 3.0), (1.0, 1.0)]


def test_drift_is_a_ramp_in_steps_that_writes_ride_on():
    kernel = Kernel()
    level = kernel.signal("level", 10.0)
    Disturbance(level, Drift(per_second=2.0, every=0.25, at=1 * s, until=2 * s))
    run(kernel, level, [(1.4, 20.0)])
    assert changes(level) == [
        (0.0, 10.0), (1.25, 10.5), (1.4, pytest.approx(20.8)), (1.5, 21.0), (1.75, 21.5), (2.0, 20.0),
    ]  # fmt: skip


def test_drift_steps_every_tenth_of_a_second_by_default():
    kernel = Kernel()
    level = kernel.signal("level", 0.0)
    Disturbance(level, Drift(per_second=1.0, lasting=1 * s))
    run(kernel, level, [])
    assert [time for time, _ in changes(level)] == pytest.approx([n / 10 for n in range(11)])


def test_drift_of_a_whole_number_rounds_half_away_from_zero():
    kernel = Kernel()
    count = kernel.signal("count", 0)
    Disturbance(count, Drift(per_second=-1.0, every=0.5, until=2 * s))
    run(kernel, count, [])
    assert changes(count) == [(0.0, 0), (0.5, -1), (1.5, -2), (2.0, 0)]


def test_a_dropout_shows_what_a_signal_held_at_first_or_a_given_value():
    kernel = Kernel()
    level, other = kernel.signal("level", 0.5), kernel.signal("other", 0.5)
    Disturbance(level, Dropout(at=3 * s, lasting=1 * s))
    Disturbance(other, Dropout(at=3 * s, lasting=1 * s, value=-1.0))

    def writer() -> None:
        for n in range(6):
            level.set(n + 1.0)
            other.set(n + 1.0)
            level.history.forget(kernel.now)  # its first value is known nevertheless
            delay(1)
            if n == 2:
                delay(0.5)
                assert (level.value, other.value) == (0.5, -1.0)
                delay(0.5)
                assert (level.value, other.value) == (3.0, 3.0)

    kernel.spawn(writer)
    kernel.run()


def test_a_spike_adds_or_replaces_or_turns_a_switch_round():
    kernel = Kernel()
    level, count, eye, kind = (kernel.signal(n, v) for n, v in (("a", 1.5), ("b", 4), ("c", True), ("d", "tall")))
    for signal, more in ((level, {"size": 10.0}), (count, {"value": 99}), (eye, {}), (kind, {"value": "?"})):
        Disturbance(signal, Spike(at=1 * s, lasting=10 * ms, **more))
    run(kernel, count, [(1.005, 5)])
    assert changes(level) == [(0.0, 1.5), (1.0, 11.5), (1.01, 1.5)]
    assert changes(count) == [(0.0, 4), (1.0, 99), (1.01, 5)]
    assert changes(eye) == [(0.0, True), (1.0, False), (1.01, True)]
    assert changes(kind) == [(0.0, "tall"), (1.0, "?"), (1.01, "tall")]


def test_late_publishes_every_change_in_order_so_much_later():
    kernel = Kernel()
    count = kernel.signal("count", 0)
    Disturbance(count, Late(by=0.5, at=1 * s, until=4 * s))
    run(kernel, count, [(0.8, 1), (1.2, 2), (1.3, 3), (2.0, 4), (2.1, 4), (3.8, 5)])
    # the last change is still pending when the fault ends: the truth appears at once, and only once
    assert changes(count) == [(0.0, 0), (0.8, 1), (1.7, 2), (1.8, 3), (2.5, 4), (4.0, 5)]


def test_a_pulse_shorter_than_the_lateness_is_not_lost():
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    Disturbance(eye, Late(by=2 * s))
    run(kernel, eye, [(1.0, True), (1.1, False)])
    assert changes(eye) == [(0.0, False), (3.0, True), (3.1, False)]


def test_swapped_signals_show_each_others_truth():
    kernel = Kernel()
    left, right = kernel.signal("left", 1), kernel.signal("right", 2)
    Disturbance(left, Swapped(other="right", at=1 * s, until=3 * s))
    run(kernel, left, [(2.0, 10), (4.0, 11)])
    assert changes(left) == [(0.0, 1), (1.0, 2), (3.0, 10), (4.0, 11)]
    assert changes(right) == [(0.0, 2), (1.0, 1), (2.0, 10), (3.0, 2)]
    assert [writer for _, _, writer in right.history] == ["", "left/swapped", "writer", "left/swapped"]


def test_waiters_and_subscribers_see_what_is_published():
    kernel = Kernel()
    eye = kernel.signal("eye", False)
    Disturbance(eye, StuckOn(at=2 * s, lasting=1 * s))
    report: list[tuple[int, bool]] = []
    eye.subscribe(lambda value: report.append((kernel.now, value)))
    woken: list[int] = []

    def waiter() -> None:
        wait(eye)
        woken.append(kernel.now)
        wait(eye.falls())
        woken.append(kernel.now)

    kernel.spawn(waiter)
    run(kernel, eye, [(2.5, True), (2.6, False)])
    assert woken == [2_000_000, 3_000_000]
    assert report == [(2_000_000, True), (3_000_000, False)]


def test_a_subscriber_that_writes_back_has_the_last_word():
    kernel = Kernel()
    left, right = kernel.signal("left", 0), kernel.signal("right", 0)
    Disturbance(left, Swapped(other="right"))
    right.subscribe(lambda value: left.set(7))  # right shows the value written to left
    run(kernel, left, [(1.0, 1)])
    assert (left.truth, left.peek(), right.truth, right.peek()) == (7, 0, 0, 7)


def test_a_contact_signal_with_a_fault_follows_the_truth():
    cell = Cell()
    table, block = (
        cell.add("table", Body(Box(1.0, 1.0, 0.1))),
        cell.add("block", Body(Box(0.1, 0.1, 0.1), at=(0, 0, 0.5))),
    )
    touch = cell.contact(table, block)
    cell.fault(touch, "stuck_off", until=2 * s)

    @cell.program
    def put() -> None:
        delay(1)
        cell.world.place(block, Pose(0, 0, 0.1), None)  # on the table
        delay(0.5)
        assert (touch.value, touch.truth) == (False, True)
        delay(1)
        assert (touch.value, touch.truth) == (True, True)
        cell.world.place(block, Pose(0, 0, 0.5), None)
        delay(1)

    assert cell.run().ending == "finished"
    assert changes(touch)[:2] == [(0.0, False), (2.0, True)]
    assert touch.value is False


def test_a_signal_is_as_fast_as_before_when_its_faults_are_over():
    cell = Cell()
    eye = cell.signal("eye", False)
    assert eye.filter is None
    faults = [cell.fault("eye", "stuck_on"), cell.fault("eye", "late", by=1 * s)]
    assert eye.filter is not None
    for fault in faults:
        fault.end()
        fault.end()
    assert eye.filter is None
