"""``--set PATH=VALUE``: a run of a varied cell, its recording, and the commands that look at such a cell."""

import json
import shutil
from pathlib import Path

import pytest

from drycell.recording import Recording

ROOT = Path(__file__).parents[2]
FASTER = ("--set", "belt.speed=60 mm/s", "--set", "machine1.duration=[30 s, 40 s]")


@pytest.fixture
def event_cell(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "30_event_cell", tmp_path / "event_cell")
    return tmp_path / "event_cell"


def test_a_varied_run_says_what_was_set_and_is_another_run(drycell, event_cell: Path) -> None:
    plain = drycell("run", event_cell, "--until", "40s")
    said = drycell("run", event_cell, "--until", "40s", *FASTER, "--set", "run.seed=5")
    assert said.code == 0, said.err
    first, second, third, *_ = said.out.splitlines()
    assert ", seed 5, in " in first
    assert second == "with belt.speed = 60 mm/s, machine1.duration = [30 s, 40 s], run.seed = 5"
    assert third == ""
    assert plain.out.splitlines()[1] == ""


def test_json_has_the_settings_only_if_there_are_some(drycell, event_cell: Path) -> None:
    plain = json.loads(drycell("run", event_cell, "--until", "20s", "--json").out)
    varied = json.loads(drycell("run", event_cell, "--until", "20s", "--json", *FASTER).out)
    assert "settings" not in plain
    assert varied["settings"] == {"belt.speed": "60 mm/s", "machine1.duration": "[30 s, 40 s]"}
    assert varied["journal_sha256"] != plain["journal_sha256"]


def test_the_recording_of_a_varied_run_replays_without_options(drycell, event_cell: Path, tmp_path: Path) -> None:
    record = tmp_path / "run.dry"
    said = drycell("run", event_cell, "--until", "40s", *FASTER, "--record", record)
    assert f"drycell verify {event_cell} --set 'belt.speed=60 mm/s' --set 'machine1.duration=[30 s, 40 s]'" in said.out
    again = drycell("replay", record)
    assert (again.code, again.err) == (0, "")
    assert again.out == (
        "identical: 40.000 s of cell 'event cell', seed 7, "
        "with belt.speed = 60 mm/s, machine1.duration = [30 s, 40 s], bit for bit\n"
    )
    with Recording.open(record) as opened:
        header = opened.header
    assert [tuple(each) for each in header.settings] == [
        ("belt.speed", "60 mm/s"),
        ("machine1.duration", "[30 s, 40 s]"),
    ]
    assert header.changed_sources(event_cell) == []  # the hashes are of the files as they are


def test_recordings_of_one_varied_run_are_identical_byte_for_byte(drycell, event_cell: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.dry", "two.dry", "plain.dry")]
    for file, options in zip(files, (FASTER, FASTER, ()), strict=True):
        assert drycell("run", event_cell, "--until", "20s", *options, "--record", file).code == 0
    one, two, plain = (file.read_bytes() for file in files)
    assert (one, one != plain) == (two, True)


def test_a_recording_without_its_settings_does_not_replay(drycell, event_cell: Path, tmp_path: Path) -> None:
    """What settings change is in the run: were they forgotten, the comparison would say so."""
    record, edited = tmp_path / "run.dry", event_cell / "cell.yaml"
    drycell("run", event_cell, "--until", "40s", "--set", "belt.speed=60 mm/s", "--record", record)
    edited.write_text(edited.read_text().replace("every: [30 s, 60 s]", "every: [3 s, 6 s]"))
    assert drycell("replay", "--changed", record).code == 2
    edited.write_text(edited.read_text().replace("  belt:\n", "  band:\n").replace("on: belt", "on: band"))
    lost = drycell("replay", "--changed", record)
    assert lost.code == 1
    assert "--set belt.speed=60 mm/s: the cell has no field, section or thing 'belt'" in lost.err


def test_settings_and_exchanged_programs_go_together(drycell, event_cell: Path, tmp_path: Path) -> None:
    record = tmp_path / "run.dry"
    both = ("--program", "robot=robot.py", "--set", "belt.speed=60 mm/s")
    assert drycell("run", event_cell, "--until", "40s", *both, "--record", record).code == 0
    assert drycell("replay", record).code == 0
    with Recording.open(record) as opened:
        assert opened.header.programs == {"robot": "robot.py"}
        assert [tuple(each) for each in opened.header.settings] == [("belt.speed", "60 mm/s")]


def test_a_seed_that_is_asked_for_comes_before_one_that_is_set(drycell, event_cell: Path) -> None:
    said = drycell("run", event_cell, "--until", "1s", "--seed", 3, "--set", "run.seed=5")
    assert ", seed 3, in " in said.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("belt.speed", "--set takes PATH=VALUE, not 'belt.speed'\n  try: write for example --set belt.speed='40 mm/s'"),
        ("belt.speed=", "--set takes PATH=VALUE, not 'belt.speed='"),
        ("=40 mm/s", "--set takes PATH=VALUE, not '=40 mm/s'"),
        ("belt.speed=40", "--set belt.speed=40: devices.belt.conveyor.speed: '40' has no unit, but a speed needs one"),
        ("belt.spede=40 mm/s", "--set belt.spede=40 mm/s: devices.belt has no field 'spede'"),
        ("robot.file=robot.py", "programs.robot.file selects the code that runs, so --set cannot change it"),
    ],
)
def test_fields_that_cannot_be_set_are_refused(drycell, event_cell: Path, given: str, said: str) -> None:
    found = drycell("run", event_cell, "--set", given)
    assert (found.code, found.out) == (1, "")
    assert said in found.err


def test_a_python_cell_is_refused(drycell, folder: Path) -> None:
    found = drycell("run", folder, "--set", "wall.at=[1 m, 0]")
    assert found.code == 1
    assert "cell.py is a Python file, and only cell files have fields to set" in found.err
    assert "--save cell.yaml" in found.err


def test_show_shows_and_saves_the_varied_cell(drycell, event_cell: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.yaml"
    shown = drycell("show", event_cell, "--set", "table.at=[200 mm, -150 mm, 500 mm]", "--save", saved)
    assert shown.code == 0, shown.err
    assert " 500.0" in next(line for line in shown.out.splitlines() if line.startswith("table"))
    assert "500 mm" in saved.read_text()


def test_verify_searches_the_varied_cell_and_its_finding_replays(drycell, tmp_path: Path) -> None:
    folder = tmp_path / "tie"
    shutil.copytree(ROOT / "examples" / "31_verify" / "exact_tie", folder)
    assert drycell("verify", folder, "--out", tmp_path / "plain").code == 2
    said = drycell("verify", folder, "--out", tmp_path / "varied", "--set", "name=another tie")
    assert said.code == 2, said.err
    (record,) = (tmp_path / "varied").glob("*.dry")
    again = drycell("replay", record)
    assert again.code == 0, again.out + again.err
    assert again.out.endswith(" of cell 'another tie', seed 0, with name = another tie, bit for bit\n")
    assert "has no field 'sed'" in drycell("verify", folder, "--set", "run.sed=3").err


def test_a_picture_is_of_the_varied_cell(drycell, event_cell: Path, tmp_path: Path) -> None:
    drawings = []
    for number, options in enumerate(((), ("--set", "table.shape.box.z=400 mm"))):
        file = tmp_path / f"{number}.svg"
        assert drycell("picture", event_cell, "-o", file, *options).code == 0
        drawings.append(file.read_text())
    assert drawings[0] != drawings[1]


def test_a_recording_is_only_read(drycell, folder: Path, tmp_path: Path) -> None:
    record = tmp_path / "run.dry"
    drycell("run", folder, "--record", record)
    for command in (("picture", record, "-o", tmp_path / "x.svg"), ("film", record, "-o", tmp_path / "x.gif")):
        found = drycell(*command, "--set", "belt.speed=1 m/s")
        assert found.code == 1
        assert "--set changes a cell before it runs" in found.err


def test_help_teaches_by_an_example(drycell) -> None:
    said = drycell("run", "--help").out
    assert (
        "drycell run examples/30_event_cell --set belt.speed='60 mm/s' --set machine1.duration='[30 s, 40 s]'" in said
    )
    for command in ("verify", "picture", "film", "show"):
        assert "--set PATH=VALUE" in drycell(command, "--help").out
