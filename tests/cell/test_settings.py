"""A setting has the same effect as an edit of the file, and its mistakes are reported with its path and value."""

import itertools
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import CellFileError, Setting, dotted, yamldoc
from drycell.cell import CellSource, Model

ROOT = Path(__file__).parents[2]
CELLS = sorted((ROOT / "examples").rglob("cell.yaml"))
EVENT_CELL = ROOT / "examples" / "30_event_cell" / "cell.yaml"

CELL = """\
name: sample
bodies:
  table: {shape: {box: [1 m, 1 m, 20 mm]}, children: {hole: {shape: {sphere: 5 mm}}}}
  ball: {shape: {sphere: 5 mm}, on: table}
devices:
  belt: {conveyor: {length: 700 mm, width: 70 mm, speed: &slow 40 mm/s}, on: table}
  second: {conveyor: {length: 700 mm, width: 70 mm, speed: *slow}, on: table, at: [0, 500 mm]}
  mill: {machine: {duration: [50 s, 70 s]}, on: table, at: [0, -400 mm]}
  plc: {logic: {scan: 10 ms, rules: {belt.run: lamp}}}
signals: {lamp: false, lamp.two: 3}
faults:
  lamp: [stuck_on, {late: 2 ms}]
programs:
  work: {file: work.py}
checks: {collision: {clearances: [[ball, mill, 5 mm]]}}
"""


def read(*settings: tuple[str, str], text: str = CELL) -> Model:
    return Model.read(text, settings=[Setting(*each) for each in settings])


def refusal(*settings: tuple[str, str], text: str = CELL) -> str:
    with pytest.raises(CellFileError) as caught:
        read(*settings, text=text)
    return str(caught.value)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("path", "text", "before", "after"),
    [
        ("devices.belt.conveyor.speed", "60 mm/s", "speed: &slow 40 mm/s", "speed: 60 mm/s"),
        ("devices.belt.speed", "60 mm/s", "speed: &slow 40 mm/s", "speed: 60 mm/s"),
        ("belt.speed", "60 mm/s", "speed: &slow 40 mm/s", "speed: 60 mm/s"),
        ("second.speed", "60 mm/s", "*slow", "60 mm/s"),
        ("mill.duration", "[20 s, 30 s]", "[50 s, 70 s]", "[20 s, 30 s]"),
        ("mill.duration", "25 s  # a comment", "[50 s, 70 s]", "25 s"),
        ("mill.duration[1]", "90 s", "70 s]", "90 s]"),
        ("table.shape.box.z", "30 mm", "1 m, 20 mm]", "1 m, 30 mm]"),
        ("table.shape.box[2]", "30 mm", "1 m, 20 mm]", "1 m, 30 mm]"),
        ("table.shape.z", "30 mm", "1 m, 20 mm]", "1 m, 30 mm]"),
        ("ball.shape.sphere.radius", "9 mm", "{sphere: 5 mm}, on", "{sphere: 9 mm}, on"),
        ("bodies.table.children.hole.shape.sphere", "9 mm", "{sphere: 5 mm}}}}", "{sphere: 9 mm}}}}"),
        ("signals.lamp", "true", "lamp: false", "lamp: true"),
        ("lamp", "true", "lamp: false", "lamp: true"),
        ("lamp.two", "'4'", "lamp.two: 3", "lamp.two: '4'"),
        ("plc.rules.belt.run", "not lamp", "belt.run: lamp", "belt.run: not lamp"),
        ("plc.rules.second.run", "lamp", "belt.run: lamp", "belt.run: lamp, second.run: lamp"),
        ("faults.lamp[0].stuck_on.at", "3 s", "[stuck_on", "[{stuck_on: {at: 3 s}}"),
        ("faults.lamp[1].late.by", "3 ms", "late: 2 ms", "late: 3 ms"),
        ("faults.lamp[1].until", "5 s", "{late: 2 ms}", "{late: {by: 2 ms, until: 5 s}}"),
        ("faults.mill.running", "[stuck_off]", "faults:\n", "faults:\n  mill.running: [stuck_off]\n"),
        ("tolerances.ball.at", "1 mm", "faults:", "tolerances: {ball: {at: 1 mm}}\nfaults:"),
        ("checks.collision.clearances[0][2]", "9 mm", "5 mm]]", "9 mm]]"),
        ("checks.collision.stop", "true", "collision: {", "collision: {stop: true, "),
        ("run.seed", "5", "name: sample", "name: sample\nrun: {seed: 5}"),
        ("name", "other", "name: sample", "name: other"),
        ("ball", "{shape: {sphere: 1 mm}}", "{shape: {sphere: 5 mm}, on: table}", "{shape: {sphere: 1 mm}}"),
        ("second.at", "null", ", at: [0, 500 mm]", ""),
        ("programs.work.args.high", "70", "work.py", "work.py, args: {high: 70}"),
    ],
)
def test_a_setting_is_what_the_file_would_say(path: str, text: str, before: str, after: str) -> None:
    assert CELL.count(before) == 1
    edited = CELL.replace(before, after).replace(
        "*slow", "*slow" if "&slow" in after or "&slow" not in before else "40 mm/s"
    )
    model = read((path, text))
    assert model == Model.read(edited)
    assert model != Model.read(CELL)


def test_the_input_tree_stays_unchanged() -> None:
    root = yamldoc.parse(CELL, "cell.yaml")
    before = root.plain()
    from drycell.cell import known_kinds
    from drycell.cell.settings import varied

    found, mistakes = varied(root, known_kinds(), [Setting("belt.speed", "60 mm/s"), Setting("table.shape.x", "2 m")])
    assert not mistakes
    assert (root.plain(), found.plain() != before) == (before, True)


def test_the_order_of_settings_makes_no_difference() -> None:
    several = [
        ("belt.speed", "60 mm/s"),
        ("run.seed", "5"),
        ("run.until", "9 s"),
        ("table.shape.x", "2 m"),
        ("lamp", "true"),
    ]
    models = [read(*order) for order in itertools.permutations(several)]
    assert all(model == models[0] for model in models)


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("path", "text", "what", "hint"),
    [
        ("devises.belt.speed", "1 m/s", "the cell has no field, section or thing 'devises'", "did you mean 'devices'"),
        ("bellt.speed", "1 m/s", "the cell has no field, section or thing 'bellt'", "did you mean 'belt'"),
        ("devices.bellt.speed", "1 m/s", "there is no 'bellt' in devices", "did you mean 'belt'?"),
        ("robots.arm.at", "[0, 0]", "there is no 'arm' in robots", "there are none yet; define one first"),
        ("signals.lampe", "true", "there is no 'lampe' in signals", "did you mean 'lamp'"),
        ("devices.belt.spede", "1 m/s", "devices.belt has no field 'spede'", "did you mean 'speed'?"),
        ("belt.machine.duration", "3 s", "devices.belt is of kind 'conveyor', not 'machine'", "devices.belt.conveyor,"),
        ("belt.conveyor.at", "[0, 0]", "devices.belt.conveyor.at: there is no such field here", "beside 'conveyor'"),
        ("belt.speed", "40", "devices.belt.conveyor.speed: '40' has no unit, but a speed needs one", "'150 mm/s'"),
        ("devices.belt.conveyor.speed", "40 kg", "'40 kg' is not a speed", "'150 mm/s'"),
        ("belt.speed", "-1 m/s", "devices.belt.conveyor.speed: '-1 m/s' must be at least 0", "'150 mm/s'"),
        ("belt.speed", "null", "devices.belt.conveyor.speed: this field must be given", "add 'speed: …'"),
        ("belt.on", "tabel", "devices.belt.on: there is no body 'tabel'", "did you mean 'table'"),
        ("faults.mill.runing", "[stuck_on]", "there is no signal 'mill.runing'", "did you mean 'mill.running'"),
        ("belt.speed.x", "1", "devices.belt.conveyor.speed is a single value, so it has no 'x'", "speed=VALUE"),
        ("mill.duration[2]", "3 s", "devices.mill.machine.duration has [0] to [1], not [2]", "as a whole"),
        ("mill.duration.x", "3 s", "devices.mill.machine.duration is a list, so it has no 'x'", "duration[0]"),
        ("mill[0]", "3 s", "devices.mill is a mapping, so it has no [0]", "as a whole"),
        (
            "belt.at[0]",
            "3 mm",
            "devices.belt.at is not in the file, so it has no [0]",
            "set devices.belt.at as a whole",
        ),
        ("mill.duration[x]", "3 s", "'[x]' after devices.mill.machine.duration is not an index", "[0] for the first"),
        (
            "mill.duration[0]x",
            "3 s",
            "'x' after devices.mill.machine.duration[0] is not a field or an index",
            "write .NAME or [0]",
        ),
        ("plc.rules.", "lamp", "a name is missing after devices.plc.logic.rules", "write .NAME"),
        ("mill.duration", "[20 s", "invalid YAML: while parsing a flow sequence", "as in a cell file: 30 s,"),
        ("mill.duration", "*slow", "the alias '*slow' has no anchor above it", "as in a cell file"),
        ("mill.duration", "!!python/object:os.system x", "the tag", "as in a cell file"),
        ("run.seed", "5\nname: other", "expected one value, got several fields", "--set for each field"),
        ("run.seed", "  ", "the value is missing", "null means the default"),
        ("", "5", "the path is missing", "write PATH=VALUE"),
        ("uses", "[evil.py]", "uses selects the code that runs, so --set cannot change it", "change the cell file"),
        ("work.file", "evil.py", "programs.work.file selects the code that runs", "write --program work=FILE"),
        ("programs.work", "{file: evil.py}", "programs.work selects the code that runs", "write --program work=FILE"),
        ("programs", "{}", "programs selects the code that runs", "write --program NAME=FILE"),
        ("x" * 2000, "1", "the path has 2000 characters; the limit is 1000", ""),
    ],
)
def test_a_mistake_names_the_setting_and_what_to_try(path: str, text: str, what: str, hint: str) -> None:
    said = refusal((path, text))
    assert said.startswith(f"{Setting(path, text)}: {what}")
    assert hint in said
    if hint:
        assert f"\n  try: {hint}" in said or f"{hint}" in said.partition("\n  try: ")[2]


def test_a_field_is_set_once_under_whatever_name() -> None:
    assert refusal(("belt.speed", "1 m/s"), ("devices.belt.conveyor.speed", "2 m/s")) == (
        "--set devices.belt.conveyor.speed=2 m/s: devices.belt.conveyor.speed is set twice, "
        "first by --set belt.speed=1 m/s\n  at cell.yaml\n  try: keep one of them"
    )
    assert "table.shape.box.x is set twice" in refusal(("table.shape.box[0]", "1 m"), ("table.shape.box.x", "2 m"))
    whole, part = ("mill.duration", "[1 s, 2 s]"), ("mill.duration[0]", "1 s")
    assert "this field is part of what --set mill.duration=[1 s, 2 s] sets" in refusal(whole, part)
    assert "--set mill.duration[0]=1 s sets part of this field" in refusal(part, whole)


def test_all_mistakes_are_reported_at_once() -> None:
    said = refusal(("belt.spede", "1 m/s"), ("belt.speed", "1 m/s"), ("mill.duratio", "1 s"))
    assert said.startswith("cell.yaml has 2 mistakes\n  --set belt.spede=1 m/s: devices.belt has no field 'spede'")
    assert "--set mill.duratio=1 s: devices.mill has no field 'duratio'" in said


def test_a_mistake_beside_the_setting_reports_the_setting() -> None:
    said = refusal(("mill.duration[1]", "3 s"))
    assert said.startswith("cell.yaml:8:")
    assert (
        "expected one time, or two with the lower one first\n  at cell.yaml, line 8, with --set mill.duration[1]=3 s"
        in said
    )


def test_long_values_are_shortened_in_messages() -> None:
    said = refusal(("name", "[" + "x" * 5000 + "]"))
    assert len(said) < 300


def test_a_python_cell_has_nothing_to_set(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text("def build(cell): pass")
    with pytest.raises(
        CellFileError, match=r"--set belt\.speed=1 m/s: .*cell\.py is a Python file, and only cell files"
    ):
        CellSource.find(tmp_path).set("belt.speed", "1 m/s")


# ---------------------------------------------------------------- laws


def _paths(node: yamldoc.Node, path: yamldoc.Path = ()) -> list[yamldoc.Path]:
    steps = (
        list(node.value)
        if isinstance(node.value, dict)
        else range(len(node.value))
        if isinstance(node.value, list)
        else []
    )
    below = [each for step in steps for each in _paths(node.child(step), (*path, step))]  # type: ignore[arg-type]
    return [path, *below] if path else below


TEXTS = {file: yamldoc.read_text(file) for file in CELLS}
FIELDS = [(file, path) for file, text in TEXTS.items() for path in _paths(yamldoc.parse(text, "cell.yaml"))]
FREE = [
    (file, path)
    for file, path in FIELDS
    if path[0] != "uses" and not (path[0] == "programs" and path[2:] in ((), ("file",)))
]
VALUES = st.one_of(
    st.sampled_from(
        ["30 s", "7", "0", "true", "1.5", "[20 s, 30 s]", "[1 mm, 2 mm, 3 mm]", "null", "{}", "[]", "stuck_on"]
    ),
    st.sampled_from(["40 mm/s", "-5 mm", "90 deg", "50 %", "table", "{sphere: 5 mm}", "{box: [1 m, 1 m, 1 m]}", "'7'"]),
)


def _outcome(text: str, file: Path, given: tuple[Setting, ...] = ()) -> "Model | list[str]":
    try:
        return Model.read(text, file, trusted=True, settings=given)
    except CellFileError as error:
        return sorted(each.what for each in error.mistakes)


@pytest.mark.parametrize("file", CELLS, ids=lambda file: file.parent.name)
def test_every_single_value_of_the_examples_is_found_by_its_path(file: Path) -> None:
    root = yamldoc.parse(TEXTS[file], "cell.yaml")
    nodes = {dotted(path): root.find(path) for each, path in FREE if each == file}
    same = [Setting(path, yamldoc.inline(node.plain())) for path, node in nodes.items() if _alone(node)]
    varied = Model.read(TEXTS[file], file, trusted=True, settings=same)
    assert varied == Model.read(TEXTS[file], file, trusted=True)
    assert varied.root is not None
    found = [node for node in map(varied.root.find, _paths(varied.root)) if node is not None and _alone(node)]
    assert {node.setting for node in found if node.setting} == set(same)


def _alone(node: "yamldoc.Node | None") -> bool:
    return node is not None and node.value is not None and not isinstance(node.value, dict | list)


NAMES = (
    "devices",
    "belt",
    "conveyor",
    "speed",
    "faults",
    "lamp",
    "signals",
    "plc",
    "rules",
    "table",
    "shape",
    "box",
    "x",
)
PIECES = st.sampled_from([*NAMES, ".", "[0]", "[1]", "[", "]", "..", "/", " ", "=", "\n", "é", "[99999999]"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=9).map("".join), VALUES | st.text(max_size=12))
def test_any_setting_is_read_or_refused(path: str, value: str) -> None:
    said = ""
    try:
        read((path, value))
    except CellFileError as error:
        said = str(error)
    assert not said or str(Setting(path, value)) in said


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FREE), VALUES)
def test_setting_a_field_reads_as_editing_the_file(field: tuple[Path, yamldoc.Path], value: str) -> None:
    file, path = field
    plain = yamldoc.parse(f"value: {value}", "value").plain()["value"]
    edited = yamldoc.put(TEXTS[file], str(file), path, plain)
    assert _outcome(TEXTS[file], file, (Setting(dotted(path), value),)) == _outcome(edited, file)


@pytest.mark.parametrize(
    ("path", "text", "before", "after"),
    [
        ("belt.speed", "60 mm/s", "speed: 40 mm/s", "speed: 60 mm/s"),
        ("feeder.every", "[5 s, 10 s]", "every: [30 s, 60 s]", "every: [5 s, 10 s]"),
        ("sensor2.at[0]", "345 mm", "[339.14 mm,", "[345 mm,"),
        ("beltdrive.rules.belt.run", "not tof(sensor2, 1 s)", '"not tof(sensor2, 500 ms)"', '"not tof(sensor2, 1 s)"'),
        ("faults.sensor2", "[{late: 50 ms}]", "signals:\n", "faults: {sensor2: [{late: 50 ms}]}\nsignals:\n"),
        ("run.seed", "5", "seed: 7", "seed: 5"),
    ],
)
def test_setting_a_field_runs_as_editing_the_file(
    path: str, text: str, before: str, after: str, tmp_path: Path
) -> None:
    shutil.copytree(EVENT_CELL.parent, tmp_path / "cell")
    plain = CellSource.find(tmp_path / "cell").build().run(40.0).journal_hash
    varied = CellSource.find(tmp_path / "cell").set(path, text).build().run(40.0).journal_hash
    file = tmp_path / "cell" / "cell.yaml"
    assert file.read_text().count(before) == 1
    file.write_text(file.read_text().replace(before, after))
    assert (varied, varied != plain) == (CellSource.find(file).build().run(40.0).journal_hash, True)
