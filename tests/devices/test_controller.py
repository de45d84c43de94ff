"""A controller's lines have numbers and names, programs see only their own, and pulses end by themselves."""

import pytest

from drycell.base import KernelError, ProgramError
from drycell.cell import Cell
from drycell.devices import Controller
from drycell.devices.controller import NoLine
from drycell.kernel import delay, now, wait

TABLE_22 = {
    1: "prox1", 2: "prox2", 3: "machine1.running", 4: "machine1.ready", 5: "machine2.running", 6: "machine2.ready",
}  # fmt: skip


class Bus:
    """The controller of the thesis, and a second one."""

    def __init__(self) -> None:
        cell = Cell("bus")
        self.kernel = cell.kernel
        names = [*TABLE_22.values(), "machine1.start", "machine2.start", "lamp", "spindle.hot"]
        self.signals = {name: self.kernel.signal(name, False) for name in names}
        self.height = self.kernel.signal("height", 12.5)
        inputs = {**TABLE_22, "part_at_pick": "prox2", "height": "height"}
        outputs = {1: "machine1.start", 2: "machine2.start", "lamp": "lamp"}
        self.io = cell.add("scorbot", Controller(inputs=inputs, outputs=outputs))
        self.plc = cell.add("plc", Controller(inputs={"hot": "spindle.hot"}))

    def changes(self, name: str) -> list[tuple[float, object]]:
        return [(time / 1e6, value) for time, value, _ in self.signals[name].history[1:]]


@pytest.mark.parametrize(("number", "name"), TABLE_22.items())
def test_inputs_are_numbered_as_in_table_22(number: int, name: str) -> None:
    bus = Bus()
    bus.signals[name].set(True)
    assert [n for n in range(1, 9) if bus.io.input(n)] == [number]
    assert bus.io.inputs_value() == 2 ** (number - 1)


def test_input_1_is_the_lowest_bit() -> None:
    bus = Bus()
    for name in ("prox1", "machine1.running", "machine2.ready"):
        bus.signals[name].set(True)
    assert bus.io.inputs_value() == 0b100101


def test_an_input_without_a_wire_is_off() -> None:
    assert Bus().io.input(7) is False


def test_a_named_input_may_be_a_number() -> None:
    assert Bus().io.input("height") == 12.5


def test_programs_wait_for_inputs_by_name_and_by_number() -> None:
    bus = Bus()
    times: list[float] = []

    def program() -> None:
        wait(bus.io.part_at_pick)
        times.append(now())
        wait(bus.io.on(4) & ~bus.io.on(1))
        times.append(now())
        wait(bus.io.falls(2))
        times.append(now())

    def world() -> None:
        for name, value in (("prox2", True), ("machine1.ready", True), ("prox2", False)):
            delay(1)
            bus.signals[name].set(value)

    bus.kernel.spawn(program)
    bus.kernel.spawn(world)
    bus.kernel.run()
    assert times == [1.0, 2.0, 3.0]


def test_a_pulse_is_200_ms_long_and_returns_at_once() -> None:
    bus = Bus()

    def program() -> None:
        delay(1)
        bus.io.pulse(1)
        assert now() == 1.0
        bus.io.pulse(2, width=0.05)
        delay(1)

    bus.kernel.spawn(program)
    bus.kernel.run()
    assert bus.changes("machine1.start") == [(1.0, True), (1.2, False)]
    assert bus.changes("machine2.start") == [(1.0, True), (1.05, False)]


def test_another_pulse_extends_it_and_setting_the_output_ends_it() -> None:
    bus = Bus()

    def program() -> None:
        bus.io.pulse(1)
        delay(0.15)
        bus.io.pulse(1)
        delay(0.10)
        assert bus.io.output(1) is True
        delay(1)
        bus.io.pulse("lamp")
        delay(0.1)
        bus.io.set_output("lamp", True)
        delay(1)

    bus.kernel.spawn(program)
    bus.kernel.run()
    assert bus.changes("machine1.start") == [(0.0, True), (0.35, False)]
    assert bus.changes("lamp") == [(1.25, True)]


def test_a_short_pulse_does_not_shorten_a_long_one() -> None:
    bus = Bus()

    def program() -> None:
        bus.io.pulse(1, width=1.0)
        delay(0.5)
        bus.io.pulse(1, width=0.1)
        delay(2)

    bus.kernel.spawn(program)
    bus.kernel.run()
    assert bus.changes("machine1.start") == [(0.0, True), (1.0, False)]


def test_an_output_without_a_wire_has_no_effect() -> None:
    bus = Bus()
    bus.io.set_output(7)
    assert (bus.io.output(7), bus.io.output(8)) == (True, False)


OWN = "a program can only use the lines of its own controller; wire it to 'scorbot' as well"


@pytest.mark.parametrize(
    ("ask", "what", "hint"),
    [
        (lambda io: io.input(9), "controller 'scorbot' has no input 9: 9 is not between 1 and 8", None),
        (lambda io: io.set_output(0), "controller 'scorbot' has no output 0: 0 is not between 1 and 8", None),
        (
            lambda io: io.input("part_at_pik"),
            "controller 'scorbot' has no input 'part_at_pik'",
            "did you mean 'part_at_pick'?",
        ),
        (lambda io: io.hot, "controller 'scorbot' has no input 'hot': it is wired to controller 'plc'", OWN),
        (lambda io: io.input("spindle.hot"), "controller 'scorbot' has no input 'spindle.hot': it is wired to", OWN),
        (lambda io: io.input("machine1.ready"), "controller 'scorbot' has no input 'machine1.ready'", "it is input 4"),
        (lambda io: io.on(7), "nothing is wired to input 7 of controller 'scorbot'", "wire it: controllers:"),
    ],
)  # fmt: skip
def test_a_program_has_its_own_lines_only(ask, what: str, hint: str | None) -> None:
    with pytest.raises(NoLine) as caught:
        ask(Bus().io)
    assert caught.value.what.startswith(what)
    assert (caught.value.hint or "").startswith(hint or "")


def test_a_controller_without_a_robot_says_so() -> None:
    with pytest.raises(ProgramError, match="controller 'plc' has no robot"):
        _ = Bus().plc.robot


def test_pulses_last() -> None:
    with pytest.raises(KernelError, match="a pulse of 0 s"):
        Bus().io.pulse(1, width=0.0)
