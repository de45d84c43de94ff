"""``drycell run``: the result as text or JSON, the requested files, and the exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from drycell.recording import Recording


def test_it_says_what_happened(drycell, folder: Path) -> None:
    said = drycell("run", folder)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "counted 3"
    assert lines[1].startswith(f"counting ({folder}): ")
    assert "of cell time, seed 0, in " in lines[1]
    assert "× real time)" in lines[1]
    assert any(line.startswith("  finished      at 3.") for line in lines)
    assert "  collisions    none" in lines
    assert any(line.startswith("  near misses   cube – wall 3.00 mm apart at ") for line in lines)
    assert "  lost parts    none" in lines


def test_as_json_it_is_one_object_and_nothing_else_but_what_programs_print(drycell, folder: Path) -> None:
    (folder / "cell.py").write_text((folder / "cell.py").read_text().replace('print("counted", count.value)', "pass"))
    said = drycell("run", folder, "--json")
    printed = json.loads(said.out)
    assert (said.code, said.err) == (0, "")
    assert (printed["cell"], printed["seed"], printed["ending"], printed["clean"]) == ("counting", 0, "finished", True)
    assert printed["near_misses"][0]["distance_m"] == pytest.approx(0.003)
    assert len(printed["moves"]["arm"]) == 1


@pytest.mark.parametrize(("until", "lasts"), [("1500 ms", 1.5), ("2s", 2.0), ("0.02 min", 1.2), ("0.0005h", 1.8)])
def test_until_takes_a_time_with_its_unit(drycell, folder: Path, until: str, lasts: float) -> None:
    printed = json.loads(drycell("run", folder, "--until", until, "--json").out)
    assert (printed["ending"], printed["duration_s"]) == ("until", lasts)


@pytest.mark.parametrize(
    ("until", "said"), [("5", "'5' has no unit, but a time needs one"), ("5 mm", "'5 mm' is not a time")]
)
def test_until_without_a_time_is_refused(drycell, folder: Path, until: str, said: str) -> None:
    printed = drycell("run", folder, "--until", until)
    assert (printed.code, printed.out) == (1, "")
    assert printed.err == f"UnitError: {said}\n  try: write for example '2.5 s'\n"


def test_a_seed_reaches_the_run(drycell, folder: Path) -> None:
    assert json.loads(drycell("run", folder, "--until", "1s", "--json", "--seed", 7).out)["seed"] == 7


def test_a_pace_is_kept_and_an_invalid_one_is_refused(drycell, folder: Path) -> None:
    fast = drycell("run", folder, "--until", "2 s", "--pace", 1e6, "--json")
    assert (
        json.loads(fast.out)["journal_sha256"]
        == json.loads(drycell("run", folder, "--until", "2 s", "--json").out)["journal_sha256"]
    )
    assert drycell("run", folder, "--pace", 0).code == 1


def test_journal_recording_and_picture_are_written_and_named(drycell, folder: Path, tmp_path: Path) -> None:
    journal, record = tmp_path / "out" / "run.journal", tmp_path / "out" / "run.dry"
    said = drycell("run", folder, "--journal", journal, "--record", record)
    assert f"journal       {journal}" in said.out
    assert f"recording     {record}" in said.out
    assert f"  next          drycell replay {record}" in said.out.splitlines()
    assert "    1.000000  count" in journal.read_text()
    with Recording.open(record) as recorded:
        assert recorded.header.cell == "counting"


@pytest.mark.parametrize("option", ["--journal", "--record", "--picture"])
def test_an_unwritable_file_is_reported_before_the_run(drycell, folder: Path, tmp_path: Path, option: str) -> None:
    (tmp_path / "taken.png").mkdir()
    (tmp_path / "file").write_text("no folder")
    for place, printed in (("taken.png", "is a folder, not a file"), ("file/run.png", "cannot write to the folder")):
        said = drycell("run", folder, option, tmp_path / place)
        assert (said.code, said.out) == (1, "")
        assert printed in said.err


def test_a_journal_of_json_lines(drycell, folder: Path, tmp_path: Path) -> None:
    drycell("run", folder, "--journal", tmp_path / "run.jsonl")
    records = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [record["t"] for record in records if record["subject"] == "count"] == [1.0, 2.0, 3.0]


def test_moves_prints_the_table(drycell, folder: Path) -> None:
    said = drycell("run", folder, "--moves")
    assert "arm           start s    time s  distance mm     mm/s  target" in said.out.splitlines()
    assert "  joint         3.000" in said.out


COLLISION = (
    'cube", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0, 103 * mm, 0)',
    'cube", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0, 0, 0)',
)
DEADLOCK = "delay(1.0)", "from drycell import wait; wait(count > 5)"


@pytest.mark.parametrize(
    ("change", "said"), [(COLLISION, "  collisions    cube – wall from 1.000 s"), (DEADLOCK, "waits for count > 5")]
)
def test_an_unclean_run_ends_with_2_and_still_reports(
    drycell, folder: Path, change: tuple[str, str], said: str
) -> None:
    text = (folder / "cell.py").read_text()
    assert change[0] in text
    (folder / "cell.py").write_text(text.replace(*change))
    printed = drycell("run", folder)
    assert (printed.code, printed.err) == (2, "")
    assert said in printed.out


def test_an_error_in_a_program_ends_with_1_without_a_traceback(drycell, folder: Path) -> None:
    text = (folder / "cell.py").read_text()
    (folder / "cell.py").write_text(text.replace('print("counted", count.value)', "1 / 0"))
    printed = drycell("run", folder)
    assert printed.code == 1
    assert printed.out == ""
    assert printed.err.splitlines()[0] == "ProgramError: ZeroDivisionError in program 'work': division by zero"
    assert "program 'work' (cell.py:21), seed 0" in printed.err
    assert "Traceback" not in printed.err


ENDLESS = """\
from drycell import Body, Box, delay


def build(cell):
    cell.add("table", Body(Box(1, 1, 0.1)))
    count = cell.signal("count", 0)

    @cell.program
    def work():
        while True:
            delay(1.0)
            count.set(count.value + 1)
            if count.value == 100:
                print("under way", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent to a process")
def test_ctrl_c_ends_a_run_with_the_results_journal_and_recording_so_far(tmp_path: Path, drycell) -> None:
    (tmp_path / "cell.py").write_text(ENDLESS)
    journal, record = tmp_path / "run.jsonl", tmp_path / "run.dry"
    command = [sys.executable, "-m", "drycell.cli.main", "run", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--journal", str(journal), "--record", str(record)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "under way\n"  # a hundred seconds of cell time have passed
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err == ""
    assert "  interrupted   at " in out
    records = [json.loads(line) for line in journal.read_text().splitlines()]
    assert (records[-1]["kind"], records[-1]["ending"]) == ("end", "interrupted")
    counted = sum(record["subject"] == "count" for record in records)
    assert counted >= 100
    with Recording.open(record) as recorded:
        assert recorded.duration == round(records[-1]["t"] * 1e6)
        assert recorded.duration >= 100_000_000
        assert recorded.pose("table", recorded.duration).position == (0, 0, 0)
    # An interrupted run is replayed up to its end.
    assert drycell("replay", record).code == 0


def test_a_view_that_does_not_exist_is_refused_before_the_run(drycell, folder: Path, tmp_path: Path) -> None:
    said = drycell("run", folder, "--picture", tmp_path / "end.png", "--view", "iso-bak")
    assert (said.code, said.out) == (1, "")
    assert "there is no view 'iso-bak'" in said.err
    assert "did you mean 'iso-back'" in said.err


def test_a_cell_that_parts_go_through_is_proposed_for_a_search(drycell, tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(
        "name: flow\n"
        "devices:\n"
        "  belt: {conveyor: {length: 500 mm, width: 80 mm, speed: 100 mm/s}}\n"
        "  feeder: {source: {every: 60 s, kinds: {part: {shape: {box: [40 mm, 40 mm, 40 mm]}}}}, on: belt}\n"
        "run: {until: 4 min}\n"
    )
    said = drycell("run", tmp_path, "--record", tmp_path / "flow.dry").out.splitlines()
    assert said[-1] == f"  next          drycell replay {tmp_path}/flow.dry · drycell verify {tmp_path} --until 3min"
    assert any(line.startswith("  parts      ") for line in said)
