"""A stand-in for a device that does not exist yet: it answers as in its table, after declared times, and never moves.

Use it to try out a protocol before there is a device: ``drycell verify`` searches every order of its replies.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from drycell.base import FieldError, FileName, InvalidThing, Problem, Roles, Type, did_you_mean
from drycell.cell import Cell
from drycell.effector.device import AT_ONCE, Job, LiveMessageDevice, MessageDevice, Times, Values
from drycell.effector.messages import (
    VOCABULARY,
    CommandEntry,
    DeviceTable,
    LinkTrouble,
    Vocabulary,
    load_vocabulary,
)
from drycell.effector.messages.mailboxes import ArrivedCommand


@dataclass(frozen=True)
class _TableName(Type):
    """The name of a device in the table of messages, other than a controlling program."""

    def check(self, value: Any) -> str:
        """Return the name; a stand-in checks that its table has such a device."""
        if isinstance(value, str):
            return value
        raise FieldError(f"{value!r} is not the name of a device", hint=f"choose one of {', '.join(_known())}")

    def schema(self, describer: Any) -> dict[str, Any]:
        """A name of the table, or of a file of devices."""
        return {"anyOf": [{"enum": _known()}, {"type": "string"}]}


def _known(vocabulary: Vocabulary = VOCABULARY) -> list[str]:
    return [each.name for each in vocabulary.devices if not each.controls]


def _missing(name: str, vocabulary: Vocabulary) -> Problem | None:
    if name in _known(vocabulary):
        return None
    what = f"there is no device {name!r} in the table of messages"
    return Problem(("table",), what, did_you_mean(name, _known(vocabulary)))


class StandIn(MessageDevice, kind="stand_in", icon="smart_toy"):
    """Answers like a device of the table of messages, after declared times, and never moves.

    >>> from drycell import Cell, StandIn, mm
    >>> from drycell.effector.link import connect
    >>> cell = Cell("protocol")
    >>> hand = cell.add("hand", StandIn(takes=(0.2, 0.2)))
    >>> @cell.program
    ... def planner():
    ...     with connect("cell:hand") as gripper:
    ...         print(f"done after {gripper.move_to(20 * mm).wait().elapsed} s")
    >>> result = cell.run()
    done after 0.2 s
    """

    table: Annotated[str, _TableName()] = "gripper"
    """The device of the table of messages it answers for."""
    vocabulary: FileName | None = None
    """A file of devices to add to the table of messages."""
    takes: Times = AT_ONCE
    """How long a queued command takes: a declared interval, drawn again each time."""
    carries: Times = AT_ONCE
    """Delay of a reply, a declared interval: replies may overtake each other."""
    trouble: LinkTrouble = LinkTrouble()
    """Rates at which messages and commands fail."""

    def problems(self) -> Iterable[Problem]:
        """A stand-in cannot have a place, and the table must have its device."""
        yield from self.unplaced("a stand-in has no pose in the world", "leave it out")
        missing = _missing(self.table, VOCABULARY) if self.vocabulary is None else None
        if missing is not None:
            yield missing

    def offers(self, name: str) -> Roles:
        """The stand-in and its signals; it has no body."""
        roles = {each: tuple(role for role in found if role != "body") for each, found in super().offers(name).items()}
        return {each: found for each, found in roles.items() if found}

    def build(self, cell: Cell, name: str) -> "LiveStandIn":
        """Build its mailboxes."""
        vocabulary = VOCABULARY if self.vocabulary is None else load_vocabulary(cell.folder / self.vocabulary)
        missing = _missing(self.table, vocabulary)
        if missing is not None:
            raise InvalidThing(StandIn, [missing])
        return LiveStandIn(cell, name, self, vocabulary.device(self.table))


class LiveStandIn(LiveMessageDevice[StandIn]):
    """A running stand-in. A queued command takes its declared time and is then done.

    A real in a reply has the value of the real with that name in the last executed command, or 0.
    """

    def __init__(self, cell: Cell, name: str, model: StandIn, table: DeviceTable) -> None:
        super().__init__(cell, name, model, table, None, trouble=model.trouble, carries=model.carries)
        self._last: dict[str, float] = {}

    def begin(self, job: Job) -> None:
        """Wait for the declared time of the command."""
        self.after(self.kernel.now + self.drawn("takes", self.model.takes), lambda: self._finish(job))

    def answer(self, command: CommandEntry, envelope: ArrivedCommand, values: Values) -> dict[str, float] | None:
        """Answer with the last values."""
        if command.name in ("debug", "quit"):
            return super().answer(command, envelope, values)
        self._last.update(values)
        if command.name == "abort":
            return {**self._reals(command.replies[0]), "dropped": float(self.drop("aborted"))}
        return self._reals(command.replies[0])

    def report(self) -> dict[str, float]:
        """Return the last values."""
        return dict(self._last)

    def _finish(self, job: Job) -> None:
        if self.job is job:  # the command may have been aborted
            self._last.update(job.values)
            self.done()

    def _reals(self, letters: str) -> dict[str, float]:
        return {real.name: self._last.get(real.name, 0.0) for real in self.table.reply(letters).reals}
