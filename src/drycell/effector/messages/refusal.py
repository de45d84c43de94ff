"""Refusals: what is answered to a message that cannot be served, as a code and a text, and how often that was."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from drycell.base import DrycellError

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
    CHECKSUM = "CRC"
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
    Code.SHAPE: "too few or too many fields, or bytes that are no record",
    Code.CHARACTERS: "not five characters of A–Z and 0–9",
    Code.SEQUENCE: "a sequence number that is not a whole number of 0 … 4294967295, and not -",
    Code.REAL: "a real that is no number, or not finite",
    Code.CHECKSUM: "a binary record whose CRC-32 does not fit",
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
