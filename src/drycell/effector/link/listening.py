"""Places to listen at, taken so that two never share one, and given back so that nothing stays."""

import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EADDRNOTAVAIL
from pathlib import Path

from drycell.base import FieldError
from drycell.effector.link.address import LAST_PORT, Address
from drycell.effector.link.fault import LinkError

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
