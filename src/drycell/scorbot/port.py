"""Ports: where bytes go out and come in. The one of a serial line opens exactly the name it is given."""

import sys
from typing import Final, Protocol

from drycell.base import DrycellError
from drycell.scorbot.fault import LineLost

BAUD: Final = 9600
_WRITE_TIMEOUT: Final = 2.0


class Port(Protocol):
    """A line to a controller."""

    name: str

    def read(self, timeout: float) -> bytes:
        """What has come; waits for the first byte, but no longer than so many seconds."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """Give the line back."""


class SerialPort:
    """A serial line: 8 data bits, no parity, 1 stop bit, XON/XOFF."""

    def __init__(self, name: str, baud: int = BAUD) -> None:
        from serial import Serial, SerialException

        self.name = name
        try:
            # Serial, not serial_for_url: a name is a device of this machine, never an address somewhere else.
            self._serial = Serial(
                name, baud, bytesize=8, parity="N", stopbits=1, xonxoff=True, write_timeout=_WRITE_TIMEOUT, timeout=0
            )
        except (SerialException, *_faults(), ValueError) as error:
            raise DrycellError(
                f"cannot open the serial port {name!r}: {error}",
                hint="name the port as the system does, such as /dev/ttyUSB0 or COM3, and see who may use it",
            ) from None

    def read(self, timeout: float) -> bytes:
        """What has come."""
        try:
            self._serial.timeout = timeout
            first: bytes = self._serial.read(1)
            if not first:
                return b""
            self._serial.timeout = 0
            return first + bytes(self._serial.read(1024))
        except _faults() as error:
            raise LineLost(self.name, sent="", trouble=f"the line is gone ({error})") from None

    def write(self, data: bytes) -> None:
        """Sends, or says that nobody takes it."""
        try:
            self._serial.write(data)
        except _faults() as error:
            raise LineLost(self.name, sent=repr(data), trouble=f"nothing can be sent ({error})") from None

    def close(self) -> None:
        """Gives the line back; one that is gone already is no fault."""
        try:
            self._serial.close()
        except _faults():
            return


def _faults() -> tuple[type[BaseException], ...]:
    """What pyserial raises when a line is gone: its own errors are OSErrors, but it lets others through."""
    if sys.platform == "win32":
        return (OSError, TypeError)
    import termios

    return (OSError, TypeError, termios.error)
