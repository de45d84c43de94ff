"""Programs that never let time pass are detected, or charged for their polling."""

import os
import threading
from pathlib import Path

import pytest

from drycell.base import BusyWait, ProgramError, UnknownName
from drycell.kernel import Kernel, delay, load_program, wait
from drycell.kernel.watchdog import WatchedRun

HERE = os.path.basename(__file__)


def test_endless_reads_of_a_signal_are_reported_with_file_and_line() -> None:
    kernel = Kernel(seed=5)
    ready = kernel.signal("ready", False)

    def robot() -> None:
        delay(1)
        while not ready:
            pass

    kernel.spawn(robot)
    with pytest.raises(BusyWait, match="program 'robot' stops the clock") as caught:
        kernel.run()
    first = robot.__code__.co_firstlineno
    places = [f"1.000 s, program 'robot' ({HERE}:{first + line}), seed 5" for line in (2, 3)]
    assert caught.value.where in places
    assert "wait(condition)" in (caught.value.hint or "")


def test_the_busy_wait_error_cannot_be_swallowed() -> None:
    kernel = Kernel()
    ready = kernel.signal("ready", False)

    def robot() -> None:
        while True:
            try:
                while not ready:
                    pass
            except Exception:
                pass

    kernel.spawn(robot)
    with pytest.raises(BusyWait):
        kernel.run()


def test_zero_delays_and_satisfied_waits_are_found_too() -> None:
    for busy in (lambda on: delay(0), lambda on: wait(on), lambda on: wait(~on, timeout=0), lambda on: on.set(True)):
        kernel = Kernel()
        on = kernel.signal("on", True)

        def program(busy=busy, on=on) -> None:  # type: ignore[no-untyped-def]
            while True:
                busy(on)

        kernel.spawn(program)
        with pytest.raises(BusyWait, match="program 'program'"):
            kernel.run()


def test_two_programs_that_keep_each_other_busy_are_found() -> None:
    kernel = Kernel()
    ball = kernel.signal("ball", False, quiet=True)

    def player(side: bool) -> None:
        while True:
            wait(ball == side)
            ball.set(not side)

    kernel.spawn(player, True)
    kernel.spawn(player, False)
    with pytest.raises(BusyWait):
        kernel.run()


def test_much_work_at_one_instant_is_not_a_busy_wait() -> None:
    kernel = Kernel()
    on = kernel.signal("on", True)

    def reader() -> None:
        for _ in range(1000):
            assert on

    for _ in range(200):
        kernel.spawn(reader)
    kernel.every(1000, lambda: [on.value for _ in range(150_000)])
    kernel.run(until=0)


def test_a_loop_without_kernel_calls_is_aborted() -> None:
    kernel = Kernel()
    kernel.patience = 0.1

    def robot() -> None:
        while True:
            pass

    kernel.spawn(robot)
    with pytest.raises(BusyWait, match=r"program 'robot' has computed for more than 0\.1 s") as caught:
        kernel.run()
    first = robot.__code__.co_firstlineno
    assert caught.value.where in [f"0.000 s, program 'robot' ({HERE}:{first + line}), seed 0" for line in (1, 2)]


def test_a_sleeping_program_is_not_mistaken_for_a_loop() -> None:
    watches: list[WatchedRun] = []
    asleep, awake = threading.Event(), threading.Lock()
    awake.acquire()

    def robot() -> None:
        watches.append(WatchedRun(Kernel(), patience=1e-3))
        asleep.set()
        awake.acquire()

    thread = threading.Thread(target=robot)
    thread.start()
    asleep.wait()
    for _ in range(100):
        watches[0].look()
    awake.release()
    thread.join()
    assert not watches[0].barked


def test_a_callback_that_never_returns_is_aborted() -> None:
    kernel = Kernel()
    kernel.patience = 0.1

    def stuck() -> None:
        while True:
            pass

    kernel.at(5, stuck, owner="mill")
    with pytest.raises(BusyWait, match="'mill' has computed"):
        kernel.run()


@pytest.fixture
def program_file(tmp_path: Path) -> Path:
    path = tmp_path / "tend.py"
    path.write_text(
        '''"""A program as it stands on a controller."""
from drycell.kernel import delay, now, wait


def poll():
    """Polls an input."""
    while not io.ready:
        pass
    return now()


def compute():
    total = 0
    while total < 5000:
        total += 1
    for number in range(5000):
        total += number
    return now(), total


def scan():
    found = []
    place = 0
    while place < 8:
        found.append(bool(io.ready))
        place += 1
    for _ in range(100):
        found.append(bool(io.ready))
    return now()


def work():
    count = 0
    while count < 100:
        if io.ready:
            io.lamp.set(not io.lamp.value)
        count += 1
    return now()


def spin():
    while True:
        pass


def fail():
    delay(1)
    return {}["x"]
'''
    )
    return path


class Inputs:
    def __init__(self, kernel: Kernel) -> None:
        self.ready = kernel.signal("ready", False)
        self.lamp = kernel.signal("lamp", False)


def run_program(path: Path, name: str, ready_at: int = 1_234_567, until: int | None = None) -> tuple[Kernel, object]:
    kernel = Kernel()
    io = Inputs(kernel)
    process = kernel.spawn(load_program(path, {"io": io}).function(name))
    kernel.at(ready_at, lambda: io.ready.set(True), owner="feeder")
    kernel.run(until=until)
    return kernel, process.result


def test_a_polling_loop_of_a_program_file_is_charged_and_goes_on(program_file: Path) -> None:
    kernel, result = run_program(program_file, "poll")
    assert result == 1.24  # the first poll after the signal came, on a grid of 10 ms
    polls = [record for record in kernel.journal.records if record.kind == "polls"]
    assert [(p.time, p.subject, dict(p.fields)) for p in polls] == [(0, "poll", {"line": 7, "charged_s": 0.01})]


def test_computing_and_looking_at_several_inputs_take_no_time(program_file: Path) -> None:
    assert run_program(program_file, "compute")[1] == (0.0, 5000 + 4999 * 2500)
    assert run_program(program_file, "scan")[1] == 0.0


def test_a_loop_that_writes_is_not_polling(program_file: Path) -> None:
    assert run_program(program_file, "work", ready_at=0)[1] == 0.0


def test_an_empty_loop_lets_other_programs_continue(program_file: Path) -> None:
    kernel, _ = run_program(program_file, "spin", until=2_000_000)
    assert kernel.now == 2_000_000
    assert kernel.signals["ready"].value is True


def test_errors_in_a_program_file_name_its_line(program_file: Path) -> None:
    line = program_file.read_text().splitlines().index('    return {}["x"]') + 1
    with pytest.raises(ProgramError, match=rf"program 'fail' \(tend\.py:{line}\)"):
        run_program(program_file, "fail")


def test_a_function_that_is_not_there_is_named_with_the_nearest(program_file: Path) -> None:
    with pytest.raises(UnknownName, match=r"there is no function in tend\.py 'pol'") as caught:
        load_program(program_file).function("pol")
    assert "did you mean 'poll'" in str(caught.value)


def test_a_broken_program_file_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def main():\n    wait(\n")
    with pytest.raises(ProgramError, match=r"was never closed in program file broken\.py") as caught:
        load_program(path)
    assert caught.value.where == f"{path}:2:9"
    with pytest.raises(ProgramError, match="cannot read program file"):
        load_program(tmp_path / "missing.py")


def test_docstrings_futures_and_every_kind_of_block_survive_the_marks(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        '''"""Doc."""
from __future__ import annotations
class Thing:
    """Thing doc."""
    size: Undefined = 3
    def method(self):
        """Method doc."""
        global made
        made = True
        return self.__private()
    def __private(self):
        try:
            raise ValueError
        except ValueError:
            for i in range(2):
                if i:
                    break
            else:
                return 0
        finally:
            x = 1
        with open(__file__) as f:
            match x:
                case 1:
                    return f.readline()
                case _:
                    pass
def main():
    return Thing().method(), Thing.__doc__, Thing.method.__doc__, made
'''
    )
    program = load_program(path)
    assert program.function("main")() == ('"""Doc."""\n', "Thing doc.", "Method doc.", True)
    assert {12, 13, 15, 16, 17, 19, 21, 22, 23, 25, 27, 29} <= program.lines
    assert 7 not in program.lines


def test_an_interpreter_can_restart_the_busy_wait_count() -> None:
    kernel = Kernel()
    signal = kernel.signal("x", 0)

    def session() -> None:
        for _ in range(10):
            kernel.renew_budget()
            for _ in range(50_000):
                signal.value  # noqa: B018

    kernel.spawn(session)
    assert kernel.run().ending == "finished"


def test_a_polling_loop_is_aborted_if_nothing_else_can_happen(tmp_path: Path) -> None:
    file = tmp_path / "ask.py"
    file.write_text("def ask(ready):\n    while not ready:\n        pass\n")
    kernel = Kernel()
    kernel.spawn(load_program(file).function("ask"), kernel.signal("ready", False), name="ask")
    with pytest.raises(BusyWait, match=r"'ask' polled 100,000 times in the loop at ask.py:2, and nothing") as caught:
        kernel.run()
    assert "(ask.py:2)" in str(caught.value)


def test_a_polling_loop_continues_while_another_program_is_busy(tmp_path: Path) -> None:
    file = tmp_path / "ask.py"
    file.write_text("def ask(ready):\n    while not ready:\n        pass\n")
    kernel = Kernel()
    ready = kernel.signal("ready", False)
    kernel.spawn(load_program(file).function("ask"), ready, name="ask")
    kernel.spawn(lambda: (delay(2000.0), ready.set(True)), name="late")  # 200,000 poll periods
    assert kernel.run().ending == "finished"
    assert kernel.now == pytest.approx(2_000_000_000, abs=10_000)


def test_a_program_file_may_have_dataclasses(tmp_path: Path) -> None:
    """Its annotations are objects, not strings as in this package's own modules."""
    path = tmp_path / "part.py"
    path.write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Part:\n    size: int\ndef run():\n    return Part\n"
    )
    part = load_program(path).function("run")()
    assert part.__annotations__ == {"size": int}
