"""The section ``devices`` of cell files: read, checked, built, and written back as the same cell."""

from pathlib import Path

import pytest

from drycell import Body, Controller, Logic, Machine
from drycell.base import CellFileError, FieldError, Pose, ProgramError, UnknownName, deg, mm, s
from drycell.cell import Cell, Model
from drycell.devices import Conveyor, LiveConveyor, LiveSink, LiveStore, PartKind, Source, Stop, Store
from drycell.geometry import Box, Cylinder
from drycell.kernel import delay

FILE = """\
name: devices
bodies:
  stand: {shape: {box: [2 m, 300 mm, 400 mm]}, at: [0, 0, 200 mm], merge: true}
  spare: {shape: {box: [30 mm, 30 mm, 30 mm]}, on: belt}
devices:
  feed:
    source:
      kinds:
        plate: {shape: {box: [50 mm, 40 mm, 20 mm]}, material: steel, weight: 2}
        roll: {shape: {cylinder: {radius: 10 mm, length: 40 mm}}}
      every: [20 s, 30 s]
      law: uniform
      first: 1 s
      limit: 3
    on: belt
    at: [0, 10 mm]
  belt:
    conveyor: {length: 1.2 m, width: 200 mm, speed: 150 mm/s, end: fall, stops: {pick: {at: 700 mm}}}
    on: stand
  bin: {sink: {shape: {box: [300 mm, 300 mm, 10 mm]}}, at: [900 mm, 0]}
  shelf:
    store: {shape: {box: [300 mm, 200 mm, 20 mm]}, grid: [3, 2], pitch: [80 mm, 70 mm], material: beech}
    at: [0, 500 mm, 100 mm]
    rpy: [0, 0, 90 deg]
sensors:
  eye: {model: e3jk-through, on: belt, at: [0, -150 mm, 60 mm], rpy: [-90 deg, 0, 0]}
workpoints:
  beside: {on: belt, at: [0, 0, 80 mm], rpy: [180 deg, 0, 0]}
checks:
  collision: {pairs: [[belt, shelf]]}
run: {until: 40 s}
"""


def test_a_file_builds_the_devices_it_describes() -> None:
    cell = Cell(Model.read(FILE))
    assert list(cell.devices) == ["belt", "bin", "shelf", "feed"]
    belt, bin_, shelf, feed = cell.devices.values()
    assert isinstance(belt, LiveConveyor)
    assert isinstance(bin_, LiveSink)
    assert isinstance(shelf, LiveStore)
    # On a stand 400 mm high: the belt's middle is 50 mm above its top.
    assert belt.body.pose.position == pytest.approx((0, 0, 0.45))
    assert (belt.model.length, belt.model.width, belt.model.height, belt.model.end) == (1.2, 0.2, 0.1, "fall")
    assert belt.gates["pick"].at == pytest.approx(0.7)
    assert feed.model.kinds == {
        "plate": PartKind(Box(0.05, 0.04, 0.02), "steel", 2.0),
        "roll": PartKind(Cylinder(0.01, 0.04)),
    }
    assert (feed.model.every, feed.model.law, feed.model.first, feed.model.limit) == ((20.0, 30.0), "uniform", 1.0, 3)
    assert shelf.body.pose.rpy == pytest.approx((0, 0, 90 * deg))
    result = cell.run()
    assert cell.world.body("spare").parent is belt.body  # it arrived first, and waits at the stop
    assert belt.place(cell.world.body("spare")) == pytest.approx(0.685)
    assert result.parts.arrived == 3


def test_devices_are_written_back_as_the_same_cell(tmp_path: Path) -> None:
    cell = Cell(Model.read(FILE))
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.load(tmp_path))
    again.save(tmp_path / "again.yaml")
    assert (tmp_path / "again.yaml").read_text() == (tmp_path / "cell.yaml").read_text()
    assert cell.run().journal_hash == again.run().journal_hash


def test_devices_made_in_python_are_written(tmp_path: Path) -> None:
    cell = Cell("python")
    belt = cell.add(
        "belt",
        Conveyor(
            length=1.0,
            width=0.2,
            speed=0.1,
            acceleration=0.5,
            run=False,
            stops={"a": 0.3, "b": Stop(0.6, open=True)},
            at=Pose(1, 2, 3) @ Pose.turn_z(90 * deg),
        ),
    )
    cell.add(
        "feed", Source(kinds=Box(0.05, 0.04, 0.02), on=belt.name, every=5 * s, law="normal", sigma=1 * s, least=2 * s)
    )
    cell.add(
        "shelf",
        Store(
            shape=Box(0.3, 0.2, 0.02), grid=(2, 1), pitch=(80 * mm, 70 * mm), on=cell.add("t", Body(Box(1, 1, 1))).name
        ),
    )
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.load(tmp_path))
    assert again.devices["belt"].body.pose.rows == pytest.approx(belt.body.pose.rows)
    assert [(name, gate.at, gate.open.value) for name, gate in again.devices["belt"].gates.items()] == [
        ("a", 0.3, False),
        ("b", 0.6, True),
    ]
    assert again.devices["feed"].model == cell.devices["feed"].model
    assert again.devices["belt"].run.value is False
    assert again.devices["shelf"].body.pose.z == pytest.approx(0.51)


def test_programs_get_devices_and_their_signals_by_name() -> None:
    cell = Cell(Model.read(FILE))
    seen = {}

    def look(belt: LiveConveyor, belt_run, belt_pick_open, belt_pick, shelf: LiveStore, shelf_slot1) -> None:
        seen.update(locals())
        delay(1)

    cell.program(look, name="look")
    cell.run(until=2)
    assert seen["belt"] is cell.devices["belt"]
    assert seen["belt_run"].name == "belt.run"
    assert seen["belt_pick_open"].name == "belt.pick.open"
    assert seen["belt_pick"].name == "belt.pick"
    assert seen["shelf_slot1"] is seen["shelf"].slot(1).workpoint


def test_a_cell_distinguishes_its_devices() -> None:
    cell = Cell(Model.read(FILE))
    assert cell.body(cell.devices["belt"]) is cell.world.body("belt")
    with pytest.raises(UnknownName, match="no thing 'bolt'"):
        cell["bolt"]


def mistake(text: str) -> str:
    with pytest.raises(CellFileError) as raised:
        Model.read(f"devices:\n{text}")
    return raised.value.what


BELT = "  belt: {conveyor: {length: 1 m, width: 200 mm, speed: 100 mm/s}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  belt: {at: [0, 0]}\n", "cell.yaml:2:9: devices.belt: a device must have exactly one kind, but has none"),
        (
            "  x: {conveyor: {length: 1 m, width: 1 m, speed: 1 m/s}, sink: {shape: {sphere: {radius: 1 m}}}}\n",
            "cell.yaml:2:6: devices.x: a device must have exactly one kind, but has 'conveyor' and 'sink'",
        ),
        (
            "  belt: {conveyor: {length: 1 m, width: 200 mm, speed: 100 mm}}\n",
            "cell.yaml:2:56: devices.belt.conveyor.speed: '100 mm' is not a speed",
        ),
        (
            "  belt: {conveyor: {length: 1 m, width: 200 mm, speed: 1 m/s, ends: fall}}\n",
            "cell.yaml:2:63: devices.belt.conveyor.ends: there is no such field",
        ),
        (
            "  bin: {sink: {shape: {sphere: {radius: 1 m}}}, on: tabel}\nbodies: {table: {}}\n",
            "cell.yaml:2:53: devices.bin.on: there is no body 'tabel'",
        ),
        (
            BELT + "  feed: {source: {kinds: {a: {shape: {sphere: {radius: 1 m}}}}, every: 2 s}}\n",
            "cell.yaml:3:18: devices.feed.source: a source needs a belt or body to put parts on",
        ),
        (
            BELT + "  f: {source: {kinds: {a: {shape: {sphere: {radius: 1 m}}}}, every: 2 s, law: normal}, on: belt}\n",
            "cell.yaml:3:69: devices.f.source.every: 'sigma' of 0.000 s does not suit the law 'normal'",
        ),
        (
            BELT + "  feed: {source: {kinds: {a: {shape: {}}}, every: 2 s}, on: belt}\n",
            "cell.yaml:3:38: devices.feed.source.kinds.a.shape: a shape must have exactly one kind, but has none",
        ),
        (
            "  s: {store: {shape: {sphere: {radius: 1 m}}, grid: [0, 1], pitch: [1 m, 1 m]}}\n",
            "cell.yaml:2:53: devices.s.store.grid: a grid of 0 × 1 has no slots",
        ),
        (
            BELT + "bodies: {belt: {}}\n",
            "cell.yaml:3:10: bodies.belt: there is also a conveyor 'belt'",
        ),
    ],
)
def test_mistakes_are_reported_with_line_and_field(text: str, message: str) -> None:
    assert mistake(text) == message


def test_a_stop_beyond_the_belt_is_reported_at_its_place() -> None:
    text = "devices:\n  belt: {conveyor: {length: 1 m, width: 200 mm, speed: 1 m/s, stops: {gate: {at: 2 m}}}}\n"
    with pytest.raises(CellFileError) as raised:
        Model.read(text)
    assert raised.value.what == (
        "cell.yaml:2:82: devices.belt.conveyor.stops.gate.at: "
        "the stop 'gate' is not on the belt: 2000.000 mm is not between 0 and 1000.000 mm"
    )


def test_whole_numbers_given_in_python_are_saved_with_their_units(tmp_path: Path) -> None:
    cell = Cell("whole")
    cell.add("belt", Conveyor(length=1, width=1, speed=1))
    cell.add("feed", Source(kinds=Box(50 * mm, 50 * mm, 50 * mm), on="belt", every=(3, 4), first=2))
    cell.add("mill", Machine(duration=20, breaks=500, repair=(5, 6), at=(0, 3)))
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.read((tmp_path / "cell.yaml").read_text()))
    assert again.models["belt"].length == 1  # type: ignore[attr-defined]
    assert again.models["feed"].every == (3, 4)  # type: ignore[attr-defined]
    assert again.models["mill"].breaks == 500  # type: ignore[attr-defined]


def test_an_invalid_conveyor_adds_nothing() -> None:
    cell = Cell("twice")
    with pytest.raises(FieldError, match=r"Conveyor.speed: -100 mm/s must be at least 0"):
        cell.add("belt", Conveyor(length=1.0, width=0.2, speed=-100 * mm))
    assert cell.add("belt", Conveyor(length=1.0, width=0.2, speed=100 * mm)).speed.value == 0.1


def test_one_rule_or_output_drives_a_signal() -> None:
    cell = Cell("drivers")
    for name in ("a", "lamp", "horn"):
        cell.signal(name, False)
    cell.add("plc", Logic(rules={"lamp": "a"}))
    with pytest.raises(FieldError, match=r"output 1 of 'panel' and the rule of 'plc' both drive 'lamp'"):
        cell.add("panel", Controller(outputs={1: "lamp"}))
    cell.add("panel", Controller(outputs={2: "horn"}))
    with pytest.raises(
        FieldError, match=r"Logic.rules.horn: the rule of 'other' and output 2 of 'panel' both drive 'horn'"
    ):
        cell.add("other", Logic(rules={"horn": "a"}))


def test_a_program_on_a_controller_gets_an_error_that_names_the_output_of_a_signal() -> None:
    cell = Cell("lines")
    cell.signal("lamp", False)
    cell.add("panel", Controller(outputs={3: "lamp"}))

    def blink(lamp: object) -> None: ...

    cell.program(blink, name="blink", controller="panel")
    with pytest.raises(ProgramError, match=r"it is output 3 of the controller: use io.output\(3\)"):
        cell.run()
