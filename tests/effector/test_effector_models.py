"""Models of devices that are commanded by messages: reading, checks, building, saving, and offered signals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drycell import cell as cells, effector, geometry
from drycell.base import (
    CellFileError,
    Describer,
    InvalidThing,
    Kinds,
    N,
    OneOf,
    Pose,
    Thing,
    WorldError,
    fields_of,
    mm,
    ms,
    s,
)
from drycell.cell import Body, Cell, Device, Model, Workpoint
from drycell.effector import (
    Effector,
    LinkTrouble,
    LiveEffector,
    LivePad,
    LiveStandIn,
    LiveWrist,
    Pad,
    StandIn,
    Wrist,
)
from drycell.effector.link import connect
from drycell.geometry import Box
from drycell.robots import load_tool

KINDS = Kinds() | geometry | cells | effector
MODELS = (Effector, Wrist, Pad, StandIn)
TEXT = """\
format: 1
name: hand
bodies:
  table: {shape: {box: [300 mm, 200 mm, 20 mm]}, at: [0, 0, -10 mm]}
  block: {shape: {box: [24 mm, 10 mm, 60 mm]}, on: table}
devices:
  pad: {pad: {of: hand, finger: 2}}
  hand: {effector: {gains: [900, 60], strength: 40 N, hesitates: [0 s, 10 ms], trouble: {failing: 1 %}}, parent: wrist}
  wrist: {wrist: {}, at: [0, 0, 125 mm], rpy: [180 deg, 0 deg, 0 deg]}
  other: {stand_in: {table: gripper, takes: [1 s, 2 s]}}
"""


def read(text: str = TEXT) -> Model:
    return Model.read(text, kinds=KINDS)


def small_cell() -> Cell:
    """A cell of Python with one of each."""
    cell = Cell(replace(Model(), kinds=KINDS), seed=3)
    cell.add("wrist", Wrist(at=(0, 0, 125 * mm)))
    cell.add("hand", Effector(parent="wrist", trouble=LinkTrouble(late=0.1)))
    cell.add("pad", Pad(of="hand", finger=2, shift=-2 * mm))
    cell.add("other", StandIn(table="pad", takes=(1 * s, 2 * s)))
    return cell


def test_a_file_describes_them_and_a_program_commands_them() -> None:
    cell = Cell(read())
    kinds = {name: type(device) for name, device in cell.devices.items()}
    assert kinds == {"hand": LiveEffector, "wrist": LiveWrist, "other": LiveStandIn, "pad": LivePad}

    @cell.program
    def planner() -> None:
        with connect("cell:hand") as hand:
            hand.initialise()
            done = hand.squeeze(10 * N).wait()
            assert done.gap == pytest.approx(24 * mm, abs=1e-6)
            assert done.force == pytest.approx(10)

    assert cell.run().ending == "finished"


def test_a_file_and_python_give_the_same_description() -> None:
    assert read().things["hand"] == Effector(
        gains=(900, 60), strength=40 * N, hesitates=(0, 10 * ms), trouble=LinkTrouble(failing=0.01), parent="wrist"
    )
    assert read().things["pad"] == Pad(of="hand", finger=2)
    assert read().things["other"] == StandIn(takes=(1 * s, 2 * s))


@pytest.mark.parametrize("model", [read(), small_cell().model], ids=["file", "python"])
def test_a_cell_with_them_is_saved_and_read_again(tmp_path: Path, model: Model) -> None:
    model.save(tmp_path)
    again = Model.read((tmp_path / "cell.yaml").read_text(encoding="utf-8"), kinds=KINDS)
    assert {name: again.things[name] for name in model.things} == model.things


@pytest.mark.parametrize(
    ("right", "wrong", "place", "message"),
    [
        ("of: hand", "of: hund", "7:19: devices.pad.pad.of", "there is no effector 'hund'"),
        ("of: hand", "of: other", "7:19: devices.pad.pad.of", "expected an effector, but 'other' is a stand_in"),
        ("finger: 2", "finger: 3", "7:33: devices.pad.pad.finger", "expected 1 or 2, got 3"),
        ("finger: 2}", "finger: 2}, on: table", "7:41: devices.pad.on", "a pad is where its finger is"),
        ("2 s]}}", "2 s]}, at: [0, 1 m]}", "10:62: devices.other.at", "a stand-in has no pose in the world"),
        ("failing: 1 %", "failing: 200 %", "devices.hand.effector.trouble.failing", "'200 %' must be at most 1"),
        ("failing: 1 %", "lost: -1 %", "devices.hand.effector.trouble.lost", "'-1 %' must be at least 0"),
        ("failing: 1 %", "latest: 2 h", "devices.hand.effector.trouble.latest", "must be at most"),
        ("[0 s, 10 ms]", "[1 s, 10 ms]", "8:66: devices.hand.effector.hesitates", "the lower time comes first"),
        ("[1 s, 2 s]", "[2 s, 1 s]", "devices.other.stand_in.takes", "the lower time comes first"),
        ("table: gripper", "table: griper", "devices.other.stand_in.table", "no device 'griper' in the table of mess"),
        ("table: gripper", "table: planner", "devices.other.stand_in.table", "no device 'planner' in the table of"),
        ("strength: 40 N", "strength: 40 mm", "devices.hand.effector.strength", "'40 mm' is not a force"),
        ("strength: 40 N", "strength: 0 N", "devices.hand.effector.strength", "must be above 0"),
        ("gains: [900, 60]", "gains: [900, 1]", "8:28: devices.hand.effector.gains", "damp by 0.02, limit 0.2"),
        ("gains: [900, 60]", "gains: [900]", "8:28: devices.hand.effector.gains", "expected a list of 2"),
        (
            "gains: [900, 60]",
            "model: three-finger",
            "devices.hand.effector.model",
            "there is no gripper 'three-finger'",
        ),
        ("wrist: {}", "wrist: {model: nose}", "devices.wrist.wrist.model", "there is no sensor 'nose'"),
    ],
)
def test_a_mistake_names_its_place(right: str, wrong: str, place: str, message: str) -> None:
    with pytest.raises(CellFileError) as caught:
        Cell(read(TEXT.replace(right, wrong)))
    first = str(caught.value).splitlines()[0]
    assert first.startswith("cell.yaml:")
    assert f"{place}: " in first
    assert message in first


def test_python_is_reported_the_same() -> None:
    with pytest.raises(InvalidThing, match=r"Effector\.hesitates: the lower time comes first"):
        Effector(hesitates=(1 * s, 0.1 * s))
    with pytest.raises(InvalidThing, match=r"Effector\.gains: .* damp by 0\.02, limit 0\.2"):
        Effector(gains=(900, 1))
    with pytest.raises(InvalidThing, match=r"Trouble\.lost: 2 must be at most 1"):
        LinkTrouble(lost=2)


def test_a_pad_needs_an_end_effector() -> None:
    cell = small_cell()
    with pytest.raises(WorldError, match="'other' is not an end effector and has no fingers for pad 'second'"):
        cell.add("second", Pad(of="other"))


def test_devices_offer_exactly_the_signals_that_they_have() -> None:
    cell = small_cell()
    offered = {each for name, model in cell.models.items() for each in model.offers(name)}
    signals = {each for each in offered if "signal" in cell.model.offered[each]}
    assert signals == set(cell.kernel.signals)


def test_a_stand_in_is_not_a_body_and_the_others_are() -> None:
    offered = read().offered
    assert {name for name, roles in offered.items() if "body" in roles and not name.endswith("/")} == {
        "table", "block", "hand", "wrist", "pad",
    }  # fmt: skip
    assert offered["other"] == ("stand_in", "device")


def test_bodies_attached_to_an_end_effector_are_attached_to_its_palm() -> None:
    cell = small_cell()
    lamp = cell.add("lamp", Body(Box(10 * mm, 10 * mm, 10 * mm), parent="hand", at=(0, 50 * mm, 0)))
    assert lamp.parent is cell["hand"].jaw.palm
    assert cell.add("spot", Workpoint(on="hand")).body is lamp.parent


def test_a_wrist_stands_with_its_frame_on_the_top_of_a_body() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1.0, 1.0, 0.1)))
    wrist = cell.add("wrist", Wrist(on="table", at=(0.2, 0, 0)))
    assert cell.world.pose(wrist.mount) == Pose(0.2, 0, 0.05)


def test_the_trouble_of_a_device_comes_from_the_seed_and_its_name() -> None:
    cell = small_cell()
    assert cell["hand"].pair.disturbance == LinkTrouble(late=0.1).bound(seed=3, device="hand")
    assert not cell["pad"].pair.disturbance


def test_a_mechanism_from_python_is_used_and_written_only_if_the_library_has_it() -> None:
    own = load_tool("two-finger").fingers
    cell = Cell(replace(Model(), kinds=KINDS))
    assert cell.add("hand", Effector(model=own)).jaw.mechanism is own
    assert Model.read(cell.model.text(), kinds=KINDS).things["hand"] == Effector(model="two-finger")
    for other in (replace(own, name="wide"), replace(own, home=(10 * mm,))):
        cell = Cell(replace(Model(), kinds=KINDS))
        cell.add("hand", Effector(model=other))
        with pytest.raises(CellFileError, match=f"the mechanism '{other.name}' is not in the library"):
            cell.model.text()


@pytest.mark.parametrize("model", [*MODELS, LinkTrouble])
def test_every_field_has_a_line_that_says_what_it_is(model: type[Thing]) -> None:
    assert [field.name for field in fields_of(model) if not field.doc] == []
    assert model.__doc__


def test_editors_get_a_schema_with_choices() -> None:
    describer = Describer(KINDS)
    OneOf(Device).schema(describer)

    def said(thing: str, field: str) -> dict[str, Any]:
        """A value that fits a field."""
        found = describer.defs[thing]["properties"][field]
        return found["anyOf"][0] if "anyOf" in found else found

    assert said("StandIn", "table")["anyOf"] == [{"enum": ["gripper", "wrist", "pad"]}, {"type": "string"}]
    assert "wrist-force" in said("Wrist", "model")["enum"]
    assert said("Pad", "of")["x-names"] == "effector"
    assert said("Effector", "trouble")["$ref"] == "#/$defs/LinkTrouble"
