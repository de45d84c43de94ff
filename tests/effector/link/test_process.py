"""A device as a process: started by a program or by hand, it ends with its program and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from drycell.base import mm, s
from drycell.effector.link import CommandFailed, GripperClient, LinkError, LinkLost, connect, read_traffic, start_device
from drycell.effector.messages import Refusal

PATIENCE = 60.0
TRIALS = 100


def comes_true(what: Callable[[], bool]) -> bool:
    """Wait until something is true, which can take long on a busy machine."""
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


def socket_of(address: str) -> Path:
    return Path(address.removeprefix("unix:"))


def by_hand(*options: str) -> tuple["subprocess.Popen[str]", str]:
    """``drycell device`` as a user starts it; the process and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "drycell.cli.main", "device", "gripper", *options],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, line.partition("listens at ")[2].split(",")[0]


def test_a_device_ends_with_the_block_that_started_it() -> None:
    with start_device() as device:
        with connect(device.address) as gripper:
            assert gripper.status().target == pytest.approx(65 * mm)
        assert device.alive
        assert socket_of(device.address).stat().st_mode & 0o777 == 0o600
    assert device.process.returncode == 0
    assert not socket_of(device.address).exists()


def test_quit_ends_the_process_after_its_reply() -> None:
    with start_device(speed=10) as device, connect(device.address) as gripper:
        gripper.initialise()
        move = gripper.move_to(10 * mm, speed=1 * mm / s)
        assert gripper.quit() == 1
        assert device.process.wait(PATIENCE) == 0
        assert not socket_of(device.address).exists()
        with pytest.raises((CommandFailed, LinkLost)):
            move.wait()


def test_a_killed_device_is_reported_and_its_socket_is_removed() -> None:
    with start_device() as device, connect(device.address) as gripper:
        gripper.status()
        device.process.kill()
        device.process.wait()
        with pytest.raises(LinkLost, match="the connection is lost"):
            gripper.status()
        with pytest.raises(LinkLost, match="is the device running"):
            gripper.reconnect(timeout=0.1)
    assert not socket_of(device.address).exists()


STARTER = """
import sys, time
from drycell.effector.link import start_device
with start_device() as device:
    print(device.process.pid, device.address, flush=True)
    sys.stdin.read()
"""


def test_a_device_ends_when_the_program_that_started_it_is_killed() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        pid, address = program.stdout.readline().split()
        assert not gone(int(pid))
        program.kill()
        assert comes_true(lambda: gone(int(pid)))
        assert not socket_of(address).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_device_started_by_hand_ends_by_signal_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    process, address = by_hand("--socket", str(tmp_path / "hand"))
    with process, connect(address) as gripper:
        gripper.initialise()
        os.kill(process.pid, number)
        assert process.wait(PATIENCE) == 0
    assert list(tmp_path.iterdir()) == []


def test_the_place_of_a_killed_device_is_taken_over_and_one_in_use_is_not(tmp_path: Path) -> None:
    place = str(tmp_path / "hand")
    killed, _ = by_hand("--socket", place)
    with killed:
        killed.kill()
    assert Path(place).exists()
    process, address = by_hand("--socket", place)
    with process:
        refused = subprocess.run(
            [sys.executable, "-m", "drycell.cli.main", "device", "gripper", "--socket", place],
            capture_output=True,
            text=True,
            check=False,
        )
        assert refused.returncode == 1
        assert "another device listens at" in refused.stderr
        with connect(address) as gripper:
            gripper.quit()
        assert process.wait(PATIENCE) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_cannot_start_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LinkError, match="ended with 1 before it listened"), start_device(cell="/nowhere"):
        pass
    assert "/nowhere" in capfd.readouterr().err


def test_a_device_on_a_port_of_this_host_serves_two_programs() -> None:
    process, address = by_hand("--port", "0")
    with process:
        assert address.startswith("tcp:127.0.0.1:")
        with connect(address) as one, connect(address) as two:
            assert one.status() == two.status()
            two.quit()
        assert process.wait(PATIENCE) == 0


def test_other_hosts_need_a_token() -> None:
    process, address = by_hand("--port", "0", "--host", "0.0.0.0", "--token", "correct-horse-battery")
    port = address.rpartition(":")[2]
    with process:
        with connect(f"tcp:127.0.0.1:{port}", token="wrong-horse-battery") as gripper, pytest.raises(LinkLost):
            gripper.status()
        with connect(f"tcp:127.0.0.1:{port}", token="correct-horse-battery") as gripper:
            gripper.status()
            gripper.quit()
        assert process.wait(PATIENCE) == 0


def keep_busy(gripper: GripperClient, chance: Random) -> None:
    """Send commands endlessly."""
    gripper.initialise()
    while True:
        gripper.move_to(chance.uniform(30, 60) * mm)
        gripper.status()
        gripper.abort()


@pytest.mark.soak
def test_a_device_killed_at_any_moment_is_noticed_and_replaced(tmp_path: Path) -> None:
    chance = Random(1987)
    for _ in range(TRIALS):
        process, address = by_hand("--socket", str(tmp_path / "hand"))
        with process, connect(address) as gripper:
            end = threading.Timer(chance.uniform(0.0, 0.2), process.kill)
            end.start()
            with pytest.raises(LinkLost):
                keep_busy(gripper, chance)
            end.join()
            process.wait(PATIENCE)
            another, _ = by_hand("--socket", str(tmp_path / "hand"))
            with another:
                gripper.reconnect(PATIENCE)
                gripper.initialise()
                gripper.quit()
                assert another.wait(PATIENCE) == 0
    assert list(tmp_path.iterdir()) == []


def test_every_refusal_is_recorded_and_counted(tmp_path: Path) -> None:
    record = tmp_path / "traffic.jsonl"
    process, address = by_hand("--port", "0", "--record", str(record))
    with process, socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), PATIENCE) as line:
        answers = line.makefile("r")
        for asked, code in (("PGMOV 1 0 0.07", "LIMIT"), ("PGMOV 2 0 nan", "REAL"), ("PGSTA 3 0 0", "GPSTA")):
            line.sendall(f"DRY1 {asked} 0 0 0 0\n".encode())
            assert code in answers.readline()
        line.sendall(b"DRY1 PGQUI 4 0 0 0 0 0 0\n")
        assert process.stdout is not None
        assert "2 served, 2 refused (1 LIMIT, 1 REAL)" in process.stdout.read()
    seen = [each.message for each in read_traffic(record) if each.event == "refused"]
    assert [(each.code, each.sequence) for each in seen if isinstance(each, Refusal)] == [("LIMIT", 1), ("REAL", 2)]
