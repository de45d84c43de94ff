"""The one shape of every command and reply: who, to whom, what, six reals, and a number that ties both together.

After Bynum: five characters and a six-vector of reals, the same for every device. That the characters split into one of
source, one of destination and three of command is a reading. The sequence number is what the paper asks for in its
discussion; it may be left out, so that its absence can be studied.
"""

from dataclasses import dataclass
from math import isfinite
from typing import Final, Self

from drycell.effector.messages.refusal import Code, refuse

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
