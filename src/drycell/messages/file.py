"""Devices added to the table by a YAML file: a device of one's own needs no code to be spoken to.

::

    devices:
      changer:
        letter: C
        meaning: tool changer
        commands:
          LCK:
            name: lock
            meaning: locks a tool
            queued: true
            reals: [{name: tool, meaning: place in the rack, low: 1, high: 8, whole: true}]
            replies: [DON, FAI]
        replies:
          DON: {name: done, meaning: it is locked}
          FAI: {name: failed, meaning: it is not, failure: true, reals: [{name: reason, choices: {1: no tool}}]}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from drycell.datafile import read_text, read_tree, validated
from drycell.errors import DrycellError, FileError
from drycell.messages.table import VOCABULARY
from drycell.messages.vocabulary import Command, DeviceTable, Handling, Real, Reply, Vocabulary

_CLOSED: Mapping[str, object] = {"extra": "forbid"}


@dataclass(frozen=True)
class RealEntry:
    """A real as files write it."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CLOSED
    name: str
    meaning: str = ""
    unit: str = ""
    low: float = -1e9
    high: float = 1e9
    choices: dict[int, str] = field(default_factory=dict)
    whole: bool = False

    def made(self) -> Real:
        """As the table has it."""
        return Real(self.name, self.meaning, self.unit, self.low, self.high, self.choices, self.whole)


@dataclass(frozen=True)
class CommandEntry:
    """A command as files write it, under its letters."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CLOSED
    name: str
    replies: tuple[str, ...]
    meaning: str = ""
    queued: bool = False
    reals: tuple[RealEntry, ...] = ()

    def made(self, letters: str) -> Command:
        """As the table has it."""
        handling = Handling.QUEUED if self.queued else Handling.AT_ONCE
        return Command(letters, self.name, self.meaning, _reals(self.reals), handling, self.replies)


@dataclass(frozen=True)
class ReplyEntry:
    """A reply as files write it, under its letters."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CLOSED
    name: str
    meaning: str = ""
    failure: bool = False
    reals: tuple[RealEntry, ...] = ()

    def made(self, letters: str) -> Reply:
        """As the table has it."""
        return Reply(letters, self.name, self.meaning, _reals(self.reals), self.failure)


@dataclass(frozen=True)
class DeviceEntry:
    """A device as files write it, under its name."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CLOSED
    letter: str
    commands: dict[str, CommandEntry]
    replies: dict[str, ReplyEntry]
    meaning: str = ""

    def made(self, name: str) -> DeviceTable:
        """As the table has it."""
        commands = tuple(entry.made(letters) for letters, entry in self.commands.items())
        replies = tuple(entry.made(letters) for letters, entry in self.replies.items())
        return DeviceTable(self.letter, name, self.meaning, commands, replies)


@dataclass(frozen=True)
class VocabularyFile:
    """The whole file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CLOSED
    devices: dict[str, DeviceEntry]


def load_vocabulary(path: str | Path, base: Vocabulary = VOCABULARY) -> Vocabulary:
    """A vocabulary and the devices of a file; all that is wrong with it comes in one error."""
    file = str(path)
    node = read_tree(read_text(Path(path)), file)
    read, mistakes = validated(VocabularyFile, node)
    if mistakes:
        raise FileError.of(file, mistakes)
    assert isinstance(read, VocabularyFile)
    found = base
    for name, entry in read.devices.items():
        try:
            found = found.with_device(entry.made(name))
        except DrycellError as error:
            raise FileError(error.what, where=f"{file}, device {name}", hint=error.hint) from None
    return found


def _reals(entries: tuple[RealEntry, ...]) -> tuple[Real, ...]:
    return tuple(entry.made() for entry in entries)
