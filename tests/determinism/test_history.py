"""Earlier runs in a process do not affect later ones."""

import subprocess
import sys
from pathlib import Path

import pytest

NEST = Path(__file__).parents[2] / "examples" / "01_shared_nest"
# coal decides at the first support query of any box whether all boxes are enlarged by 1e-10 (a `static`
# in its getShapeSupport): these two queries would make it decide one way and the other.
ALONG_AN_AXIS = "distance(Placed(Box(1, 1, 1)), Placed(Box(1, 1, 1), Pose(3, 0, 0)))"
ASKEW = "distance(Placed(Box(1, 1, 1)), Placed(Box(1, 1, 1), Pose(0.1, 0.2, 0.3) @ Pose.turn_x(0.4)))"
HEAD = "from drycell.geometry import Box, Placed, distance\nfrom drycell.base.pose import Pose\n"


def said(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_a_distance_does_not_depend_on_which_was_measured_first() -> None:
    question = "print(repr(distance(Placed(Box(0.012, 0.02, 0.05)), Placed(Box(0.03, 0.03, 0.04), Pose(0.021, 0, 0)))))"
    alone = said(f"{HEAD}{question}")
    assert {said(f"{HEAD}{first}\n{question}") for first in (ALONG_AN_AXIS, ASKEW)} == {alone}
    assert float(alone) == pytest.approx(0.0, abs=1e-15)


def test_a_run_does_not_depend_on_what_was_measured_before_it() -> None:
    run = f"from drycell.cell import CellSource\nprint(CellSource.find({str(NEST)!r}).build().run().journal_hash)"
    assert said(f"{HEAD}{ALONG_AN_AXIS}\n{run}") == said(f"{HEAD}{ASKEW}\n{run}")
