"""Devices and controllers as models: reading, errors with positions, building, saving, and the offered signals."""

from copy import copy
from pathlib import Path

import pytest

from drycell import cell as cells, devices, geometry
from drycell.base import (
    CellFileError,
    Describer,
    FieldError,
    InvalidThing,
    Kinds,
    OneOf,
    UnknownName,
    fields_of,
    mm,
    ms,
    s,
)
from drycell.cell import Cell, Model
from drycell.devices import (
    Controller,
    Conveyor,
    LiveConveyor,
    LiveLogic,
    LiveMachine,
    Logic,
    Machine,
    PartKind,
    Sink,
    Source,
    Stop,
    Store,
)
from drycell.geometry import Box, Cylinder
from drycell.robots import load_robot

KINDS = Kinds() | geometry | cells | devices
OWN = (Conveyor, Stop, Source, PartKind, Sink, Store, Machine, Logic, Controller)

FILE = """\
name: all of them
bodies:
  stand:
    shape: {box: [2000 mm, 300 mm, 400 mm]}
    at: [0, 0, 200 mm]
signals: {lamp: false, go: false}
devices:
  feed:
    source:
      kinds:
        plate: {shape: {box: [50 mm, 40 mm, 20 mm]}, material: steel, weight: 2}
        roll: {shape: {cylinder: {radius: 10 mm, length: 40 mm}}}
      every: [20 s, 30 s]
      law: uniform
      limit: 3
    on: belt
  belt:
    conveyor: {length: 1200 mm, width: 200 mm, speed: 150 mm/s, end: fall, stops: {pick: 700 mm, b: [900 mm, true]}}
    on: stand
  bin: {sink: {shape: {box: [300 mm, 300 mm, 10 mm]}}, at: [900 mm, 0]}
  shelf: {store: {shape: {box: [300 mm, 200 mm, 20 mm]}, grid: [3, 2], pitch: [80 mm, 70 mm]}, at: [0, 1000 mm]}
  mill: {machine: {duration: [4 s, 6 s], door: true, breaks: 10 h, repair: 1 min}, at: [0, 2000 mm]}
  lathe: {machine: {duration: 5 s}, at: [1000 mm, 2000 mm]}
  plc:
    logic:
      rules: {lamp: blink and mill.running, blink: "sr(ton(not blink, 0.5 s), plc.blink)", alarm: panel.warm}
  panel: {logic: {rules: {warm: "ton(go, 1 s) or plc.alarm"}, scan: 20 ms}}
controllers:
  main: {inputs: {1: plc.blink, hot: panel.warm}, outputs: {1: mill.start, 2: lathe.start}, pulse: 50 ms}
"""


def model(text: str = FILE) -> Model:
    return Model.read(text, kinds=KINDS)


def mistakes(old: str, new: str) -> str:
    """The first mistake in the file after a change: line, column, field, and what to try."""
    assert old in FILE
    with pytest.raises(CellFileError) as caught:
        Cell(model(FILE.replace(old, new)))
    return f"{caught.value.what} | {caught.value.hint}"


def test_every_field_has_a_line_of_its_own() -> None:
    for cls in OWN:
        assert cls.__doc__
        assert [field.name for field in fields_of(cls) if not field.doc] == []


def test_examples_of_the_palette_can_be_read() -> None:
    for cls in (Conveyor, Sink, Store, Machine, Logic):
        name = cls.meta.kind
        assert Cell(Model.read(f"devices: {{it: {{{name}: {dict(cls.meta.example)}}}}}", kinds=KINDS)).devices["it"]


def test_a_file_is_built_and_saved_as_the_same_cell(tmp_path: Path) -> None:
    read = model()
    cell = Cell(read, seed=3)
    assert list(cell.devices) == ["belt", "bin", "shelf", "mill", "lathe", "feed", "plc", "panel"]
    assert Model.read(read.text(), kinds=KINDS) == read
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.load(tmp_path / "cell.yaml"), seed=3)
    assert cell.run(until=20).journal_hash == again.run(until=20).journal_hash


def test_devices_have_the_signals_they_offer() -> None:
    cell = Cell(model())
    for name, live in cell.devices.items():
        offered = {each for each, roles in cell.models[name].offers(name).items() if "signal" in roles}
        if isinstance(live, LiveLogic):  # only the cell knows which of its outputs are signals of the cell
            offered -= {f"{name}.{rule}" for rule, signal in live.outputs.items() if signal.name == rule}
        assert offered == {each for each in cell.kernel.signals if each.startswith(f"{name}.")}


def test_only_what_has_a_body_carries_others() -> None:
    said = mistakes(
        "  bin: {sink: {shape: {box: [300 mm, 300 mm, 10 mm]}}, at", "  bin: {sink: {shape: {sphere: 1 m}}, on: plc, at"
    )
    assert "devices.bin.on: expected a body, but 'plc' is a logic" in said


@pytest.mark.parametrize(
    ("old", "new", "said", "hint"),
    [
        ("pick: 700 mm", "pick: 2 m", "18:84: devices.belt.conveyor.stops.pick.at: the stop 'pick' is not on", "start"),
        ("{pick:", "{end:", "18:89: devices.belt.conveyor.stops.end: a stop cannot be called 'end'", "rename it"),
        ("150 mm/s", "150 mm", "conveyor.speed: '150 mm' is not a speed", "write for example"),
        ("end: fall", "end: drop", "conveyor.end: expected 'stop' or 'fall', got 'drop'", "write"),
        ("    on: belt\n", "", "devices.feed.source: a source needs a belt or body to put parts on", "on: belt"),
        ("law: uniform", "law: normal", "devices.feed.source.every: the law 'normal' needs 1 time, not 2", "mean"),
        ("limit: 3", "limit: -1", "devices.feed.source.limit: -1 must be at least 0", "within"),
        ("weight: 2", "weight: 0", "devices.feed.source.kinds.plate.weight: '0' must be above 0", "write"),
        ("grid: [3, 2]", "grid: [0, 2]", "devices.shelf.store.grid: a grid of 0 × 2 has no slots", "[4, 3]"),
        ("[4 s, 6 s]", "[6 s, 4 s]", "devices.mill.machine.duration: expected one time, or two", "25 s"),
        (", repair: 1 min", "", "devices.mill.machine: 'breaks' and 'repair' need each other", "add 'repair: …'"),
        ("5 s}", "5 s, model: machin-tool}", "devices.lathe.machine.model: the library has no machine 'machin-tool'",
         "tool'"),
        ("and mill.r", "an mill.r", "devices.plc.logic.rules.lamp: 'blink an mill.running', column 7: unexpected 'an'",
         "join"),
        ("and mill.r", "and mil.r", "lamp: 'blink and mil.running', column 11: unknown signal 'mil.r", "mill.r"),
        ("and mill.r", "and a-b.r", "column 11: unknown signal 'a-b.running'", "write a minus with spaces around it"),
        ("{lamp: blink", "{belt.rum: blink", "rules.belt.rum: there is no signal 'belt.rum'", "belt.run"),
        ("{lamp: blink", "{mill.ready: blink", "rules.mill.ready: a rule cannot set 'mill.ready'", "mill.start"),
        ("{lamp: blink", "{lamp: 1 +  blink", "rules.lamp: '1 +  blink and mill.running', column 6: this is", "None"),
        ("{warm:", "{lamp: go, warm:", "rules.lamp: the rule of 'panel' and the rule of 'plc' both drive", "combine"),
        ("1: plc.blink", "1: plc.blik", "main.inputs.1: there is no signal 'plc.blik'", "{plc.blik: false}"),
        ("1: plc.blink", "0: plc.blink", "controllers.main.inputs.0: a line cannot have the number 0", "from 1"),
        ("{inputs:", "{robot: arn, inputs:", "controllers.main.robot: there is no robot 'arn'", "none"),
        ("2: lathe.start", "2: lathe.ready", "controllers.main.outputs.2: output 2 of controller 'main'", "lathe"),
        ("2: lathe.start", "2: mill.start", "outputs.2: output 2 of 'main' and output 1 of 'main' both drive",
         "two signals"),
        ("2: lathe.start", "2: lamp", "outputs.2: output 2 of 'main' and the rule of 'plc' both drive 'lamp'",
         "two signals"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_place(old: str, new: str, said: str, hint: str) -> None:
    text = mistakes(old, new)
    what, _, tried = text.partition(" | ")
    assert said in what
    assert hint in tried


def test_rules_name_signals_and_their_own_outputs() -> None:
    uses = {(use.path, use.name, use.how) for use in model().uses() if "rules" in use.path}
    rules = ("devices", "plc", "logic", "rules")
    assert ((*rules, "lamp"), "lamp", "key") in uses
    assert ((*rules, "lamp"), "mill.running", "within") in uses
    assert ((*rules, "alarm"), "panel.warm", "value") in uses
    # Neither the names of functions nor units are references.
    assert {name for path, name, _ in uses if path == (*rules, "blink")} == {"blink", "plc.blink"}


def test_lines_are_wired_by_number_and_by_name() -> None:
    main = model().things["main"]
    assert isinstance(main, Controller)
    assert main.inputs == {1: "plc.blink", "hot": "panel.warm"}
    assert OneOf(Controller).write(main)["inputs"] == {"1": "plc.blink", "hot": "panel.warm"}  # type: ignore[index, call-overload]
    assert Controller(inputs={"1": "a"}) == Controller(inputs={1: "a"})  # type: ignore[dict-item]


# -------------------------------------------------------------------- short forms in Python


def test_one_shape_is_a_kind_of_part() -> None:
    block = Box(50 * mm, 40 * mm, 20 * mm)
    one = Source(block, every=5 * s, on="belt")
    assert one.kinds == {"part": PartKind(block)}
    assert (
        one
        == Source({"part": PartKind(block)}, every=[5], on="belt")
        == Source(PartKind(block), every=(5.0,), on="belt")
    )
    both = Source(kinds={"a": block, "b": PartKind(Cylinder(10 * mm, 40 * mm), "steel", 2)}, every=(3, 4), on="belt")
    assert both.kinds == {"a": PartKind(block), "b": PartKind(Cylinder(0.01, 0.04), "steel", 2.0)}
    with pytest.raises(FieldError, match=r"Source.kinds.a.shape: expected a shape"):
        Source(kinds={"a": 3}, every=3, on="belt")  # type: ignore[dict-item]


def test_a_length_describes_a_stop() -> None:
    belt = Conveyor(length=1, width=1, speed=1, stops={"a": 300 * mm, "b": Stop(0.6, open=True)})
    assert belt.stops == {"a": Stop(0.3), "b": Stop(0.6, True)}
    with pytest.raises(FieldError, match=r"Conveyor.stops.a.at: expected a length in SI"):
        Conveyor(length=1, width=1, speed=1, stops={"a": "300 mm"})  # type: ignore[dict-item]


def test_a_machine_may_be_of_a_mechanism_that_no_file_can_name() -> None:
    cell = Cell("own")
    mill = cell.add("mill", Machine(duration=5, model=load_robot("machine-tool")))
    assert isinstance(mill, LiveMachine)
    assert "model: machine-tool" in cell.model.text()
    strange = copy(load_robot("machine-tool"))
    object.__setattr__(strange, "name", "strange")
    with pytest.raises(CellFileError, match="which is not in the library"):
        OneOf(Machine).write(Machine(duration=5, model=strange))


def test_belts_in_a_row_are_those_of_one_cell() -> None:
    cells_ = [Cell("one"), Cell("two")]
    for each in cells_:
        each.add("belt", Conveyor(length=1, width=0.2, speed=0.1))
    lines = [each.devices["belt"]._line for each in cells_]
    assert lines[0] is not lines[1]
    second = cells_[0].add("next", Conveyor(length=1, width=0.2, speed=0.1, at=(1.0, 0.0)))
    assert isinstance(second, LiveConveyor)
    assert second._line is lines[0]


def test_a_controller_checks_its_wiring_and_leaves_nothing_behind() -> None:
    cell = Cell("wires")
    cell.signal("lamp", False)
    with pytest.raises(InvalidThing, match=r"Controller.robot: there is no robot 'arm'"):
        cell.add("c", Controller(robot="arm"))
    with pytest.raises(InvalidThing, match=r"Controller.inputs.2: there is no signal 'eye'"):
        cell.add("c", Controller(inputs={2: "eye"}))
    with pytest.raises(InvalidThing, match="both drive 'lamp'"):
        cell.add("c", Controller(outputs={1: "lamp", 2: "lamp"}))
    assert cell.add("c", Controller(outputs={1: "lamp"}, pulse=100 * ms)).model.pulse == 0.1
    with pytest.raises(UnknownName):
        cell["d"]


def test_the_schema_describes_them() -> None:
    describer = Describer(KINDS)
    OneOf(cells.Device).schema(describer)
    rules = describer.defs["Logic"]["properties"]["rules"]
    assert rules["additionalProperties"] == {"type": "string", "x-widget": "expression", "x-names": "signal"}
    assert describer.defs["Stop"]["anyOf"][-1]["x-unit"] == "mm"
    assert describer.defs["Machine"]["properties"]["duration"]["anyOf"][0]["x-dimension"] == "time"
