"""Clients of one device share it: a client that floods it waits, the others are answered, and memory is bounded."""

import socket
import threading
from pathlib import Path

import pytest

from drycell.effector.link import DeviceAddress, ServedDevice, ServerLimits, bench
from drycell.effector.messages import Message

FLOOD = 2000
LIMITS = ServerLimits()


def status(number: int) -> bytes:
    return f"DRY1 PGSTA {number} 0 0 0 0 0 0\n".encode()


def connected(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(60.0)
    line.connect(str(path))
    return line


def replies(line: socket.socket, count: int) -> list[bytes]:
    data = b""
    while data.count(b"\n") < count and (chunk := line.recv(65536)):
        data += chunk
    return data.splitlines()


class Flooded:
    """A device whose cell is not running yet: everything that clients send must wait."""

    def __init__(self, path: Path) -> None:
        cell = bench("gripper")
        self.served: list[tuple[str, int | None]] = []
        """Client and number of each command, in the order in which the device took them."""
        self.handed: list[str] = []
        """Client of each command, in the order in which the server handed them to the cell."""
        pair = cell.devices["gripper"].pair
        pair.watchers.append(self._watch)
        self.device = ServedDevice(cell, [pair], DeviceAddress(path=str(path)))
        self.device._server.watchers.append(lambda seen: seen.event == "sent" and self.handed.append(seen.peer))

    def _watch(self, traffic) -> None:
        if traffic.event == "sent" and isinstance(traffic.message, Message):
            self.served.append((traffic.peer, traffic.message.sequence))


@pytest.fixture
def flooded(tmp_path: Path):
    made = Flooded(tmp_path / "device.sock")
    yield made
    made.device.close()


def test_one_client_that_floods_the_device_does_not_starve_another(flooded, tmp_path):
    fast, slow = connected(tmp_path / "device.sock"), connected(tmp_path / "device.sock")
    # Everything fits into the system's buffers; the server reads as much as the device has room for.
    fast.sendall(b"".join(status(number) for number in range(1, FLOOD + 1)))
    waiting = threading.Event()
    while len(flooded.handed) < LIMITS.held:
        waiting.wait(0.001)
    slow.sendall(status(1))
    while "connection 2" not in flooded.handed:
        waiting.wait(0.001)
    # The cell does not run yet: no more than the limit of the fast client waits in it, whatever it has sent.
    assert flooded.handed == ["connection 1"] * LIMITS.held + ["connection 2"]

    running = threading.Thread(target=flooded.device.run)
    running.start()
    assert replies(slow, 1)[0].startswith(b"DRY1 GPSTA 1 ")
    got = replies(fast, FLOOD)
    flooded.device.stop()
    running.join()
    assert [int(line.split()[2]) for line in got] == list(range(1, FLOOD + 1))  # in order, and none is lost
    assert flooded.served.index(("connection 2", 1)) <= LIMITS.held
    fast.close()
    slow.close()


def test_the_queue_of_a_client_is_bounded_while_the_cell_is_paused(flooded, tmp_path):
    line = connected(tmp_path / "device.sock")
    line.settimeout(0.2)

    def flood() -> None:
        while True:
            line.sendall(status(1) * 100)

    with pytest.raises(TimeoutError):  # in the end, the client itself must wait
        flood()
    (connection,) = flooded.device._server.connections
    assert connection.held == LIMITS.held == len(flooded.handed)
    assert len(connection.received) <= 4096 // len(status(1)) + 1
    line.close()
