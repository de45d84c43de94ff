"""Building a cell on the page: add, move, change, undo and save; nothing is lost."""

import asyncio
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from nicegui import app

from drycell.base import CellFileError, FileError, Pose
from drycell.cell import CellSource, Model, known_kinds
from drycell.editing import Draft
from drycell.studio.building import Building
from drycell.studio.host.building import HostBuilding
from drycell.studio.host.client import HostError
from drycell.studio.host.session import HostSession
from drycell.studio.page.build import BuildPanel, fitted, items, mounted_on
from drycell.studio.page.shell import add_routes
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view import CellView
from drycell.studio.server.studio import Studio
from drycell.world import Scene

from .conftest import EXAMPLES, Opener

PYTHON = """\
from drycell import Body, Box, mm


def build(cell):
    cell.add("table", Body(Box(600 * mm, 400 * mm, 20 * mm)))
"""


def _with_view(tab: BrowserTab) -> BuildPanel:
    """The panel on a page with a view: added things must become visible."""
    tab.view = CellView(tab)
    return BuildPanel(tab)


async def _added(building: Building, name: str) -> None:
    """Wait until a thing is in the draft: the cell is loaded first."""
    async with asyncio.timeout(60):
        while name not in building.require_draft().model.things:
            await asyncio.sleep(0.02)


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """A cell of the user's own."""
    shutil.copytree(EXAMPLES / "30_event_cell", tmp_path / "mine")
    return tmp_path / "mine"


async def test_an_edit_shows_before_a_run_without_touching_the_file(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    building = studio.building
    before = (cell / "cell.yaml").read_text()
    building.edit(lambda draft: draft.add("bodies", {"shape": {"box": [0.1, 0.1, 0.1]}, "on": "table"}, "crate"))
    await building.shown()
    tree = await studio.host.scene.tree()
    assert "crate" in [body.name for body in tree.bodies]
    assert building.unsaved
    assert (cell / "cell.yaml").read_text() == before
    building.save()
    assert not building.unsaved
    assert Model.load(cell).things["crate"].on == "table"


async def test_errors_of_the_bench_name_field_and_line(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    building = studio.building
    building.edit(lambda draft: draft.change("table", material="steeel"))
    await building.shown()
    (mistake,) = building.mistakes
    assert (mistake.field, mistake.line, mistake.hint) == ("bodies.table", 17, "did you mean 'steel'?")
    building.edit(lambda draft: draft.undo())
    await building.shown()
    assert building.mistakes == ()


async def test_a_program_with_a_mistake_does_not_hide_the_cell(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    (cell / "robot.pas").write_text("program nonsense")
    text = (cell / "cell.yaml").read_text().replace("aluminium", "steel")
    answer = await studio.host.building.preview(text=text, path=str(cell / "cell.yaml"))
    assert answer.shown
    assert answer.mistakes[0].field.startswith("programs.")


async def test_nothing_is_lost_when_the_studio_goes_away(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    studio.building.edit(lambda draft: draft.rename("store", "shelf"))
    await studio.building.shown()
    other = Studio(spares=False)
    try:
        await other.open(cell)
        assert other.building.unsaved
        assert "shelf" in other.building.require_draft().entries.names("devices")
        await other.building.shown()
        assert "shelf" in [each.name for each in (await other.host.scene.tree()).devices]
    finally:
        await other.close()


async def test_a_program_that_is_added_has_a_file_that_runs(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    building = studio.building
    building.edit(lambda draft: draft.add("programs", {"file": building.begin_program("blink")}, "blink"))
    await building.shown()
    assert building.mistakes == ()
    assert "def blink(arm):" in (cell / "blink.py").read_text()
    (cell / "blink.py").write_text("def blink(): pass\n")
    assert building.begin_program("blink") == "blink.py"  # existing content is left unchanged
    assert (cell / "blink.py").read_text() == "def blink(): pass\n"


async def test_a_place_in_the_world_becomes_one_seen_from_the_carrier(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    building = studio.building
    path = building.require_draft().path_of("store")
    carrier, on_top = building.carrier(path)
    local = building.local_pose(path)
    at = (*local.position, *local.quaternion)
    found = await studio.host.building.place("store", carrier, on_top, at)
    frame, lift, world = (Pose.of_quaternion(each[3:], each[:3]) for each in (found.frame, found.lift, found.world))
    assert (frame @ local @ lift).distance_to(world)[0] < 1e-9


async def test_a_running_cell_is_left_alone(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    building = studio.building
    await studio.host.transport.run()
    while studio.latest.mode == "ready":
        studio.latest = await studio.host.transport.status()
    building.edit(lambda draft: draft.change("table", material="steel"))
    await building.shown()
    assert not building.previews
    with pytest.raises(HostError, match="the run has started"):
        await studio.host.building.preview(text="name: x\n", path=str(cell / "cell.yaml"))


async def test_a_cell_in_python_is_offered_as_a_cell_file(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "cell.py").write_text(PYTHON)
    await studio.open(tmp_path / "python")
    building = studio.building
    assert building.draft is None
    with pytest.raises(CellFileError, match="builds its cell in Python"):
        building.require_draft()
    await building.save_as(tmp_path / "python" / "cell.yaml")
    assert building.require_draft().entries.names("bodies") == ["table"]


async def test_a_cell_begins_empty_or_as_a_copy_of_an_example(studio: Studio, tmp_path: Path) -> None:
    building = studio.building
    await building.new(tmp_path / "fresh")
    assert (tmp_path / "fresh" / "cell.yaml").read_text() == "name: fresh\nchecks:\n  collision: {}\n"
    await building.begin_from(EXAMPLES / "01_shared_nest", tmp_path / "copy")
    assert (tmp_path / "copy" / "feed.py").is_file()
    assert not (tmp_path / "copy" / "expected.txt").exists()
    with pytest.raises(FileError, match="not empty"):
        await building.begin_from(EXAMPLES / "01_shared_nest", tmp_path / "copy")


async def test_a_sensor_behaves_as_its_data_say(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    volume = "volume: {beam: {length: 500 mm, half_angle: 8 deg}}"
    found = await studio.host.building.sensor_preview(f"{{type: range, {volume}}}")
    assert found.volumes[0].size[2] == pytest.approx(0.5)
    distance, angle = found.curves
    at = dict(distance.points)
    assert at[250.0] == pytest.approx(0.25, abs=1e-6)
    assert angle.points[len(angle.points) // 2][1] == pytest.approx(500, rel=0.02)
    wrong = await studio.host.building.sensor_preview(f"{{type: range, {volume}, every: -1 s}}")
    assert wrong.mistakes[0].field == "sensors.sensor.every"


async def test_the_panel_adds_renames_changes_and_undoes(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, _tab = await panel(_with_view)
    building = studio.building
    await user.should_see(marker="add-box")
    user.find(marker="add-box").click()
    await _added(building, "box")
    await user.should_see(marker="entry-name")
    assert building.require_draft().model.things["box"].shape is not None
    user.find(marker="entry-name").clear().type("crate").trigger("keydown.enter")
    assert "crate" in building.require_draft().entries.names("bodies")
    user.find(marker="place-x").clear().type("250").trigger("keydown.enter")
    assert building.require_draft().get(("bodies", "crate", "at"))[0] == "250 mm"
    user.find(marker="place-x").clear().type("fast").trigger("keydown.enter")
    assert building.require_draft().get(("bodies", "crate", "at"))[0] == "250 mm"
    user.find(marker="shape-box-2").clear().type("2 in").trigger("keydown.enter")
    assert building.require_draft().get(("bodies", "crate", "shape", "box")) == ["100 mm", "100 mm", "2 in"]
    user.find(marker="entry-copy").click()
    await _added(building, "crate2")
    for _ in range(5):
        user.find(marker="build-undo").click()
    assert building.require_draft().text() == (cell / "cell.yaml").read_text()


async def test_the_panel_finds_things_by_name(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, _ = await panel(BuildPanel)
    await user.should_see(marker="add-box")
    user.find(marker="palette-search").type("ur5")
    await user.should_see(marker="add-ur5-like")
    await user.should_not_see(marker="add-box")


async def test_the_palette_finds_an_arm_by_its_maker_and_shows_its_picture(
    studio: Studio, cell: Path, panel: Opener
) -> None:
    await studio.open(cell)
    user, _ = await panel(BuildPanel)
    await user.should_see(marker="add-box")
    user.find(marker="palette-search").type("fanuc m-900")
    await user.should_see(marker="add-m900ib700")
    await user.should_not_see(marker="add-ur5e")
    (tile,) = user.find(marker="add-m900ib700").elements
    pictures = [each.props["src"] for each in tile.descendants() if each.tag == "img"]
    assert pictures == ["/drycell/thumbnails/m900ib700.png"]


async def test_every_picture_of_the_palette_is_served(studio: Studio) -> None:
    add_routes(studio)
    serve = next(each.endpoint for each in app.routes if getattr(each, "path", "") == "/drycell/thumbnails/{file}")
    found = await HostBuilding(HostSession(Path(), lambda event: None)).library()
    pictures = [each.picture for each in (*found.robots, *found.grippers, *found.tools) if each.picture]
    assert any("irb1200-5-0.9" in each for each in pictures)
    assert [each for each in pictures if serve(each.rpartition("/")[2]).status_code != 200] == []


async def test_a_gripper_of_the_palette_goes_on_the_selected_robot_or_on_a_new_one(studio: Studio, cell: Path) -> None:
    await studio.open(cell)
    found = {each.title: each for each in items(known_kinds(), await studio.host.building.library())}
    gripper, torch = found["robotiq-2f-85"], found["welding-torch"]
    assert (gripper.group, torch.group) == ("Grippers", "Tools")
    assert gripper.picture == "/drycell/thumbnails/robotiq-2f-85.png"
    draft = Draft("robots:\n  arm: {model: ur10e, gripper: two-finger}\n  other: {model: ur5e}\n")
    assert mounted_on(gripper, draft, ("robots", "arm")) == "arm"
    assert mounted_on(torch, draft, ("robots", "arm")) == "arm"
    assert draft.get(("robots", "arm")) == {"model": "ur10e", "gripper": "robotiq-2f-85", "tool": "welding-torch"}
    assert draft.get(("robots", "other")) == {"model": "ur5e"}
    assert mounted_on(gripper, draft, None) is None
    assert mounted_on(found["ur5e"], draft, ("robots", "arm")) is None
    assert fitted(gripper, draft, None, str, ()) == {"model": "ur5e", "gripper": "robotiq-2f-85"}


async def test_an_added_thing_is_clear_of_all_others(studio: Studio, tmp_path: Path, panel: Opener) -> None:
    folder = tmp_path / "clear"
    await studio.building.new(folder)
    user, _tab = await panel(_with_view)
    for kind, name in (
        ("table", "table"), ("ur5e", "arm"), ("conveyor", "conveyor"), ("part", "part"), ("part", "part2"),
        ("box", "box"), ("table", "table2"),
    ):  # fmt: skip
        user.find(marker="palette-search").clear().type(kind)
        await user.should_see(marker=f"add-{kind}")
        user.find(marker=f"add-{kind}").click()
        await _added(studio.building, name)
    studio.building.save()
    world = CellSource.find(folder).build().world
    scene = Scene(world)
    bodies = [each for each in world.bodies.values() if each.shape is not None]
    inside = [
        (a.name, b.name)
        for a, b in combinations(bodies, 2)
        if a.name.partition("/")[0] != b.name.partition("/")[0]
        and a.parent is not b
        and b.parent is not a  # a foot may stand a little in what carries it
        and scene.gap(a, b, 0) < 1e-4
    ]
    assert inside == []
    assert len(bodies) > 10


async def test_deleting_says_what_goes_with_it(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, tab = await panel(BuildPanel)
    tab.select("belt")
    await user.should_see(marker="entry-delete")
    user.find(marker="entry-delete").click()
    await user.should_see("devices.feeder.on")
    user.find(marker="remove-all").click()
    await user.should_not_see(marker="entry-delete")
    text = studio.building.require_draft().text()
    assert "belt" not in Draft(text).entries.names("devices")
    assert "sensor1" not in Draft(text).entries.names("sensors")


async def test_the_sensor_form_puts_numbers_into_the_file_and_errors_at_their_fields(
    studio: Studio, cell: Path, panel: Opener
) -> None:
    await studio.open(cell)
    panels: list[BuildPanel] = []
    user, _tab = await panel(lambda tab: panels.append(_with_view(tab)))
    await user.should_see(marker="add-box")
    user.find(marker="palette-search").type("generic")
    user.find(marker="add-generic-sensor").click()
    await _added(studio.building, "sensor")
    await user.should_see(marker="sensor-volume-beam-length")
    draft = studio.building.require_draft()
    user.find(marker="sensor-volume-beam-length").clear().type("450").trigger("keydown.enter")
    assert draft.get(("sensors", "sensor", "volume", "beam", "length")) == "450 mm"
    field = user.find(marker="sensor-volume-beam-half_angle")
    field.clear().type("120").trigger("keydown.enter")
    assert draft.get(("sensors", "sensor", "volume", "beam", "half_angle")) == "8 deg"
    (box,) = field.elements
    assert "must be below 90 deg" in box.props["error-message"]
    user.find(marker="sensor-every").clear().type("50 ms").trigger("keydown.enter")
    assert draft.get(("sensors", "sensor", "every")) == "50 ms"


async def test_looking_at_things_changes_nothing(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, tab = await panel(BuildPanel)
    building = studio.building
    for name in building.require_draft().entries.names():
        tab.select(name)
        await user.should_see(marker="entry-name")
    await building.shown()
    assert building.require_draft().steps == ()
    assert not building.unsaved


async def test_a_thing_put_on_another_carrier_stands_on_it(studio: Studio, cell: Path, panel: Opener) -> None:
    await studio.open(cell)
    user, tab = await panel(BuildPanel)
    building = studio.building
    building.edit(
        lambda draft: draft.add("bodies", {"shape": {"box": [0.1, 0.1, 0.1]}, "at": [0.3, 0.1, 0.5]}, "crate")
    )
    await building.shown()
    tab.select("crate")
    await user.should_see(marker="carrier")
    (carrier,) = user.find(marker="carrier").elements
    carrier.set_value("table")  # type: ignore[attr-defined]
    async with asyncio.timeout(60):
        while building.require_draft().get(("bodies", "crate", "on")) != "table":
            await asyncio.sleep(0.02)
    assert building.require_draft().get(("bodies", "crate", "at")) == ["100 mm", "250 mm", "0 mm"]


async def test_a_file_written_by_another_program_is_taken_over_unless_something_is_unsaved(
    studio: Studio, cell: Path
) -> None:
    await studio.open(cell)
    building, file = studio.building, cell / "cell.yaml"
    text = file.read_text()
    file.write_text(text.replace("name: ", "name: other ", 1))
    studio.workspace.poll()
    assert building.require_draft().model.head.name.startswith("other")
    assert not building.unsaved
    await building.shown()
    building.edit(lambda draft: draft.set(("name",), "mine"))
    file.write_text(text)
    studio.workspace.poll()
    assert building.require_draft().model.head.name == "mine"
    assert building.require_draft().changed_on_disk
    with pytest.raises(CellFileError, match="was changed on disk"):
        building.save()
