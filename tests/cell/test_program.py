"""Programs get the objects that their parameters name; errors in programs are reported with file and line."""

from pathlib import Path

import pytest

from drycell import Body, Box, Robot, Workpoint
from drycell.base import KernelError, ProgramError, UnknownName
from drycell.cell import Cell, CellSource
from drycell.kernel import delay


def test_parameters_are_filled_by_name() -> None:
    cell = Cell()
    table = cell.add("table", Body(Box(1, 1, 0.1)))
    arm = cell.add("mover", Robot("scara"))
    ready = cell.signal("ready", False)
    goal = cell.add("goal", Workpoint())
    got: list[object] = []

    @cell.program
    def work(mover, table, goal, ready, cell) -> None:
        got.extend([mover, table, goal, ready, cell])

    cell.run()
    assert got == [arm, table, goal, ready, cell]


def test_names_with_other_characters_are_written_with_underscores() -> None:
    cell = Cell()
    lid = cell.add("mill/door-lid.2", Body())
    cell.add("arm", Robot("scara", gripper="two-finger"))
    got: list[object] = []

    @cell.program
    def work(mill_door_lid_2, arm_gripper_holding, arm_base) -> None:
        got.extend([mill_door_lid_2, arm_gripper_holding.name, arm_base.name])

    cell.run()
    assert got == [lid, "arm/gripper.holding", "arm/base"]


def test_given_values_take_precedence_over_things_and_defaults() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1, 1, 0.1)))
    got: list[object] = []

    def work(table, count, speed=0.5) -> None:
        got.extend([table, count, speed])

    cell.program(work, name="work", given={"count": 3, "table": "mine"})
    cell.run()
    assert got == ["mine", 3, 0.5]


def test_an_unknown_parameter_is_refused_with_the_nearest_name() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1, 1, 0.1)))

    @cell.program
    def work(tabel) -> None: ...

    with pytest.raises(UnknownName) as caught:
        cell.run()
    assert str(caught.value) == (
        "program 'work' asks for 'tabel', but the cell has no robot, body, signal or device with that name\n"
        f"  at {__file__}, line {work.__code__.co_firstlineno}\n"
        "  try: did you mean 'table'?"
    )


def test_parameters_that_cannot_name_a_thing_are_refused() -> None:
    cell = Cell()

    @cell.program
    def work(*things) -> None: ...

    with pytest.raises(ProgramError) as caught:
        cell.run()
    assert caught.value.what == "program work() has the parameter '*things', which cannot name a thing of the cell"


def test_two_programs_of_one_name_are_refused() -> None:
    cell = Cell()
    cell.program(lambda: None, name="work")
    with pytest.raises(KernelError, match="there is already a program 'work'"):
        cell.program(lambda: None, name="work")


def test_a_program_can_have_a_custom_name_and_be_a_daemon() -> None:
    cell = Cell()

    @cell.program(name="watch dog", daemon=True)
    def watch() -> None:
        while True:
            delay(1.0)

    @cell.program
    def work() -> None:
        delay(2.5)

    result = cell.run()
    assert (result.ending, result.duration) == ("finished", 2.5)
    assert list(cell.programs) == ["watch dog", "work"]


def test_errors_of_a_program_name_its_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(
        "from drycell import delay\n"
        "\n"
        "def build(cell):\n"
        "    @cell.program\n"
        "    def work():\n"
        "        delay(1.5)\n"
        "        deeper()\n"
        "\n"
        "def deeper():\n"
        "    return 1 / 0\n"
    )
    cell = CellSource.find(tmp_path).build(seed=3)
    with pytest.raises(ProgramError) as caught:
        cell.run()
    assert str(caught.value) == (
        "ZeroDivisionError in program 'work': division by zero\n"
        "  at 1.500 s, program 'work' (cell.py:10), seed 3\n"
        f"  try: look at {tmp_path / 'cell.py'}, line 10, in deeper"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_drycell_errors_get_time_program_line_and_seed(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(
        "from drycell import Robot\n"
        "def build(cell):\n"
        "    arm = cell.add('arm', Robot('scara'))\n"
        "    @cell.program\n"
        "    def work():\n"
        "        arm.move([0, 9, 0, 0])\n"
    )
    with pytest.raises(Exception, match="past its limit") as caught:
        CellSource.find(tmp_path).build().run()
    assert caught.value.where == "0.000 s, program 'work' (cell.py:6), seed 0"
