"""The form of a generic sensor in a real browser: the view shows the typed values."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Server, Starter
from .test_build import CELL, built, marked

__all__ = ["built"]

_LENGTH = """() => { const sensor = window.__drycell.view.overlays.sensors.find((each) => each.name === "sensor");
    if (!sensor) return null;
    const z = sensor.volumes.flatMap((each) => { const at = each.vertices, found = [];
        for (let k = 2; k < at.length; k += 3) found.push(at[k]); return found; });
    return Math.max(...z) - Math.min(...z); }"""


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder: Path = tmp_path_factory.mktemp("ready")
    (folder / "cell.yaml").write_text(CELL)
    return start(str(folder))


def test_the_volume_in_the_view_changes_by_exactly_what_is_typed(built: Page) -> None:
    marked(built, "palette-search").fill("generic")
    marked(built, "add-generic-sensor").click()
    length = marked(built, "sensor-volume-beam-length")
    expect(length).to_have_value("300 mm")
    built.wait_for_function(f"() => ({_LENGTH})() !== null")
    assert built.evaluate(_LENGTH) == pytest.approx(0.300, abs=1e-6)

    length.fill("450")
    length.press("Enter")
    built.wait_for_function(f"() => Math.abs(({_LENGTH})() - 0.45) < 1e-6")
    expect(length).to_have_value("450 mm")
    expect(marked(built, "sensor-response").locator("canvas").first).to_be_visible()

    length.fill("-3 mm")
    length.press("Enter")
    expect(built.get_by_text("must be above 0")).to_be_visible()
    assert built.evaluate(_LENGTH) == pytest.approx(0.450, abs=1e-6)
