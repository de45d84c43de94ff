"""Programs at a past instant: found by running the cell again, and never wrong."""

import asyncio
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.cell import CellSource, trust
from drycell.studio.api.transport import HostStatus
from drycell.studio.past import PastPrograms
from drycell.studio.server.events import PastChanged
from drycell.studio.server.studio import Studio

CELL = "name: counting\nsignals: {lamp: false}\nprograms: {count: {file: count.py}}\n"
COUNT = """\
from drycell import delay


def count(lamp):
    seconds = 0
    while seconds < 20:
        delay(1)
        seconds += 1
        lamp.set(not lamp.value)
"""
UNREPEATABLE = COUNT.replace("delay(1)", "delay(1 + time.time_ns() % 1_000_000 / 1e6)").replace(
    "from drycell", "import time\n\nfrom drycell"
)


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "cell"
    folder.mkdir()
    (folder / "cell.yaml").write_text(CELL)
    (folder / "count.py").write_text(COUNT)
    trust(folder)
    return folder


async def reported(studio: Studio, event: type, found: "object") -> None:
    """Waits until a condition holds after an event."""
    changed = asyncio.Event()
    stop = studio.listen(event, lambda _: changed.set())
    try:
        async with asyncio.timeout(60):
            while not found():  # type: ignore[operator]
                changed.clear()
                await changed.wait()
    finally:
        stop()


async def ended(studio: Studio) -> None:
    await studio.host.transport.set_speed(None)
    await studio.host.transport.run()
    await reported(studio, HostStatus, lambda: studio.latest.mode == "ended")


async def at(studio: Studio, t: int) -> PastPrograms:
    await studio.host.transport.seek(t)
    past = studio.past
    await reported(
        studio, PastChanged, lambda: past.programs.t == t and past.programs.state in ("shown", "not available")
    )
    return past.programs


async def seconds(studio: Studio) -> str:
    calls = await studio.past.variables("count")
    (value,) = (each.value for scope in calls.scopes for each in scope.variables if each.name == "seconds")
    return value


async def test_lines_and_variables_are_those_of_the_instant(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    await ended(studio)
    for t in (3_500_000, 12_000_000, 1_200_000):
        (program,) = (await at(studio, t)).processes
        assert (Path(program.file or "").name, program.line) == ("count.py", 7)
        assert await seconds(studio) == str(t // 1_000_000)


async def test_forced_signals_are_forced_again(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    await studio.host.signals.force("lamp", True)
    await ended(studio)
    assert (await at(studio, 5_500_000)).state == "shown"


async def test_a_recording_is_run_again_if_its_code_is_trusted(
    studio: Studio, cell: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = CellSource.find(cell)
    source.build().run(record=tmp_path / "run.dry", source=source)
    await studio.open(tmp_path / "run.dry")
    assert (await at(studio, 4_500_000)).reason == ""
    assert await seconds(studio) == "4"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "other"))
    await studio.restart()
    found = await at(studio, 6_500_000)
    assert (found.state, found.processes) == ("not available", ())
    assert "not trusted" in found.reason


async def test_a_run_that_does_not_repeat_is_not_invented(studio: Studio, cell: Path) -> None:
    (cell / "count.py").write_text(UNREPEATABLE)
    await studio.open(cell)
    await ended(studio)
    found = await at(studio, 8_000_000)
    assert (found.state, found.processes) == ("not available", ())
    assert "cannot be repeated exactly" in found.reason


async def test_files_that_have_changed_since_are_not_run(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    await ended(studio)
    (cell / "count.py").write_text(COUNT.replace("20", "30"))
    found = await at(studio, 8_000_000)
    assert (found.state, found.reason) == ("not available", "count.py has changed since the cell was built")
    with pytest.raises(DrycellError, match="has changed"):
        await studio.host.debugging.recipe()
