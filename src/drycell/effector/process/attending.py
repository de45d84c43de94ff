"""A device of a cell attended from outside: the cell goes at the pace of the wall clock, and messages come by a link.

Three threads meet: the cell's own, in which everything happens; those of the server, which hand over what came by
``kernel.post`` and take answers; and whoever ends it. A message happens at the cell time that is shown when it comes,
is journalled, and is answered from the cell's thread.
"""

import importlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from drycell.effector.link.address import Address
from drycell.effector.link.peer import Peer
from drycell.effector.link.server import Server
from drycell.effector.messages import Desk, MailboxPair, Message, Tally, Traffic, Watcher
from drycell.kernel import Pace

if TYPE_CHECKING:
    from drycell.cell import Cell, Result

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
        self._desks: dict[tuple[Peer, MailboxPair], Desk] = {}  # of the cell's thread alone
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
        self.cell.kernel.post(lambda: self._desk(peer, message).send(message), f"{peer.name}: {message}")

    def _left(self, peer: Peer) -> None:
        self.cell.kernel.post(lambda: self._leave(peer), f"{peer.name} is gone")

    # ---------------------------------------------------------------- on the cell's thread

    def _desk(self, peer: Peer, message: Message) -> Desk:
        """The desk at which this controlling program sits before the device that a message is for."""
        pair = next(pair for pair in self.pairs if message.destination in pair.letters)
        if (peer, pair) not in self._desks:
            self._desks[peer, pair] = pair.desk(peer.send, peer.name)
        return self._desks[peer, pair]

    def _leave(self, peer: Peer) -> None:
        for key in [key for key in self._desks if key[0] is peer]:
            self._desks.pop(key).close()

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
