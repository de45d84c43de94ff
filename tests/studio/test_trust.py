"""The studio runs no code from a folder that is not trusted: it shows the cell, and asks before the run."""

import asyncio
from pathlib import Path

import pytest

from drycell.cell import is_trusted, trust
from drycell.studio.host.client import HostError
from drycell.studio.page.opening import TrustDialog
from drycell.studio.server.studio import Studio

from .conftest import EXAMPLES, Opener

CELL = "name: small\nbodies:\n  table: {shape: {box: [1 m, 1 m, 20 mm]}}\nprograms:\n  tend: {file: tend.py}\n"
MARK = "from pathlib import Path\n\nPath(__file__).with_name('ran').touch()\n\n\ndef tend():\n    pass\n"


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An untrusted folder with a program that leaves a mark when it is loaded."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    here = tmp_path / "cell"
    here.mkdir()
    (here / "cell.yaml").write_text(CELL)
    (here / "tend.py").write_text(MARK)
    return here


async def test_a_cell_with_programs_is_shown_and_edited_but_not_run(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    assert [body.name for body in studio.tree.bodies] == ["table"]
    (program,) = studio.tree.programs
    assert program.file == str(cell / "tend.py")
    site = studio.building
    site.edit(lambda draft: draft.change("table", material="steel"))
    await site.shown()
    assert site.mistakes == ()
    with pytest.raises(HostError, match=r"the run executes code: tend\.py") as caught:
        await studio.host.transport.run()
    assert caught.value.report.kind == "Untrusted"
    assert caught.value.report.folder == str(cell)
    assert not (cell / "ran").exists()
    trust(cell)
    await studio.restart()
    await studio.host.transport.run()
    assert (cell / "ran").exists()


@pytest.mark.parametrize("code", ["cell.py", "kinds.py"])
async def test_a_cell_that_needs_code_to_be_built_is_not(studio: Studio, cell: Path, code: str) -> None:
    (cell / code).write_text(MARK)
    if code == "cell.py":
        (cell / "cell.yaml").unlink()
    else:
        (cell / "cell.yaml").write_text("name: small\nuses: [kinds.py]\n")
    with pytest.raises(HostError, match=f"runs code: {code}"):
        await studio.open(cell)
    assert studio.latest.error.kind == "Untrusted"
    assert studio.building.draft is None
    assert not (cell / "ran").exists()


async def test_the_page_asks_and_goes_on(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, tab = await panel(TrustDialog)
    tab.show_error(await _refused(studio))
    await user.should_see(str(cell))
    await user.should_see("tend.py")
    user.find(marker="trust-folder").click()
    async with asyncio.timeout(60):
        while not (cell / "ran").exists():  # loaded with the cell
            await asyncio.sleep(0.02)
    assert is_trusted(cell)


async def test_a_refusal_is_not_asked_for_again(studio: Studio, cell: Path, panel: Opener) -> None:
    (cell / "kinds.py").write_text(MARK)
    (cell / "cell.yaml").write_text("name: small\nuses: [kinds.py]\n")
    with pytest.raises(HostError):
        await studio.open(cell)
    user, _tab = await panel(TrustDialog)
    await user.should_see(str(cell))
    user.find(marker="trust-not-now").click()
    studio.events.emit(studio.latest)
    (dialog,) = user.find(marker="trust-dialog").elements
    assert not dialog.value  # type: ignore[attr-defined]
    assert not is_trusted(cell)


async def test_the_host_imports_nothing_from_the_working_folder(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy", "json", "yaml"):
        (tmp_path / f"{name}.py").write_text(MARK)
    monkeypatch.chdir(tmp_path)
    await studio.open(EXAMPLES / "00_first_cell")
    assert studio.latest.mode == "ready"
    assert not (tmp_path / "ran").exists()


async def _refused(studio: Studio) -> HostError:
    with pytest.raises(HostError) as caught:
        await studio.host.transport.run()
    return caught.value
