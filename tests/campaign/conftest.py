"""A cell that runs in a millisecond."""

from pathlib import Path

import pytest

from drycell.campaign import campaign as module
from tests.campaign.in_process import InProcess

CELL = """\
format: 1
name: toy
signals: {ready: false}
bodies:
  table: {shape: {box: [1 m, 1 m, 100 mm]}}
programs:
  work: {file: work.py, args: {pause: 2}}
run: {until: 100 s}
"""
PROGRAM = """\
from drycell import ProgramError, delay, interval, wait


def work(cell, ready, pause):
    delay(pause + interval("wait", 0, 2))
    cell.measure("waited", cell.time)
    ready.set(True)
    if pause == 13:
        raise ProgramError("pause 13 is unlucky")
    if pause == 14:
        wait(~ready)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The folder of the cell. The figure ``waited`` is uniform from 2 to 4 s; ``work.args.pause`` shifts it."""
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "cell.yaml").write_text(CELL)
    (folder / "work.py").write_text(PROGRAM)
    return folder


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> type[InProcess]:
    """Make the runs of campaigns in this process, which is much faster than starting others."""
    monkeypatch.setattr(module, "LocalEngine", InProcess)
    InProcess.made = 0
    return InProcess
