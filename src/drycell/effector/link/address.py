"""Where a device listens: ``unix:PATH`` or ``tcp:HOST:PORT``."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from drycell.base import FieldError

LONGEST_PATH: Final = 100
"""Bytes of a socket's path: systems take 104 to 108."""
LAST_PORT: Final = 65535
"""The greatest number of a TCP port."""
_EXAMPLES: Final = "unix:gripper.sock, tcp:localhost:4711, or cell:hand in a program of a cell"


@dataclass(frozen=True, slots=True)
class Address:
    """A Unix socket's path, or a host and a port."""

    path: str = ""
    host: str = ""
    port: int = 0

    @property
    def loopback(self) -> bool:
        """Whether only programs of the same host come here."""
        if self.path or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"tcp:{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """An address from text. Raises FieldError."""
    kind, _, rest = text.partition(":")
    if kind == "unix" and rest:
        if len(rest.encode()) > LONGEST_PATH:
            what = f"the path of socket {rest!r} has {len(rest.encode())} bytes, at most {LONGEST_PATH}"
            raise FieldError(what, hint="put it into a folder with a shorter path")
        return Address(path=rest)
    if kind == "tcp":
        host, _, port = rest.rpartition(":")
        if host and port.isdecimal() and int(port) <= LAST_PORT:
            return Address(host=host.strip("[]"), port=int(port))
    raise FieldError(f"{text!r} is no address of a device", hint=_EXAMPLES)
