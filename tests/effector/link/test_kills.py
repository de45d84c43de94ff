"""If either side is killed at any moment, the other gets a clear error and continues with a new partner."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drycell.effector.link import GripperClient, LinkLost, connect

PATIENCE = 60.0


class ProcessFactory:
    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).parent / "process_factory.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, role: str, address: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{role} {address}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessFactory]:
    made = ProcessFactory()
    yield made
    made.close()


def until(condition, what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what} never happened"
        time.sleep(0.001)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def connected(address: str) -> GripperClient:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return connect(address)
        except LinkLost:
            assert time.monotonic() < end, "the device never listened"
            time.sleep(0.001)


def free_address(kind: str, tmp_path: Path) -> str:
    if kind == "unix":
        return f"unix:{tmp_path}/device.sock"
    import socket

    with socket.create_server(("localhost", 0)) as probe:
        return f"tcp:localhost:{probe.getsockname()[1]}"


def work_until_lost(gripper: GripperClient, goes: list[int]) -> LinkLost:
    """Command moves and status endlessly; return the error that ends it."""
    try:
        while True:
            tickets = [gripper.move_to(number / 1000) for number in range(10)]
            gripper.status()
            goes[0] += 1
            for ticket in tickets:
                ticket.wait()
    except LinkLost as error:
        return error


def kill_devices(processes: ProcessFactory, address: str, kills: int, seed: int) -> None:
    stream = random.Random(seed)
    pid = processes.start("device", address)
    gripper = connected(address)
    for _ in range(kills):
        goes, aim = [0], stream.randrange(0, 20)
        moment = stream.uniform(0, 0.003)

        def kill(goes=goes, aim=aim, moment=moment, pid=pid) -> None:
            until(lambda: goes[0] >= aim, "work")
            begun = time.perf_counter()
            while time.perf_counter() - begun < moment:
                pass
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        error = work_until_lost(gripper, goes)
        killer.join()
        assert str(error).startswith("the connection is lost: ")
        assert "reconnect()" in str(error)
        with pytest.raises(LinkLost):
            gripper.status()
        until(lambda pid=pid: gone(pid), "the end of the device")
        pid = processes.start("device", address)
        gripper.reconnect(PATIENCE)
        assert gripper.status().gap == 0.02
    gripper.close()
    os.kill(pid, signal.SIGKILL)


def kill_clients(processes: ProcessFactory, serve, stand_in, address: str, kills: int, seed: int) -> None:
    stream = random.Random(seed)
    server = serve(address)
    place = str(server.address)
    for number in range(kills):
        aim = len(stand_in.seen) + stream.randrange(0, 200)
        pid = processes.start("client", place)
        until(lambda aim=aim: len(stand_in.seen) >= aim, "commands")
        begun, moment = time.perf_counter(), stream.uniform(0, 0.003)
        while time.perf_counter() - begun < moment:
            pass
        os.kill(pid, signal.SIGKILL)
        until(lambda: not server.connections, "the end of the connection")
        with connect(place) as gripper:
            assert gripper.status().gap == 0.02
        assert len(stand_in.gone) >= number
    until(lambda: not server.connections, "the end of the last connection")
    assert server.tally.refusals == 0


ROUNDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 25))]


@pytest.mark.parametrize("seed", ROUNDS)
@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_a_program_whose_device_is_killed_is_reported_and_can_reconnect(processes, tmp_path, kind, seed):
    kill_devices(processes, free_address(kind, tmp_path), 5, seed)


@pytest.mark.parametrize("seed", ROUNDS)
@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_a_device_whose_program_is_killed_serves_the_next(processes, serve, stand_in, tmp_path, kind, seed):
    kill_clients(processes, serve, stand_in, free_address(kind, tmp_path), 5, seed)
