"""What can go wrong on a line: each error says what was sent, what came back, and how long it was waited for.

::

    LineError
    ├── LineTimeout   no prompt in time
    ├── LineGarbage   bytes that no controller sends, an echo of something else, or no end of them
    ├── LineLost      the line itself is gone
    └── Refused       the controller understood, and will not
"""

from typing import Final

from drycell.base import DrycellError

_SHOWN: Final = 120


class LineError(DrycellError):
    """Something went wrong between the computer and the controller. ``stopped`` tells what was done about the arm."""

    trouble = "the line is out of order"
    advice = "look at the cable and the controller"

    def __init__(
        self,
        port: str,
        *,
        sent: str,
        received: bytes = b"",
        waited: float = 0.0,
        trouble: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.port, self.sent, self.received, self.waited = port, sent, received, waited
        self.trouble = trouble or self.trouble
        self._told = f"{port}: {self.trouble}; sent {sent!r}, received {shown(received)}, waited {waited:.1f} s"
        self.stopped = ""
        super().__init__(self._told, hint=advice or self.advice)

    def note_stop(self, text: str) -> None:
        """Add what was done to stop the arm."""
        self.stopped = text
        self.what = f"{self._told}; {text}"
        self.args = (self.what,)


class LineTimeout(LineError):
    """No prompt came in time."""

    trouble = "the controller did not answer"
    advice = (
        "see that the controller is on, in DIRECT mode and at 9600 baud, 8 data bits, no parity, 1 stop bit, and that "
        "no other program has the port"
    )


class LineGarbage(LineError):
    """What came cannot be from a controller that is well."""

    trouble = "what came back makes no sense"
    advice = "see that both ends have the same baud rate and framing, and that the cable is shielded and grounded"


class LineLost(LineError):
    """The line itself is gone."""

    trouble = "the line is gone"
    advice = "see whether the plug is in; an adapter may have a new name after it was pulled"


class Refused(LineError):
    """The controller understood the line, and refused the command."""

    trouble = "the controller refused"
    advice = "see what it says; is the arm homed, its motors on (CON), and the target within its reach?"


def shown(data: bytes) -> str:
    """Bytes as Python writes them; of many, the last ones."""
    if not data:
        return "nothing"
    return repr(data) if len(data) <= _SHOWN else f"{len(data)} bytes ending in {data[-_SHOWN:]!r}"
