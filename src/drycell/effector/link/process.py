"""Devices of a cell as processes in real time: run a device here, or start one from a program.

Neither side outlives the other. The device ends and removes its socket when its standard input ends, which happens in
any case when the program that started it ends. The program removes the socket of a device that was killed.
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
from functools import reduce
from math import pi
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Final

from drycell.base import Pose, mm
from drycell.effector.link.channel import DeviceAddress, LinkError
from drycell.effector.link.server import Connection, Server
from drycell.effector.messages import (
    VOCABULARY,
    MailboxClient,
    MailboxPair,
    Message,
    Tally,
    Traffic,
    Vocabulary,
    Watcher,
)
from drycell.kernel import Pace

if TYPE_CHECKING:
    from drycell.cell import Cell, Result

BLOCK: Final = 24 * mm
"""Width of the block between the jaws, in metres."""
_ABOVE: Final = Pose(0.0, 0.0, 125 * mm) @ Pose.turn_x(pi)  # fingers down, their tips 14 mm above the table


def bench(kind: str, *, seed: int = 0) -> "Cell":
    """Build a cell with a gripper above a table and, for these kinds, a wrist above it or a pad on a finger."""
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


class ServedDevice:
    """Serves the mailboxes of a cell's devices at an address, in real time or ``speed`` times as fast.

    It listens once it is created. ``run`` runs the cell until the first device quits, or until ``stop``.

    Commands of one client reach the devices in the order sent, and clients take turns: at most ``ServerLimits.held``
    commands of one client wait for the cell, so that a client that floods it only delays itself.
    """

    def __init__(
        self, cell: "Cell", pairs: Sequence[MailboxPair], address: DeviceAddress, *, speed: float = 1.0, token: str = ""
    ) -> None:
        importlib.import_module("coal")  # otherwise the first move would wait for it for a third of a second
        self.cell, self.pairs = cell, tuple(pairs)
        self.pace = Pace(speed, attended=True)
        self._clients: dict[tuple[Connection, MailboxPair], MailboxClient] = {}  # used only by the cell's thread
        self.pairs[0].watchers.append(self._seen)
        letters = "".join(pair.letters for pair in self.pairs)
        tables = [pair.vocabulary.device(letter) for pair in self.pairs for letter in pair.letters]
        vocabulary = reduce(Vocabulary.with_device, tables, VOCABULARY)
        self._server = Server(
            address, self._arrived, on_closed=self._left, letters=letters, token=token, vocabulary=vocabulary
        )

    @property
    def address(self) -> DeviceAddress:
        """The address at which it listens, with the real port."""
        return self._server.address

    def run(self) -> "Result":
        """Run the cell on this thread until it is ended, then close all connections and remove the socket."""
        try:
            with _terminated_by(self.stop):
                # Keep no history: a hundred status requests per second would fill the memory.
                return self.cell.run(pace=self.pace, keep=False)
        finally:
            self._server.close()

    def close(self) -> None:
        """Close all connections and remove the socket. ``run`` does so at its end."""
        self._server.close()

    @property
    def tally(self) -> Tally:
        """Messages served and refused so far, by the server and by the devices."""
        whole = Tally()
        for pair in self.pairs:
            whole.refused += pair.tally.refused
        whole.served = self._server.tally.served - whole.refusals
        whole.refused += self._server.tally.refused
        return whole

    def watch(self, watcher: Watcher) -> None:
        """Call ``watcher`` with all traffic in cell time, including messages that the server refuses."""
        kernel = self.cell.kernel

        def seen(traffic: Traffic) -> None:
            if traffic.event == "refused":  # the mailboxes report everything else
                kernel.post(lambda: watcher(replace(traffic, time=kernel.now / 1e6)), f"{traffic.peer} is refused")

        for pair in self.pairs:
            pair.watchers.append(watcher)
        self._server.watchers.append(seen)

    def stop(self, reason: str = "the device was switched off") -> None:
        """End the run. Any thread may call it."""
        self.cell.kernel.stop(reason)

    # ---------------------------------------------------------------- on the server's thread

    def _arrived(self, connection: Connection, message: Message) -> None:
        connection.hold()  # the cell may be slower than the client: until release(), few more of its commands are read
        self.cell.kernel.post(lambda: self._take(connection, message), f"{connection.name}: {message}")

    def _left(self, connection: Connection) -> None:
        self.cell.kernel.post(lambda: self._leave(connection), f"{connection.name} is gone")

    # ---------------------------------------------------------------- on the cell's thread

    def _take(self, connection: Connection, message: Message) -> None:
        """Put a command into the mailbox of its device, in the name of the client that sent it."""
        connection.release()
        pair = next(pair for pair in self.pairs if message.destination in pair.letters)
        if (connection, pair) not in self._clients:
            self._clients[connection, pair] = pair.client(connection.send, connection.name)
        self._clients[connection, pair].send(message)

    def _leave(self, connection: Connection) -> None:
        for key in [key for key in self._clients if key[0] is connection]:
            self._clients.pop(key).close()

    def _seen(self, traffic: Traffic) -> None:
        """End the run when the first device replies to a quit, even if the reply does not arrive."""
        message = traffic.message
        quits = isinstance(message, Message) and message.command == "QUI" and message.source in self.pairs[0].letters
        if quits and traffic.event in _OVER:
            self.stop("quit")


@contextmanager
def _terminated_by(stop: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM end the run as Ctrl-C does. Only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


READY: Final = "listens at "
"""The text before the address in the line that a device prints once it listens."""
STARTING: Final = 60.0
"""Longest time until a device listens, in seconds; loading takes one or two seconds."""
_ENDING_TIME: Final = 10.0  # seconds to end by itself
_PICTURE: Final = "picture at "


@dataclass(frozen=True)
class DeviceProcess:
    """A started device: its address, the address of its picture (if there is one), and its process."""

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
    """Run a device as a process for the time of a ``with`` block.

    It listens at ``.address``, a Unix socket that only this user may use. The arguments are the options of
    ``drycell device``; further ``options`` are passed as they are. The device logs to this program's standard error.

    Raises:
        LinkError: if the device does not listen in time.
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
    """Return a path that nobody can guess. It needs no folder: nothing remains if this program is killed."""
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
        process.wait(0.5)  # a process that has closed its output is about to end
    code = process.poll()
    why = f"does not listen after {timeout:g} s" if code is None else f"ended with {code} before it listened"
    raise LinkError(
        f"the device {kind!r} {why}", hint="see its standard error, or run `drycell device`, for the reason"
    )


def _lines(output: IO[bytes], end: float) -> Iterator[str]:
    """Yield the lines that a process prints, until a time or until it ends."""
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
    """End a device by closing its standard input. Kill it if it does not end in time."""
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
