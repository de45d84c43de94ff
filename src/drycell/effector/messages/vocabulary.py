"""What messages mean: devices, their commands and replies, and each of the six reals, as data.

Everything else comes from it: what is checked on both sides, the printed table, and the names under which reals are
packed and read. A new device or command is an entry of a :class:`Vocabulary` and no code.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import Annotated

from drycell.base import DrycellError, FieldError, Problem, Table, Thing, UnknownName, type_of
from drycell.effector.messages.keyed import Keyed, KeyNumber
from drycell.effector.messages.message import REALS, ZEROS, Message
from drycell.effector.messages.refusal import Code, refuse

Choices = Annotated[Mapping[int, str], Table(KeyNumber(), type_of(str))]


class Handling(Enum):
    """When a device acts on a command."""

    QUEUED = "queued"
    AT_ONCE = "at once"


class Real(Thing, kw_only=False):
    """One of the six reals of a message. With choices, a whole number that stands for a word."""

    name: str
    """Name under which programs pack and read it."""
    meaning: str = ""
    """What it means, for the printed table."""
    unit: str = ""
    """Unit in which it is sent, for the printed table."""
    low: float = -1e9
    """Smallest value."""
    high: float = 1e9
    """Largest value."""
    choices: Choices = dataclasses.field(default_factory=dict)
    """Words by the numbers that stand for them; no other number is allowed."""
    whole: bool = False
    """Whether it must be a whole number."""

    @property
    def limits(self) -> str:
        """What it may be, as the table prints it."""
        if self.choices:
            return ", ".join(f"{number} {word}" for number, word in self.choices.items())
        return f"{self.low:g} … {self.high:g}{f' {self.unit}' if self.unit else ''}{', whole' if self.whole else ''}"

    def problem(self, value: float) -> str | None:
        """What is wrong with a value, or None."""
        if self.choices:
            return None if value in self.choices else f"{self.name} is {value:g}, not one of {self.limits}"
        if not self.low <= value <= self.high:
            return f"{self.name} is {value:g}{f' {self.unit}' if self.unit else ''}, not within {self.limits}"
        if self.whole and value != int(value):
            return f"{self.name} is {value:g}, not a whole number"
        return None

    def number(self, word: str) -> int:
        """The number that stands for one of its choices."""
        for number, known in self.choices.items():
            if known == word:
                return number
        raise UnknownName(self.name, word, self.choices.values())


class Entry(Thing, kw_only=False):
    """Three letters, the name they stand for, what they do, and the meaning of their reals; missing ones are 0."""

    letters: str
    """Three characters that are sent; in files the key of the entry."""
    name: str
    """Name in words."""
    meaning: str = ""
    """What it does, for the printed table."""
    reals: tuple[Real, ...] = ()
    """Meaning of the reals that are sent with it, in order; the others are 0."""

    def problems(self) -> Iterator[Problem]:
        """No more reals than a message has, each with its own name."""
        if len(self.reals) > REALS:
            yield Problem(("reals",), f"{self.letters} has {len(self.reals)} reals", f"a message has {REALS}")
        names = [real.name for real in self.reals]
        if len(set(names)) != len(names):
            yield Problem(("reals",), f"{self.letters} has two reals of one name: {', '.join(names)}", "rename one")

    def real(self, name: str) -> Real:
        """The real of that name."""
        for real in self.reals:
            if real.name == name:
                return real
        raise UnknownName(f"real of {self.letters}", name, [real.name for real in self.reals])

    def pack(self, **values: float) -> tuple[float, ...]:
        """Six reals from values by name; what is not named is 0. Limits are checked with the message."""
        if not values:
            return ZEROS
        for name in values:
            self.real(name)
        packed = [float(values.get(real.name, 0.0)) for real in self.reals]
        return tuple(packed) + ZEROS[len(packed) :]

    def unpack(self, message: Message) -> dict[str, float]:
        """The reals of a message by name."""
        return {real.name: value for real, value in zip(self.reals, message.reals, strict=False)}

    def check(self, message: Message) -> None:
        """Raises MessageRefused for a real beyond its limits, or one that has no meaning here and is not 0."""
        for place, value in enumerate(message.reals):
            if place >= len(self.reals):
                if value != 0:
                    what = f"real {place + 1} of {message.characters} is {value:g}, but has no meaning: send 0"
                    raise refuse(Code.SPARE, what, message.sequence)
            elif (problem := self.reals[place].problem(value)) is not None:
                raise refuse(Code.LIMIT, f"real {place + 1} of {message.characters}: {problem}", message.sequence)


class Command(Entry, kw_only=False):
    """A command. One reply ends it."""

    queued: bool = False
    """Whether it waits in the queue for those before it; otherwise the device acts on it at once."""
    replies: tuple[str, ...] = ()
    """Letters of the replies that it may get."""

    @property
    def handling(self) -> Handling:
        """When the device acts on it."""
        return Handling.QUEUED if self.queued else Handling.AT_ONCE


class Reply(Entry, kw_only=False):
    """A reply, by which a device answers."""

    failure: bool = False
    """Whether it says that the command was not done."""


class DeviceTable(Thing, kw_only=False):
    """A device: its letter, name, and what it understands and says. A controller has a letter only: it commands."""

    letter: str
    """The character that is its address in messages."""
    name: str
    """Name in words; in files the key of the device."""
    meaning: str = ""
    """What it is, for the printed table."""
    commands: Annotated[tuple[Command, ...], Keyed(Command, "letters")] = ()
    """Commands that it understands, by letters."""
    replies: Annotated[tuple[Reply, ...], Keyed(Reply, "letters")] = ()
    """Replies that it sends, by letters."""
    controls: bool = False
    """Whether it is a controller, which sends commands and gets replies."""

    def problems(self) -> Iterator[Problem]:
        """Letters that can be sent, once each; every command is answered, by replies that there are."""
        try:
            Message(self.letter, self.letter, "AAA")
        except DrycellError as error:
            yield Problem(("letter",), error.what, error.hint)
            return
        for section, entries in (("commands", self.commands), ("replies", self.replies)):
            kind = "command" if section == "commands" else "reply"
            if not entries and not self.controls:
                yield Problem((section,), f"{self.name} has no {section}", f"add '{section}: …'")
            letters = [entry.letters for entry in entries]
            for twice in {each for each in letters if letters.count(each) > 1}:
                what = f"{self.name} has two entries for the {kind} {twice}"
                yield Problem((section, twice), what, "give one other letters")
            for each in letters:
                try:
                    Message(self.letter, self.letter, each)
                except DrycellError as error:
                    yield Problem((section, each), error.what, error.hint)
        for command in self.commands:
            place = ("commands", command.letters, "replies")
            if not command.replies:
                yield Problem(place, f"{self.name} never answers {command.letters}", "name its replies")
            for index, reply in enumerate(command.replies):
                try:
                    self.reply(reply)
                except UnknownName as error:
                    yield Problem((*place, index), error.what, error.hint)

    @cached_property
    def _commands(self) -> dict[str, Command]:
        return {entry.letters: entry for entry in self.commands}

    @cached_property
    def _replies(self) -> dict[str, Reply]:
        return {entry.letters: entry for entry in self.replies}

    def command(self, letters: str) -> Command:
        """A command by its letters."""
        try:
            return self._commands[letters]
        except KeyError:
            raise UnknownName(f"command of {self.name}", letters, self._commands) from None

    def reply(self, letters: str) -> Reply:
        """A reply by its letters."""
        try:
            return self._replies[letters]
        except KeyError:
            raise UnknownName(f"reply of {self.name}", letters, self._replies) from None


class Vocabulary:
    """All devices that speak. ``check`` refuses every message that the table does not allow."""

    def __init__(self, devices: Iterable[DeviceTable]) -> None:
        self._devices: dict[str, DeviceTable] = {}
        for device in devices:
            if device.letter in self._devices:
                other = self._devices[device.letter].name
                raise FieldError(f"{other} and {device.name} share the letter {device.letter}", hint="give another")
            self._devices[device.letter] = device

    @property
    def devices(self) -> tuple[DeviceTable, ...]:
        """All devices, controllers too."""
        return tuple(self._devices.values())

    def device(self, key: str) -> DeviceTable:
        """A device by its letter or its name."""
        for device in self._devices.values():
            if key in (device.letter, device.name):
                return device
        raise UnknownName("device", key, [device.name for device in self._devices.values()])

    def with_device(self, device: DeviceTable) -> "Vocabulary":
        """The same vocabulary and one device more, or one in another's place."""
        return Vocabulary([*(old for old in self.devices if old.letter != device.letter), device])

    def entry(self, message: Message) -> Command | Reply:
        """What a message means. Raises MessageRefused when the table has no such message."""
        source = self._party(message, message.source, "source")
        destination = self._party(message, message.destination, "destination")
        if source.controls == destination.controls:
            what = f"{message.characters} goes from {source.name} to {destination.name}: one of the two has to control"
            raise refuse(Code.WAY, what, message.sequence)
        table = destination._commands if source.controls else source._replies
        found = table.get(message.command)
        if found is None:
            other = destination._replies if source.controls else source._commands
            device, kind = (destination, "command") if source.controls else (source, "reply")
            if message.command in other:
                what = f"{message.characters}: {message.command} goes the other way"
                raise refuse(Code.WAY, what, message.sequence)
            what = f"{device.name} has no {kind} {message.command}; it has {', '.join(table) or 'none'}"
            raise refuse(Code.COMMAND, what, message.sequence)
        return found

    def check(self, message: Message) -> Command | Reply:
        """What a message means, its reals checked against their limits. Raises MessageRefused."""
        found = self.entry(message)
        found.check(message)
        return found

    def _party(self, message: Message, letter: str, role: str) -> DeviceTable:
        try:
            return self._devices[letter]
        except KeyError:
            known = ", ".join(f"{device.letter} {device.name}" for device in self._devices.values())
            what = f"{role} {letter} of {message.characters} is none of {known}"
            raise refuse(Code.DEVICE, what, message.sequence) from None
