"""Only a device sets its outputs; faults and the operator of a run can disturb them."""

import threading
from collections.abc import Callable

import pytest

from drycell import Controller, Conveyor, Logic, Machine, Source
from drycell.base import FieldError, KernelError, mm, s
from drycell.cell import Cell
from drycell.geometry import Box
from drycell.kernel import delay


def cell_with_devices() -> Cell:
    cell = Cell("outputs")
    cell.add("mill", Machine(duration=2 * s, door=True))
    cell.add("belt", Conveyor(length=1.0, width=0.2, speed=0.1, at=(0, 2.0, 0.5)))
    cell.add("feed", Source(kinds={"block": Box(40 * mm, 40 * mm, 40 * mm)}, on="belt", every=3 * s, limit=2))
    cell.add("plc", Logic(rules={"jam": "mill.ready and not belt.running"}))
    return cell


@pytest.mark.parametrize(
    ("signal", "value"),
    [
        ("mill.ready", True),
        ("mill.running", True),
        ("mill.broken", True),
        ("mill.door_open", False),
        ("belt.running", False),
        ("feed.count", 7),
        ("feed.waiting", True),
        ("plc.jam", True),
    ],
)
def test_a_program_cannot_set_what_a_device_reports(signal: str, value: bool | int) -> None:
    cell = cell_with_devices()

    @cell.program
    def meddle() -> None:
        delay(1)
        cell.kernel.signal_named(signal).set(value)

    owner = signal.partition(".")[0]
    with pytest.raises(KernelError, match=rf"cannot set '{signal}': it shows what '{owner}' does") as caught:
        cell.run()
    assert f"cell.fault('{signal}', 'stuck')" in str(caught.value)
    assert "meddle" in str(caught.value)


def test_the_error_names_what_can_be_set() -> None:
    cell = cell_with_devices()

    @cell.program
    def meddle() -> None:
        cell.kernel.signal_named("mill.ready").set(True)

    with pytest.raises(KernelError, match=r"set one of its inputs: mill.start, mill.interlock; "):
        cell.run()


def test_the_build_of_a_cell_cannot_set_it_either() -> None:
    cell = cell_with_devices()
    with pytest.raises(KernelError, match=r"the build of a cell cannot set 'mill.ready'"):
        cell.kernel.signal_named("mill.ready").set(True)


def test_no_output_of_a_controller_is_wired_to_it() -> None:
    cell = cell_with_devices()
    with pytest.raises(FieldError, match=r"outputs.3: output 3 of controller 'panel' cannot set 'mill.ready'"):
        cell.add("panel", Controller(outputs={1: "mill.start", 3: "mill.ready"}))


@pytest.mark.parametrize("output", ["mill.ready", "plc.jam"])
def test_no_rule_of_another_is_for_it(output: str) -> None:
    cell = cell_with_devices()
    with pytest.raises(FieldError, match=rf"a rule cannot set '{output}'"):
        cell.add("other", Logic(rules={output: "belt.run"}))


def run_with(cell: Cell, action: Callable[[Cell], object]) -> None:
    """Run a function in a program after 1 s, and start the mill."""

    @cell.program
    def tend() -> None:
        cell.kernel.signal_named("mill.start").set(True)
        delay(1)
        action(cell)
        delay(5)

    cell.run()


def test_even_a_program_may_inject_a_fault() -> None:
    cell = cell_with_devices()
    run_with(cell, lambda cell: cell.fault("mill.ready", "stuck_on"))
    ready = cell.kernel.signal_named("mill.ready")
    assert [(time, value) for time, value, _ in ready.history][1] == (1_000_000, True)


def test_anyone_who_attends_the_run_may_force_it() -> None:
    cell = cell_with_devices()
    ready = cell.kernel.signal_named("mill.ready")

    def post(cell: Cell) -> None:
        poster = threading.Thread(target=lambda: cell.kernel.post(lambda: ready.set(True), "forced"))
        poster.start()
        poster.join()

    run_with(cell, post)
    assert (1_000_000, True) in [(time, value) for time, value, _ in ready.history]
