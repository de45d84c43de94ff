"""The host process: the main thread runs the cell, one thread reads requests, one triggers frames and status."""

import contextlib
import faulthandler
import importlib
import io
import os
import sys
import tempfile
import time
import traceback
from collections import deque
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Final

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.events import ConsoleText, HostReady, ShowingFailed
from drycell.studio.api.remote import HostApi, answer
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.building import HostBuilding
from drycell.studio.host.debugging import HostDebugging
from drycell.studio.host.emula import HostEmula
from drycell.studio.host.error_report import error_report
from drycell.studio.host.files import HostFiles
from drycell.studio.host.journal import HostJournal
from drycell.studio.host.problems import HostProblems
from drycell.studio.host.scene import HostScene
from drycell.studio.host.session import HostSession
from drycell.studio.host.signals import HostSignals
from drycell.studio.host.status import state, status
from drycell.studio.host.tables import HostTables
from drycell.studio.host.teaching import HostTeaching
from drycell.studio.host.transport import HostTransport
from drycell.studio.host.wire import Outbox, Unpacker, WireError, WireMessage

FRAME_PERIOD: Final = 0.033
STATUS_PERIOD: Final = 0.1
IDLE_PERIOD: Final = 1.0
SETTLE_PERIOD: Final = 0.5
"""Seconds between two requests to a run for what its observers have found, such as collisions."""
SCENES: Final = 1 << 32
"""How many scenes a host can show. The next host numbers its scenes from there, so that no two scenes have the same
number."""
MOST_OUTPUT: Final = 64 << 10
"""Characters of program output in one event. The rest of a longer output is counted, not sent."""

_JITTER: Final = 0.004  # seconds by which a frame may be early
_SWEEP: Final = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True); sys.exit(int(sys.argv[2]))"

_PRELOADED: Final = (("yaml", "safe_load"), ("drycell.cell", "run"))


def host_of(session: HostSession) -> HostApi:
    """The API of a session."""
    return HostApi(
        files=HostFiles(session),
        transport=HostTransport(session),
        scene=HostScene(session),
        signals=HostSignals(session),
        journal=HostJournal(session),
        tables=HostTables(session),
        problems=HostProblems(session),
        debugging=HostDebugging(session),
        teaching=HostTeaching(session),
        building=HostBuilding(session),
        emula=HostEmula(session),
    )


class OutputCapture(io.TextIOBase):
    """Replaces ``sys.stdout``: collects what programs print until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._pieces: list[str] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self._lock:
            if self._size < MOST_OUTPUT:
                self._pieces.append(text[: MOST_OUTPUT - self._size])
            self._size += len(text)
        return len(text)

    def take(self) -> str:
        """The output since the last call."""
        if not self._size:
            return ""
        with self._lock:
            text, omitted = "".join(self._pieces), self._size - MOST_OUTPUT
            self._pieces, self._size = [], 0
        return text if omitted <= 0 else f"{text}\n… {omitted} more characters\n"


class HostProcess:
    """Answers requests in the order they arrive, and sends frames, status and output whether or not a run is on."""

    def __init__(self, folder: Path, output: int, *, first_scene: int = 0) -> None:
        self._outbox = Outbox(output)
        self._output = OutputCapture()
        self._condition = Condition()
        self._inbox: deque[WireMessage] = deque()
        self._news = True  # something may have changed that has not been sent
        self._due = False  # the cell's thread should look for something to send
        self._requested = False  # the run has been asked to call _serve
        # Used by the cell's thread only:
        self._credit = False
        self._frames = 0
        self._framed: tuple[int, int] | None = None  # instant and version of the last frame
        self._frame = b""
        self._touched = False  # a request may have moved bodies without any time passing, as a jog does
        self._sent: tuple[tuple[object, ...], HostStatus | None] = ((), None)  # state and status that were sent last
        self._frame_due = self._status_due = self._settle_due = 0.0
        self.session = HostSession(folder, self.push, first_scene=first_scene)
        self.session.changed = self._changed
        self.host = host_of(self.session)
        sys.stdout = self._output

    def push(self, event: object) -> None:
        """Send an event, one of ``studio.api.events``, to the server."""
        self._outbox.send({"event": type(event).__name__, "data": encode(event)})

    def work(self) -> None:
        """Run the cell's thread. Never returns."""
        Thread(target=self._tick, name="drycell ticks", daemon=True).start()
        self.push(HostReady(os.getpid()))
        while True:
            with self._condition:
                while not self._inbox and not self._due:
                    self._condition.wait()
            self._serve()
            if self.session.wants_run:
                self.session.perform()

    def receive(self, message: WireMessage) -> None:
        """Take a request, or the note that a frame is wanted, from the reading thread."""
        with self._condition:
            if "credit" in message.head:
                self._credit = self._news = True
            else:
                self._inbox.append(message)
            self._condition.notify_all()
        if "credit" not in message.head:
            self._request_service()

    def _request_service(self) -> None:
        """Have the cell's thread call ``_serve`` if it is in a run. Otherwise its own loop does."""
        if not self._requested:
            self._requested = True  # set first: the cell's thread may have served before the next line runs
            if not self.session.inspect(self._serve):
                self._requested = False

    # ---------------------------------------------------------------- on the cell's thread

    def _serve(self) -> None:
        """Answer all waiting requests, then send due messages."""
        self._requested = self._due = False
        while self._inbox:
            self._answer(self._inbox.popleft())
        try:
            self._send_news()
        except Exception as error:  # an error while showing a run must not end the run
            traceback.print_exc()
            self.push(ShowingFailed(error_report(error)))

    def _answer(self, message: WireMessage) -> None:
        head = message.head
        number, name, given = head.get("id"), head.get("do"), head.get("with", {})
        try:
            if not isinstance(name, str) or not isinstance(given, dict):
                raise DrycellError("a request needs a name and arguments")
            data, payload = answer(self.host, name, given)
            self._outbox.send({"id": number, "data": data}, payload)
        except (Exception, SystemExit) as error:  # a cell file that calls exit() must not end the host
            if not isinstance(error, DrycellError):
                traceback.print_exc()
            scene = self.session.numbering.scene
            self._outbox.send({"id": number, "error": encode(error_report(error)), "scene": scene})
        self._changed()

    def _send_news(self) -> None:
        now = time.monotonic()
        self.session.playhead.advance()
        printed = self._output.take()
        if printed:
            self.session.printed = (self.session.printed + printed)[-MOST_OUTPUT:]
            self.push(ConsoleText(printed, self.session.now))
        self._news = self._send_status(now) | self._send_frame(now)
        cell = self.session.cell
        if self.session.mode == "live" and cell is not None and now >= self._settle_due:
            cell.kernel.settle()
            self._settle_due = time.monotonic() + SETTLE_PERIOD

    def _send_status(self, now: float) -> bool:
        """Send the status: at once if the state has changed, otherwise periodically. True if it is still pending."""
        known, last = self._sent
        found = (self.session.mode, state(self.session), self.session.pace and self.session.pace.position.number)
        if found == known and now < self._status_due:
            return self._news
        current = status(self.session)
        self._sent, self._status_due = (found, current), now + STATUS_PERIOD
        if current != last:
            self.push(current)
        return False

    def _send_frame(self, now: float) -> bool:
        """Send a frame if one is wanted and something has changed. True if it is still pending."""
        wanted = (self.session.shown, self.session.numbering.version)
        if not self._credit or (wanted == self._framed and not self._touched):
            return False
        if now < self._frame_due - _JITTER:
            return True
        frame = self.session.frame()
        self._framed, self._touched = wanted, False
        if frame != self._frame:
            self._credit, self._frame, self._frame_due = False, frame, now + FRAME_PERIOD
            self._frames += 1
            self._outbox.send_frame({"frame": self._frames}, frame)
        return False

    # ---------------------------------------------------------------- the ticking thread

    def _changed(self) -> None:
        with self._condition:
            self._news = self._touched = True
            self._condition.notify_all()

    def _tick(self) -> None:
        """Wake the cell's thread once per frame while something moves or is still to be sent."""
        due = time.monotonic()
        while True:
            with self._condition:
                if not self._news and not self._moves():
                    self._condition.wait(IDLE_PERIOD)
                self._due = True
                self._condition.notify_all()
            self._request_service()
            now = time.monotonic()
            due = max(due + FRAME_PERIOD, now)  # lost time is not made up
            time.sleep(due - now)

    def _moves(self) -> bool:
        return state(self.session) == "running" or self.session.playhead.factor is not None


def main() -> None:
    """Keep programs from disturbing the connection, then work until the server is gone."""
    output = os.dup(1)
    os.dup2(2, 1)  # what libraries print by themselves goes to standard error
    faulthandler.enable()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="drycell-host-"))
    for module, export in _PRELOADED:
        getattr(importlib.import_module(module), export)
    serial = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    process = HostProcess(folder, output, first_scene=serial * SCENES)
    Thread(target=_read, args=(process, folder), name="drycell requests", daemon=True).start()
    process.work()


def _read(process: HostProcess, folder: Path) -> None:
    """Read requests. At the end of the stream the host ends, whatever it is doing."""
    unpacker, code = Unpacker(), 0
    try:
        while data := os.read(0, 1 << 16):
            for message in unpacker.feed(data):
                process.receive(message)
    except ConnectionResetError:  # the server has gone and has left something unread
        pass
    except (OSError, WireError) as error:
        code = 2
        with contextlib.suppress(OSError):
            os.write(2, f"{error}\n".encode())
    # The cell's thread may be writing its recording and would create the folder again. Replacing the program of this
    # process ends all its threads; the new program removes the folder.
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", _SWEEP, str(folder), str(code)])
