"""Where a device listens in real time: one thread for all connections, each with its turn, each bounded.

What arrives is checked against the table; good commands are handed to the device, everything else is refused and
counted. Answers go out from whichever thread gives them.
"""

import hmac
import selectors
import socket
import time
from collections.abc import Callable
from itertools import count
from select import POLLOUT, poll
from threading import Lock, Thread
from typing import Final, Self

from drycell.effector.link.address import Address, parse_address
from drycell.effector.link.carrier import Carrier
from drycell.effector.link.limits import Limits
from drycell.effector.link.listening import Listener
from drycell.effector.link.peer import Peer
from drycell.effector.messages import (
    CALM,
    VOCABULARY,
    Answer,
    Code,
    Disturbance,
    Malformed,
    Message,
    MessageRefused,
    Refusal,
    Tally,
    Traffic,
    Vocabulary,
    Watcher,
    refuse,
)
from drycell.effector.messages.disturbance import Way
from drycell.effector.messages.traffic import Event

OnMessage = Callable[[Peer, Message], None]
"""What is done with a command: called on the server's thread, must not block. Answer by ``peer.send``."""

_LOOK: Final = 0.05
"""Seconds between two looks for connections that are overdue."""
_FLUSH: Final = 0.5
"""Seconds in which last words are still sent when a server is closed."""
_THROTTLED: Final = 0.001
"""Seconds until connections that send faster than they may are looked at again."""


class Server:
    """Listens until it is closed. ``tally`` counts what was served and refused, ``watchers`` are told of everything."""

    def __init__(
        self,
        address: Address | str,
        on_message: OnMessage,
        *,
        on_closed: Callable[[Peer], None] = lambda peer: None,
        letters: str = "G",
        vocabulary: Vocabulary = VOCABULARY,
        limits: Limits | None = None,
        token: str = "",
        disturbance: Disturbance = CALM,
        watchers: tuple[Watcher, ...] = (),
    ) -> None:
        self.letters, self.vocabulary, self.limits = letters, vocabulary, limits or Limits()
        self.watchers = list(watchers)
        self.tally = Tally()
        self.error: BaseException | None = None
        """What the device raised on a command: it ends the server, and ``close`` raises it."""
        self._on_message, self._on_closed, self._token = on_message, on_closed, token
        self._listener = Listener(parse_address(address) if isinstance(address, str) else address, token)
        self._started = time.monotonic()
        self._peers: dict[socket.socket, Peer] = {}
        self._names = count(1)
        self._carrier = Carrier(disturbance, self._wake)
        self._closing = Lock()
        self._ending = False
        self._selector = selectors.DefaultSelector()
        self._bell, self._ringer = socket.socketpair()
        for end in (self._bell, self._ringer):
            end.setblocking(False)
        self._selector.register(self._listener.socket, selectors.EVENT_READ)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, name=f"server {self.address}", daemon=True)
        self._thread.start()

    @property
    def address(self) -> Address:
        """Where it listens, with the port it was given."""
        return self._listener.address

    @property
    def peers(self) -> tuple[Peer, ...]:
        """All connections now."""
        return tuple(self._peers.values())

    def end(self) -> None:
        """Have it end soon, from any thread, also from within ``on_message``; what was sent before still goes out."""
        self._ending = True
        self._wake()

    def close(self) -> None:
        """Say farewell, end all connections, and leave nothing behind. Raises what the device raised, if it did."""
        self.end()
        self._thread.join()
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the server's thread

    def _run(self) -> None:
        try:
            looked = time.monotonic()
            while not self._ending:
                for key, mask in self._selector.select(self._patience()):
                    self._attend(key.fileobj, mask)
                now = time.monotonic()
                for peer in self.peers:
                    if peer.ready:
                        self._serve(peer, now)
                self._carrier.carry_out(now)
                if now - looked >= _LOOK:
                    looked = now
                    self._cut_overdue(now)
                self._tidy()
        except BaseException as error:  # told of by close(): a thread has nobody else to tell
            self.error = error
        finally:
            self._end()

    def _patience(self) -> float:
        """How long nothing need be done by itself."""
        ready = [peer for peer in self._peers.values() if peer.ready]
        if ready:
            return _THROTTLED if all(peer.throttled for peer in ready) else 0.0
        return self._carrier.patience(_LOOK)

    def _attend(self, which: object, mask: int) -> None:
        if which is self._listener.socket:
            self._accept()
        elif which is self._bell:
            self._bell.recv(4096)
        elif isinstance(which, socket.socket) and (peer := self._peers.get(which)) is not None:
            if mask & selectors.EVENT_WRITE:
                peer.flush()
            if mask & selectors.EVENT_READ:
                peer.read(time.monotonic())
                self._greet(peer)

    def _accept(self) -> None:
        try:
            line, _ = self._listener.socket.accept()
        except OSError:  # gone again before it was its turn, or no descriptor is left: it may come once more
            return
        line.setblocking(False)
        if line.family != socket.AF_UNIX:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        peer = Peer(line, f"connection {next(self._names)}", self.limits, self._wake, self._answer)
        peer.trusted = not self._token
        if len(self._peers) >= self.limits.connections and not self._make_room():
            crowd = f"{len(self._peers)} of {self.limits.connections} connections are taken"
            self._refuse(peer, Refusal(Code.CROWD, crowd))
            peer.hang_up()
            return
        self._peers[line] = peer
        self._tell(peer, "connected")

    def _make_room(self) -> bool:
        """Cut the oldest connection that never said anything sensible."""
        for peer in self.peers:
            if not peer.sensible:
                self._refuse(peer, Refusal(Code.CROWD, "all connections are taken, and this one said nothing sensible"))
                self._drop(peer, "it made room for another")
                return True
        return False

    def _greet(self, peer: Peer) -> None:
        """Look at the token, in constant time: how long a wrong one takes tells nothing of the right one."""
        if not peer.trusted and (peer.decoder.token is not None or peer.pending):
            if hmac.compare_digest(peer.decoder.token or b"", self._token.encode()):
                peer.trusted = True
                return
            self._refuse(peer, Refusal(Code.TOKEN, "the first line has to be DRY1 TOKEN and the right token"))
            peer.cut = "no token, or a wrong one"

    def _serve(self, peer: Peer, now: float) -> None:
        allowed = peer.allowed(now)
        peer.throttled = not allowed
        for _ in range(allowed):
            if not peer.ready:
                return
            peer.spend()
            what = peer.pending.popleft()
            if isinstance(what, Malformed):
                self._refuse(peer, what.refusal)
                if peer.decoder.browser:
                    peer.cut = "a browser, or something like it, and no controlling program"
            else:
                self._serve_message(peer, what)

    def _serve_message(self, peer: Peer, message: Answer) -> None:
        try:
            if isinstance(message, Refusal):
                raise refuse(Code.WAY, "a refusal goes from a device to a controlling program", message.sequence)
            self.vocabulary.check(message)
            if message.destination not in self.letters:
                what = f"{message.destination} does not answer here, only {', '.join(self.letters)}"
                raise refuse(Code.DEVICE, what, message.sequence)
        except MessageRefused as error:
            self._refuse(peer, error.refusal)
            return
        peer.sensible = True
        self._tell(peer, "sent", message)
        self._carry("command", peer, message, lambda: self._hand_on(peer, message))

    def _hand_on(self, peer: Peer, message: Message) -> None:
        self.tally.served += 1
        peer.owe()
        self._on_message(peer, message)

    def _refuse(self, peer: Peer, refusal: Refusal) -> None:
        self._tell(peer, "refused", self.tally.count(refusal))
        peer.write(refusal)

    def _answer(self, peer: Peer, answer: Answer) -> None:
        self._carry("reply", peer, answer, lambda: self._deliver(peer, answer))

    def _deliver(self, peer: Peer, answer: Answer) -> None:
        self._tell(peer, "delivered" if peer.write(answer) else "dropped", answer)

    def _carry(self, way: Way, peer: Peer, message: Answer, arrive: Callable[[], object]) -> None:
        self._carrier.carry(way, arrive, lambda event, text: self._tell(peer, event, message, text))

    def _tell(self, peer: Peer, event: Event, message: Answer | None = None, text: str = "") -> None:
        if self.watchers:
            seen = Traffic(time.monotonic() - self._started, peer.name, event, message, text)
            for watcher in self.watchers:
                watcher(seen)

    # -- ends

    def _cut_overdue(self, now: float) -> None:
        for peer in self.peers:
            why = peer.overdue(now)
            if isinstance(why, Refusal):
                self._refuse(peer, why)
                why = why.what
            peer.cut = peer.cut or why or ""

    def _tidy(self) -> None:
        """End what is to be cut, and wait on every other line for what is wanted of it."""
        for peer in self.peers:
            if not peer.cut and peer.ended and not peer.pending and not peer.owed and not peer.unsent:
                peer.cut = "the far end has ended it"
            if peer.cut:
                self._drop(peer, peer.cut)
                continue
            wanted = selectors.EVENT_READ * peer.thirsty | selectors.EVENT_WRITE * bool(peer.unsent)
            if wanted != peer.events:
                if not wanted:
                    self._selector.unregister(peer.line)
                elif peer.events:
                    self._selector.modify(peer.line, wanted)
                else:
                    self._selector.register(peer.line, wanted)
                peer.events = wanted

    def _drop(self, peer: Peer, why: str) -> None:
        peer.cut = peer.cut or why
        if peer.events:
            self._selector.unregister(peer.line)
        del self._peers[peer.line]
        peer.hang_up()
        self._tell(peer, "closed", text=why)
        self._on_closed(peer)

    def _end(self) -> None:
        """Say farewell on all connections, as far as they still take it, and give everything back."""
        self._ending = True
        farewell = Refusal(Code.GONE, "the device has ended")
        end = time.monotonic() + _FLUSH
        for peer in self.peers:
            peer.write(farewell)
            while peer.unsent and not peer.cut and time.monotonic() < end:
                watch = poll()
                watch.register(peer.line, POLLOUT)
                watch.poll(1000 * max(end - time.monotonic(), 0))
                peer.flush()
        for peer in self.peers:
            self._drop(peer, "the device has ended")
        self._listener.close()
        self._selector.close()
        with self._closing:
            self._bell.close()
            self._ringer.close()

    def _wake(self) -> None:
        """Have the server's thread look again, from any thread."""
        with self._closing:
            if self._ringer.fileno() >= 0:
                try:
                    self._ringer.send(b"!")
                except BlockingIOError:
                    return  # it is going to look anyway: many calls wait already
