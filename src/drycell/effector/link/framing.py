"""Messages as lines of text, which people can type and other languages can parse.

::

    DRY1 PGMOV 17 0 0.02 0 0 0 0            version, five characters, number or -, six reals; then a line feed
    DRY1 ! LIMIT 17 real 2 of PGMOV: …      a refusal: code, number of the message or -, what is wrong
"""

import re
from typing import Final

from drycell.effector.messages import REALS, Answer, Code, Malformed, Message, MessageRefused, Refusal, refuse

VERSION: Final = "DRY1"
LONGEST: Final = 256
"""The maximum number of bytes in a line, including its line feed."""

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_NO_NUMBERS: Final = frozenset({"nan", "inf", "infinity"})
_PLAIN: Final = str.maketrans({"…": "...", "–": "-", "×": "x", "·": ".", "²": "2", "°": "deg", "≤": "<=", "−": "-"})


def encode(answer: Answer) -> bytes:
    """Return a message or a refusal as a line."""
    number = "-" if answer.sequence is None else str(answer.sequence)
    if isinstance(answer, Refusal):
        line = f"{VERSION} ! {answer.code} {number} {plain_text(answer.what)}"
        return line[: LONGEST - 1].encode() + b"\n"
    reals = " ".join(_plain(real) for real in answer.reals)
    return f"{VERSION} {answer.characters} {number} {reals}\n".encode()


def plain_text(text: str) -> str:
    """Return the text in printable ASCII."""
    ascii_text = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode()
    return "".join(character if character.isprintable() else "?" for character in ascii_text)


def decode(line: bytes) -> Answer:
    """Parse a line without its line feed. Raises MessageRefused if it is malformed."""
    if len(line) >= LONGEST:
        raise refuse(Code.LONG, f"a line of more than {LONGEST} bytes")
    if not line.isascii() or not (text := line.rstrip(b"\r").decode("ascii")).isprintable():
        raise refuse(Code.ASCII, f"{line[:40]!r} is not printable ASCII")
    fields = text.split(" ")
    if fields[0] != VERSION:
        raise refuse(Code.VERSION, f"a line must begin with {VERSION}, not with {fields[0][:40]!r}")
    if len(fields) > 3 and fields[1] == "!":
        return _refusal(fields)
    number = _sequence(fields[2]) if len(fields) > 2 else None
    if len(fields) != 3 + REALS:
        what = f"{len(fields)} fields instead of {3 + REALS}: {VERSION}, five characters, number or -, {REALS} reals"
        raise refuse(Code.SHAPE, what, number)
    return Message.of(
        fields[1], tuple(_real(place, field, number) for place, field in enumerate(fields[3:], 1)), number
    )


class TextDecoder:
    """Turns received bytes into messages. It never holds more than one line."""

    def __init__(self) -> None:
        self._pending = b""
        self._skipping = False

    @property
    def partial(self) -> bool:
        """Whether part of a message has been received."""
        return bool(self._pending) or self._skipping

    def feed(self, data: bytes) -> list[Answer | Malformed]:
        """Return the messages that the bytes complete, in order; a line that is not a message gives a Malformed."""
        found: list[Answer | Malformed] = []
        *lines, rest = (self._pending + data).split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False  # the end of a line that was refused because of its length
                continue
            try:
                found.append(decode(line))
            except MessageRefused as error:
                found.append(Malformed(error.refusal))
        if self._skipping:
            rest = b""
        elif len(rest) >= LONGEST:
            found.append(Malformed(Refusal(Code.LONG, f"a line of more than {LONGEST} bytes")))
            self._skipping, rest = True, b""
        self._pending = rest
        return found


def _plain(real: float) -> str:
    text = repr(float(real))
    return text.removesuffix(".0")


def _sequence(text: str) -> int | None:
    if text == "-":
        return None
    if not text.isdigit() or len(text) > 10:
        raise refuse(Code.SEQUENCE, f"{text[:40]!r} is neither a sequence number of 0 … 4294967295 nor -")
    return int(text)


def _real(place: int, text: str, number: int | None) -> float:
    if _NUMBER.fullmatch(text) is None:
        finite = (
            "not a finite number" if text.lstrip("+-").lower() in _NO_NUMBERS else "not a number such as -0.02 or 1e-3"
        )
        raise refuse(Code.REAL, f"real {place} is {text[:40]!r}, {finite}", number)
    return float(text)


def _refusal(fields: list[str]) -> Refusal:
    try:
        code = Code(fields[2])
    except ValueError:
        raise refuse(Code.COMMAND, f"there is no refusal {fields[2][:40]!r}") from None
    return Refusal(code, " ".join(fields[4:]), _sequence(fields[3]))


_TOKEN: Final = f"{VERSION} TOKEN ".encode()
_BROWSER: Final = b" HTTP/"


def token_line(token: str) -> bytes:
    """Return the first line that a client sends if a token is required."""
    return _TOKEN + token.encode() + b"\n"


class GreetedDecoder(TextDecoder):
    """The decoder of a server: the first line may be a token, or the request of a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.token: bytes | None = None
        """The token that the client has sent."""
        self.browser = False
        """Whether the first line is the request of a browser, so that later lines are not meant for a device."""
        self._first: bytes | None = b""

    @property
    def partial(self) -> bool:
        """Whether part of a message has been received."""
        return bool(self._first) or super().partial

    def feed(self, data: bytes) -> list[Answer | Malformed]:
        """Return the messages that the bytes complete, in order."""
        if self._first is not None:
            data = self._first + data
            line, end, rest = data.partition(b"\n")
            if not end and len(data) < LONGEST:
                self._first = data
                return []
            self._first = None
            if end and line.startswith(_TOKEN):
                self.token, data = line.removeprefix(_TOKEN).rstrip(b"\r"), rest
            self.browser = _BROWSER in line[:LONGEST]
        return super().feed(data)
