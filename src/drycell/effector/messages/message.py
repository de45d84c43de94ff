"""Messages between controlling programs and devices: their shape, refusals, who watches them, and what goes wrong.

A message is five characters and six reals. What cannot be served is answered by a refusal: a code and a text. What
happens to a disturbed message depends on the seed, the device, its direction and its number in that direction alone,
so that a run is repeated exactly in cell time, and message for message in real time.
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
"""Characters that are kept of a refusal's text, so that its line is never too long itself."""


class Code(StrEnum):
    """Why a message is refused. At most five letters: they stand where the five characters of a message do."""

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
    Code.LONG: "a line that is longer than 256 bytes",
    Code.ASCII: "bytes that are no printable ASCII",
    Code.VERSION: "a version other than 1, or none",
    Code.SHAPE: "too few or too many fields",
    Code.CHARACTERS: "not five characters of A–Z and 0–9",
    Code.SEQUENCE: "a sequence number that is not a whole number of 0 … 4294967295, and not -",
    Code.REAL: "a real that is no number, or not finite",
    Code.DEVICE: "a source or destination that the table does not have, or that is not here",
    Code.COMMAND: "a command that the table does not have for this device",
    Code.WAY: "a message that goes the wrong way: a reply sent to a device, a command sent by one",
    Code.LIMIT: "a real beyond its limits, or none of its choices",
    Code.SPARE: "a real that has no meaning here, and is not 0",
    Code.FULL: "no room in the device's queue",
    Code.TOKEN: "no token, or a wrong one, as the first line from another host",
    Code.IDLE: "nothing said for too long, or half a message: the connection is cut",
    Code.CROWD: "more connections than are served",
    Code.GONE: "the device is quitting",
}
"""What each code means, for the printed table."""
_ADVICE: Final[Mapping[Code, str]] = {
    Code.DEVICE: "see which devices are served at that address",
    Code.LIMIT: "`drycell device KIND --table` tells all limits; units are SI: 20 mm are 0.02 m, 20*mm in Python",
    Code.FULL: "wait until some of what is queued is done, or abort it",
    Code.TOKEN: "give connect() the token that the device was started with, or has printed: token=…",
    Code.IDLE: "reconnect(), and ask for status now and then",
    Code.CROWD: "close connections that are no longer needed",
    Code.GONE: "start the device again",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a message that is not served: a code, what was wrong, and the message's number where it had one."""

    code: Code
    what: str
    sequence: int | None = None

    def __str__(self) -> str:
        number = "" if self.sequence is None else f" (message {self.sequence})"
        return f"{self.code}: {self.what}{number}"


@dataclass(frozen=True, slots=True)
class Malformed:
    """Stands where something came that is no message, with what is to be answered."""

    refusal: Refusal


class MessageRefused(DrycellError):
    """A message that cannot be sent or served. ``refusal`` holds code, text and number."""

    def __init__(self, refusal: Refusal, *, where: str | None = None, hint: str | None = None) -> None:
        self.refusal = refusal
        super().__init__(f"refused, {refusal}", where=where, hint=hint or advice(refusal.code))


def advice(code: Code) -> str:
    """What to try when a message is refused with a code; at least what the code means."""
    return _ADVICE.get(code, f"{code} means {MEANING[code]}")


def refuse(code: Code, what: str, sequence: int | None = None) -> MessageRefused:
    """The error to raise for a message that cannot be served; its text is cut to what fits a line."""
    if len(what) > LONGEST_TEXT:
        what = what[: LONGEST_TEXT - 1] + "…"
    return MessageRefused(Refusal(code, what, sequence))


class Tally:
    """How many messages were served, and how many were refused for which reason."""

    def __init__(self) -> None:
        self.served = 0
        self.refused: Counter[Code] = Counter()

    @property
    def refusals(self) -> int:
        """All refusals together."""
        return self.refused.total()

    def count(self, refusal: Refusal) -> Refusal:
        """Count a refusal, and give it back."""
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
    """A command or a reply. Raises MessageRefused when it is no message at all; what it means is the table's affair."""

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
            raise refuse(Code.SHAPE, f"{len(self.reals)} reals where a message has {REALS}", number)
        for place, real in enumerate(self.reals, 1):
            if not isfinite(real):
                raise refuse(Code.REAL, f"real {place} is {real}, not a finite number", number)

    @property
    def characters(self) -> str:
        """The five characters."""
        return f"{self.source}{self.destination}{self.command}"

    @classmethod
    def of(cls, characters: str, reals: tuple[float, ...] = ZEROS, sequence: int | None = None) -> Self:
        """A message from its five characters."""
        if len(characters) != 5:
            raise refuse(Code.CHARACTERS, f"{characters!r} has {len(characters)} characters where 5 stand", sequence)
        return cls(characters[0], characters[1], characters[2:], reals, sequence)

    def answer(self, command: str, reals: tuple[float, ...] = ZEROS) -> "Message":
        """A reply to this message: back to where it came from, under its number."""
        return Message(self.destination, self.source, command, reals, self.sequence)

    def __str__(self) -> str:
        number = "-" if self.sequence is None else str(self.sequence)
        return " ".join([self.characters, number, *(f"{real:g}" for real in self.reals)])


Answer = Message | Refusal
"""What comes back to a controlling program."""

Event = Literal["sent", "delivered", "late", "lost", "doubled", "refused", "dropped", "connected", "closed"]
"""What happened to a message, or to the connection that carries it."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """One thing seen on a link: when in seconds, with which controlling program, what happened, and the message."""

    time: float
    peer: str
    event: Event
    message: Answer | None = None
    text: str = ""


Watcher = Callable[[Traffic], None]


Way = Literal["command", "reply"]
Share = Annotated[float, Quantity("ratio", least=0.0, most=1.0)]

PROMPT: Final = (0.0,)
"""What happens to a message that nothing happens to: it comes once, at once."""


class LinkTrouble(Thing):
    """How often messages come late, never or twice, and commands fail by chance."""

    late: Share = 0.0
    """Fraction of messages that come late."""
    lost: Share = 0.0
    """Fraction of messages that never arrive."""
    doubled: Share = 0.0
    """Fraction of messages that arrive twice."""
    failing: Share = 0.0
    """Fraction of commands that fail by chance, without being tried."""
    latest: Annotated[float, Quantity("time", above=0.0, most=3600.0)] = 0.1
    """Greatest delay of a late message."""

    def bound(self, seed: int = 0, device: str = "") -> "LinkDisturbance":
        """The trouble of one device in a run; devices with the same seed differ by their names."""
        return LinkDisturbance(self, seed, device)


@dataclass(frozen=True, slots=True)
class LinkDisturbance:
    """Decides for every message of a device when it arrives, and for every command whether it fails."""

    trouble: LinkTrouble = LinkTrouble()  # noqa: RUF009  # frozen
    seed: int = 0
    device: str = ""

    def __bool__(self) -> bool:
        trouble = self.trouble
        return bool(trouble.late or trouble.lost or trouble.doubled or trouble.failing)

    def arrivals(self, way: Way, number: int) -> tuple[float, ...]:
        """The delay of each arrival of a message, in seconds: one if it arrives once, none if it is lost."""
        trouble = self.trouble
        if not (trouble.late or trouble.lost or trouble.doubled):
            return PROMPT
        stream = self._stream(way, number)
        # Every draw is made every time: what one trouble does never shifts another.
        lost, late, doubled = (stream.random() < share for share in (trouble.lost, trouble.late, trouble.doubled))
        first, second = stream.uniform(0, trouble.latest), stream.uniform(0, trouble.latest)
        if lost:
            return ()
        delay = first if late else 0.0
        return (delay, delay + second) if doubled else (delay,)

    def fails(self, number: int) -> bool:
        """Whether a device reports that the command of that number failed, without having tried it."""
        failing = self.trouble.failing
        return failing > 0 and self._stream("failure", number).random() < failing

    def _stream(self, what: str, number: int) -> Random:
        digest = sha256(f"{self.seed}/{self.device}/{what}/{number}".encode()).digest()
        return Random(int.from_bytes(digest[:8], "big"))


CALM: Final = LinkDisturbance()
"""Nothing goes wrong."""
