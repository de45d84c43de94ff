"""Messages between controlling programs and devices, refusals, traffic, and disturbances of the link.

A message is five characters and six reals. A device answers a message that it cannot serve with a refusal: a code and a
text. Disturbances depend only on the seed, the device, the direction and the number of the message in that direction. A
run in cell time therefore repeats exactly, and a run in real time repeats message by message.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from math import isfinite
from random import Random
from typing import Annotated, Final, Literal, Self

from drycell.base import DrycellError, Quantity, Thing

LONGEST_TEXT: Final = 160
"""Maximum length of a refusal's text, so that the line of a refusal is never too long."""


class Code(StrEnum):
    """The reasons to refuse a message. A code has at most five letters: it replaces the five characters."""

    LONG = "LONG"
    ASCII = "ASCII"
    VERSION = "VERS"
    SHAPE = "SHAPE"
    CHARACTERS = "CHARS"
    SEQUENCE = "SEQ"
    REAL = "REAL"
    DEVICE = "DEV"
    COMMAND = "CMD"
    WAY = "WAY"
    LIMIT = "LIMIT"
    SPARE = "SPARE"
    FULL = "FULL"
    TOKEN = "TOKEN"
    IDLE = "IDLE"
    CROWD = "CROWD"
    GONE = "GONE"


MEANING: Final[Mapping[Code, str]] = {
    Code.LONG: "a line of more than 256 bytes",
    Code.ASCII: "bytes that are not printable ASCII",
    Code.VERSION: "no version, or a version other than 1",
    Code.SHAPE: "too few or too many fields",
    Code.CHARACTERS: "not five characters of A–Z and 0–9",
    Code.SEQUENCE: "a sequence number that is neither a whole number of 0 … 4294967295 nor -",
    Code.REAL: "a real that is not a finite number",
    Code.DEVICE: "an unknown source or destination, or a device that does not answer at this address",
    Code.COMMAND: "a command that the device does not have",
    Code.WAY: "the wrong direction: a reply sent to a device, or a command sent by one",
    Code.LIMIT: "a real outside its limits, or not one of its choices",
    Code.SPARE: "an unused real that is not 0",
    Code.FULL: "no room in the device's queue",
    Code.TOKEN: "no token, or a wrong one, as the first line from another host",
    Code.IDLE: "silence for too long, or an incomplete message: the device closes the connection",
    Code.CROWD: "too many connections",
    Code.GONE: "the device is quitting",
}
"""The meaning of each code, for the printed table."""
_ADVICE: Final[Mapping[Code, str]] = {
    Code.DEVICE: "check which devices are served at that address",
    Code.LIMIT: "`drycell device KIND --table` lists all limits; units are SI: 20 mm are 0.02 m, 20*mm in Python",
    Code.FULL: "wait until some queued commands are done, or abort them",
    Code.TOKEN: "pass the token that the device was started with, or has printed, to connect(): token=…",
    Code.IDLE: "reconnect(), and ask for status now and then",
    Code.CROWD: "close connections that are no longer needed",
    Code.GONE: "start the device again",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a message that is not served: a code, the problem, and the number of the message, if any."""

    code: Code
    what: str
    sequence: int | None = None

    def __str__(self) -> str:
        number = "" if self.sequence is None else f" (message {self.sequence})"
        return f"{self.code}: {self.what}{number}"


@dataclass(frozen=True, slots=True)
class Malformed:
    """Takes the place of received bytes that are not a message; holds the refusal to answer with."""

    refusal: Refusal


class MessageRefused(DrycellError):
    """A message was refused. ``refusal`` has the code, the text and the number of the message."""

    def __init__(self, refusal: Refusal, *, where: str | None = None, hint: str | None = None) -> None:
        self.refusal = refusal
        super().__init__(f"refused, {refusal}", where=where, hint=hint or advice(refusal.code))


def advice(code: Code) -> str:
    """Return a hint for a message refused with a code; at least the meaning of the code."""
    return _ADVICE.get(code, f"{code} means {MEANING[code]}")


def refuse(code: Code, what: str, sequence: int | None = None) -> MessageRefused:
    """Return the error to raise for a message that cannot be served. Its text is shortened to fit into a line."""
    if len(what) > LONGEST_TEXT:
        what = what[: LONGEST_TEXT - 1] + "…"
    return MessageRefused(Refusal(code, what, sequence))


class Tally:
    """Counts of the messages that were served, and of those that were refused by code."""

    def __init__(self) -> None:
        self.served = 0
        self.refused: Counter[Code] = Counter()

    @property
    def refusals(self) -> int:
        """Number of all refusals."""
        return self.refused.total()

    def count(self, refusal: Refusal) -> Refusal:
        """Count a refusal and return it."""
        self.refused[refusal.code] += 1
        return refusal

    def __str__(self) -> str:
        reasons = ", ".join(f"{count} {code}" for code, count in sorted(self.refused.items()))
        return f"{self.served} served, {self.refusals} refused" + (f" ({reasons})" if reasons else "")


REALS: Final = 6
LAST_SEQUENCE: Final = 2**32 - 1
ZEROS: Final = (0.0,) * REALS
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


@dataclass(frozen=True, slots=True)
class Message:
    """A command or a reply. Raises MessageRefused if it is malformed; the table defines its meaning."""

    source: str
    destination: str
    command: str
    reals: tuple[float, ...] = ZEROS
    sequence: int | None = None

    def __post_init__(self) -> None:
        number = self.sequence
        if number is not None and (number.__class__ is not int or not 0 <= number <= LAST_SEQUENCE):
            raise refuse(Code.SEQUENCE, f"sequence number {number!r} is not a whole number of 0 … {LAST_SEQUENCE}")
        text = f"{self.source}{self.destination}{self.command}"
        if (
            len(self.source) != 1
            or len(self.destination) != 1
            or len(self.command) != 3
            or not _LETTERS.issuperset(text)
        ):
            raise refuse(Code.CHARACTERS, f"{text!r} is not 1 + 1 + 3 characters of A–Z and 0–9", number)
        if len(self.reals) != REALS:
            raise refuse(Code.SHAPE, f"{len(self.reals)} reals instead of {REALS}", number)
        for place, real in enumerate(self.reals, 1):
            if not isfinite(real):
                raise refuse(Code.REAL, f"real {place} is {real}, not a finite number", number)

    @property
    def characters(self) -> str:
        """The five characters."""
        return f"{self.source}{self.destination}{self.command}"

    @classmethod
    def of(cls, characters: str, reals: tuple[float, ...] = ZEROS, sequence: int | None = None) -> Self:
        """Create a message from its five characters."""
        if len(characters) != 5:
            raise refuse(Code.CHARACTERS, f"{characters!r} has {len(characters)} characters instead of 5", sequence)
        return cls(characters[0], characters[1], characters[2:], reals, sequence)

    def answer(self, command: str, reals: tuple[float, ...] = ZEROS) -> "Message":
        """Create a reply to this message: to its source, with its number."""
        return Message(self.destination, self.source, command, reals, self.sequence)

    def __str__(self) -> str:
        number = "-" if self.sequence is None else str(self.sequence)
        return " ".join([self.characters, number, *(f"{real:g}" for real in self.reals)])


Answer = Message | Refusal
"""A message that a controlling program receives."""

Event = Literal["sent", "delivered", "late", "lost", "doubled", "refused", "dropped", "connected", "closed"]
"""What happened to a message, or to the connection that carries it."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """An event on a link: time in seconds, the controlling program at the other end, what happened, and the message."""

    time: float
    peer: str
    event: Event
    message: Answer | None = None
    text: str = ""


Watcher = Callable[[Traffic], None]


Direction = Literal["command", "reply"]
Share = Annotated[float, Quantity("ratio", least=0.0, most=1.0)]

_AT_ONCE: Final = (0.0,)
"""The delays of an undisturbed message: it arrives once, at once."""


class LinkTrouble(Thing):
    """The rates at which messages are late, lost or doubled, and at which commands fail at random."""

    late: Share = 0.0
    """Fraction of messages that arrive late."""
    lost: Share = 0.0
    """Fraction of messages that never arrive."""
    doubled: Share = 0.0
    """Fraction of messages that arrive twice."""
    failing: Share = 0.0
    """Fraction of commands that fail at random, without being executed."""
    latest: Annotated[float, Quantity("time", above=0.0, most=3600.0)] = 0.1
    """Maximum delay of a late message."""

    def bound(self, seed: int = 0, device: str = "") -> "LinkDisturbance":
        """Create the disturbance of one device in a run. Devices with one seed differ by their names."""
        return LinkDisturbance(self, seed, device)


@dataclass(frozen=True, slots=True)
class LinkDisturbance:
    """Decides when each message of a device arrives, and whether each command fails."""

    trouble: LinkTrouble = LinkTrouble()  # noqa: RUF009  # frozen
    seed: int = 0
    device: str = ""

    def __bool__(self) -> bool:
        trouble = self.trouble
        return bool(trouble.late or trouble.lost or trouble.doubled or trouble.failing)

    def arrivals(self, direction: Direction, number: int) -> tuple[float, ...]:
        """Return the delays at which a message arrives, in seconds: none if it is lost, two if it is doubled."""
        trouble = self.trouble
        if not (trouble.late or trouble.lost or trouble.doubled):
            return _AT_ONCE
        stream = self._stream(direction, number)
        # All numbers are drawn every time, so that changing one fraction does not affect the others.
        lost, late, doubled = (stream.random() < share for share in (trouble.lost, trouble.late, trouble.doubled))
        first, second = stream.uniform(0, trouble.latest), stream.uniform(0, trouble.latest)
        if lost:
            return ()
        delay = first if late else 0.0
        return (delay, delay + second) if doubled else (delay,)

    def fails(self, number: int) -> bool:
        """Whether the command with this number fails without being executed."""
        failing = self.trouble.failing
        return failing > 0 and self._stream("failure", number).random() < failing

    def _stream(self, what: str, number: int) -> Random:
        digest = sha256(f"{self.seed}/{self.device}/{what}/{number}".encode()).digest()
        return Random(int.from_bytes(digest[:8], "big"))


UNDISTURBED: Final = LinkDisturbance()
"""A link without disturbance."""
