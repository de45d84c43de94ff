"""The output of a sensor and a contact signal cannot be set; faults may disturb them."""

import pytest

from drycell import Body, Controller, Logic, Sensor
from drycell.base import FieldError, KernelError, mm, ms
from drycell.cell import Cell
from drycell.geometry import Box, Cylinder
from drycell.kernel import delay
from drycell.sensors import SensorModel


def cell_with_eyes() -> Cell:
    cell = Cell("eyes")
    plate = cell.add("plate", Body(Box(50 * mm, 50 * mm, 10 * mm), at=(0, 0, 20 * mm)))
    block = cell.add("block", Body(Box(10 * mm, 10 * mm, 10 * mm), at=(0, 0, 300 * mm)))
    near = SensorModel(type="proximity", volume=Cylinder(5 * mm, 40 * mm), every=100 * ms)
    cell.add("eye", Sensor(near))
    cell.add("blind", Sensor(near, at=(1.0, 0, 0)))
    cell.contact(plate, block)
    return cell


@pytest.mark.parametrize(
    ("signal", "meaning"),
    [("eye", "the output of a sensor"), ("contact(plate, block)", "whether 'plate' and 'block' touch")],
)
def test_a_program_cannot_set_it(signal: str, meaning: str) -> None:
    cell = cell_with_eyes()

    @cell.program
    def meddle() -> None:
        delay(1)
        cell.kernel.signal_named(signal).set(True)

    with pytest.raises(KernelError) as caught:
        cell.run()
    report = str(caught.value)
    assert f"a program cannot set '{signal}': it shows {meaning}" in report
    assert f"cell.fault('{signal}', 'stuck')" in report
    assert "at 1.000 s, program 'meddle'" in report


def test_the_error_says_how_to_do_without_the_sensor() -> None:
    with pytest.raises(KernelError, match=r"or use a plain signal instead \(signals: {eye: false}\); "):
        cell_with_eyes().kernel.signal_named("eye").set(True)


def test_neither_outputs_of_controllers_nor_rules_are_for_it() -> None:
    with pytest.raises(FieldError, match=r"output 3 of controller 'panel' cannot set 'eye'"):
        cell_with_eyes().add("panel", Controller(outputs={3: "eye"}))
    with pytest.raises(FieldError, match=r"a rule cannot set 'eye'"):
        cell_with_eyes().add("plc", Logic(rules={"eye": "blind"}))


def test_a_program_may_put_faults_on_it() -> None:
    cell = cell_with_eyes()

    @cell.program
    def meddle() -> None:
        delay(1)
        cell.fault("eye", "swapped", other="blind")
        delay(1)

    cell.run()
    eye, blind = cell.kernel.signal_named("eye"), cell.kernel.signal_named("blind")
    assert [(time, value) for time, value, _ in eye.history] == [(0, False), (0, True), (1_000_000, False)]
    assert [(time, value) for time, value, _ in blind.history] == [(0, False), (1_000_000, True)]
