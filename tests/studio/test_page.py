"""The page without a browser: the state of a run, the transport bar, EMULA's console and a trace."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nicegui.testing import User

from drycell.studio.api.emula import EmulaState
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import HostStatus, RunSummary, StopPlace
from drycell.studio.page.emula import EmulaPanel, load_line
from drycell.studio.page.header import state_text
from drycell.studio.page.texts import clock_text, factor_text, short_path, typed_path
from drycell.studio.page.transport import TransportBar
from drycell.studio.server.files import emula_files
from drycell.studio.server.studio import Studio

from .conftest import EXAMPLES, Opener

BENCH = HostStatus(mode="ready")


@pytest.mark.parametrize(
    ("ticks", "text"),
    [(0, "0:00.000"), (1_999, "0:00.001"), (61_500_000, "1:01.500"), (3_600_000_000, "1:00:00.000")],
)
def test_a_clock_shows_hours_only_where_there_are_some(ticks: int, text: str) -> None:
    assert clock_text(ticks) == text


def test_a_path_that_is_proposed_leads_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine" / "cell.yaml"
    assert typed_path(file) == str(file)
    assert short_path(file) == "mine/cell.yaml"
    assert typed_path(Path.cwd() / "mine" / "cell.yaml") == "mine/cell.yaml"


def test_speeds_are_reported_as_factors() -> None:
    assert [factor_text(each) for each in (0.1, 1.0, 100.0, None)] == ["0.1 ×", "1 ×", "100 ×", "max"]


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        ({}, "", "plain"),
        ({"mode": "live", "state": "running"}, "running", "plain"),
        ({"mode": "live", "state": "paused"}, "paused", "plain"),
        ({"mode": "live", "state": "paused", "stopped_at": StopPlace("p", "a/r.pas", 61, 1)}, "at r.pas:61", "plain"),
        ({"mode": "ended", "summary": RunSummary(ending="finished", clean=True)}, "finished", "good"),
        ({"mode": "ended", "summary": RunSummary(ending="finished", clean=True, near_misses=1)},
         "finished · 1 near miss", "doubtful"),
        ({"mode": "ended", "summary": RunSummary(ending="finished", clean=False, collisions=1, near_misses=2)},
         "finished · 1 collision · 2 near misses", "bad"),
        ({"mode": "recorded", "summary": RunSummary(ending="deadlock")}, "recording: deadlock", "plain"),
        ({"error": ErrorReport("DrycellError", what="no")}, "error", "bad"),
    ],
)  # fmt: skip
def test_the_state_of_a_run_is_reported_in_a_few_words(status: dict[str, Any], text: str, kind: str) -> None:
    assert state_text(replace(BENCH, **status)) == (text, kind)


async def until(condition: Any, limit: float = 60.0) -> None:
    """Waits until something is so."""
    end = asyncio.get_running_loop().time() + limit
    while not condition():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.02)


async def test_the_TransportBar_runs_pauses_and_shows_the_past(studio: Studio, panel: Opener) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    user, tab = await panel(TransportBar)
    user.find(marker="run").click()
    await until(lambda: studio.latest.t > 300_000)
    user.find(marker="run").click()
    await until(lambda: studio.latest.state == "paused")
    user.find(marker="scrubber").trigger("update:modelValue", 0.1)
    await until(lambda: studio.latest.shown == 100_000)
    assert not studio.latest.following
    user.find(marker="live").click()
    await until(lambda: studio.latest.following)
    assert tab.holds_control


async def test_a_page_that_only_watches_changes_nothing(studio: Studio, panel: Opener) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    studio.control.join("somebody else", "elsewhere")
    user, _ = await panel(TransportBar)
    user.find(marker="run").click()
    await user.should_see("Another browser has control", retries=200)
    assert studio.latest.mode == "ready"


async def test_emula_is_typed_and_answered_with_its_mistakes_pointed_at(studio: Studio, panel: Opener) -> None:
    studio.latest = replace(studio.latest, factor=None)  # as fast as possible
    user, _ = await panel(EmulaPanel)
    user.find(marker="emula-begin").click()
    await until(lambda: studio.opened is not None and studio.latest.mode == "live")
    await user.should_see("EMULA on drycell", retries=200)
    for line in ("move (-2,10,8)", "movx (3)", "draw"):
        user.find(marker="emula-line").clear().type(line).trigger("keydown.enter")
        await user.should_see(f"> {line}", retries=200)
    await user.should_see("3 motors moved", retries=200)
    await user.should_see("^~~~", retries=200)
    await user.should_see("drawing to emula-001.svg", retries=200)


async def test_a_query_is_answered_at_the_prompt(studio: Studio) -> None:
    studio.latest = replace(studio.latest, factor=None)
    prompts: list[str | None] = []
    studio.listen(EmulaState, lambda state: prompts.append(state.prompt))
    await studio.open_emula()
    await until(lambda: prompts and prompts[-1] == "> ")
    await studio.host.emula.type_line(line=f"load('{EXAMPLES / '10_emula' / 'query.eml'}')")
    for answer in (EXAMPLES / "10_emula" / "query.answers").read_text().split():
        await until(lambda: prompts[-1] not in (None, "> "))
        question = len(prompts)
        await studio.host.emula.type_line(line=answer)
        await until(lambda question=question: len(prompts) > question)
    await until(lambda: prompts[-1] == "> ")


async def test_moments_are_those_of_the_journal(studio: Studio) -> None:
    studio.latest = replace(studio.latest, factor=None)
    await studio.open(EXAMPLES / "00_first_cell")
    await studio.host.transport.run()
    await until(lambda: studio.latest.mode == "ended")
    end = studio.latest.t
    found, t = [], 0
    while (t := await studio.host.transport.next_event(t=t, by=1)) is not None:
        found.append(t)
    assert found == sorted(set(found))
    assert found[-1] <= end
    back = await studio.host.transport.next_event(t=found[-1], by=-1)
    assert back == found[-2]
    assert await studio.host.transport.next_event(t=0, by=-1) is None


async def test_the_whole_page_is_there_with_an_open_cell_and_without(studio: Studio, page_user: User) -> None:
    await page_user.open("/")
    await page_user.should_see("First cell")
    await studio.open(EXAMPLES / "00_first_cell")
    await page_user.open("/")
    for name in ("Program", "Teach", "Build", "EMULA", "Signals", "Journal", "Tables"):
        await page_user.should_see(name)


async def test_a_mistake_in_the_cell_is_shown_until_it_is_mended(
    studio: Studio, page_user: User, tmp_path: Path
) -> None:
    cell = tmp_path / "cell.py"
    cell.write_text("def build(cell):\n    cell.nonsense()\n")
    with pytest.raises(Exception, match="nonsense"):
        await studio.open(cell)
    await page_user.open("/")
    await page_user.should_see("nonsense", retries=200)


def test_a_file_of_emula_is_loaded_whatever_its_name(tmp_path: Path) -> None:
    names = ["plain.eml", "it's.eml", "x'); draw('.eml", "two\nlines.eml"]
    for name in names:
        (tmp_path / name).write_text("")
    listed = [path for path in emula_files(tmp_path) if path.parent == tmp_path]
    assert {path.name for path in listed} == set(names[:3])
    assert load_line(Path("x'); draw('.eml")) == "load('x''); draw(''.eml')"
