"""The server of a device: one thread accepts connections, reads commands, and divides its time among the clients.

Every queue is bounded. The server stops reading from a client while commands of this client wait for their turn, while
the device has not taken earlier commands, or while answers have not been read. The client then blocks in its own
``send``. Answers are sent by the thread that gives them, which saves a thread switch for a status.
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
from drycell.effector.link.channel import LAST_PORT, DeviceAddress, LinkError, parse_address
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
    Vocabulary,
    Watcher,
    refuse,
)
from drycell.effector.messages.message import Event


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of a server for its clients. Times are in seconds."""

    connections: int = 32
    """Limit of connections. Beyond it, one that never sent a valid command is closed for a new one."""
    rate: float = 20_000.0
    """Messages per second that one client may send on average. The server delays faster clients."""
    burst: int = 2_000
    """Messages that one client may send at once before ``rate`` applies."""
    turn: int = 64
    """The most messages of one client that are served before it is the next client's turn."""
    held: int = 16
    """The number of a client's commands that may wait for the device before its further messages are held back."""
    unsent: int = 64 * 1024
    """Bytes of unread answers to one client above which nothing more is read from it."""
    most_unsent: int = 1024 * 1024
    """Bytes of unread answers to one client above which it is disconnected."""
    half: float = 10.0
    """Longest time for the rest of a message, for the token, or for unread answers."""
    idle: float = 900.0
    """Longest silence of a client that does not wait for an answer."""
    linger: float = 60.0
    """Longest wait for outstanding answers after the client has closed its sending side."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise FieldError(f"limit {name} is {getattr(self, name)}", hint="limits are greater than 0")


SHORTEST_TOKEN: Final = 16
"""The minimum number of characters in a token."""
LONGEST_TOKEN: Final = 200
"""The maximum number of characters in a token: it must fit into a line."""
_BACKLOG: Final = 64


class Listener:
    """A listening socket. ``address`` has the port that the system chose if port 0 was asked for."""

    def __init__(self, address: DeviceAddress, token: str = "") -> None:
        _check(address, token)
        self._inode: tuple[int, int] | None = None
        self.address = address
        try:
            self.socket = self._at_path(address) if address.path else _at_port(address)
        except OSError as error:
            raise _cannot_listen(address, error) from None
        self.socket.setblocking(False)
        if not address.path:
            self.address = DeviceAddress(host=address.host, port=self.socket.getsockname()[1])

    def close(self) -> None:
        """Stop listening. Remove the socket's file, unless another process has put its own there."""
        self.socket.close()
        path = self.address.path
        if self._inode is None:
            return
        with suppress(FileNotFoundError), _locked_folder(path):
            if _inode(path) == self._inode:
                os.unlink(path)
        self._inode = None

    def _at_path(self, address: DeviceAddress) -> socket.socket:
        path = address.path
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _locked_folder(path):
                _remove_stale_socket(address)
                made.bind(path)
                self._inode = _inode(path)
                os.chmod(path, 0o600)  # before listen(), so that no other user can connect in between
                made.listen(_BACKLOG)
        except BaseException:
            made.close()
            raise
        return made


def _at_port(address: DeviceAddress) -> socket.socket:
    places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # 127.0.0.1 before ::1: it is what people type.
    kind, *_, place = min(places, key=lambda each: each[0] != socket.AF_INET)
    made = socket.socket(kind, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(_BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def _check(address: DeviceAddress, token: str) -> None:
    if not 0 <= address.port <= LAST_PORT:
        raise FieldError(f"port {address.port} is not between 0 and {LAST_PORT}", hint="port 0 selects a free one")
    if not address.loopback and not token:
        raise FieldError(
            f"{address} can be reached from other hosts, and there is no token",
            hint=f"listen on tcp:localhost:{address.port}, or give a token of {SHORTEST_TOKEN} characters or more",
        )
    valid = SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable()
    if token and (not valid or " " in token):
        raise FieldError(
            f"a token of {len(token)} characters is not valid",
            hint=f"give {SHORTEST_TOKEN} to {LONGEST_TOKEN} printable ASCII characters without spaces, such as from "
            "`openssl rand -hex 16`",
        )


def _remove_stale_socket(address: DeviceAddress) -> None:
    """Remove the socket of a device that was killed. Raises LinkError if a device listens, or if it is another file."""
    path = address.path
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise LinkError(f"{path} exists and is not a socket", hint="give another path")
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


def _cannot_listen(address: DeviceAddress, error: OSError) -> LinkError:
    hint = "give another port or path; port 0 takes a free one"
    if isinstance(error, socket.gaierror) or error.errno == EADDRNOTAVAIL:
        hint = "give an address of this computer: 127.0.0.1 for programs on it, 0.0.0.0 for other hosts, too"
    return LinkError(f"cannot listen on {address}: {(error.strerror or str(error)).lower()}", hint=hint)


def _inode(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino


@contextmanager
def _locked_folder(path: str) -> Iterator[None]:
    """Lock the folder of a socket against other devices. The lock is on the folder itself: no lock file remains."""
    folder = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


_CHUNK: Final = 4096
_LEFT_OVER: Final = 65536


class Connection:
    """One client of a server. ``send``, ``hold`` and ``release`` may be called from any thread."""

    def __init__(
        self,
        line: socket.socket,
        name: str,
        limits: ServerLimits,
        wake: Callable[[], None],
        report: Callable[["Connection", Event, Answer | None], None],
    ) -> None:
        self.name, self.line = name, line
        self.decoder = GreetedDecoder()
        self.received: deque[Answer | Malformed] = deque()
        """Messages that were read and not served yet. At most one read's worth."""
        self.proven = False
        """Whether the client has ever sent a valid command."""
        self.trusted = False
        """Whether the client has given the token, or needs none."""
        self.throttled = False
        """Whether ``rate`` makes its messages wait."""
        self.events = 0
        """The events for which the server's selector watches its socket."""
        self.ended = False
        """Whether the client has closed its sending side."""
        self.cut = ""
        """The reason to close the connection; empty while there is none."""
        self.unanswered = 0
        """Commands without an answer yet."""
        self.held = 0
        """Commands that the device has not taken yet."""
        now = time.monotonic()
        self._heard = self._progress = now
        self._limits, self._wake, self._report = limits, wake, report
        self._allowance, self._counted = float(limits.burst), now
        self._unsent = bytearray()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Connection {self.name}>"

    # -- for devices, on any thread

    def send(self, answer: Answer) -> None:
        """Answer a command. If the client is gone, the answer is dropped."""
        with self._lock:
            self.unanswered = max(self.unanswered - 1, 0)
        self._report(self, "delivered" if self.write(answer) else "dropped", answer)

    def hold(self) -> None:
        """Note that a command waits for the device's own thread; ``ServerLimits.held`` of them pause this client."""
        with self._lock:
            self.held += 1

    def release(self) -> None:
        """Note that the device has taken a held command."""
        with self._lock:
            self.held -= 1
            paused = self.held == self._limits.held - 1
        if paused:
            self._wake()

    # -- for the server, on its thread

    @property
    def ready(self) -> bool:
        """Whether a message can be served now: device and client have room for the command and its answer."""
        return bool(self.received) and not self.cut and self.held < self._limits.held and self._has_room

    @property
    def reads(self) -> bool:
        """Whether to read more: only if everything read is served and there is room for more answers."""
        return not self.received and not self.ended and self._has_room

    @property
    def finished(self) -> bool:
        """Whether the client has sent its last message and has been sent the last answer."""
        return self.ended and not self.received and not self.unanswered and not self._unsent

    @property
    def unsent(self) -> int:
        """Bytes of answers that the client has not read."""
        return len(self._unsent)

    @property
    def _has_room(self) -> bool:
        return len(self._unsent) <= self._limits.unsent

    def expect_answer(self) -> None:
        """Note that a command was passed to the device."""
        with self._lock:
            self.unanswered += 1

    def write(self, answer: Answer) -> bool:
        """Send an answer, after those that are already waiting; returns whether the client is still there."""
        data = encode(answer)
        with self._lock:
            if self.cut:
                return False
            if not self._unsent:
                self._progress = time.monotonic()
                data = self._push(data)
            self._unsent += data
            if len(self._unsent) > self._limits.most_unsent:
                self.cut = f"{len(self._unsent)} bytes of answers were not read"
            wake = bool(self._unsent) or bool(self.cut) or (self.ended and not self.unanswered)
        if wake:
            self._wake()
        return True

    def flush(self) -> None:
        """Send as many of the waiting bytes as the system takes."""
        with self._lock:
            if self._unsent and not self.cut:
                left = self._push(bytes(self._unsent))
                del self._unsent[: len(self._unsent) - len(left)]

    def read(self, now: float) -> None:
        """Read once, and decode the bytes received."""
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
        in_message = self.decoder.partial
        messages = self.decoder.feed(data)
        if messages or not in_message:  # another byte of an incomplete message does not extend its time
            self._heard = now
        self.received.extend(messages)

    def allowed(self, now: float) -> int:
        """Return how many messages ``rate`` and ``turn`` allow now."""
        limits = self._limits
        self._allowance = min(self._allowance + (now - self._counted) * limits.rate, float(limits.burst))
        self._counted = self._heard = now  # a client whose messages wait for their turn is not silent
        self.throttled = self._allowance < 1.0
        return min(int(self._allowance), limits.turn)

    def spend(self) -> None:
        """Count one served message against ``rate``."""
        self._allowance -= 1.0

    def overdue(self, now: float) -> Refusal | str | None:
        """Return the reason to close the connection now, as a refusal if one should be sent; None to keep it."""
        limits = self._limits
        if self._unsent and now - self._progress > limits.half:
            return f"answers were not read for {limits.half:g} s"
        if self.received:
            return None
        silent = now - self._heard
        if self.ended:
            return None if self.unanswered and silent < limits.linger else "the far end has ended it"
        if self.decoder.partial and silent > limits.half:
            return Refusal(Code.IDLE, f"an incomplete message, and nothing more for {limits.half:g} s")
        if not self.trusted and silent > limits.half:
            return Refusal(Code.TOKEN, f"no token within {limits.half:g} s")
        if not self.unanswered and silent > limits.idle:
            return Refusal(Code.IDLE, f"nothing was received for {limits.idle:g} s")
        return None

    def close(self, why: str) -> None:
        """Close the connection. Unread input is read first: a socket closed with unread input drops what it sent."""
        with self._lock, suppress(OSError):
            self.cut = self.cut or why
            self.line.shutdown(socket.SHUT_WR)
            self.line.recv(_LEFT_OVER)
        self.line.close()

    def _push(self, data: bytes) -> bytes:
        """Pass bytes to the system; return those that it does not accept now."""
        try:
            sent = self.line.send(data)
        except (BlockingIOError, InterruptedError):
            return data
        except OSError as error:
            self.cut = (error.strerror or str(error)).lower()
            return b""
        self._progress = time.monotonic()
        return data[sent:]


OnMessage = Callable[[Connection, Message], None]
"""Called with each valid command, on the server's thread. It must not block; it answers by ``connection.send``."""

_LOOK: Final = 0.05
"""Seconds between two checks for overdue connections."""
_FLUSH: Final = 0.5
"""Seconds for the last answers to leave when a server is closed."""
_THROTTLED: Final = 0.001
"""Seconds until throttled connections are looked at again."""


class Server:
    """Listens at an address and passes valid commands to ``on_message``, until it is closed.

    ``tally`` counts the messages that were served and refused. ``watchers`` are called with all traffic.

    The server takes the messages of one client in the order they were sent, and sends each answer when the device
    gives it: it does not sort answers into the order of their commands. A refusal by the server itself is sent at once.

    Args:
        address: where to listen. A TCP port of 0 takes a free one; see ``address`` afterwards.
        on_message: what to do with a command.
        on_closed: called when a connection has ended, on the server's thread.
        letters: the devices that answer here, by their letters in messages.
        limits: limits for clients.
        token: what clients must send first; needed to listen for other hosts.
        watchers: called with all traffic.
        vocabulary: the table of messages.

    Raises:
        FieldError: for an address or a token that is not valid.
        LinkError: if it cannot listen there.
    """

    def __init__(
        self,
        address: DeviceAddress | str,
        on_message: OnMessage,
        *,
        on_closed: Callable[[Connection], None] = lambda connection: None,
        letters: str = "G",
        limits: ServerLimits | None = None,
        token: str = "",
        watchers: tuple[Watcher, ...] = (),
        vocabulary: Vocabulary = VOCABULARY,
    ) -> None:
        self._vocabulary = vocabulary
        self.letters, self.limits = letters, limits or ServerLimits()
        self.watchers = list(watchers)
        self.tally = Tally()
        self.error: BaseException | None = None
        """What ``on_message`` raised. It ends the server; ``close`` raises it again."""
        self._on_message, self._on_closed, self._token = on_message, on_closed, token
        self._listener = Listener(parse_address(address) if isinstance(address, str) else address, token)
        self._started = time.monotonic()
        self._connections: dict[socket.socket, Connection] = {}
        self._names = count(1)
        self._closing = Lock()
        self._ending = False
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)
        self._selector.register(self._listener.socket, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, name=f"server {self.address}", daemon=True)
        self._thread.start()

    @property
    def address(self) -> DeviceAddress:
        """Where it listens, with the real port."""
        return self._listener.address

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections now."""
        return tuple(self._connections.values())

    def end(self) -> None:
        """End the server soon. Any thread may call it, also from ``on_message``. Answers given before still leave."""
        self._ending = True
        self._wake()

    def close(self) -> None:
        """Send a farewell, close all connections and remove the socket's file. Raises what ``on_message`` raised."""
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
                for key, mask in self._selector.select(self._timeout()):
                    self._attend(key.fileobj, mask)
                now = time.monotonic()
                for connection in self.connections:
                    if connection.ready:
                        self._serve(connection, now)
                if now - looked >= _LOOK:
                    looked = now
                    self._cut_overdue(now)
                self._update()
        except BaseException as error:  # close() raises it: a thread has no caller
            self.error = error
        finally:
            self._end()

    def _timeout(self) -> float:
        """Seconds for which the server may sleep if nothing arrives."""
        ready = [connection for connection in self._connections.values() if connection.ready]
        if ready:
            return _THROTTLED if all(connection.throttled for connection in ready) else 0.0
        return _LOOK

    def _attend(self, which: object, mask: int) -> None:
        if which is self._listener.socket:
            self._accept()
        elif which is self._woken:
            self._woken.recv(4096)
        elif isinstance(which, socket.socket) and (connection := self._connections.get(which)) is not None:
            if mask & selectors.EVENT_WRITE:
                connection.flush()
            if mask & selectors.EVENT_READ:
                connection.read(time.monotonic())
                self._check_token(connection)

    def _accept(self) -> None:
        try:
            line, _ = self._listener.socket.accept()
        except OSError:  # it is gone again, or there is no free descriptor: the client can retry
            return
        line.setblocking(False)
        if line.family != socket.AF_UNIX:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection = Connection(line, f"connection {next(self._names)}", self.limits, self._wake, self._report)
        connection.trusted = not self._token
        if len(self._connections) >= self.limits.connections and not self._make_room():
            crowd = f"{len(self._connections)} of {self.limits.connections} connections are taken"
            self._refuse(connection, Refusal(Code.CROWD, crowd))
            connection.close("all connections are taken")
            return
        self._connections[line] = connection
        self._report(connection, "connected")

    def _make_room(self) -> bool:
        """Close the oldest connection that never sent a valid command; returns whether there was one."""
        for connection in self.connections:
            if not connection.proven:
                what = "all connections are taken, and this one has sent no valid command"
                self._refuse(connection, Refusal(Code.CROWD, what))
                self._drop(connection, "it made room for another")
                return True
        return False

    def _check_token(self, connection: Connection) -> None:
        if not connection.trusted and (connection.decoder.token is not None or connection.received):
            # In constant time, so that the time for a wrong token reveals nothing about the right one.
            if hmac.compare_digest(connection.decoder.token or b"", self._token.encode()):
                connection.trusted = True
                return
            self._refuse(connection, Refusal(Code.TOKEN, "the first line must be DRY1 TOKEN and the right token"))
            connection.cut = "no token, or a wrong one"

    def _serve(self, connection: Connection, now: float) -> None:
        for _ in range(connection.allowed(now)):
            if not connection.ready:
                return
            connection.spend()
            message = connection.received.popleft()
            if isinstance(message, Malformed):
                self._refuse(connection, message.refusal)
                if connection.decoder.browser:
                    connection.cut = "the client is a browser or similar, not a controlling program"
            else:
                self._serve_message(connection, message)

    def _serve_message(self, connection: Connection, message: Answer) -> None:
        try:
            if isinstance(message, Refusal):
                raise refuse(Code.WAY, "a refusal goes from a device to a controlling program", message.sequence)
            self._vocabulary.check(message, self.letters)
        except MessageRefused as error:
            self._refuse(connection, error.refusal)
            return
        connection.proven = True
        self._report(connection, "sent", message)
        self.tally.served += 1
        connection.expect_answer()
        self._on_message(connection, message)

    def _refuse(self, connection: Connection, refusal: Refusal) -> None:
        self._report(connection, "refused", self.tally.count(refusal))
        connection.write(refusal)

    def _report(self, connection: Connection, event: Event, message: Answer | None = None, text: str = "") -> None:
        if self.watchers:
            traffic = Traffic(time.monotonic() - self._started, connection.name, event, message, text)
            for watcher in self.watchers:
                watcher(traffic)

    # -- ends

    def _cut_overdue(self, now: float) -> None:
        for connection in self.connections:
            why = connection.overdue(now)
            if isinstance(why, Refusal):
                self._refuse(connection, why)
                why = why.what
            connection.cut = connection.cut or why or ""

    def _update(self) -> None:
        """Close the connections that are to end, and set what the selector waits for on the others."""
        for connection in self.connections:
            if connection.cut or connection.finished:
                self._drop(connection, connection.cut or "the far end has ended it")
                continue
            wanted = selectors.EVENT_READ * connection.reads | selectors.EVENT_WRITE * bool(connection.unsent)
            if wanted != connection.events:
                if not wanted:
                    self._selector.unregister(connection.line)
                elif connection.events:
                    self._selector.modify(connection.line, wanted)
                else:
                    self._selector.register(connection.line, wanted)
                connection.events = wanted

    def _drop(self, connection: Connection, why: str) -> None:
        if connection.events:
            self._selector.unregister(connection.line)
        del self._connections[connection.line]
        connection.close(why)
        self._report(connection, "closed", text=why)
        self._on_closed(connection)

    def _end(self) -> None:
        """Send a farewell to all clients that still read, and free everything."""
        self._ending = True
        farewell = Refusal(Code.GONE, "the device has ended")
        end = time.monotonic() + _FLUSH
        for connection in self.connections:
            connection.write(farewell)
            while connection.unsent and not connection.cut and time.monotonic() < end:
                watch = poll()
                watch.register(connection.line, POLLOUT)
                watch.poll(1000 * max(end - time.monotonic(), 0))
                connection.flush()
        for connection in self.connections:
            self._drop(connection, "the device has ended")
        self._listener.close()
        self._selector.close()
        with self._closing:
            self._woken.close()
            self._waker.close()

    def _wake(self) -> None:
        """Make the server's thread check its connections again. Any thread may call it."""
        with self._closing:
            if self._waker.fileno() >= 0:
                with suppress(BlockingIOError):  # the buffer is full of earlier calls, so the server will check anyway
                    self._waker.send(b"!")
