"""The process of a host: its main thread is the cell's, one thread reads requests, and one keeps the beat."""

import contextlib
import faulthandler
import importlib
import os
import sys
import tempfile
import time
import traceback
from collections import deque
from pathlib import Path
from threading import Condition, Thread
from typing import Final

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.events import ConsoleText, HostReady, ShowingFailed
from drycell.studio.api.remote import answer
from drycell.studio.api.transport import Status
from drycell.studio.host.console import MOST, Console
from drycell.studio.host.host import host_of
from drycell.studio.host.outbox import Outbox
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import state, status
from drycell.studio.host.trouble import trouble
from drycell.studio.host.wire import Unpacker, WireError, WireMessage

FRAME_PERIOD: Final = 0.033
STATUS_PERIOD: Final = 0.1
IDLE_PERIOD: Final = 1.0
SETTLE_PERIOD: Final = 0.5
"""Seconds after which a run is asked for what its observers have found, such as collisions."""

_JITTER: Final = 0.004  # seconds by which a beat may come early
_SWEEP: Final = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True); sys.exit(int(sys.argv[2]))"

_WARM: Final = (
    "yaml", "drycell.record", "drycell.cell.running", "drycell.cell.model",
    "drycell.languages", "drycell.languages.pascal", "drycell.languages.arla", "drycell.sensors", "drycell.devices",
    "drycell.robots", "drycell.pictures.surfaces",
)  # fmt: skip


class HostProcess:
    """Answers requests in the order they come, makes frames and tells of changes, run or no run."""

    def __init__(self, folder: Path, output: int) -> None:
        self._outbox = Outbox(output)
        self._console = Console()
        self._condition = Condition()
        self._inbox: deque[WireMessage] = deque()
        self._news = True  # whether something may have changed that was not told yet
        self._beaten = False  # whether the cell's thread is to look around
        self._summoned = False  # whether the run has been asked to let it
        # Of the cell's thread alone:
        self._credit = False
        self._frames = 0
        self._seen: tuple[int, int] | None = None  # instant and version of the last frame
        self._frame = b""
        self._touched = False  # whether something was done that may move bodies at the same instant, as on the bench
        self._told: tuple[tuple[object, ...], Status | None] = ((), None)  # state and status that were told last
        self._frame_due = self._status_due = self._settle_due = 0.0
        self.session = HostSession(folder, self.push)
        self.session.changed = self._changed
        self.host = host_of(self.session)
        sys.stdout = self._console

    def push(self, event: object) -> None:
        """Tells the server something: an event, one of ``studio.api.events``."""
        self._outbox.send({"event": type(event).__name__, "data": encode(event)})

    def work(self) -> None:
        """The cell's thread, for good."""
        Thread(target=self._beat, name="drycell beat", daemon=True).start()
        self.push(HostReady(os.getpid()))
        while True:
            with self._condition:
                while not self._inbox and not self._beaten:
                    self._condition.wait()
            self._serve()
            if self.session.wants_run:
                self.session.perform()

    def receive(self, message: WireMessage) -> None:
        """From the reading thread: a request, or the word that a frame is wanted."""
        with self._condition:
            if "credit" in message.head:
                self._credit = self._news = True
            else:
                self._inbox.append(message)
            self._condition.notify_all()
        if "credit" not in message.head:
            self._summon()

    def _summon(self) -> None:
        """Has the cell's thread serve, if it is in a run; else it finds out by itself."""
        if not self._summoned:
            self._summoned = True  # before it is: the cell's thread may have served by the time this one goes on
            if not self.session.look(self._serve):
                self._summoned = False

    # ---------------------------------------------------------------- on the cell's thread

    def _serve(self) -> None:
        """Answers all that wait, and looks after frames and status."""
        self._summoned = self._beaten = False
        while self._inbox:
            self._answer(self._inbox.popleft())
        try:
            self._tell()
        except Exception as error:  # what cannot be shown must not end the run
            traceback.print_exc()
            self.push(ShowingFailed(trouble(error)))

    def _answer(self, message: WireMessage) -> None:
        head = message.head
        number, name, given = head.get("id"), head.get("do"), head.get("with", {})
        try:
            if not isinstance(name, str) or not isinstance(given, dict):
                raise DrycellError("a request has a name and arguments")
            data, payload = answer(self.host, name, given)
            self._outbox.send({"id": number, "data": data}, payload)
        except (Exception, SystemExit) as error:  # a cell file that exits must not take the host along
            if not isinstance(error, DrycellError):
                traceback.print_exc()
            self._outbox.send({"id": number, "error": encode(trouble(error))})
        self._changed()

    def _tell(self) -> None:
        now = time.monotonic()
        self.session.playhead.advance()
        printed = self._console.take()
        if printed:
            self.session.printed = (self.session.printed + printed)[-MOST:]
            self.push(ConsoleText(printed, self.session.now))
        self._news = self._tell_status(now) | self._tell_frame(now)
        cell = self.session.cell
        if self.session.mode == "live" and cell is not None and now >= self._settle_due:
            cell.kernel.settle()
            self._settle_due = time.monotonic() + SETTLE_PERIOD

    def _tell_status(self, now: float) -> bool:
        """Tells it at once when the state is another, else now and then; whether it is still to be told."""
        known, last = self._told
        found = (self.session.mode, state(self.session), self.session.pace and self.session.pace.position.number)
        if found == known and now < self._status_due:
            return self._news
        told = status(self.session)
        self._told, self._status_due = (found, told), now + STATUS_PERIOD
        if told != last:
            self.push(told)
        return False

    def _tell_frame(self, now: float) -> bool:
        """Makes a frame if one is wanted and there is anything new in it; whether it is still to be made."""
        seen = (self.session.shown, self.session.numbering.version)
        if not self._credit or (seen == self._seen and not self._touched):
            return False
        if now < self._frame_due - _JITTER:
            return True
        frame = self.session.frame()
        self._seen, self._touched = seen, False
        if frame != self._frame:
            self._credit, self._frame, self._frame_due = False, frame, now + FRAME_PERIOD
            self._frames += 1
            self._outbox.send_frame({"frame": self._frames}, frame)
        return False

    # ---------------------------------------------------------------- the beat

    def _changed(self) -> None:
        with self._condition:
            self._news = self._touched = True
            self._condition.notify_all()

    def _beat(self) -> None:
        """Has the cell's thread look around while something moves, or something is still to be told."""
        due = time.monotonic()
        while True:
            with self._condition:
                if not self._news and not self._moves():
                    self._condition.wait(IDLE_PERIOD)
                self._beaten = True
                self._condition.notify_all()
            self._summon()
            now = time.monotonic()
            due = max(due + FRAME_PERIOD, now)  # what was late is not made up for
            time.sleep(due - now)

    def _moves(self) -> bool:
        return state(self.session) == "running" or self.session.playhead.factor is not None


def main() -> None:
    """Takes the place of everything a program could disturb the wire with, and works until the server is gone."""
    output = os.dup(1)
    os.dup2(2, 1)  # what libraries print on their own goes where errors go
    faulthandler.enable()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="drycell-stage-"))
    for module in _WARM:
        importlib.import_module(module)
    process = HostProcess(folder, output)
    Thread(target=_read, args=(process, folder), name="drycell requests", daemon=True).start()
    process.work()


def _read(process: HostProcess, folder: Path) -> None:
    """Reads requests; when there will be no more, the host ends, whatever it is doing."""
    unpacker, code = Unpacker(), 0
    try:
        while data := os.read(0, 1 << 16):
            for message in unpacker.feed(data):
                process.receive(message)
    except ConnectionResetError:  # the server has gone, and has left something unread
        pass
    except (OSError, WireError) as error:
        code = 2
        with contextlib.suppress(OSError):
            os.write(2, f"{error}\n".encode())
    # The cell's thread may be writing its recording, and would make the folder anew: so all threads end first, by
    # taking another program into this process, which sweeps out.
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", _SWEEP, str(folder), str(code)])
