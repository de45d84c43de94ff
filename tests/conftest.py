"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock.

What fails is shrunk but not explained. For that, Hypothesis traces; a run was seen to hang in a frame of Hypothesis,
and whether tracing beside greenlets did it is not known.

Cells of the repository and of the tests' own folders are trusted; whom the user trusts plays no part.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile(
    "drycell",
    derandomize=True,
    deadline=None,
    print_blob=True,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("drycell")


@pytest.fixture(scope="session", autouse=True)
def trusted_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The repository and all temporary folders of the tests, for commands that run no code without trust."""
    config = tmp_path_factory.mktemp("config")
    (config / "drycell").mkdir()
    folders = (Path(__file__).parents[1].resolve(), tmp_path_factory.getbasetemp().resolve())
    (config / "drycell" / "trusted").write_text("".join(f"{each}\n" for each in folders))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(config))
        yield


CELL_FILE = """\
name: touch down
bodies:
  table:
    shape: {box: [700 mm, 800 mm, 40 mm]}
    material: aluminium
    at: [500 mm, 0, -20 mm]
  block:
    shape: {box: [60 mm, 40 mm, 50 mm]}
    material: beech
    on: table
    at: [-50 mm, -220 mm]
  post:
    shape: {cylinder: {radius: 15 mm, length: 110 mm}}
    material: brass
    on: table
    part: false
    at: [-2 mm, 0]
workpoints:
  goal: {on: table, at: [-50 mm, 220 mm, 46 mm], rpy: [180 deg, 0, 0]}
robots:
  arm: {model: ur5-like, gripper: two-finger}
signals:
  done: false
programs:
  place: {file: place.py}
checks:
  collision: {clearance: 5 mm}
"""

PROGRAM = """\
from drycell import mm, s, shifted


def place(arm, block, goal, done, high=70):
    arm.pick(block)
    arm.move_linear(shifted(arm.here, y=440 * mm), 250 * mm / s)
    arm.place(goal, distance=high * mm)
    done.set(True)
"""


@pytest.fixture
def on_disk(tmp_path: Path) -> Path:
    """A folder with a cell file and its program."""
    (tmp_path / "cell.yaml").write_text(CELL_FILE)
    (tmp_path / "place.py").write_text(PROGRAM)
    return tmp_path
