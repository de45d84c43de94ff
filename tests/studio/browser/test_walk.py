"""A user who does anything in any order sees no error of the studio's own, and nothing in a wrong place."""

import shutil
from pathlib import Path

import pytest

from drycell.cell import CellSource
from drycell.studio.server.files import cell_file
from drycell.verify import verify

from .conftest import ROOT, Opener, Server, Starter
from .walk import PROBE, SERVER, Walk

SAMPLE = 25  # actions in `make test`
LARGEST = "02_library"  # all robots at once: to open it takes as long as the rest of the sample
WALK = 2000  # actions in `make soak`


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of all examples, a recording, and the recording of a deadlock."""
    folder = tmp_path_factory.mktemp("walk") / "examples"
    shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("__pycache__", "expected*", "out"))
    found = sorted(each for pattern in ("*", "*/*") for each in folder.glob(pattern) if cell_file(each) is not None)
    source = CellSource.find(folder / "30_event_cell")
    source.build().run(60.0, record=folder / "run.dry", source=source)
    verdict = verify(CellSource.find(folder / "31_verify" / "exact_tie"), out=folder)
    assert verdict.finding is not None
    assert isinstance(verdict.finding.recording, Path)
    return [*found, folder / "run.dry", verdict.finding.recording]


@pytest.fixture(scope="module")
def server(start: Starter, cells: list[Path]) -> Server:
    return start(str(cells[0]), program=SERVER)


def walked(open_page: Opener, server: Server, cells: list[Path], folder: Path, seed: int, steps: int) -> Walk:
    page = open_page(width=1280, height=800, prepare=PROBE)
    walk = Walk(page, server, folder, cells, seed, open_page.errors)  # type: ignore[attr-defined]
    walk.go(steps)
    print(f"seed {seed}: {steps} actions, {walk.compared} images compared with the record, {len(walk.faults)} faults")
    return walk


def test_a_short_walk_shows_nothing_wrong(open_page: Opener, server: Server, cells: list[Path], tmp_path: Path) -> None:
    few = [each for each in cells if each.name != LARGEST]
    walk = walked(open_page, server, few, tmp_path, seed=1, steps=SAMPLE)
    assert walk.faults == []
    assert walk.compared >= SAMPLE / 2


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_a_walk_over_all_examples_shows_nothing_wrong(
    open_page: Opener, server: Server, cells: list[Path], tmp_path: Path, seed: int
) -> None:
    walk = walked(open_page, server, cells, tmp_path, seed=seed, steps=WALK)
    assert walk.faults == []
    assert walk.compared >= WALK


def test_the_walk_sees_a_body_in_a_wrong_place(
    open_page: Opener, server: Server, cells: list[Path], tmp_path: Path
) -> None:
    """The test of the test: a pose that is not that of the record, and a body under another's name."""
    page = open_page(prepare=PROBE)
    walk = Walk(page, server, tmp_path, cells[:1], 1, [])
    walk.open()
    walk.check()
    assert walk.faults == []
    page.evaluate("""() => { const body = window.__drycell.view.bodies.list.find((each) => each.entry.mesh);
        body.node.position.x += 1; window.__drycell.view.changed(); }""")
    page.wait_for_function("() => window.__walk.wrong.length > 0")
    walk.check()
    assert any("scrambled" in fault for fault in walk.faults)
