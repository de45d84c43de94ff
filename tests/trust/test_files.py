"""The files of a run that is killed, stopped or out of disk space are either complete or the old ones."""

import io
import os
import random
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from drycell.cell import is_trusted
from drycell.cli.main import main

CELL = """\
from drycell import delay


def build(cell):
    signals = [cell.signal(f"s{each}", 0) for each in range(5)]

    def counting(place):
        def count():
            while True:
                delay(0.01)
                signals[place].set(signals[place].value + 1)

        return count

    for each in range(5):
        cell.program(counting(each), name=f"count{each}")
"""
OLD = b"the old file, which is complete\n" * 20
SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    folder = tmp_path / "counting"
    folder.mkdir()
    (folder / "cell.py").write_text(CELL)
    return folder


def started(
    cell: Path, out: Path, *, most: int | None = None, written: tuple[str, ...] = ("journal", "record")
) -> "subprocess.Popen[str]":
    """Start a run that never ends, with a journal and a recording over old files."""
    out.mkdir()
    for name in ("run.journal", "run.dry"):
        (out / name).write_bytes(OLD)
    limit = None if most is None else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    command = [sys.executable, "-u", "-m", "drycell.cli.main", "run", str(cell)]
    names = {"journal": "run.journal", "record": "run.dry"}
    files = [word for each in written for word in (f"--{each}", str(out / names[each]))]
    return subprocess.Popen(
        [*command, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit
    )


def wait_for_bytes(process: "subprocess.Popen[str]", out: Path, most: int) -> None:
    """Return when the journal under its temporary name has grown to some bytes: the run is then under way."""
    while process.poll() is None:
        for each in out.glob(".run.drycell-*.journal"):
            if each.stat().st_size >= most:
                return
        time.sleep(0.01)


def stopped(cell: Path, out: Path, number: signal.Signals, after: int) -> None:
    process = started(cell, out)
    wait_for_bytes(process, out, after)
    process.send_signal(number)
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, "")
    assert "interrupted" in said
    assert sorted(os.listdir(out)) == ["run.dry", "run.journal"]
    last = (out / "run.journal").read_text().splitlines()[-1]
    assert last.endswith(f"ending=interrupted  reason={SIGNALS[number]}"), last
    assert main(["replay", str(out / "run.dry")]) == 0  # cut at the end of an instant


def killed(cell: Path, out: Path, after: int) -> None:
    process = started(cell, out)
    wait_for_bytes(process, out, after)
    process.kill()
    process.communicate(timeout=60)
    assert {(out / name).read_bytes() for name in ("run.journal", "run.dry")} == {OLD}
    assert len(os.listdir(out)) == 4  # both temporary files
    assert main(["run", str(cell), "--until", "1s", "--journal", str(out / "run.journal")]) == 0
    assert sorted(os.listdir(out)) == ["run.dry", "run.journal"]


def test_a_stopped_run_has_results_and_complete_files(cell: Path, tmp_path: Path) -> None:
    stopped(cell, tmp_path / "out", signal.SIGTERM, 50_000)


def test_a_killed_run_leaves_the_old_files_and_the_next_run_tidies_up(cell: Path, tmp_path: Path) -> None:
    killed(cell, tmp_path / "out", 50_000)


def test_a_run_out_of_space_keeps_the_old_files(cell: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started(cell, out, most=40_000)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith(f"WriteError: cannot write {out}/run.journal: File too large; the file keeps its previous")
    assert "Traceback" not in errors
    assert {each.name: each.read_bytes() for each in out.iterdir()} == {"run.journal": OLD, "run.dry": OLD}


def test_a_recording_out_of_space_keeps_the_old_one_and_is_named(cell: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started(cell, out, most=300_000, written=("record",))  # columns leave memory at 256 KiB
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert errors.startswith(f"WriteError: cannot write {out}/run.dry: File too large; the file keeps its previous")
    assert {each.name: each.read_bytes() for each in out.iterdir()} == {"run.journal": OLD, "run.dry": OLD}


@pytest.mark.parametrize("command", [["replay"], ["report"], ["picture"]], ids=str)
def test_a_pipe_in_place_of_a_recording_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    os.mkfifo(tmp_path / "run.dry")
    assert main([*command, str(tmp_path / "run.dry")]) == 1
    assert "run.dry: it is a pipe or a device, not a regular file" in capsys.readouterr().err


def test_a_folder_whose_name_could_trust_other_folders_cannot_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    victim = tmp_path / "victim"
    for name in (f"evil\n{victim}", os.fsdecode(b"caf\xe9")):  # the first one takes two lines of the list
        folder = tmp_path / "found" / name.lstrip("/")
        folder.mkdir(parents=True)
        (folder / "cell.py").write_text("def build(cell):\n    pass\n")
        assert main(["show", str(folder), "--trust"]) == 1
        assert "cannot be trusted: its name has characters that cannot be printed" in capsys.readouterr().err
        assert not is_trusted(folder)
        assert not is_trusted(victim)


def test_bodies_attached_in_a_long_chain_are_refused_at_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bodies = [f"  b{each}:\n    parent: b{each - 1}\n" for each in range(1, 2000)]
    (tmp_path / "cell.yaml").write_text("name: chain\nbodies:\n  b0: {}\n" + "".join(bodies))
    assert main(["show", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path}/cell.yaml:503:5: bodies.b250: nothing can be attached to 'b249'" in said
    (tmp_path / "cell.yaml").write_text("name: chain\nbodies:\n  b0: {}\n" + "".join(bodies[:249]))
    assert main(["show", str(tmp_path)]) == 0


def test_a_file_name_that_is_too_long_is_a_mistake_at_its_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = f"{{mesh: {{file: {'n' * 300}.stl, units: mm}}}}"
    (tmp_path / "cell.yaml").write_text(f"name: long\nbodies:\n  part:\n    shape: {shape}\n")
    assert main(["show", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "cell.yaml:4:" in said
    assert "is too long for a file name: 304 bytes" in said


def changed_recording(source: Path, target: Path, member: str, data: bytes) -> Path:
    """Copy a recording with other bytes in one member."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, data if name == member else old.read(name))
    return target


def test_a_recording_that_unpacks_to_far_more_than_it_holds_is_refused(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(cell), "--until", "1s", "--record", str(tmp_path / "run.dry")]) == 0
    for member in ("header.json", "world.json"):
        bomb = changed_recording(tmp_path / "run.dry", tmp_path / "bomb.dry", member, b"[" + b"[]," * 2_000_000 + b"0]")
        tracemalloc.start()
        assert main(["replay", str(bomb), "--pose", "x"]) == 1
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert f"member {member!r}: it unpacks from " in capsys.readouterr().err
        assert peak < 5_000_000  # 6 MB would be unpacked, and 150 MB parsed


def test_a_document_of_many_small_values_is_refused(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A value takes 3 bytes in the file and 64 in memory; random digits keep the ratio of the compression small.
    draw = random.Random(1)
    values = ",".join("[],[],[],[],[]," + str(draw.randrange(10)) for _ in range(200_000))
    assert main(["run", str(cell), "--until", "1s", "--record", str(tmp_path / "run.dry")]) == 0
    bomb = changed_recording(tmp_path / "run.dry", tmp_path / "bomb.dry", "world.json", f"[{values}]".encode())
    assert main(["replay", str(bomb), "--pose", "x"]) == 1
    assert "member 'world.json': it has 2,200,000 values in a file of " in capsys.readouterr().err


def test_columns_that_unpack_to_far_more_than_the_file_are_refused(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(cell), "--until", "1s", "--record", str(tmp_path / "run.dry")]) == 0
    zeros = b"\0" * 40_000_000
    bomb = changed_recording(tmp_path / "run.dry", tmp_path / "bomb.dry", "signals_int/value.npy", zeros)
    assert main(["report", str(bomb)]) == 1
    assert f"it unpacks from {bomb.stat().st_size:,} to 40,0" in capsys.readouterr().err


@pytest.mark.parametrize("number", [1e308, float("nan"), float("inf")])
def test_a_pose_beyond_any_cell_is_refused(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: float
) -> None:
    build = "def build(cell):\n    from drycell import Body, Box\n    cell.add('b', Body(Box(1, 1, 1)))\n"
    (cell / "cell.py").write_text(build)
    assert main(["run", str(cell), "--record", str(tmp_path / "run.dry")]) == 0
    data = io.BytesIO()
    np.lib.format.write_array(data, np.full((1, 12), number), version=(1, 0))
    wild = changed_recording(tmp_path / "run.dry", tmp_path / "wild.dry", "rest/pose.npy", data.getvalue())
    assert main(["picture", str(wild), "-o", str(tmp_path / "wild.svg")]) == 1
    assert "member 'rest/pose.npy': it has a number beyond" in capsys.readouterr().err


@pytest.mark.soak
def test_many_runs_killed_and_stopped_at_random(cell: Path, tmp_path: Path) -> None:
    draw = random.Random(19)
    for each in range(60):
        after = draw.choice([0, 1, 10_000, 100_000, 400_000])
        if each % 3:
            stopped(cell, tmp_path / f"stopped{each}", list(SIGNALS)[each % 3 - 1], max(after, 1))
        else:
            killed(cell, tmp_path / f"killed{each}", max(after, 1))
    print("60 runs, 20 killed, 20 stopped by Ctrl-C, 20 by SIGTERM: every file complete, every replay identical")


def test_a_report_is_made_although_the_recording_goes_to_a_pipe(cell: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.dry"
    os.mkfifo(pipe)
    with (tmp_path / "read.dry").open("wb") as read, subprocess.Popen(["cat", pipe], stdout=read):
        arguments = ["run", str(cell), "--until", "1s", "--record", str(pipe), "--report", str(tmp_path / "r.html")]
        assert main(arguments) == 0
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert zipfile.is_zipfile(tmp_path / "read.dry")


def test_the_journal_of_a_session_adds_no_file_beside_a_device(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "one.eml").write_text("DISPLAY(1);\n")
    assert main(["emula", str(tmp_path / "one.eml"), "--journal", str(tmp_path / "null"), "--out", str(tmp_path)]) == 0
    assert not (tmp_path / "null.jsonl").exists()
