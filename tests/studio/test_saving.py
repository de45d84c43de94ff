"""A run is saved in every format, completely or not at all, and missing parts are reported."""

import asyncio
import csv
import io
import sys
import zipfile
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.cell import CellSource
from drycell.recording import Recording
from drycell.studio.host.session import HostSession

from .asking import host
from .conftest import EXAMPLES


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> HostSession:
    folder = tmp_path_factory.mktemp("saving")
    session = HostSession(folder, lambda event: None)
    source = CellSource.find(EXAMPLES / "00_first_cell")
    session.open_cell(source.build(), source, source.path)
    session.speed = None
    session.start()
    session.perform()
    return session


def _save(session: HostSession, path: Path) -> int:
    return asyncio.run(host(session).files.save(str(path), session.now))


@pytest.mark.parametrize("name", ["run.dry", "run.svg", "run.html", "run.zip"])
def test_a_run_is_saved_in_each_form(session: HostSession, tmp_path: Path, name: str) -> None:
    assert session.result is not None
    path = tmp_path / "out" / name
    assert _save(session, path) == path.stat().st_size > 0
    assert [each.name for each in path.parent.iterdir()] == [name]  # nothing else is left
    if name == "run.dry":
        with Recording.open(path) as recording:
            assert recording.result.journal_hash == session.result.journal_hash
    elif name == "run.zip":
        with zipfile.ZipFile(path) as archive:
            rows = list(csv.DictReader(io.StringIO(archive.read("collisions.csv").decode())))
        miss = session.result.near_misses[0]
        assert [(row["kind"], row["a"], row["b"]) for row in rows] == [("near miss", miss.a, miss.b)]
        assert float(rows[0]["distance_m"]) == pytest.approx(miss.distance)
    else:
        assert ("<svg" if name == "run.svg" else "Run report") in path.read_text()


def test_without_the_extra_a_film_names_it_and_leaves_no_file(
    session: HostSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pyvista", "imageio_ffmpeg"):
        monkeypatch.setitem(sys.modules, module, None)
    for name in ("run.mp4", "run.png"):
        with pytest.raises(DrycellError) as refused:
            _save(session, tmp_path / name)
        assert "film" in f"{refused.value.what} {refused.value.hint}"
    assert list(tmp_path.iterdir()) == []


def test_things_that_cannot_be_saved_are_refused(tmp_path: Path) -> None:
    session = HostSession(tmp_path, lambda event: None)
    source = CellSource.find(EXAMPLES / "00_first_cell")
    session.open_cell(source.build(programs=False), source, source.path)
    with pytest.raises(DrycellError, match="cannot be saved as"):
        _save(session, tmp_path / "run.doc")
    with pytest.raises(DrycellError, match="has not ended"):
        _save(session, tmp_path / "run.html")
    assert _save(session, tmp_path / "start.svg") > 0  # a picture does not need a run
