"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock.

What fails is shrunk but not explained. For that, Hypothesis traces; a run was seen to hang in a frame of Hypothesis,
and whether tracing beside greenlets did it is not known.

Cells of the repository and of the tests' own folders are trusted; whom the user trusts plays no part.

A browser test that fails is rerun once on its own, with a new studio and a new browser. If it then passes, the suite
passes, and the test is listed as flaky at the end: it must be fixed before the next feature.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

settings.register_profile(
    "drycell",
    derandomize=True,
    deadline=None,
    print_blob=True,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("drycell")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order with this seed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the files, and the tests within each file: fixtures of a file are then still set up once."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        order = Random(seed)
        files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
        order.shuffle(files)
        for tests in files:
            order.shuffle(tests)
        items[:] = [item for tests in files for item in tests]


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


_BROWSER_TESTS = Path(__file__).parent / "studio" / "browser"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a browser test, and once more if it fails."""
    if not item.path.is_relative_to(_BROWSER_TESTS):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    failed = [report for report in reports if report.failed]
    if failed:
        # Nothing of the first run, such as its studio, is reused. Errors while ending it belong to that run as well.
        with suppress(Exception):
            item.session._setupstate.teardown_exact(None)
        item._initrequest()  # type: ignore[attr-defined]  # as pytest does when it makes the item
        again = runtestprotocol(item, log=False, nextitem=nextitem)
        if not any(report.failed for report in again):
            for report in again:
                if report.when == "call":
                    report.flaky = failed[0].longreprtext
            reports = again
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the tests that passed only when they were rerun, with the error of the first time."""
    flaky = [each for each in terminalreporter.stats.get("passed", []) if getattr(each, "flaky", None)]
    if flaky:
        terminalreporter.section(f"FLAKY: {len(flaky)} passed only when rerun; fix before the next feature", red=True)
        for each in flaky:
            terminalreporter.line(f"FLAKY {each.nodeid}", red=True)
            terminalreporter.line("\n".join(f"    {line}" for line in each.flaky.splitlines()[-12:]))


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
