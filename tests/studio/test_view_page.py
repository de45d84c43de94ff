"""The server side of the view: what it sends to the browser, clicks and drags, and the tree."""

from dataclasses import replace
from typing import Any

import pytest
from nicegui.testing import User

from drycell.studio.api.scene import (
    BodyKind,
    Pick,
    Property,
    Tree,
    TreeBody,
    TreeDevice,
    TreeProgram,
    TreeRobot,
    TreeSensor,
    TreeWorkpoint,
)
from drycell.studio.page.properties import PropertiesPanel, share
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import quantity
from drycell.studio.page.tree import TreePanel, nodes
from drycell.studio.page.view import CellView, Drag, view_panel
from drycell.studio.server.studio import Studio
from tests.studio.conftest import EXAMPLES, Opener


def body(number: int, name: str, kind: BodyKind = "fixture", mesh: str | None = "m") -> TreeBody:
    return TreeBody(number, name, None, kind, mesh, "#888888", "steel")


TREE = Tree(
    scene=7,
    version=3,
    bodies=(
        body(0, "table"),
        body(1, "arm/base", "robot"),
        body(2, "arm/forearm", "robot"),
        body(3, "arm/flange", "fixture", None),
        body(4, "mill", "robot"),
        body(5, "mill/table", "robot"),
        body(6, "part1", "part"),
        body(7, "part2", "part"),
        body(8, "eye", "sensor", None),
        body(9, "armrest"),
    ),
    robots=(
        TreeRobot("arm", "ur5-like", (), 1, (2,), "arm/flange", None),
        TreeRobot("mill", "machine-tool", (), 4, (5,), None, None),
    ),
    devices=(TreeDevice("mill", "machinetool"),),
    sensors=(TreeSensor("eye", None, "range"),),
    workpoints=(TreeWorkpoint("corner", None, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),),
    programs=(TreeProgram("tend", None, "python", None),),
)


class Calls(list[tuple[Any, ...]]):
    """The calls that the view made to the browser."""

    def of(self, method: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self if call[0] == method]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    made = Calls()
    monkeypatch.setattr(CellView, "run_method", lambda self, name, *arguments, **_: made.append((name, *arguments)))
    return made


# -------------------------------------------------------------------- the tree


def test_things_are_listed_by_what_they_are() -> None:
    found = {node.id: [child.label for child in node.children] for node in nodes(TREE)}

    assert found == {
        "Robots": ["arm · ur5-like"],
        "Devices": ["mill · machinetool"],  # a machine tool is also a mechanism, but listed once
        "Sensors": ["eye · range"],
        "Fixtures": ["table", "armrest"],  # named like the arm, but not below it
        "Parts": ["part1", "part2"],
        "Workpoints": ["corner"],
        "Programs": ["tend"],
    }
    arm = nodes(TREE)[0].children[0]
    assert [child.label for child in arm.children] == ["base", "forearm"]
    assert arm.bodies == ["arm/base", "arm/forearm"]


def test_bodies_that_are_not_there_are_not_listed() -> None:
    parts = next(node for node in nodes(TREE, frozenset({6})) if node.id == "Parts")
    assert [child.name for child in parts.children] == ["part2"]
    assert parts.label == "Parts (1)"


async def test_selecting_in_the_tree_and_elsewhere_is_the_same(panel: Opener, studio: Studio) -> None:
    studio.tree = TREE
    _, tab = await panel(lambda tab: setattr(tab, "panel", TreePanel(tab)))
    tree = tab.panel  # type: ignore[attr-defined]

    tab.select("arm/forearm")
    assert tree.find("arm/forearm").id == "Robots:arm/forearm"
    assert tree._tree.props["selected"] == "Robots:arm/forearm"
    assert {"Robots", "Robots:arm"} <= set(tree._tree.props["expanded"])
    tab.select(None)
    assert tree._tree.props["selected"] is None


async def test_five_hundred_parts_that_stay_are_not_sent_again(panel: Opener, studio: Studio) -> None:
    many = [body(10 + k, f"crate{k}", "part") for k in range(500)]
    studio.tree = replace(TREE, bodies=(*TREE.bodies, *many))
    _, tab = await panel(lambda tab: setattr(tab, "panel", TreePanel(tab)))
    tree = tab.panel  # type: ignore[attr-defined]
    sent = tree._tree.props["nodes"]

    tree.show()

    assert tree._tree.props["nodes"] is sent


# -------------------------------------------------------------------- the view


async def open_view(panel: Opener) -> tuple[User, BrowserTab, CellView]:
    user, tab = await panel(view_panel)
    return user, tab, tab.view


async def test_only_what_is_new_goes_to_the_browser(panel: Opener, studio: Studio, calls: Calls) -> None:
    _, _, view = await open_view(panel)
    calls.clear()
    view._tree(TREE)
    view._tree(replace(TREE, version=4, bodies=(*TREE.bodies, body(10, "part3", "part"))))
    view._tree(replace(TREE, scene=8, version=5, bodies=TREE.bodies[:2]))

    (first, scene, version, _), (second, *_), (third, *_) = calls.of("tree")
    assert (len(first), scene, version) == (10, 7, 3)
    assert [entry["name"] for entry in second] == ["part3"]
    assert [entry["name"] for entry in third] == ["table", "arm/base"], "another scene is sent whole"
    robots = [entry["name"] for entry in first if entry["robot"]]
    assert robots == ["arm/base", "arm/forearm"], "the mill is a device"


async def test_a_name_includes_everything_below_it(panel: Opener, calls: Calls) -> None:
    _, tab, view = await open_view(panel)
    view._tree(TREE)

    tab.select("arm")
    assert calls.of("choose")[-1] == ([1, 2, 3],)
    view.follow("arm")  # its base stands still
    assert calls.of("follow")[-1] == (3,)
    view.highlight(["part1", "table", "unknown"], "near", (1.0, 2.0, 3.0))
    assert calls.of("highlight")[-1] == ([6, 0], "near", [1.0, 2.0, 3.0], None)
    view.highlight([])
    assert calls.of("highlight")[-1] == ([], "collision", None, None)


async def test_clicks_go_to_anyone_who_claimed_them_last(panel: Opener, calls: Calls, studio: Studio) -> None:
    _, tab, view = await open_view(panel)
    await studio.open(EXAMPLES / "00_first_cell")
    view._tree(studio.tree)
    number = view.numbers("table")[0]
    pressed = {
        "body": "table", "number": number, "t": 0, "origin": [0.6, 0.2, 2.0], "direction": [0, 0, -1],
        "near": [0.6, 0.2, 1e-5],
    }  # fmt: skip
    first: list[Pick] = []
    second: list[Pick] = []
    over: list[str] = []

    await view._pressed(_event(pressed))
    assert tab.selected == "table"

    view.pick_mode(first.append, over=lambda: over.append("first"))
    end = view.pick_mode(second.append, over=lambda: over.append("second"))
    assert over == ["first"]
    await view._pressed(_event(pressed))
    assert first == []
    (pick,) = second
    assert pick.body == "table"
    assert pick.point == pytest.approx((0.6, 0.2, 0.0), abs=1e-12)
    assert pick.normal == pytest.approx((0, 0, 1), abs=1e-12)
    assert pick.local_point == pytest.approx((0.1, 0.2, 0.02), abs=1e-12)

    end()
    end()
    assert over == ["first", "second"]
    assert not view.picking


async def test_escape_ends_picking_and_then_deselects(panel: Opener, calls: Calls) -> None:
    user, tab, view = await open_view(panel)
    view._tree(TREE)
    tab.select("table")
    view.pick_mode(lambda pick: None)

    user.find(marker="view").trigger("key", {"does": "end"})
    assert not view.picking
    assert tab.selected == "table"
    user.find(marker="view").trigger("key", {"does": "end"})
    assert tab.selected is None


async def test_every_drag_is_answered_even_if_it_fails(panel: Opener, calls: Calls) -> None:
    from drycell.base import DrycellError

    _, _, view = await open_view(panel)
    seen: list[Drag] = []

    async def dragged(drag: Drag) -> list[float] | None:
        seen.append(drag)
        if drag.phase == "end":
            raise DrycellError("the table is in the way")
        return [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0] if drag.phase == "move" else None

    handle = view.dragger([0, 0, 0, 1, 0, 0, 0], dragged, grid=0.01)
    for number, phase in enumerate(("begin", "move", "end"), 1):
        await view._drag(_event({"number": number, "phase": phase, "pose": [0, 0, 0.2, 1, 0, 0, 0]}))

    assert [drag.phase for drag in seen] == ["begin", "move", "end"]
    assert calls.of("dragged") == [(1, None), (2, [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]), (3, None)]
    assert calls.of("drag_at")[0][1] == {"turns": True, "grid": 0.01, "angle": 0.0, "anew": True}
    assert handle.open
    view.dragger([0, 0, 0, 1, 0, 0, 0], lambda drag: None)
    assert not handle.open, "a view has one dragger, the latest"


async def test_overlays_are_remembered(panel: Opener, calls: Calls) -> None:
    user, tab, view = await open_view(panel)
    assert view.shown["sensors"]
    user.find(marker="overlay-trace").click()
    assert view.shown["trace"]
    assert tab.settings["overlays"]["trace"] is True


# -------------------------------------------------------------------- properties


async def test_properties_of_what_is_selected_are_reported(panel: Opener, studio: Studio) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    user, tab = await panel(PropertiesPanel)
    await user.should_see("Nothing selected")

    tab.select("post")

    await user.should_see("Pose relative to table", retries=50)
    await user.should_see("498.00 mm")
    await user.should_see("brass")
    tab.select("no such thing")
    await user.should_see("no such thing", retries=50)


def test_quantities_are_reported_in_millimetres_and_degrees() -> None:
    assert quantity(0.1255, "m") == "125.50 mm"
    assert quantity(-1e-9, "m") == "0.00 mm"
    assert quantity(3.141592653589793, "rad") == "180.00°"
    assert quantity(0.0125, "kg") == "12.500 g"
    assert quantity(2.5, "kg") == "2.500 kg"
    assert quantity(7.5e-5, "m³") == "75.000 cm³"
    assert quantity(0.02, "s") == "20.000 ms"
    assert quantity(True) == "on"
    assert quantity(None) == "–"
    assert quantity(5, "V") == "5 V"


def test_limits_are_shown_as_a_fraction_of_the_range() -> None:
    assert share(Property("x", 0.5, low=-1.0, high=1.0)) == 0.75
    assert share(Property("x", 7.0, low=0.0, high=1.0)) == 1.0


def _event(arguments: dict[str, Any]) -> Any:
    return type("Event", (), {"args": arguments})()
