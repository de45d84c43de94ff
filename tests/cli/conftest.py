"""The command line, called in process: exit code, stdout and stderr of one command."""

from pathlib import Path
from typing import NamedTuple

import pytest

from drycell.cli.main import main


class CommandOutput(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def drycell(capsys: pytest.CaptureFixture[str]):
    """``drycell("run", folder, "--json")`` as a user types it."""

    def call(*arguments: object) -> CommandOutput:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capsys.readouterr()
        return CommandOutput(code, printed.out, printed.err)

    return call


COUNTING = """\
from drycell import Body, Box, Robot, Workpoint, delay, mm
from drycell.world import Travel


def build(cell):
    cell.add("wall", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(1.1, 0, 0)))
    cube = cell.add("cube", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0, 103 * mm, 0)))
    arm = cell.add("arm", Robot("scara", at=(0, 3, 0)))
    cell.add("near", Workpoint(at=(0, 3.2, 0.1)))
    cell.add("far", Workpoint(at=(0, 9, 0.1)))
    count = cell.signal("count", 0)
    cell.check_collisions(clearance=5 * mm)

    @cell.program
    def work():
        cell.world.move(cube, Travel(0, 2_000_000, cube.pose, (1, 0, 0)))
        for _ in range(3):
            delay(1.0)
            count.set(count.value + 1)
        arm.move([0.5, 0, 0, 0])
        print("counted", count.value)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cell: a cube passes a wall at 3 mm, a program counts to three in three seconds, an arm turns."""
    made = tmp_path / "counting"
    made.mkdir()
    (made / "cell.py").write_text(COUNTING)
    return made
