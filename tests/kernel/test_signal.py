"""Signals: names, types and history; waits for levels and edges, timeouts, and waiting for the first of several."""

import pytest

from drycell.base import KernelError, NotInProgram, UnknownName
from drycell.kernel import Kernel, Signal, delay, now, wait, wait_any


def test_history_keeps_time_value_and_writer_of_every_change() -> None:
    kernel = Kernel()
    level = kernel.signal("level", 0, unit="mm")

    def pump() -> None:
        delay(1)
        level.set(3)
        level.set(3)
        delay(1)
        level.set(5, writer="by hand")

    kernel.spawn(pump)
    kernel.at(1_500_000, lambda: level.set(4), owner="valve")
    kernel.every(5_000_000, lambda: level.set(9), phase=1_700_000, owner="float switch")
    kernel.run()
    assert list(level.history) == [
        (0, 0, ""),
        (1_000_000, 3, "pump"),
        (1_500_000, 4, "valve"),
        (1_700_000, 9, "float switch"),
        (2_000_000, 5, "by hand"),
    ]


def test_history_can_be_removed() -> None:
    kernel = Kernel()
    count = kernel.signal("count", 0)
    kernel.every(1000, lambda: count.set(count.value + 1))
    kernel.run(until=1_000_000)
    count.history.forget(990_000)
    assert len(count.history) == 11
    assert count.history[0] == (990_000, 991, "ticker 1.1")
    assert count.history[-1][1] == 1001
    assert count.history.rows == 1002


@pytest.mark.parametrize(
    ("initial", "value", "message"),
    [
        (False, 1, "signal 's' holds bool, got 1 of type int"),
        (0, True, "signal 's' holds int, got True of type bool"),
        (0, 1.5, r"signal 's' holds int, got 1\.5 of type float"),
        (0.0, "1", "signal 's' holds float, got '1' of type str"),
        ("", 0, "signal 's' holds str, got 0 of type int"),
        (0.0, True, "signal 's' holds float, got True of type bool"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(initial: object, value: object, message: str) -> None:
    signal: Signal[float] = Kernel().signal("s", initial)  # type: ignore[type-var]
    with pytest.raises(KernelError, match=message):
        signal.set(value)  # type: ignore[arg-type]
    assert signal.value == initial
    assert len(signal.history) == 1


def test_float_signals_accept_integers() -> None:
    signal = Kernel().signal("s", 0.5)
    signal.set(3)
    assert repr(signal.value) == "3.0"


def test_only_plain_values_make_signals() -> None:
    with pytest.raises(KernelError, match="cannot hold None, which is of type NoneType"):
        Kernel().signal("s", None)  # type: ignore[type-var]


def test_names_of_signals_are_unique_and_looked_up_with_a_hint() -> None:
    kernel = Kernel()
    kernel.signal("part_at_pick", False)
    with pytest.raises(KernelError, match="there is already a signal 'part_at_pick'"):
        kernel.signal("part_at_pick", False)
    with pytest.raises(UnknownName, match="did you mean 'part_at_pick'"):
        kernel.signal_named("part_at_pik")


def test_waiting_for_a_signal_means_waiting_until_it_is_on() -> None:
    kernel = Kernel()
    ready = kernel.signal("ready", False)
    kernel.at(2_000_000, lambda: ready.set(True))

    def program() -> tuple[bool, float]:
        return wait(ready), now()

    process = kernel.spawn(program)
    kernel.run()
    assert process.result == (True, 2.0)


def test_a_wait_that_holds_already_takes_no_time() -> None:
    kernel = Kernel()
    ready = kernel.signal("ready", True)
    process = kernel.spawn(lambda: (wait(ready, timeout=1), now()), name="program")
    kernel.run()
    assert process.result == (True, 0.0)


def test_a_timeout_returns_false_at_exactly_that_time() -> None:
    kernel = Kernel()
    ready = kernel.signal("ready", False)
    process = kernel.spawn(lambda: (wait(ready, timeout=0.25), now(), wait(ready, timeout=0), now()), name="program")
    kernel.run()
    assert process.result == (False, 0.25, False, 0.25)
    assert ready.waiters == {}


def test_a_pulse_within_one_instant_is_not_lost() -> None:
    kernel = Kernel()
    pulse = kernel.signal("pulse", False)

    def sender() -> None:
        delay(1)
        pulse.set(True)
        pulse.set(False)

    process = kernel.spawn(lambda: wait(pulse, timeout=5), name="receiver")
    kernel.spawn(sender)
    kernel.run()
    assert process.result is True


def test_a_subscriber_that_resets_the_signal_does_not_hide_the_pulse() -> None:
    kernel = Kernel()
    start = kernel.signal("start", False)
    start.subscribe(lambda value: start.set(False) if value else None)
    kernel.at(1_000_000, lambda: start.set(True))
    process = kernel.spawn(lambda: wait(start, timeout=5), name="program")
    kernel.run()
    assert process.result is True
    assert start.value is False


@pytest.mark.parametrize(
    ("edge", "expected"), [("rises", [1.0, 3.0]), ("falls", [2.0, 4.0]), ("changes", [1.0, 2.0, 3.0, 4.0])]
)
def test_edges_before_the_wait_do_not_count(edge: str, expected: list[float]) -> None:
    kernel = Kernel()
    clock = kernel.signal("clock", False)
    for second in (1, 2, 3, 4):
        kernel.at(second * 1_000_000, lambda: clock.set(not clock.value))
    seen = []

    def program() -> None:
        while wait(getattr(clock, edge)(), timeout=2.5):
            seen.append(now())

    kernel.spawn(program)
    kernel.run()
    assert seen == expected


def test_an_edge_does_not_hold_because_the_level_does() -> None:
    kernel = Kernel()
    on = kernel.signal("on", True)
    kernel.at(1_000_000, lambda: on.set(False))
    kernel.at(2_000_000, lambda: on.set(True))
    process = kernel.spawn(lambda: (wait(on.rises()), now()), name="program")
    kernel.run()
    assert process.result == (True, 2.0)


def test_numbers_rise_and_fall_too() -> None:
    kernel = Kernel()
    weight = kernel.signal("weight", 1.0)
    kernel.at(1_000_000, lambda: weight.set(0.5))
    kernel.at(2_000_000, lambda: weight.set(0.75))
    process = kernel.spawn(lambda: (wait(weight.rises()), now()), name="program")
    kernel.run()
    assert process.result == (True, 2.0)


def test_wait_any_returns_the_index() -> None:
    kernel = Kernel()
    a, b = kernel.signal("a", False), kernel.signal("b", 0)
    kernel.at(1_000_000, lambda: b.set(3))
    kernel.at(2_000_000, lambda: a.set(True))

    def program() -> list[object]:
        return [wait_any(a, b > 2), now(), wait_any(a, b > 5), now(), wait_any(b > 5, timeout=1), now()]

    process = kernel.spawn(program)
    kernel.run()
    assert process.result == [1, 1.0, 0, 2.0, None, 3.0]


def test_bool_of_a_signal_reads_its_value() -> None:
    kernel = Kernel()
    io = kernel.signal("io", False)
    assert not io
    io.set(True)
    assert io


def test_subscribers_are_called_in_the_writers_step_until_they_leave() -> None:
    kernel = Kernel()
    door = kernel.signal("door", "shut")
    seen: list[tuple[int, str]] = []
    leave = door.subscribe(lambda value: seen.append((kernel.now, value)))

    def program() -> None:
        delay(1)
        door.set("open")
        seen.append((kernel.now, "after"))
        leave()
        door.set("shut")

    kernel.spawn(program)
    kernel.run()
    assert seen == [(1_000_000, "open"), (1_000_000, "after")]


def test_a_subscribers_exception_is_raised_from_run_not_in_the_program() -> None:
    kernel = Kernel()
    door = kernel.signal("door", False)
    log: list[str] = []

    def broken(value: bool) -> None:
        raise ValueError("bug in a device")

    def program() -> None:
        try:
            door.set(True)
        except Exception:
            log.append("swallowed")

    door.subscribe(broken)
    kernel.spawn(program)
    with pytest.raises(ValueError, match="bug in a device"):
        kernel.run()
    assert log == []


def test_a_subscriber_cannot_block_the_program_that_writes() -> None:
    kernel = Kernel()
    door = kernel.signal("door", False)
    door.subscribe(lambda value: delay(1))
    kernel.spawn(door.set, True, name="program")
    with pytest.raises(NotInProgram):
        kernel.run()


def test_text_neither_rises_nor_falls() -> None:
    with pytest.raises(KernelError, match="holds str, which has no rising or falling edge"):
        Kernel().signal("state", "idle").rises()
