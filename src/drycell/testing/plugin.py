"""The pytest plug-in: the fixture ``drycell_cell``, the mark ``seeds``, and the report of a failing test.

pytest loads it in every run where drycell is installed, so it imports the rest of drycell only when a test uses the
fixture.
"""

import re
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from drycell.testing.bench import Bench

_BENCHES = pytest.StashKey[list["Bench"]]()
_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--drycell-record FOLDER``."""
    parser.getgroup("drycell").addoption(
        "--drycell-record",
        metavar="FOLDER",
        help="keep the recordings and journals of failing tests in this folder, for drycell replay",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark ``seeds``."""
    config.addinivalue_line("markers", "seeds(seeds): run the test once for each seed of its cell (drycell)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Create one test for each seed of ``@pytest.mark.seeds(range(5))``."""
    mark = metafunc.definition.get_closest_marker("seeds")
    if mark is None or "drycell_seed" not in metafunc.fixturenames:
        return  # other plug-ins may define a mark with this name
    where = metafunc.definition.nodeid
    if len(mark.args) != 1 or not isinstance(mark.args[0], Iterable) or isinstance(mark.args[0], str):
        raise pytest.UsageError(f"{where}: @pytest.mark.seeds takes the seeds, such as range(5)")
    seeds = list(mark.args[0])
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise pytest.UsageError(f"{where}: @pytest.mark.seeds takes whole numbers, not {seed!r}")
    metafunc.parametrize("drycell_seed", seeds, ids=[f"seed{seed}" for seed in seeds])


@pytest.fixture
def drycell_seed() -> int | None:
    """Return the seed of this test from its mark ``seeds``, or None to use the cell's own."""
    return None


@pytest.fixture
def drycell_cell(request: pytest.FixtureRequest, drycell_seed: int | None) -> Iterable[Callable[..., "Bench"]]:
    """Put a cell on the test bench: ``drycell_cell("cells/press", seed=3).run(until=1*hour)``.

    Args:
        subject: The path of a cell, relative to the test's file or to pytest's root, or a function ``build(cell)``.
        seed: Overrides the seed from the mark ``seeds``.
        program: Programs to replace: ``program={"robot": "robot.pas"}``, or functions instead of files.
    """
    node = request.node
    benches = node.stash.setdefault(_BENCHES, [])

    def put(subject: Any, *, seed: int | None = None, program: Any = None) -> "Bench":
        from drycell.testing.bench import Bench, programs_from, subject_from

        folders = [node.path.parent, node.config.rootpath]
        made = Bench(
            subject_from(subject, folders),
            seed=drycell_seed if seed is None else seed,
            programs=programs_from(program, folders),
            record=_recording(node, len(benches)),
        )
        benches.append(made)
        return made

    yield put
    if not node.stash.get(_FAILED, False):
        for bench in benches:
            bench.discard()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failing test how its cells ran, and how to run them again."""
    report = yield
    benches = item.stash.get(_BENCHES, [])
    if report.when in ("setup", "call") and report.failed:
        item.stash[_FAILED] = True
        for number, bench in enumerate(benches, 1):
            title = "drycell" if len(benches) == 1 else f"drycell, cell {number} of {len(benches)}"
            report.sections.append((title, bench.report()))
    return report


def _recording(node: pytest.Item, number: int) -> Path | None:
    """Return the file in which the next cell of a test is recorded, or None."""
    folder = node.config.getoption("--drycell-record")
    if folder is None:
        return None
    plain = re.sub(r"[^\w.-]+", "-", node.nodeid.replace(".py", "")).strip("-")
    return Path(str(node.config.invocation_params.dir), folder, f"{plain}{f'-{number + 1}' if number else ''}.dry")
