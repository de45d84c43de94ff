"""One file drives the virtual cell and the controller on the line, with equal events in equal order."""

import pytest

from drycell import Cell, Controller
from drycell.base import deg, mm
from drycell.cli.main import main
from drycell.kernel import load_program
from drycell.languages.pascal import load_pascal

from .conftest import HERE, emulation, events, tiny_cell

EXPECTED = [
    ("arm.motion", "moving"),
    ("arm.motion", "still"),
    ("lamp", True),
    ("lamp", False),
    ("part_there", True),
    ("arm.motion", "moving"),
    ("arm.motion", "still"),
    ("arm/gripper.moving", True),
    ("arm/gripper.moving", False),
    ("arm.motion", "moving"),
    ("arm.motion", "still"),
    ("lamp", True),
    ("lamp", False),
    ("part_there", False),
]


def virtual(name: str) -> Cell:
    cell = tiny_cell()
    cell.add("scorbot", Controller(robot="arm", inputs={1: "part_there"}, outputs={8: "lamp"}))
    scorbot = cell.controllers["scorbot"].scorbot
    if name.endswith(".pas"):
        cell.program(load_pascal(HERE / name, scorbot), name="tiny")
    else:
        function = load_program(HERE / name).function("tiny")
        cell.program(lambda: function(scorbot), name="tiny")
    cell.run()
    return cell


@pytest.mark.parametrize("name", ["tiny.pas", "tiny.py"])
def test_a_program_does_the_same_in_the_cell_and_on_the_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cell = virtual(name)
    with emulation() as (far, controller, port):
        options = ["--serial", port, "--speed", "40", "--timeout", "60", "--robot", "arm"]
        code = main(["scorpas", str(HERE / name), *options, "--cell", str(HERE / "cell.py")])
        assert capsys.readouterr() == (f"{HERE / name} on {port}: finished\n", "")
        assert code == 0
        assert controller.commands > 20
    assert events(cell) == EXPECTED
    assert events(far) == EXPECTED
    there, here = far.robots["arm"].pose, cell.robots["arm"].pose
    distance, angle = there.distance_to(here)
    assert distance < 0.5 * mm
    assert angle < 0.1 * deg
