"""Bytes from a controller as replies: the lines between two prompts. Whatever comes, little is kept.

In DIRECT mode a controller echoes a command, prints its lines, and shows its prompt: ``>`` at the start of a line.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from drycell.base import ProgramError

PROMPT: Final = ord(">")
ABORT: Final = b"\x01"
"""Ctrl-A: stops all programs and all motion of the controller, whatever stands on its line."""
LONGEST_COMMAND: Final = 79
LONGEST_REPLY: Final = 8192
_MOST_REPLIES: Final = 64
_LINE_END: Final = (0x0D, 0x0A)
_SILENT: Final = frozenset((0x00, 0x07, 0x11, 0x13))  # fill, bell, XON, XOFF: no part of any text
_PRINTABLE: Final = frozenset((0x09, *range(0x20, 0x7F)))


def command_bytes(command: str) -> bytes:
    """A command as it goes over the line."""
    if len(command) > LONGEST_COMMAND or not (command.isascii() and (command.isprintable() or not command)):
        raise ProgramError(
            f"{command[:LONGEST_COMMAND]!r} cannot be sent to a controller",
            hint=f"a command has up to {LONGEST_COMMAND} letters, digits and signs of ASCII",
        )
    return command.encode("ascii") + b"\r"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came up to a prompt: its lines without blanks around them, empty ones left out, and the bytes themselves."""

    lines: tuple[str, ...]
    raw: bytes
    strange: int = 0
    """How many bytes no controller sends."""

    def after_echo(self, command: str) -> "tuple[tuple[str, ...], tuple[str, ...]] | None":
        """The lines before and after the echo of a command; None when it was not echoed."""
        for place, line in enumerate(self.lines):
            if line.upper() == command.upper():
                return self.lines[:place], self.lines[place + 1 :]
        return None


class Decoder:
    """Takes bytes as they come, in pieces of any size, and gives replies."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._line = bytearray()
        self._lines: list[str] = []
        self._strange = 0
        self._replies: deque[Reply] = deque(maxlen=_MOST_REPLIES)

    @property
    def pending(self) -> bytes:
        """What came since the last prompt."""
        return bytes(self._raw)

    @property
    def overfull(self) -> bool:
        """Whether more came without a prompt than any reply has; what comes now is no longer kept."""
        return len(self._raw) >= LONGEST_REPLY

    def feed(self, data: bytes) -> None:
        """Take what has come."""
        for byte in data:
            if self.overfull:
                return
            self._raw.append(byte)
            if byte in _SILENT:
                continue
            if byte in _LINE_END:
                self._end_line()
            elif byte == PROMPT and not self._line:
                self._replies.append(Reply(tuple(self._lines), bytes(self._raw), self._strange))
                self._forget()
            else:
                self._strange += byte not in _PRINTABLE
                self._line.append(byte)

    def take(self) -> Reply | None:
        """The oldest reply that is complete."""
        return self._replies.popleft() if self._replies else None

    def clear(self) -> None:
        """Forget everything."""
        self._forget()
        self._replies.clear()

    def _end_line(self) -> None:
        text = self._line.decode("ascii", "replace").strip()
        if text:
            self._lines.append(text)
        self._line.clear()

    def _forget(self) -> None:
        self._raw.clear()
        self._line.clear()
        self._lines.clear()
        self._strange = 0
