"""The table of messages: devices, their commands and replies, and the meaning of each of the six reals.

The checks on both sides, the printed table and the names of reals in programs all come from this table. A new device or
command is an entry of a :class:`Vocabulary`, without code.
"""

import dataclasses
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final

from drycell.base import DrycellError, FieldError, Problem, Table, Thing, UnknownName, Whole, type_of
from drycell.effector.messages.message import MEANING, REALS, ZEROS, Code, Message, refuse

if TYPE_CHECKING:
    from drycell.base import Plain


@dataclasses.dataclass(frozen=True)
class _NumberKey(Whole):
    """A whole number that is a key: files hold it as text."""

    def take(self, written: "Plain") -> int:
        """Read the number."""
        digits = isinstance(written, str) and written.removeprefix("-").isdecimal()
        return self.check(int(written) if isinstance(written, str) and digits else written)


Choices = Annotated[Mapping[int, str], Table(_NumberKey(), type_of(str))]


class Handling(Enum):
    """When a device acts on a command."""

    QUEUED = "queued"
    AT_ONCE = "at once"


class Real(Thing, kw_only=False):
    """The meaning of one of the six reals of a message. With choices, it is a whole number that encodes a word."""

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
        """The allowed values, as the table prints them."""
        if self.choices:
            return ", ".join(f"{number} {word}" for number, word in self.choices.items())
        return f"{self.low:g} … {self.high:g}{f' {self.unit}' if self.unit else ''}{', whole' if self.whole else ''}"

    def problem(self, value: float) -> str | None:
        """Return the problem with a value, or None."""
        if self.choices:
            return None if value in self.choices else f"{self.name} is {value:g}, not one of {self.limits}"
        if not self.low <= value <= self.high:
            unit = f" {self.unit}" if self.unit else ""
            return f"{self.name} is {value:g}{unit}, not between {self.low:g} and {self.high:g}{unit}"
        if self.whole and value != int(value):
            return f"{self.name} is {value:g}, not a whole number"
        return None

    def number(self, word: str) -> int:
        """Return the number of one of its choices."""
        for number, known in self.choices.items():
            if known == word:
                return number
        raise UnknownName(self.name, word, self.choices.values())


class TableEntry(Thing, kw_only=False):
    """An entry of the table: three letters, a name, a meaning, and the reals in order. Further reals are 0."""

    letters: str
    """Three characters that are sent."""
    name: str
    """Name in words."""
    meaning: str = ""
    """What it does, for the printed table."""
    reals: tuple[Real, ...] = ()
    """Meaning of the reals that are sent with it, in order; the others are 0."""

    def problems(self) -> Iterator[Problem]:
        """Check that there are no more reals than in a message, each with its own name."""
        if len(self.reals) > REALS:
            yield Problem(("reals",), f"{self.letters} has {len(self.reals)} reals", f"a message has {REALS}")
        names = [real.name for real in self.reals]
        if len(set(names)) != len(names):
            yield Problem(
                ("reals",), f"{self.letters} has two reals with the same name: {', '.join(names)}", "rename one"
            )

    def real(self, name: str) -> Real:
        """Return the real with a name."""
        for real in self.reals:
            if real.name == name:
                return real
        raise UnknownName(f"real of {self.letters}", name, [real.name for real in self.reals])

    def pack(self, **values: float) -> tuple[float, ...]:
        """Return the six reals from values by name; others are 0. ``check`` checks the limits."""
        if not values:
            return ZEROS
        for name in values:
            self.real(name)
        packed = [float(values.get(real.name, 0.0)) for real in self.reals]
        return tuple(packed) + ZEROS[len(packed) :]

    def unpack(self, message: Message) -> dict[str, float]:
        """Return the reals of a message by name."""
        return {real.name: value for real, value in zip(self.reals, message.reals, strict=False)}

    def check(self, message: Message) -> None:
        """Raise MessageRefused for a real outside its limits, or one without a meaning that is not 0."""
        for place, value in enumerate(message.reals):
            if place >= len(self.reals):
                if value != 0:
                    what = f"real {place + 1} of {message.characters} is {value:g}, but has no meaning: send 0"
                    raise refuse(Code.SPARE, what, message.sequence)
            elif (problem := self.reals[place].problem(value)) is not None:
                raise refuse(Code.LIMIT, f"real {place + 1} of {message.characters}: {problem}", message.sequence)


class CommandEntry(TableEntry, kw_only=False):
    """A command. It gets exactly one reply."""

    queued: bool = False
    """Whether it waits in the queue for earlier commands; otherwise the device acts on it at once."""
    replies: tuple[str, ...] = ()
    """Letters of the replies that it may get."""

    @property
    def handling(self) -> Handling:
        """When the device acts on it."""
        return Handling.QUEUED if self.queued else Handling.AT_ONCE


class ReplyEntry(TableEntry, kw_only=False):
    """A reply of a device."""

    failure: bool = False
    """Whether it says that the command was not done."""


class DeviceTable(Thing, kw_only=False):
    """A device with its letter, its commands and its replies. A controlling program has only a letter and a name."""

    letter: str
    """The character that is its address in messages."""
    name: str
    """Name in words."""
    meaning: str = ""
    """What it is, for the printed table."""
    commands: tuple[CommandEntry, ...] = ()
    """Commands that it understands, by letters."""
    replies: tuple[ReplyEntry, ...] = ()
    """Replies that it sends, by letters."""
    controls: bool = False
    """Whether it is a controller, which sends commands and gets replies."""

    def problems(self) -> Iterator[Problem]:
        """Check that letters are valid and unique, and that every command names existing replies."""
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
    def _commands(self) -> dict[str, CommandEntry]:
        return {entry.letters: entry for entry in self.commands}

    @cached_property
    def _replies(self) -> dict[str, ReplyEntry]:
        return {entry.letters: entry for entry in self.replies}

    def command(self, letters: str) -> CommandEntry:
        """Return a command by its letters."""
        try:
            return self._commands[letters]
        except KeyError:
            raise UnknownName(f"command of {self.name}", letters, self._commands) from None

    def reply(self, letters: str) -> ReplyEntry:
        """Return a reply by its letters."""
        try:
            return self._replies[letters]
        except KeyError:
            raise UnknownName(f"reply of {self.name}", letters, self._replies) from None


class Vocabulary:
    """A table of devices. ``check`` refuses every message that the table does not allow."""

    def __init__(self, devices: Iterable[DeviceTable]) -> None:
        self._devices: dict[str, DeviceTable] = {}
        for device in devices:
            if device.letter in self._devices:
                other = self._devices[device.letter].name
                raise FieldError(f"{other} and {device.name} share the letter {device.letter}", hint="give another")
            self._devices[device.letter] = device

    @property
    def devices(self) -> tuple[DeviceTable, ...]:
        """All devices, including controlling programs."""
        return tuple(self._devices.values())

    def device(self, key: str) -> DeviceTable:
        """Return a device by its letter or its name."""
        for device in self._devices.values():
            if key in (device.letter, device.name):
                return device
        raise UnknownName("device", key, [device.name for device in self._devices.values()])

    def with_device(self, device: DeviceTable) -> "Vocabulary":
        """Return a copy with an additional device, or with a replacement for the device with its letter."""
        return Vocabulary([*(old for old in self.devices if old.letter != device.letter), device])

    def entry(self, message: Message) -> CommandEntry | ReplyEntry:
        """Return the entry of a message. Raises MessageRefused if the table has no such message."""
        source = self._party(message, message.source, "source")
        destination = self._party(message, message.destination, "destination")
        if source.controls == destination.controls:
            what = (
                f"{message.characters} goes from {source.name} to {destination.name}; one of them must be the planner"
            )
            raise refuse(Code.WAY, what, message.sequence)
        table = destination._commands if source.controls else source._replies
        found = table.get(message.command)
        if found is None:
            other = destination._replies if source.controls else source._commands
            device, kind = (destination, "command") if source.controls else (source, "reply")
            if message.command in other:
                what = f"{message.characters}: {message.command} goes in the other direction"
                raise refuse(Code.WAY, what, message.sequence)
            what = f"{device.name} has no {kind} {message.command}; it has {', '.join(table) or 'none'}"
            raise refuse(Code.COMMAND, what, message.sequence)
        return found

    def check(self, message: Message, letters: str = "") -> CommandEntry | ReplyEntry:
        """Return the entry of a message after checking its reals against their limits.

        Args:
            message: the message to check.
            letters: the devices that answer at this address; empty to allow every device of the table.

        Raises:
            MessageRefused: if the table does not allow the message, or if it is for a device that is not here.
        """
        entry = self.entry(message)
        entry.check(message)
        if letters and message.destination not in letters:
            what = f"{message.destination} does not answer here, only {', '.join(letters)}"
            raise refuse(Code.DEVICE, what, message.sequence)
        return entry

    def _party(self, message: Message, letter: str, role: str) -> DeviceTable:
        try:
            return self._devices[letter]
        except KeyError:
            known = ", ".join(f"{device.letter} {device.name}" for device in self._devices.values())
            what = f"{role} {letter} of {message.characters} is not one of {known}"
            raise refuse(Code.DEVICE, what, message.sequence) from None


NOTHING: Final = 999
"""The number for a finger with nothing near."""
_STEP: Final = 1e-4
_RADIX: Final = 1000


def pack_proximity(left: float | None, right: float | None) -> float:
    """Pack the distances in front of both fingers, in metres or None, into one real: 12.3 and 4.5 mm give 123045."""
    return float(_steps(left) * _RADIX + _steps(right))


def unpack_proximity(packed: float) -> tuple[float | None, float | None]:
    """Unpack both distances in metres, to a tenth of a millimetre; None if nothing is near."""
    left, right = divmod(int(packed), _RADIX)
    return _distance(left), _distance(right)


def _steps(distance: float | None) -> int:
    return NOTHING if distance is None else min(max(round(distance / _STEP), 0), NOTHING)


def _distance(steps: int) -> float | None:
    return None if steps == NOTHING else steps / 10_000


KINDS: Final = {0: "position", 1: "rate", 2: "ratchet", 3: "force"}
"""Kinds of moves."""
REASONS: Final = {
    1: "aborted",
    2: "not initialised",
    4: "blocked",
    5: "lost hold",
    6: "random failure",
    7: "quitting",
    8: "missed",
}
"""The reasons why a command failed. 3 is unused: a move that ends after its time has not failed."""

# End conditions can be added: 1 + 2 ends a move at the gap or at the force, whichever is first.
AT_GAP: Final = 1
AT_FORCE: Final = 2
AT_BEAM: Final = 4
AT_PROXIMITY: Final = 8
AT_TIME: Final = 16
_ENDS: Final = "the sum of 1 gap reached, 2 force reached, 4 beam broken, 8 something near, 16 time elapsed"

_DEBUG: Final = {-1: "unchanged", 0: "off", 1: "on"}
_SWITCH: Final = {0: "off", 1: "on"}
_SWITCHES: Final = (
    ("flags", "log of event flags"),
    ("messages", "log of messages"),
    ("control", "log of the actions of the device"),
    ("graphics", "log of what is drawn"),
)

_GAP: Final = Real("gap", "gap between the jaws", "m", 0, 1)
_FORCE: Final = Real("force", "force between the jaws", "N", 0, 1e4)
_POSITION_GAIN: Final = Real("position_gain", "acceleration per metre of error", "1/s²", 0, 1e6)
_RATE_GAIN: Final = Real("rate_gain", "acceleration against each m/s of speed", "1/s", 0, 1e4)
_ELAPSED: Final = Real("elapsed", "time since its start", "s", 0, 1e9)
_WAITING: Final = Real("waiting", "commands still in the queue", "", 0, 1e6, whole=True)

_DONE: Final = ReplyEntry(
    "DON",
    "done",
    "a queued command is done",
    (
        _GAP,
        _FORCE,
        Real("ended_by", f"what ended the move, {_ENDS}; 0 for other commands", "", 0, 31, whole=True),
        _ELAPSED,
        _WAITING,
    ),
)
_FAILED: Final = ReplyEntry(
    "FAI",
    "failed",
    "a command has failed",
    (
        Real("reason", "why", choices=REASONS),
        _GAP,
        _FORCE,
        _ELAPSED,
        _WAITING,
    ),
    failure=True,
)
_FAILED_SENSOR: Final = ReplyEntry(
    "FAI", "failed", "a command has failed", (Real("reason", "why", choices=REASONS),), failure=True
)
_QUIT: Final = CommandEntry("QUI", "quit", "ends the device; queued commands fail", replies=("QUI",))
_BYE: Final = ReplyEntry(
    "QUI", "bye", "the device ends", (Real("dropped", "queued commands that failed", "", 0, 1e6, whole=True),)
)
_DEBUG_COMMAND: Final = CommandEntry(
    "DBG",
    "debug",
    "switches each of four kinds of debugging output",
    tuple(Real(name, meaning, choices=_DEBUG) for name, meaning in _SWITCHES),
    replies=("DBG",),
)
_DEBUG_REPLY: Final = ReplyEntry(
    "DBG",
    "debugging",
    "the switches now",
    tuple(Real(name, meaning, choices=_SWITCH) for name, meaning in _SWITCHES),
)

GRIPPER: Final = DeviceTable(
    "G",
    "gripper",
    "parallel-jaw end effector with proximity in each finger and a beam across the jaws",
    commands=(
        CommandEntry(
            "INI",
            "initialise",
            "opens the jaws to their stop and finds zero; needed before the first move",
            queued=True,
            replies=("DON", "FAI"),
        ),
        CommandEntry(
            "MOV",
            "move",
            "moves the jaws until an end condition is met",
            (
                Real("kind", "kind of move", choices=KINDS),
                Real("gap", "target gap", "m", 0, 1),
                Real(
                    "speed",
                    "maximum speed of the gap, 0 for the default; its sign is the direction of a rate move or "
                    "ratchet, 0 and negative close",
                    "m/s",
                    -1,
                    1,
                ),
                Real("ends", f"end conditions, {_ENDS}; 0 for those of the kind of move", "", 0, 31, whole=True),
                Real("force", "maximum force, 0 for the default", "N", 0, 1e4),
                Real("time", "time after which it ends, 0 for no limit", "s", 0, 3600),
            ),
            queued=True,
            replies=("DON", "FAI"),
        ),
        CommandEntry("STA", "status", "asks for the state", replies=("STA",)),
        CommandEntry(
            "GAI",
            "gains",
            "sets the gains of the servo",
            (_POSITION_GAIN, _RATE_GAIN),
            replies=("GAI",),
        ),
        CommandEntry(
            "ABT",
            "abort",
            "stops the jaws; the current and all queued commands fail, with one reply each",
            replies=("ABT",),
        ),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        _DONE,
        _FAILED,
        ReplyEntry(
            "STA",
            "state",
            "the state at the time of the reply",
            (
                _GAP,
                Real("target", "target gap", "m", 0, 1),
                _POSITION_GAIN,
                _RATE_GAIN,
                Real(
                    "proximity",
                    "distances in front of the fingers in tenths of a mm, 1000 × left + right; 999 if nothing is near",
                    "",
                    0,
                    999_999,
                    whole=True,
                ),
                Real("crossfire", "beam across the jaws", choices={0: "clear", 1: "broken"}),
            ),
        ),
        ReplyEntry("GAI", "gains", "the gains now", (_POSITION_GAIN, _RATE_GAIN)),
        ReplyEntry(
            "ABT",
            "aborted",
            "the jaws brake",
            (
                Real("gap", "gap at which the jaws will stop", "m", 0, 1),
                Real("dropped", "commands that failed", "", 0, 1e6, whole=True),
            ),
        ),
        _DEBUG_REPLY,
        _BYE,
    ),
)

WRIST: Final = DeviceTable(
    "F",
    "wrist",
    "force/torque sensor between arm and tool",
    commands=(
        CommandEntry("STA", "status", "asks for force and torque", replies=("STA", "FAI")),
        CommandEntry("TAR", "tare", "sets the current load as zero", replies=("TAR", "FAI")),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        ReplyEntry(
            "STA",
            "load",
            "force and torque in the sensor's frame",
            (
                *(Real(f"force_{axis}", f"force along {axis}", "N", -1e5, 1e5) for axis in "xyz"),
                *(Real(f"torque_{axis}", f"torque about {axis}", "N·m", -1e4, 1e4) for axis in "xyz"),
            ),
        ),
        ReplyEntry("TAR", "tared", "the new zero is set"),
        _FAILED_SENSOR,
        _DEBUG_REPLY,
        _BYE,
    ),
)

PAD: Final = DeviceTable(
    "T",
    "pad",
    "tactile pad on a finger: 6 × 6 cells",
    commands=(
        CommandEntry("STA", "status", "asks for the contact on the pad", replies=("STA", "FAI")),
        CommandEntry(
            "ROW",
            "row",
            "asks for the six cells of a row",
            (Real("row", "row, from 1 at the tip", "", 1, 6, whole=True),),
            replies=("ROW", "FAI"),
        ),
        _DEBUG_COMMAND,
        _QUIT,
    ),
    replies=(
        ReplyEntry(
            "STA",
            "touch",
            "the contact on the pad",
            (
                Real("cells", "cells in contact", "", 0, 36, whole=True),
                Real("force", "force on the pad", "N", 0, 1e4),
                Real("centre_x", "centre of the contact across the pad, from its middle", "m", -1, 1),
                Real("centre_y", "centre of the contact along the pad, from its middle", "m", -1, 1),
                Real("peak", "maximum pressure on a cell", "Pa", 0, 1e9),
                Real("area", "area in contact", "m²", 0, 1),
            ),
        ),
        ReplyEntry(
            "ROW",
            "cells",
            "pressure on the six cells of the row",
            tuple(Real(f"cell_{column}", f"pressure on cell {column}", "Pa", 0, 1e9) for column in range(1, 7)),
        ),
        _FAILED_SENSOR,
        _DEBUG_REPLY,
        _BYE,
    ),
)

PLANNER: Final = DeviceTable("P", "planner", "the controlling program", controls=True)

VOCABULARY: Final = Vocabulary([PLANNER, GRIPPER, WRIST, PAD])
"""The table of all devices of drycell."""


def print_table(vocabulary: Vocabulary = VOCABULARY) -> str:
    """Return the whole table as Markdown: a section for each device, a row for each real, and the refusals."""
    controllers = [device for device in vocabulary.devices if device.controls]
    parts = ["".join(f"`{device.letter}` is the {device.name}: {device.meaning}.\n" for device in controllers)]
    source = controllers[0].letter if controllers else "P"
    parts += [_section(device, source) for device in vocabulary.devices if not device.controls]
    rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in MEANING.items())
    parts.append(f"## Refusals\n\n| code | meaning |\n|---|---|\n{rows}")
    return "\n".join(parts)


def _section(device: DeviceTable, source: str) -> str:
    lines = [f"## {device.name} (`{device.letter}`)\n\n{device.meaning[0].upper()}{device.meaning[1:]}.\n"]
    lines.append("| command | meaning | executed | replies |\n|---|---|---|---|")
    for command in device.commands:
        replies = ", ".join(f"`{device.letter}{source}{reply}`" for reply in command.replies)
        name = f"`{source}{device.letter}{command.letters}` {command.name}"
        lines.append(f"| {name} | {command.meaning} | {command.handling.value} | {replies} |")
    lines.append("\n| message | real | name | meaning | limits |\n|---|---|---|---|---|")
    for entry in (*device.commands, *device.replies):
        ends = (source, device.letter) if isinstance(entry, CommandEntry) else (device.letter, source)
        lines += _rows(f"`{''.join(ends)}{entry.letters}`", entry)
    return "\n".join(lines) + "\n"


def _rows(characters: str, entry: TableEntry) -> list[str]:
    if not entry.reals:
        return [f"| {characters} | 1–6 |  | unused, 0 |  |"]
    rows = []
    for place, real in enumerate(entry.reals, 1):
        rows.append(f"| {characters} | {place} | {real.name} | {real.meaning} | {real.limits} |")
    return rows


_TABLE_WIDTH = 118


def device_table(name: str, vocabulary: Vocabulary = VOCABULARY) -> str:
    """Return the table of one device as text: commands, replies, the meaning of each real, and refusals."""
    device = vocabulary.device(name)
    lines = [f"{device.letter} {device.name}: {device.meaning}", "", "commands"]
    for command in device.commands:
        lines += _entry_lines(f"P{device.letter}{command.letters}", command, _handling(device, command))
    lines += ["", "replies"]
    for reply in device.replies:
        lines += _entry_lines(f"{device.letter}P{reply.letters}", reply, "")
    lines += ["", "refusals"]
    for code, meaning in MEANING.items():
        lines.append(f"  {code:<6}{meaning}")
    return "\n".join(lines)


def _handling(device: DeviceTable, command: CommandEntry) -> str:
    when = "queued" if command.handling is Handling.QUEUED else "at once"
    return f"; {when}, answered by {' or '.join(f'{device.letter}P{reply}' for reply in command.replies)}"


def _entry_lines(characters: str, entry: TableEntry, after: str) -> list[str]:
    lines = _wrapped_lines(f"  {characters}  {entry.name}: ", f"{entry.meaning}{after}", 9)
    for place, real in enumerate(entry.reals, 1):
        lines += _wrapped_lines(f"         {place} {real.name}: ", f"{real.meaning}; {real.limits}", 11)
    return lines


def _wrapped_lines(head: str, text: str, indent: int) -> list[str]:
    return textwrap.wrap(head + text, _TABLE_WIDTH, subsequent_indent=" " * indent, drop_whitespace=True) or [head]
