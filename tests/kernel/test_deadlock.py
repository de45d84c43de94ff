"""Deadlock: found when, and only when, no program can ever proceed."""

import os
import threading
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import ProgramError
from drycell.kernel import Blocked, Kernel, Pace, ReplayingChooser, delay, wait


def test_a_deadlock_reports_each_wait_with_its_line() -> None:
    kernel = Kernel()
    ready, start = kernel.signal("machine2.ready", False), kernel.signal("machine2.start", False)

    def robot() -> None:
        delay(46)
        wait(ready)
        start.set(True)

    def machine() -> None:
        wait(start.is_on & ~ready)
        ready.set(True)

    kernel.spawn(robot)
    kernel.spawn(machine, name="machine2", daemon=True)
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("deadlock", 46_000_000)
    assert outcome.blocked == (
        Blocked(
            "robot",
            __file__,
            robot.__code__.co_firstlineno + 2,
            "machine2.ready",
            daemon=False,
            stuck_since=46_000_000,
            signals=("machine2.ready",),
            sets=("machine2.start",),
        ),
        Blocked(
            "machine2",
            __file__,
            machine.__code__.co_firstlineno + 1,
            "machine2.start & ~machine2.ready",
            daemon=True,
            stuck_since=46_000_000,
            signals=("machine2.start", "machine2.ready"),
            sets=("machine2.ready",),
        ),
    )
    here = os.path.basename(__file__)
    assert str(outcome).splitlines() == [
        "deadlock at 46.000 s",
        f"  robot ({here}:{robot.__code__.co_firstlineno + 2}) waits for machine2.ready",
        f"  machine2 ({here}:{machine.__code__.co_firstlineno + 1}) waits for machine2.start & ~machine2.ready",
    ]
    assert [record.subject for record in kernel.journal.records if record.kind == "blocked"] == ["robot", "machine2"]


def test_sensors_that_tick_endlessly_do_not_hide_a_deadlock() -> None:
    kernel = Kernel()
    lid, eye = kernel.signal("lid", False), kernel.signal("eye", False)
    kernel.every(1000, lambda: eye.set(not eye.value), writes=[eye])
    kernel.every(Fraction(1, 24), lambda: None, writes=())
    kernel.spawn(wait, lid, name="robot")
    outcome = kernel.run(until=3_600_000_000)
    assert (outcome.ending, outcome.time) == ("deadlock", 0)


def test_a_ticker_that_may_write_the_signal_prevents_a_deadlock() -> None:
    kernel = Kernel()
    eye, lid = kernel.signal("eye", False), kernel.signal("lid", False)
    kernel.every(1_000_000, lambda: eye.set(kernel.now == 5_000_000), writes=[eye])
    kernel.spawn(wait, eye | lid, name="robot")
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("finished", 5_000_000)


def test_a_writer_of_one_signal_does_not_help_a_wait_for_two() -> None:
    kernel = Kernel()
    eye, lid = kernel.signal("eye", False), kernel.signal("lid", False)
    kernel.every(1_000_000, lambda: eye.set(not eye.value), writes=[eye])
    kernel.spawn(wait, eye & lid, name="robot")
    assert kernel.run(until=10_000_000).ending == "deadlock"


def test_undeclared_writers_may_write_anything() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    kernel.every(1_000_000, lambda: None)
    kernel.spawn(wait, lid, name="robot")
    assert kernel.run(until=10_000_000).ending == "until"


def test_the_deadlock_is_found_when_the_last_helpful_timer_fires() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    kernel.every(1000, lambda: None, writes=())
    for time in (1_000_000, 2_000_000):
        kernel.at(time, lambda: None)
    kernel.at(3_000_000, lambda: None, writes=[lid])
    timer = kernel.at(9_000_000, lambda: None)
    kernel.at(4_000_000, timer.cancel, writes=())
    kernel.spawn(wait, lid, name="robot")
    outcome = kernel.run(until=20_000_000)
    assert (outcome.ending, outcome.time) == ("deadlock", 4_000_000)


def test_a_cancelled_ticker_no_longer_prevents_a_deadlock() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    ticker = kernel.every(1000, lambda: None)
    kernel.at(7500, ticker.cancel, writes=())
    kernel.every(2000, lambda: None, writes=())
    kernel.spawn(wait, lid, name="robot")
    outcome = kernel.run(until=20_000_000)
    assert (outcome.ending, outcome.time) == ("deadlock", 7500)


def test_a_running_daemon_prevents_a_deadlock_until_it_waits_or_ends() -> None:
    kernel = Kernel()
    lid, never = kernel.signal("lid", False), kernel.signal("never", False)

    def machine() -> None:
        delay(3)
        wait(never, timeout=2)
        wait(never)

    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(machine, daemon=True)
    kernel.spawn(delay, 4.0, name="other", daemon=True)
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("deadlock", 5_000_000)


def test_a_daemon_that_waits_for_a_sensor_may_help() -> None:
    kernel = Kernel()
    eye, lid = kernel.signal("eye", False), kernel.signal("lid", False)

    def machine() -> None:
        wait(eye)
        lid.set(True)

    kernel.every(1_000_000, lambda: eye.set(kernel.now == 3_000_000), writes=[eye])
    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(machine, daemon=True, writes=[lid])
    assert kernel.run(until=20_000_000).ending == "finished"


def test_a_daemon_that_declares_other_signals_does_not_prevent_a_deadlock() -> None:
    kernel = Kernel()
    eye, lid, lamp = (kernel.signal(name, False) for name in ("eye", "lid", "lamp"))

    def machine() -> None:
        while True:
            wait(eye.changes())
            lamp.set(eye.value)

    kernel.every(1_000_000, lambda: eye.set(not eye.value), writes=[eye])
    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(machine, daemon=True, writes=[lamp])
    assert kernel.run(until=20_000_000).ending == "deadlock"


def test_the_error_of_a_daemon_is_not_hidden_by_the_deadlock_it_leaves() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    timer = kernel.at(9_000_000, lambda: None)

    def machine() -> None:
        timer.cancel()
        raise ZeroDivisionError

    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(machine, daemon=True)
    with pytest.raises(ProgramError, match="ZeroDivisionError in program 'machine'"):
        kernel.run()


def test_an_event_that_a_blocking_program_just_took_from_the_queue_still_counts() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    unknown = kernel.at(9_000_000, lambda: None)
    kernel.at(500_000, lambda: lid.set(True), writes=[lid])

    def machine() -> None:
        unknown.cancel()
        delay(1)  # takes the 0.5 s timer from the queue and passes it to the hub

    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(machine, daemon=True, writes=())
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("finished", 500_000)


def test_joining_each_other_is_a_deadlock() -> None:
    kernel = Kernel()
    processes = [kernel.spawn(lambda i=i: wait(processes[1 - i]), name=f"p{i}") for i in range(2)]
    outcome = kernel.run()
    assert [str(b.waits_for) for b in outcome.blocked] == ["p1.done", "p0.done"]


def test_the_end_of_the_last_active_program_leaves_the_others_in_deadlock() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    kernel.spawn(wait, lid, name="robot")
    kernel.spawn(delay, 2.0, name="other")
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("deadlock", 2_000_000)


def test_a_wait_with_time_out_is_not_a_deadlock() -> None:
    kernel = Kernel()
    kernel.spawn(wait, kernel.signal("lid", False), 5, name="robot")
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("finished", 5_000_000)


def test_a_pending_post_prevents_a_deadlock() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    kernel.spawn(wait, lid, name="robot")
    kernel.post(lambda: lid.set(True), "lid opened by hand")
    assert kernel.run().ending == "finished"


def test_an_attended_run_waits_for_somebody_to_post() -> None:
    kernel = Kernel()
    lid = kernel.signal("lid", False)
    kernel.spawn(wait, lid, name="robot")
    pace = Pace(attended=True)
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(kernel.run(pace=pace)))
    thread.start()
    kernel.post(lambda: lid.set(True), "lid opened by hand")
    thread.join(10)
    assert [outcome.ending for outcome in outcomes] == ["finished"]


@pytest.mark.parametrize("explore", [False, True])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_no_deadlock_is_reported_while_progress_is_possible(explore: bool, data: st.DataObject) -> None:
    """Random programs over four signals; adding a ticker that writes nothing must not change the outcome."""
    shapes = data.draw(
        st.lists(
            st.lists(
                st.one_of(
                    st.tuples(st.just("delay"), st.integers(1, 3)),
                    st.tuples(st.just("set"), st.integers(0, 3)),
                    st.tuples(st.just("wait"), st.integers(0, 3)),
                    st.tuples(st.just("both"), st.integers(0, 2)),
                ),
                max_size=4,
            ),
            min_size=1,
            max_size=4,
        )
    )
    daemons = data.draw(st.lists(st.booleans(), min_size=4, max_size=4))
    daemons[0] = False

    def run(hopeful: bool) -> tuple[str, list[tuple[int, str, bool]]]:
        kernel = Kernel(chooser=ReplayingChooser() if explore else None)
        signals = [kernel.signal(f"s{n}", False) for n in range(4)]
        kernel.every(1_000_000, lambda: signals[3].set(kernel.now > 2_000_000), phase=500_000, writes=[signals[3]])
        if hopeful:
            kernel.every(10_000_000, lambda: None)

        def program(steps: list[tuple[str, int]]) -> None:
            for verb, number in steps:
                if verb == "delay":
                    delay(number)
                elif verb == "set":
                    signals[number].set(True)
                elif verb == "wait":
                    wait(signals[number])
                else:
                    wait(signals[number] & ~signals[number + 1])

        for steps, daemon in zip(shapes, daemons, strict=False):
            kernel.spawn(program, steps, daemon=daemon)
        outcome = kernel.run(until=100_000_000)
        history = [(t, s.name, v) for s in signals[:3] for t, v, _ in s.history]
        return outcome.ending, history

    ending, history = run(hopeful=False)
    patient_ending, patient_history = run(hopeful=True)
    if ending == "deadlock":
        assert (patient_ending, patient_history) == ("until", history)
    else:
        assert (patient_ending, patient_history) == (ending, history)


def test_signals_set_by_responding_devices_prevent_a_deadlock() -> None:
    kernel = Kernel()
    button, lamp = kernel.signal("button", False), kernel.signal("lamp", False)
    button.subscribe(lambda value: lamp.set(value), lambda: (lamp,))
    kernel.at(2_000_000, lambda: button.set(True), writes=(button,))
    kernel.spawn(lambda: wait(lamp))
    assert kernel.run().ending == "finished"


def test_a_device_that_nothing_triggers_does_not_prevent_a_deadlock() -> None:
    kernel = Kernel()
    button, lamp, clock = (kernel.signal(name, False) for name in ("button", "lamp", "clock"))
    button.subscribe(lambda value: lamp.set(value), lambda: (lamp,))
    kernel.at(2_000_000, lambda: clock.set(True), writes=(clock,))
    kernel.spawn(lambda: wait(lamp))
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("deadlock", 0)
