"""Channels that carry messages to a device: mailboxes of a cell in cell time, or a socket in real time.

``unix:PATH`` and ``tcp:HOST:PORT`` are devices that run as processes; ``cell:NAME`` is a device of the cell.
Each error names the command, the device, the time waited, and what to try::

    LinkError
    ├── LinkTimeout      no reply in time
    ├── LinkLost         the device or the connection is gone; reconnect() connects again
    └── CommandFailed    the device answered that the command has failed
    MessageRefused       the message was not served at all: see its code
"""

import socket
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from errno import ECONNREFUSED, ECONNRESET, ETIMEDOUT
from ipaddress import ip_address
from select import POLLIN, POLLOUT, poll
from typing import Final

from drycell.base import DrycellError, FieldError
from drycell.effector.link.framing import TextDecoder, encode, token_line
from drycell.effector.messages import Answer, MailboxClient, MailboxPair, Malformed, Message, find_pair
from drycell.kernel import kernel_of_program


class LinkError(DrycellError):
    """An error between a controlling program and a device."""


class LinkTimeout(LinkError):
    """No reply arrived in time. It may still arrive: wait for the ticket again."""

    def __init__(self, where: str, asked: str, waited: float) -> None:
        self.asked, self.waited = asked, waited
        hint = "wait longer, check status() to see whether the device is still busy, or abort()"
        super().__init__(f"no reply to {asked} within {waited:g} s", where=where, hint=hint)


class LinkLost(LinkError):
    """The device or the connection is gone."""

    def __init__(self, where: str, why: str, hint: str = "make sure that the device runs, then reconnect()") -> None:
        self.why = why
        super().__init__(f"the connection is lost: {why}", where=where, hint=hint)


class CommandFailed(LinkError):
    """The device answered that a command has failed. ``reason`` is a word of the table, ``reply`` the message."""

    def __init__(self, where: str, asked: str, reason: str, reply: Message) -> None:
        self.asked, self.reason, self.reply = asked, reason, reply
        super().__init__(f"{asked} failed: {reason}", where=where, hint=ADVICE.get(reason))


ADVICE = {
    "aborted": "send the command again once the cause of the abort is over",
    "not initialised": "initialise() first",
    "blocked": "check what is between the jaws, or end the move at a force",
    "lost hold": "check what took the part, or knocked it out of the jaws",
    "missed": "it came to rest without touching anything: end the move at a gap or after a time, too",
    "random failure": "send the command again: devices fail now and then, and programs must handle it",
    "quitting": "start the device again, then reconnect()",
}
"""Hints for each reason of the table."""


LONGEST_PATH: Final = 100
"""The limit of the path of a socket in bytes: systems allow 104 to 108."""
LAST_PORT: Final = 65535
"""The maximum TCP port."""
_EXAMPLES: Final = "unix:gripper.sock, tcp:localhost:4711, or cell:hand in a program of a cell"


@dataclass(frozen=True, slots=True)
class DeviceAddress:
    """The address of a device: the path of a Unix socket, or a host and a port."""

    path: str = ""
    host: str = ""
    port: int = 0

    @property
    def loopback(self) -> bool:
        """Whether only programs on this host can reach it."""
        if self.path or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"tcp:{self.host}:{self.port}"


def parse_address(text: str) -> DeviceAddress:
    """Parse ``unix:PATH`` or ``tcp:HOST:PORT``. Raises FieldError."""
    kind, _, rest = text.partition(":")
    if kind == "unix" and rest:
        if len(rest.encode()) > LONGEST_PATH:
            what = f"the path of socket {rest!r} has {len(rest.encode())} bytes, at most {LONGEST_PATH}"
            raise FieldError(what, hint="put it into a folder with a shorter path")
        return DeviceAddress(path=rest)
    if kind == "tcp":
        host, _, port = rest.rpartition(":")
        if host and port.isdecimal() and int(port) <= LAST_PORT:
            return DeviceAddress(host=host.strip("[]"), port=int(port))
    raise FieldError(f"{text!r} is not an address of a device", hint=f"write {_EXAMPLES}")


class CellChannel:
    """Carries the messages of a program of a cell, through the mailboxes of a device."""

    def __init__(self, pair: MailboxPair) -> None:
        self._pair = pair
        self._client: MailboxClient = pair.client()
        self._closed = False

    @property
    def name(self) -> str:
        """The address of the device."""
        return f"cell:{self._pair.name}"

    @property
    def clock(self) -> float:
        """Cell time in seconds."""
        return self._client.clock

    def send(self, message: Message) -> None:
        """Put a command into the device's mailbox."""
        self._check()
        self._client.send(message)

    def receive(self, timeout: float | None) -> Answer | None:
        """Wait for the next answer and return it; None if ``timeout`` seconds pass first."""
        self._check()
        return self._client.receive(timeout)

    def reopen(self, timeout: float) -> None:
        """Start again as a new client: answers to the old one are dropped."""
        self._client.close()
        self._client = self._pair.client()
        self._closed = False

    def close(self) -> None:
        """Stop receiving answers."""
        self._client.close()
        self._closed = True

    def _check(self) -> None:
        if self._closed:
            raise LinkLost(self.name, "it was closed")


_CONNECT_TIME: Final = 5.0
"""The longest time to connect, in seconds."""
_SEND_TIME: Final = 5.0
"""Longest time to wait until the device reads, in seconds."""
_RETRY_TIME: Final = 0.02
_CHUNK: Final = 65536


class SocketChannel:
    """Carries messages over a Unix socket or TCP. After a loss, methods raise LinkLost until ``reopen``."""

    def __init__(self, address: DeviceAddress, *, token: str = "") -> None:
        self._address, self._token = address, token
        self._socket: socket.socket | None = None
        self._lost = ""
        self._open()

    @property
    def name(self) -> str:
        """The address of the device as text."""
        return str(self._address)

    @property
    def clock(self) -> float:
        """The monotonic clock of this computer, in seconds."""
        return time.monotonic()

    def send(self, message: Message) -> None:
        """Send a command. Blocks while the device does not read."""
        line = self._live()
        data = encode(message)
        try:
            line.settimeout(0)
            while data := data[self._push(line, data) :]:
                self._wait_for_room(line)
        except OSError as error:
            self._take_last_words(line)
            raise self._lose(_reason(error)) from None

    def receive(self, timeout: float | None) -> Answer | None:
        """Wait for the next answer and return it; None if ``timeout`` seconds pass first."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._received:
            line = self._live()
            left = None if end is None else max(end - time.monotonic(), 0.0)
            try:
                line.settimeout(left)  # 0: do not wait
                data = line.recv(_CHUNK)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError as error:
                raise self._lose(_reason(error)) from None
            if not data:
                raise self._lose("the device closed it")
            self._received.extend(self._decoder.feed(data))
        answer = self._received.popleft()
        if isinstance(answer, Malformed):
            raise self._lose(
                f"received something that is not a message, {answer.refusal}; check that a device listens there"
            )
        return answer

    def reopen(self, timeout: float) -> None:
        """Connect again. Retry for ``timeout`` seconds: a device that has just been started may not listen yet."""
        end = time.monotonic() + timeout
        while True:
            try:
                return self._open()
            except LinkLost:
                if time.monotonic() + _RETRY_TIME > end:
                    raise
            time.sleep(_RETRY_TIME)

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._lost = "it was closed"

    def _open(self) -> None:
        self.close()
        self._decoder = TextDecoder()
        self._received: deque[Answer | Malformed] = deque()
        address = self._address
        try:
            if address.path:
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                try:
                    made.settimeout(_CONNECT_TIME)
                    made.connect(address.path)
                except BaseException:
                    made.close()
                    raise
            else:
                made = socket.create_connection((address.host, address.port), _CONNECT_TIME)
                if made.getsockname() == made.getpeername():
                    # If nothing listens, the system may choose this port as our own and connect us to ourselves.
                    made.close()
                    raise ConnectionRefusedError(ECONNREFUSED, "connection refused")
                # Send each message at once: waiting for more data would cost 40 ms.
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = made
            if self._token:
                made.sendall(token_line(self._token))
        except OSError as error:
            self.close()
            hint = f"is the device running? `{_start_command(address)}` starts one that listens there"
            raise LinkLost(self.name, _reason(error), hint) from None

    def _push(self, line: socket.socket, data: bytes) -> int:
        try:
            return line.send(data)
        except BlockingIOError:
            return 0

    def _wait_for_room(self, line: socket.socket) -> None:
        """Read answers until more can be sent: the device may not continue reading before its answers are read."""
        watch = poll()
        watch.register(line, POLLIN | POLLOUT)
        found = watch.poll(_SEND_TIME * 1000)
        if not found:
            raise TimeoutError(ETIMEDOUT, f"the device read nothing for {_SEND_TIME:g} s")
        if found[0][1] & POLLIN:
            data = line.recv(_CHUNK)
            if not data:
                raise ConnectionResetError(ECONNRESET, "the device closed it")
            self._received.extend(self._decoder.feed(data))

    def _take_last_words(self, line: socket.socket) -> None:
        """Receive what the device sent before it closed the connection: it may say why."""
        with suppress(OSError):
            line.settimeout(0)
            self._received.extend(self._decoder.feed(line.recv(_CHUNK)))

    def _live(self) -> socket.socket:
        if self._socket is None:
            raise LinkLost(self.name, self._lost)
        return self._socket

    def _lose(self, why: str) -> LinkLost:
        self.close()
        self._lost = why
        return LinkLost(self.name, why)


def _start_command(address: DeviceAddress) -> str:
    """Return the command that starts a device at an address."""
    if address.path:
        return f"drycell device gripper --socket {address.path}"
    host = "" if address.loopback else f" --host {address.host}"
    return f"drycell device gripper{host} --port {address.port}"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


Channel = CellChannel | SocketChannel
"""A carrier of messages to a device."""


def open_channel(address: str, *, token: str = "") -> Channel:
    """Open a channel to the device at an address."""
    kind, _, name = address.partition(":")
    if kind == "cell":
        return CellChannel(find_pair(kernel_of_program("connect"), name))
    return SocketChannel(parse_address(address), token=token)
