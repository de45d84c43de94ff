"""The longest wait of every program is recorded: how long, for what, and in which line."""

import inspect

import pytest

from drycell.kernel import Kernel, acted, asked, delay, wait, wait_any, work
from drycell.record import LiveRecord, figures
from drycell.world import World


def waits(kernel, until=None):
    outcome = kernel.run(until)
    return figures.waits(LiveRecord(kernel, World(kernel)), outcome.time)


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if text in line)


def setter(signal, *times):
    def program():
        for number, time in enumerate(times):
            delay(time)
            signal.set(number % 2 == 0)

    return program


def test_the_longest_of_several_waits_is_reported_with_its_condition_and_line():
    kernel = Kernel()
    door = kernel.signal("door", False)

    def robot():
        wait(door)  # 2 s
        wait(~door)  # 5 s
        wait(door)  # 1 s

    kernel.spawn(robot)
    kernel.spawn(setter(door, 2, 5, 1), name="setter")
    longest_waits = waits(kernel)
    assert list(longest_waits) == ["robot"]  # the other one never waited
    longest = longest_waits["robot"]
    assert (longest.seconds, longest.condition, longest.over) == (5.0, "~door", True)
    assert longest.at == f"test_patience.py:{line_of(robot, '# 5 s')}"


def test_timeouts_and_waits_for_one_of_several_count():
    kernel = Kernel()
    a, b = kernel.signal("a", False), kernel.signal("b", False)

    def robot():
        assert wait_any(a, b, timeout=3) is None

    kernel.spawn(robot)
    longest = waits(kernel)["robot"]
    assert (longest.seconds, longest.condition) == (3.0, "a or b")


def test_delays_and_own_work_are_not_waits():
    kernel = Kernel()
    done = kernel.signal("done", False)

    def robot():
        delay(10)
        work(done)

    kernel.spawn(robot)
    kernel.spawn(setter(done, 20), name="setter")
    assert waits(kernel) == {}


def test_an_unfinished_wait_counts_up_to_the_end():
    kernel = Kernel()
    door = kernel.signal("door", False)

    def robot():
        wait(door)  # 2 s
        wait(~door)  # never true

    kernel.spawn(robot)
    kernel.spawn(setter(door, 2), name="setter")
    kernel.at(9_000_000, lambda: None)  # the last program that could have helped
    longest = waits(kernel, until=60_000_000)["robot"]
    assert (longest.seconds, longest.condition, longest.over) == (7.0, "~door", False)
    assert longest.at.endswith(f":{line_of(robot, '# never true')}")


def ask(signal):
    asked(signal, signal.value)


def test_polling_is_a_wait_until_an_input_changes():
    kernel = Kernel()
    first, second = kernel.signal("first", False), kernel.signal("second", False)

    def robot():
        while not second.value:
            ask(first)
            ask(second)
            delay(1)
        ask(second)  # here it is seen

    kernel.spawn(robot)
    kernel.spawn(setter(second, 6.5), name="setter")
    longest = waits(kernel)["robot"]
    assert (longest.seconds, longest.condition) == (7.0, "second")  # it looks once per second


@pytest.mark.parametrize("does", [lambda moving: acted(), lambda moving: work(~moving)], ids=["output", "move"])
def test_an_action_between_two_polls_ends_the_wait(does):
    kernel = Kernel()
    signal, moving = kernel.signal("signal", False), kernel.signal("moving", False)

    def robot():
        ask(signal)
        delay(4)
        moving.set(True)
        kernel.at(kernel.now + 1_000_000, lambda: moving.set(False))
        does(moving)
        ask(signal)
        delay(2)
        signal.set(True)
        ask(signal)

    kernel.spawn(robot)
    assert waits(kernel)["robot"].seconds == 2.0


def test_an_unfinished_polling_wait_names_all_inputs():
    kernel = Kernel()
    first, second = kernel.signal("first", False), kernel.signal("second", False)

    def robot():
        while True:
            ask(first)
            ask(second)
            delay(1)

    kernel.spawn(robot)
    longest = waits(kernel, until=30_000_000)["robot"]
    assert (longest.seconds, longest.condition, longest.over) == (30.0, "first | second", False)
