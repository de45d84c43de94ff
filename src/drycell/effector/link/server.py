"""Where a device listens in real time: one thread for all connections, each with its turn, each bounded.

What arrives is checked against the table; good commands are handed to the device, everything else is refused and
counted. Answers go out from whichever thread gives them.
"""

import fcntl
import hmac
import os
import selectors
import socket
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EADDRNOTAVAIL
from itertools import count
from pathlib import Path
from select import POLLOUT, poll
from threading import Lock, Thread
from typing import Final, Self

from drycell.base import FieldError
from drycell.effector.link.channel import LAST_PORT, Address, LinkError, parse_address
from drycell.effector.link.framing import GreetedDecoder, encode
from drycell.effector.messages import (
    VOCABULARY,
    Answer,
    Code,
    Malformed,
    Message,
    MessageRefused,
    Refusal,
    Tally,
    Traffic,
    Watcher,
    refuse,
)
from drycell.effector.messages.message import Event


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """ServerLimits of a server; times in seconds."""

    connections: int = 32
    """Connections at one time. When all are taken, one that never said anything sensible gives way."""
    rate: float = 20_000.0
    """Messages a second from one connection, on average: faster ones wait, unread, until there is time."""
    burst: int = 2_000
    """Messages that one connection may send at once before its rate counts."""
    turn: int = 64
    """Messages of one connection that are served before others have their turn."""
    unsent: int = 64 * 1024
    """Bytes of answers that wait for one connection before no more is read from it."""
    most_unsent: int = 1024 * 1024
    """Bytes of answers that wait for one connection before it is cut."""
    half: float = 10.0
    """How long half a message, answers that nobody reads, or a missing token are borne."""
    idle: float = 900.0
    """How long a connection may be silent while no answer is due to it."""
    linger: float = 60.0
    """How long answers are still waited for when the far end has sent its last message."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise FieldError(f"limit {name} is {getattr(self, name)}", hint="limits are greater than 0")


SHORTEST_TOKEN = 16
"""Characters of a token."""
_BACKLOG = 64


class Listener:
    """A socket that listens, at ``address``: with the port that the system chose when port 0 was asked for."""

    def __init__(self, address: Address, token: str = "") -> None:
        _check(address, token)
        self._inode: tuple[int, int] | None = None
        if address.path:
            self.socket = self._at_path(address)
            self.address = address
        else:
            self.socket = self._at_port(address)
            self.address = Address(host=address.host, port=self.socket.getsockname()[1])

    def close(self) -> None:
        """Stop listening and remove the socket's file, if it is still the one that was made here."""
        self.socket.close()
        path = self.address.path
        if self._inode is None:
            return
        with _alone(path), _missing_is_fine():
            if _inode(path) == self._inode:
                os.unlink(path)
        self._inode = None

    def _at_path(self, address: Address) -> socket.socket:
        path = address.path
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _alone(path):
                _clear(address)
                made.bind(path)
                self._inode = _inode(path)
                os.chmod(path, 0o600)  # before it listens: nobody else of this host gets in between
                made.listen(_BACKLOG)
        except OSError as error:
            made.close()
            raise _taken(address, error) from None
        except BaseException:
            made.close()
            raise
        made.setblocking(False)
        return made

    def _at_port(self, address: Address) -> socket.socket:
        try:
            places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            # 127.0.0.1 before ::1: it is what people type.
            kind, *_, place = min(places, key=lambda found: found[0] != socket.AF_INET)
            made = socket.socket(kind, socket.SOCK_STREAM)
        except OSError as error:
            raise _taken(address, error) from None
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(place)
            made.listen(_BACKLOG)
        except OSError as error:
            made.close()
            raise _taken(address, error) from None
        made.setblocking(False)
        return made


def _check(address: Address, token: str) -> None:
    if not 0 <= address.port <= LAST_PORT:
        raise FieldError(f"port {address.port} is not within 0 … {LAST_PORT}", hint="port 0 takes a free one")
    if not address.loopback and not token:
        raise FieldError(
            f"{address} can be reached from other hosts, and there is no token",
            hint=f"listen at tcp:localhost:{address.port}, or give a token of {SHORTEST_TOKEN} characters or more",
        )
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise FieldError(
            f"a token of {len(token)} characters",
            hint=f"{SHORTEST_TOKEN} or more printable ones without spaces, such as from `openssl rand -hex 16`",
        )
    if len(token) > 200:
        raise FieldError(f"a token of {len(token)} characters", hint="it has to fit into a line: 200 at most")


def _clear(address: Address) -> None:
    """Remove the socket of a device that was killed; raises when one still listens, or when it is no socket."""
    path = address.path
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise LinkError(f"{path} is there already, and is no socket", hint="give another path")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except OSError:
            pass
    raise LinkError(f"another device listens at {address}", hint="end it, or give another path")


def _taken(address: Address, error: OSError) -> LinkError:
    why = (error.strerror or str(error)).lower()
    hint = "give another port or path; port 0 takes a free one"
    if isinstance(error, socket.gaierror) or error.errno == EADDRNOTAVAIL:
        hint = "give an address of this computer: 127.0.0.1 for programs on it, 0.0.0.0 for other hosts, too"
    return LinkError(f"cannot listen at {address}: {why}", hint=hint)


def _inode(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Nobody else takes or gives back a place in this folder meanwhile. The folder itself is locked: no file stays."""
    folder = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def _missing_is_fine() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        return


_CHUNK: Final = 4096
_LEFT_OVER: Final = 65536


class Peer:
    """A controlling program at the far end. ``send`` may be called from any thread; the rest is the server's."""

    def __init__(
        self,
        line: socket.socket,
        name: str,
        limits: ServerLimits,
        wake: Callable[[], None],
        deliver: Callable[["Peer", Answer], object],
    ) -> None:
        self.name, self.line = name, line
        self.decoder = GreetedDecoder()
        self.pending: deque[Answer | Malformed] = deque()
        """What has come and was not served yet."""
        self.sensible = False
        """Whether a good command ever came."""
        self.trusted = False
        """Whether it has given the token, or need not."""
        self.throttled = False
        self.events = 0
        """What the server waits for on its line."""
        self.ended = False
        """That the far end has sent its last message."""
        self.cut = ""
        """Why it is to be cut."""
        self.owed = 0
        now = time.monotonic()
        self.heard = self.moved = now
        self._limits, self._wake, self._deliver = limits, wake, deliver
        self._allowance, self._counted = float(limits.burst), now
        self._unsent = bytearray()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Peer {self.name}>"

    @property
    def ready(self) -> bool:
        """Whether something can be served now: it has come, and there is room for the answer."""
        return bool(self.pending) and not self.cut and len(self._unsent) <= self._limits.unsent

    @property
    def thirsty(self) -> bool:
        """Whether more is to be read: not before what has come is served and its answers are nearly gone."""
        return not self.pending and not self.ended and len(self._unsent) <= self._limits.unsent

    @property
    def unsent(self) -> int:
        """Bytes that wait to go."""
        return len(self._unsent)

    def send(self, answer: Answer) -> None:
        """Send an answer to a command, from any thread. What is sent to a connection that is gone is dropped."""
        with self._lock:
            self.owed = max(self.owed - 1, 0)
        self._deliver(self, answer)

    def owe(self) -> None:
        """A command was handed on: an answer is due."""
        with self._lock:
            self.owed += 1

    def write(self, answer: Answer) -> bool:
        """Put an answer on the line, or behind what waits already; says whether the far end is still there."""
        data = encode(answer)
        with self._lock:
            if self.cut:
                return False
            if not self._unsent:
                self.moved = time.monotonic()
                data = self._push(data)
            self._unsent += data
            if len(self._unsent) > self._limits.most_unsent:
                self.cut = f"{len(self._unsent)} bytes of answers were not read"
            wanted = bool(self._unsent) or bool(self.cut) or (self.ended and not self.owed)
        if wanted:
            self._wake()
        return True

    def flush(self) -> None:
        """Send what waits, as far as the line takes it."""
        with self._lock:
            if self._unsent and not self.cut:
                left = self._push(bytes(self._unsent))
                del self._unsent[: len(self._unsent) - len(left)]

    def read(self, now: float) -> None:
        """Take in what has come, at most one turn's worth."""
        try:
            data = self.line.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.cut = (error.strerror or str(error)).lower()
            return
        if not data:
            self.ended = True
            return
        # Half a message does not grow younger by another byte of it.
        if not self.decoder.partial:
            self.heard = now
        found = self.decoder.feed(data)
        if found:
            self.heard = now
            self.pending.extend(found)

    def allowed(self, now: float) -> int:
        """How many messages may be served now, by the rate."""
        limits = self._limits
        self._allowance = min(self._allowance + (now - self._counted) * limits.rate, float(limits.burst))
        self._counted = self.heard = now  # what waits for its turn is not silent
        return min(int(self._allowance), limits.turn)

    def spend(self) -> None:
        """One message was served."""
        self._allowance -= 1.0

    def overdue(self, now: float) -> Refusal | str | None:
        """Why the connection is to be cut at this time: with a word, without one, or not at all."""
        limits = self._limits
        if self.unsent and now - self.moved > limits.half:
            return f"answers were not read for {limits.half:g} s"
        if self.pending:
            return None
        if self.ended:
            return None if self.owed and now - self.heard < limits.linger else "the far end has ended it"
        silent = now - self.heard
        if self.decoder.partial and silent > limits.half:
            return Refusal(Code.IDLE, f"half a message, and no more of it for {limits.half:g} s")
        if not self.trusted and silent > limits.half:
            return Refusal(Code.TOKEN, f"no token within {limits.half:g} s")
        if not self.owed and silent > limits.idle:
            return Refusal(Code.IDLE, f"nothing came for {limits.idle:g} s")
        return None

    def hang_up(self) -> None:
        """End the connection. What has come is read first: closed over it, last words would be lost with it."""
        with self._lock, suppress(OSError):
            self.cut = self.cut or "hung up"
            self.line.shutdown(socket.SHUT_WR)
            self.line.recv(_LEFT_OVER)
        self.line.close()

    def _push(self, data: bytes) -> bytes:
        """Hand bytes to the system, and give back those that it does not take now."""
        try:
            taken = self.line.send(data)
        except (BlockingIOError, InterruptedError):
            return data
        except OSError as error:
            self.cut = (error.strerror or str(error)).lower()
            return b""
        self.moved = time.monotonic()
        return data[taken:]


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
        limits: ServerLimits | None = None,
        token: str = "",
        watchers: tuple[Watcher, ...] = (),
    ) -> None:
        self.letters, self.limits = letters, limits or ServerLimits()
        self.watchers = list(watchers)
        self.tally = Tally()
        self.error: BaseException | None = None
        """What the device raised on a command: it ends the server, and ``close`` raises it."""
        self._on_message, self._on_closed, self._token = on_message, on_closed, token
        self._listener = Listener(parse_address(address) if isinstance(address, str) else address, token)
        self._started = time.monotonic()
        self._peers: dict[socket.socket, Peer] = {}
        self._names = count(1)
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
        return _LOOK

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
            VOCABULARY.check(message)
            if message.destination not in self.letters:
                what = f"{message.destination} does not answer here, only {', '.join(self.letters)}"
                raise refuse(Code.DEVICE, what, message.sequence)
        except MessageRefused as error:
            self._refuse(peer, error.refusal)
            return
        peer.sensible = True
        self._tell(peer, "sent", message)
        self.tally.served += 1
        peer.owe()
        self._on_message(peer, message)

    def _refuse(self, peer: Peer, refusal: Refusal) -> None:
        self._tell(peer, "refused", self.tally.count(refusal))
        peer.write(refusal)

    def _answer(self, peer: Peer, answer: Answer) -> None:
        self._tell(peer, "delivered" if peer.write(answer) else "dropped", answer)

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
