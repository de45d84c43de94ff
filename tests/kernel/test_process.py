"""Programs: blocking Python, started, joined, cancelled and ended by the kernel."""

import contextlib
import contextvars
import os
import sys
from collections.abc import Callable, Iterator

import pytest

from drycell.base import KernelError, MotionError, NotInProgram, ProgramError
from drycell.kernel import Cancelled, Kernel, Location, current_process, delay, in_program, now, spawn, wait

HERE = os.path.basename(__file__)


def test_delay_lets_exactly_that_much_time_pass() -> None:
    kernel = Kernel()
    seen = []

    def program() -> None:
        for span in (0.1, 0.25, 1e-6, 3600):
            delay(span)
            seen.append(kernel.now)

    kernel.spawn(program)
    outcome = kernel.run()
    assert seen == [100_000, 350_000, 350_001, 3_600_350_001]
    assert (outcome.ending, outcome.time) == ("finished", 3_600_350_001)


def test_programs_block_from_any_depth_of_ordinary_code() -> None:
    kernel = Kernel()

    def deep(level: int) -> float:
        if level:
            return deep(level - 1)
        list(map(delay, [1.0, 2.0]))  # also through C code
        return now()

    process = kernel.spawn(deep, 200)
    kernel.run()
    assert process.result == 3.0


def test_programs_at_one_instant_run_in_the_order_they_got_there() -> None:
    kernel = Kernel()
    order = []

    def program(name: str, *spans: float) -> None:
        for span in spans:
            delay(span)
        order.append(name)

    kernel.spawn(program, "late", 1.0, 1.0)
    kernel.spawn(program, "early", 2.0)
    kernel.run()
    assert order == ["early", "late"]  # 'early' has been queued for that instant longer


def test_higher_priority_goes_first_at_one_instant() -> None:
    kernel = Kernel()
    order: list[str] = []
    for name, priority in (("low", -1), ("usual", 0), ("high", 5)):
        kernel.spawn(order.append, name, name=name, priority=priority)
    kernel.run()
    assert order == ["high", "usual", "low"]


def test_priority_out_of_range_is_refused() -> None:
    with pytest.raises(KernelError, match=r"priority 5000 is outside -1000\.\.1000"):
        Kernel().spawn(lambda: None, priority=5000)


def test_joining_waits_for_the_end_and_gives_the_result() -> None:
    kernel = Kernel()

    def helper() -> int:
        delay(2)
        return 42

    def main() -> tuple[float, object, bool]:
        process = spawn(helper, name="helper")
        wait(process)
        first = now()
        wait(process.done)  # it stays done
        return first, process.result, process.alive

    process = kernel.spawn(main)
    kernel.run()
    assert process.result == (2.0, 42, False)


def test_names_of_running_programs_are_unique() -> None:
    kernel = Kernel()

    def program() -> None:
        delay(1)

    assert [kernel.spawn(program).name for _ in range(3)] == ["program", "program#2", "program#3"]


def test_run_ends_with_the_last_program_that_is_not_a_daemon() -> None:
    kernel = Kernel()
    ticks = []

    def endless() -> None:
        while True:
            delay(0.4)
            ticks.append(now())

    kernel.spawn(endless, daemon=True)
    kernel.spawn(delay, 1.0, name="main")
    assert kernel.run().time == 1_000_000
    assert ticks == [0.4, 0.8]


def test_cancel_raises_where_the_program_blocks_and_except_exception_lets_it_pass() -> None:
    kernel = Kernel()
    signal = kernel.signal("never", False)
    log: list[object] = []

    def in_wait() -> None:
        try:
            wait(signal, timeout=100)
        except Exception:
            log.append("swallowed")
        finally:
            log.append(("wait", now()))

    def in_delay() -> None:
        try:
            delay(100)
        finally:
            delay(0.5)  # the clean-up may take cell time
            log.append(("delay", now()))

    def killer() -> None:
        delay(2)
        for victim in victims:
            victim.cancel()
            victim.cancel()

    victims = [kernel.spawn(in_wait), kernel.spawn(in_delay)]
    kernel.spawn(killer)
    outcome = kernel.run()
    assert log == [("wait", 2.0), ("delay", 2.5)]
    assert outcome.time == 2_500_000
    assert all(victim.cancelled and not victim.alive and victim.error is None for victim in victims)
    assert signal.waiters == {}


def test_a_program_cancelled_before_its_start_never_runs() -> None:
    kernel = Kernel()
    log: list[str] = []

    def main() -> None:
        process = spawn(log.append, "ran", name="child")
        process.cancel()
        wait(process)
        log.append("joined")

    kernel.spawn(main)
    assert kernel.run().ending == "finished"
    assert log == ["joined"]


def test_a_program_can_cancel_itself() -> None:
    kernel = Kernel()

    def program() -> None:
        current_process().cancel()
        raise AssertionError("not reached")

    process = kernel.spawn(program)
    kernel.run()
    assert process.cancelled


def test_end_of_run_kills_every_program_and_blocking_in_finally_raises() -> None:
    kernel = Kernel()
    log: list[str] = []

    def program() -> None:
        try:
            while True:
                delay(1)
        finally:
            try:
                delay(1)
            except Exception:
                log.append("wrong")
            except Cancelled as cancelled:
                log.append(str(cancelled))
                raise

    process = kernel.spawn(program)
    assert kernel.run(until=3_500_000).ending == "until"
    assert log == ["the run has ended: a program can no longer block, not even in a finally block"]
    assert not process.alive
    assert process.fibre.dead


def test_a_program_that_refuses_to_end_does_not_block_the_run() -> None:
    kernel = Kernel()

    def stubborn() -> None:
        while True:
            with contextlib.suppress(BaseException):
                delay(1)

    kernel.spawn(stubborn)
    assert kernel.run(until=3_000_000).ending == "until"


def test_errors_of_programs_carry_time_program_line_and_seed() -> None:
    kernel = Kernel(seed=7)

    def reach(table: dict[str, int]) -> int:
        return table["mill"]

    def robot() -> None:
        delay(41.25)
        reach({})

    process = kernel.spawn(robot)
    line = reach.__code__.co_firstlineno + 1
    with pytest.raises(ProgramError) as caught:
        kernel.run()
    assert caught.value.what == "KeyError in program 'robot': 'mill'"
    assert caught.value.where == f"41.250 s, program 'robot' ({HERE}:{line}), seed 7"
    assert f"line {line}, in reach" in (caught.value.hint or "")
    assert isinstance(caught.value.__cause__, KeyError)
    assert process.error is caught.value


def test_drycell_errors_get_the_location_of_the_program() -> None:
    kernel = Kernel(seed=3)

    def robot() -> None:
        delay(1)
        raise MotionError("cannot reach 'mill'")

    kernel.spawn(robot)
    with pytest.raises(MotionError) as caught:
        kernel.run()
    assert caught.value.where == f"1.000 s, program 'robot' ({HERE}:{robot.__code__.co_firstlineno + 2}), seed 3"


def test_error_in_a_library_is_reported_at_the_users_line() -> None:
    kernel = Kernel()

    def robot() -> None:
        import json

        json.loads("{")

    kernel.spawn(robot)
    with pytest.raises(ProgramError) as caught:
        kernel.run()
    assert f"({HERE}:{robot.__code__.co_firstlineno + 3})" in str(caught.value)


def test_a_callbacks_exception_is_raised_from_run_and_no_program_can_swallow_it() -> None:
    kernel = Kernel()
    swallowed = []

    def program() -> None:
        while True:
            try:
                delay(1)
            except Exception as error:
                swallowed.append(error)

    def sensor() -> None:
        raise ZeroDivisionError("bug in a sensor")

    kernel.spawn(program)
    kernel.at(2_500_000, sensor)
    with pytest.raises(ZeroDivisionError, match="bug in a sensor"):
        kernel.run()
    assert swallowed == []


def test_a_drycell_error_of_a_callback_names_its_owner() -> None:
    kernel = Kernel(seed=2)

    def jam() -> None:
        raise MotionError("belt cannot move")

    kernel.at(1_500_000, jam, owner="conveyor")
    with pytest.raises(MotionError) as caught:
        kernel.run()
    assert caught.value.where == "1.500 s, 'conveyor', seed 2"


@pytest.mark.parametrize("verb", [lambda: delay(1), lambda: wait(Kernel().signal("x", True)), now, current_process])
def test_verbs_outside_a_program_raise_an_error(verb: Callable[[], object]) -> None:
    with pytest.raises(NotInProgram, match="can only be used in a running program"):
        verb()
    assert not in_program()


def test_callbacks_must_not_block_even_while_a_program_waits_for_them() -> None:
    kernel = Kernel()
    kernel.spawn(delay, 5.0, name="main")
    kernel.at(1_000_000, lambda: delay(1), owner="device")
    with pytest.raises(NotInProgram, match="delay can only be used in a running program"):
        kernel.run()


def test_callbacks_run_on_the_hub_not_on_a_deep_programs_stack() -> None:
    kernel = Kernel()
    depths = []

    def program(level: int) -> None:
        if level:
            program(level - 1)
        else:
            delay(1)

    def depth() -> None:
        frame, count = sys._getframe(), 0
        while frame.f_back is not None:
            frame, count = frame.f_back, count + 1
        depths.append(count)

    kernel.spawn(program, 500)
    kernel.at(500_000, depth)
    kernel.run()
    assert depths[0] < 300


def test_delays_into_the_past_are_refused() -> None:
    kernel = Kernel()
    kernel.spawn(delay, -1.0, name="program")
    with pytest.raises(KernelError, match=r"a delay of -1\.0 s is negative"):
        kernel.run()


def test_programs_get_a_copy_of_the_context_they_were_spawned_in() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    kernel = Kernel()
    seen = {}

    def program(name: str) -> None:
        seen[name] = variable.get()
        variable.set(name)
        delay(1)
        seen[name] += variable.get()

    variable.set("outer ")
    kernel.spawn(program, "a")
    kernel.spawn(program, "b")
    kernel.run()
    assert seen == {"a": "outer a", "b": "outer b"}
    assert variable.get() == "outer "


def test_where_is_the_users_own_line() -> None:
    kernel = Kernel()

    def helper() -> None:
        delay(5)

    def program() -> None:
        helper()

    process = kernel.spawn(program)
    places: list[Location] = []
    kernel.at(1_000_000, lambda: places.append(process.where()))
    kernel.run()
    assert places == [Location(__file__, helper.__code__.co_firstlineno + 1, "helper")]


def test_an_interpreter_reports_its_current_line() -> None:
    kernel = Kernel()
    process = kernel.spawn(lambda: 1 / 0, name="robot")
    process.locator = lambda: Location("robot.pas", 61, "MAIN")
    with pytest.raises(ProgramError, match=r"program 'robot' \(robot\.pas:61\)"):
        kernel.run()


def test_a_kernel_runs_once() -> None:
    kernel = Kernel()
    kernel.run()
    with pytest.raises(KernelError, match="has already run"):
        kernel.run()
    with pytest.raises(KernelError, match="no more programs can be started"):
        kernel.spawn(delay, 1)


def test_generators_and_coroutines_are_not_programs() -> None:
    def generator() -> Iterator[None]:
        yield

    async def coroutine() -> None:
        pass

    for function in (generator, coroutine):
        with pytest.raises(KernelError, match="is a generator or coroutine") as caught:
            Kernel().spawn(function)
        assert "without yield or await" in str(caught.value)


def test_short_lived_programs_leave_nothing_behind() -> None:
    kernel = Kernel()

    def main() -> None:
        for _ in range(100):
            wait(spawn(delay, 0.001, name="child"))

    process = kernel.spawn(main)
    kernel.run()
    assert list(kernel.processes) == [process]


def test_exit_in_a_program_is_an_error() -> None:
    kernel = Kernel()

    def quits() -> None:
        sys.exit(0)

    kernel.spawn(quits)
    with pytest.raises(ProgramError, match="SystemExit in program 'quits': 0"):
        kernel.run()
