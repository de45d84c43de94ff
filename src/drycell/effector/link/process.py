"""Devices of a cell as processes of their own, in real time: what runs one, and what starts one from a program.

Neither side outlives the other: the device ends, and removes its socket, when its standard input ends, which happens
however the program that started it does; and the program removes the socket of a device that was killed.
"""

import contextlib
import importlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Final

from drycell.base import Pose, mm
from drycell.effector.link.channel import Address, LinkError
from drycell.effector.link.server import Peer, Server
from drycell.effector.messages import MailboxClient, MailboxPair, Message, Tally, Traffic, Watcher
from drycell.kernel import Pace

if TYPE_CHECKING:
    from drycell.cell import Cell, Result

BLOCK: Final = 24 * mm
"""How wide the block is between the jaws."""
_ABOVE: Final = Pose(0.0, 0.0, 125 * mm) @ Pose.turn_x(pi)  # fingers down, their tips 14 mm above the table


def bench(kind: str, *, seed: int = 0) -> "Cell":
    """A new cell with a gripper, and with the wrist that it hangs on, or a pad on its first finger, if asked for."""
    from drycell.cell import Body, Cell
    from drycell.effector import Effector, Pad, Wrist
    from drycell.geometry import Box

    cell = Cell("bench", seed=seed)
    cell.add("table", Body(Box(300 * mm, 200 * mm, 20 * mm), at=(0, 0, -10 * mm)))
    cell.add("block", Body(Box(BLOCK, 30 * mm, 40 * mm), material="beech", on="table"))
    if kind == "wrist":
        cell.add("wrist", Wrist(at=_ABOVE))
        cell.add("gripper", Effector(parent="wrist"))
    else:
        cell.add("gripper", Effector(at=_ABOVE))
    if kind == "tactile":
        cell.add("tactile", Pad(of="gripper"))
    return cell


_OVER: Final = ("delivered", "lost", "dropped")


class AttendedDevice:
    """Serves the mailboxes of a cell's devices at an address, in real time or ``speed`` times as fast.

    It listens as soon as it is made. ``run`` lets time go until the first device is told to quit, or ``stop`` called.
    """

    def __init__(
        self, cell: "Cell", pairs: Sequence[MailboxPair], address: Address, *, speed: float = 1.0, token: str = ""
    ) -> None:
        importlib.import_module("coal")  # a third of a second that the first move would have to wait for
        self.cell, self.pairs = cell, tuple(pairs)
        self.pace = Pace(speed, attended=True)
        self._clients: dict[tuple[Peer, MailboxPair], MailboxClient] = {}  # of the cell's thread alone
        self.pairs[0].watchers.append(self._seen)
        letters = "".join(pair.letters for pair in self.pairs)
        self._server = Server(address, self._arrived, on_closed=self._left, letters=letters, token=token)

    @property
    def address(self) -> Address:
        """Where it listens; the port is the real one if none was asked for."""
        return self._server.address

    def run(self) -> "Result":
        """Runs the cell on this thread until somebody ends it; connections and socket are gone then."""
        try:
            with _terminated_by(self.stop):
                # Nothing is kept that grows: a status request asked for a hundred times a second would fill the memory.
                return self.cell.run(pace=self.pace, keep=False)
        finally:
            self._server.close()

    def close(self) -> None:
        """Ends all connections and gives the place back; ``run`` does so by itself."""
        self._server.close()

    @property
    def tally(self) -> Tally:
        """How many messages were served and refused so far, at the door and by the devices."""
        whole = Tally()
        for pair in self.pairs:
            whole.refused += pair.tally.refused
        whole.served = self._server.tally.served - whole.refusals
        whole.refused += self._server.tally.refused
        return whole

    def watch(self, watcher: Watcher) -> None:
        """Have somebody told of all traffic, in cell time: of the devices, and of what is refused at the door."""
        kernel = self.cell.kernel

        def seen(traffic: Traffic) -> None:
            if traffic.event == "refused":  # all else is told of by the mailboxes
                kernel.post(lambda: watcher(replace(traffic, time=kernel.now / 1e6)), f"{traffic.peer} is refused")

        for pair in self.pairs:
            pair.watchers.append(watcher)
        self._server.watchers.append(seen)

    def stop(self, reason: str = "the device was switched off") -> None:
        """Ends the run; from any thread."""
        self.cell.kernel.stop(reason)

    # ---------------------------------------------------------------- on the server's threads

    def _arrived(self, peer: Peer, message: Message) -> None:
        self.cell.kernel.post(lambda: self._client(peer, message).send(message), f"{peer.name}: {message}")

    def _left(self, peer: Peer) -> None:
        self.cell.kernel.post(lambda: self._leave(peer), f"{peer.name} is gone")

    # ---------------------------------------------------------------- on the cell's thread

    def _client(self, peer: Peer, message: Message) -> MailboxClient:
        """This controlling program as a client of the device that a message is for."""
        pair = next(pair for pair in self.pairs if message.destination in pair.letters)
        if (peer, pair) not in self._clients:
            self._clients[peer, pair] = pair.client(peer.send, peer.name)
        return self._clients[peer, pair]

    def _leave(self, peer: Peer) -> None:
        for key in [key for key in self._clients if key[0] is peer]:
            self._clients.pop(key).close()

    def _seen(self, traffic: Traffic) -> None:
        """The run ends with the first device's reply to a quit, whether that arrives or not."""
        message = traffic.message
        quits = isinstance(message, Message) and message.command == "QUI" and message.source in self.pairs[0].letters
        if quits and traffic.event in _OVER:
            self.stop("quit")


@contextmanager
def _terminated_by(stop: Callable[[], None]) -> Iterator[None]:
    """Within it, SIGTERM ends the run as Ctrl-C does; only the main thread can take signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


READY: Final = "listens at "
"""What stands before the address in the line by which a device tells that it can be spoken to."""
STARTING: Final = 60.0
"""Seconds in which a device listens; loading everything takes one or two."""
_ENDING_TIME: Final = 10.0  # seconds it is given to end by itself
_PICTURE: Final = "picture at "


@dataclass(frozen=True)
class DeviceProcess:
    """A device that was started: where it listens, where its picture is (if there is one), and its process."""

    address: str
    picture: str | None
    process: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        """Whether it still runs; ``quit`` ends it."""
        return self.process.poll() is None


@contextmanager
def start_device(
    kind: str = "gripper",
    *,
    cell: str | Path | None = None,
    seed: int = 0,
    speed: float = 1.0,
    faults: str | None = None,
    record: str | Path | None = None,
    picture: bool = False,
    options: Sequence[str] = (),
    timeout: float = STARTING,
) -> Iterator[DeviceProcess]:
    """Within it, a device runs as a process and listens at ``.address``, on a Unix socket that only this user may use.

    ``kind``, ``cell`` and the rest are what ``drycell device`` takes; ``options`` are handed over as they are. What the
    device logs goes to this program's standard error. Raises LinkError when it does not listen in time.
    """
    words = [kind, "--seed", str(seed), "--speed", str(speed), "--tied"]
    for name, given in (("--cell", cell), ("--faults", faults), ("--record", record)):
        words += [] if given is None else [name, str(given)]
    words += ["--picture", "--no-browser"] if picture else []
    path = _place(kind)
    process = subprocess.Popen(
        [sys.executable, "-m", "drycell.effector", *words, "--socket", str(path), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield _ready(process, kind, timeout)
    finally:
        _end(process)
        path.unlink(missing_ok=True)


def _place(kind: str) -> Path:
    """A path that nobody guesses, in no folder of its own: nothing is left when whoever made it is killed."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(folder) / f"drycell-{kind}-{token_hex(8)}"


def _ready(process: "subprocess.Popen[bytes]", kind: str, timeout: float) -> DeviceProcess:
    assert process.stdout is not None
    page = None
    for line in _lines(process.stdout, time.monotonic() + timeout):
        if _PICTURE in line:
            page = line.partition(_PICTURE)[2].split()[0]
        elif READY in line:
            return DeviceProcess(line.partition(READY)[2].split()[0].rstrip(",;"), page, process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)  # one that has closed its output is about to end
    code = process.poll()
    why = f"does not listen after {timeout:g} s" if code is None else f"ended with {code} before it listened"
    raise LinkError(f"the device {kind!r} {why}", hint="its standard error tells why; drycell device shows it, too")


def _lines(output: IO[bytes], end: float) -> Iterator[str]:
    """The lines that a process prints until a time, or until it is gone."""
    pending = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([output], [], [], left)[0]:
            return
        data = os.read(output.fileno(), 4096)
        if not data:
            return
        *whole, pending = (pending + data).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a device: it notices that its standard input has ended. What does not notice is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_ENDING_TIME)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        process.stdout.close()
