"""The example of the end effector: one program in cell time and in real time, and clients in C and in the shell."""

import importlib.util
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from drycell.cell import CellSource
from drycell.effector.link import connect, draw_timing, read_traffic, start_device
from drycell.effector.messages import Message, Traffic, find_pair

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "60_end_effector"
GUIDE = ROOT / "docs" / "guides" / "end-effector.md"
SERVED = ["--without", "planner"]

# The differences between real time and cell time that the guide states: metres, newtons, seconds.
# A move takes up to 12.5 ms less when it comes late: the drive has then come back from the stop it was initialised at.
GAP, FORCE, ELAPSED = 0.1e-3, 0.1, 0.015


@dataclass(frozen=True)
class Seen:
    """A command or reply on the link: its time, its characters, the number of its command, and its reals."""

    time: float
    characters: str
    place: int
    reals: tuple[float, ...]


def planner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("planner", FOLDER / "planner.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def sequence(traffic: list[Traffic]) -> list[Seen]:
    """All commands and replies except status, because the number of status requests depends on the clock."""
    places: dict[int | None, int] = {}
    found = []
    for each in traffic:
        message = each.message
        if not isinstance(message, Message) or message.command == "STA" or each.event not in ("sent", "delivered"):
            continue
        place = places.setdefault(message.sequence, len(places))
        found.append(Seen(each.time, message.characters, place, message.reals))
    return found


def important(text: str) -> list[str]:
    """Return the output without what depends on when a message arrives: the jaws in motion, and durations."""
    lines = [line for line in text.splitlines() if not line.startswith(("  ", "status"))]
    return [re.sub(r"after [\d.]+ s", "after … s", line) for line in lines]


def in_cell_time() -> tuple[list[Traffic], str]:
    seen: list[Traffic] = []
    cell = CellSource.find(FOLDER).build()
    find_pair(cell.kernel, "hand").watchers.append(seen.append)
    with redirect_stdout(StringIO()) as printed:
        cell.run()
    return seen, printed.getvalue()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Traffic], str]:
    """Run the program against the process; return the recorded traffic and the output."""
    record = tmp_path_factory.mktemp("traffic") / "traffic.jsonl"
    with (
        redirect_stdout(StringIO()) as printed,
        start_device(cell=FOLDER, record=record, options=SERVED) as device,
        connect(device.address) as gripper,
    ):
        planner().work(gripper)
        assert device.process.wait(60) == 0
    return read_traffic(record), printed.getvalue()


def test_the_same_program_gives_the_same_sequence_in_cell_time_and_in_real_time(
    real: tuple[list[Traffic], str],
) -> None:
    virtual, printed = in_cell_time()
    expected, found = sequence(virtual), sequence(real[0])
    assert [(each.characters, each.place) for each in found] == [(each.characters, each.place) for each in expected]
    start = found[0].time - expected[0].time
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        late = one.time - start - other.time  # there is no limit on a busy machine
        assert late >= -number * ELAPSED
        if one.characters == "GPDON":
            gap, force, ended_by, elapsed, waiting, _ = other.reals
            assert one.reals[0] == pytest.approx(gap, abs=GAP)
            assert one.reals[1] == pytest.approx(force, abs=FORCE)
            assert one.reals[3] == pytest.approx(elapsed, abs=ELAPSED)
            assert (one.reals[2], one.reals[4]) == (ended_by, waiting)
        elif one.characters == "GPABT":
            assert one.reals[0] == pytest.approx(other.reals[0], abs=GAP + 0.005 * abs(late))  # it moves at 5 mm/s
            assert one.reals[1] == other.reals[1]
    assert important(real[1]) == important(printed)


def test_moves_are_watched_by_status_while_they_wait_in_the_queue(real: tuple[list[Traffic], str]) -> None:
    for traffic in (in_cell_time()[0], real[0]):
        events = [(each.event, each.message.command) for each in traffic if isinstance(each.message, Message)]
        first = events.index(("sent", "MOV"))
        assert events[first : first + 6].count(("sent", "MOV")) == 3
        done = [place for place, event in enumerate(events) if event == ("delivered", "DON")]
        for one, other in pairwise(done[1:4]):
            assert ("delivered", "STA") in events[one:other]


def test_the_traffic_is_drawn_as_a_timing_diagram(real: tuple[list[Traffic], str], tmp_path: Path) -> None:
    draw_timing(real[0], tmp_path / "timing.svg")
    assert "<svg" in (tmp_path / "timing.svg").read_text()


def test_the_example_is_a_script_that_starts_the_device_itself() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "planner.py")], capture_output=True, text=True, timeout=120, check=True
    )
    assert important(done.stdout) == important(in_cell_time()[1])


def test_the_client_in_c_drives_the_process(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler is not None, "a C compiler is needed: apt install gcc"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
    subprocess.run([compiler, *strict, "-o", str(tmp_path / "client"), str(FOLDER / "client.c")], check=True)
    with start_device(cell=FOLDER, options=SERVED) as device:
        done = subprocess.run(
            [str(tmp_path / "client"), device.address], capture_output=True, text=True, timeout=120, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert device.process.wait(60) == 0
    assert important(done.stdout) == [
        "initialised: gap 65.0 mm, force 5.0 N",
        "moved: gap 60.0 mm, force 0.0 N",
        "moved: gap 30.0 mm, force 0.0 N",
        "moved: gap 45.0 mm, force 0.0 N",
        "gripped: gap 24.0 mm, force 15.0 N",
        "not done: GPFAI, reason 1",
        "aborted: 1 commands dropped",
        "quit: GPQUI",
    ]
    lost = subprocess.run([str(tmp_path / "client"), device.address], capture_output=True, text=True, check=False)
    assert lost.returncode == 1
    assert "nobody listens" in lost.stderr


def test_the_line_of_shell_in_the_guide_asks_for_status() -> None:
    line = re.search(r"^\$ (bash -c '.*/dev/tcp/.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None
    process = subprocess.Popen(
        [sys.executable, "-m", "drycell.cli.main", "device", "gripper", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        port = re.search(r"tcp:127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port is not None
        command = line[1].replace("/4711", f"/{port[1]}")
        said = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=True).stdout
        assert said.startswith("DRY1 GPSTA 1 0.065 0.065 400 40 ")
        with connect(f"tcp:127.0.0.1:{port[1]}") as gripper:
            gripper.quit()
