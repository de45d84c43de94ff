"""All errors of drycell. Every message says what is wrong, where, the numbers and their limits, and what to try.

::

    DrycellError
    ├── UnitError              a quantity without a unit, with the wrong one, or out of range
    ├── FieldError a value that is invalid for its field
    │   └── InvalidThing       several such values of one thing (base.schema)
    ├── UnknownName a name that does not exist, with similar names
    ├── GeometryError          an invalid shape or mesh
    ├── WorldError             an invalid tree, attachment or query of the world
    ├── MechanismError         a robot description that contradicts itself
    ├── MotionError            a target out of reach, a joint past its limit, an impossible move
    │   └── OutOfReach         a pose that cannot be reached, with the verdict (robots)
    ├── ProgramError           an error in a cell program (your own programs can raise it)
    │   ├── BusyWait           a program that loops without letting cell time pass
    │   ├── NotInProgram       a blocking verb outside a running program
    │   ├── NoLine             an input or output that a controller does not have (devices)
    │   ├── SourceError        a program text that cannot be read or run (languages)
    │   │   ├── ArlaError
    │   │   ├── EmulaError
    │   │   │   └── Interrupted the user has stopped the command at the console
    │   │   └── PascalError
    │   ├── TaskException      an exception of a task that has recovery strategies (plan)
    │   └── Unrecovered        an exception for which no recovery is left (plan)
    ├── KernelError            wrong use of the clock or the kernel
    ├── FileError              a file that cannot be read or written, with file, line and field
    │   ├── CellFileError      a cell file that cannot be read or written
    │   ├── WriteError         a file that cannot be written
    │   └── ChangedOnDisk      a file that was changed on disk since it was read (studio)
    ├── PlugInError            an installed plug-in that cannot be loaded
    ├── RecordingError         a recording that cannot be read, or a replay that differs
    ├── Untrusted              code in a folder that the user does not trust (cell)
    ├── MessageRefused         a message to an end effector that cannot be sent or served (effector)
    ├── LinkError              the line to an end effector (effector)
    │   ├── LinkTimeout
    │   ├── LinkLost
    │   └── CommandFailed
    ├── LineError              the line to a SCORBOT's controller (scorbot)
    │   ├── LineTimeout
    │   ├── LineGarbage
    │   ├── LineLost
    │   └── CommandRefused     the controller has refused the command
    ├── NetError               an invalid Petri net, or an analysis that it does not allow (nets)
    │   └── UnboundedNet       a net with infinitely many markings
    ├── PlanError              tasks whose order contradicts itself (plan)
    ├── CampaignError          a campaign that cannot be run or continued (campaign)
    ├── HostError              the host process of the studio could not serve a request (studio)
    ├── HostGone               that process has ended (studio)
    └── WireError              data from that process that is not a message (studio)

A fault in the simulated world (a collision, a jam, a lost part) is not an exception: it is in the journal and in the
result. An error is raised for a mistake in a cell, a program or a call.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self


class DrycellError(Exception):
    """Base class of every error that drycell raises: ``what`` happened, ``where``, and a ``hint`` of what to try.

    >>> from drycell import DrycellError
    >>> print(DrycellError("the door is open", where="cell.py:12", hint="close it first"))
    the door is open
      at cell.py:12
      try: close it first

    Args:
        what: What happened, with the numbers.
        where: Where it happened: a place in a file, or a time and a program.
        hint: What to try.
    """

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  at {self.where}")
        if self.hint:
            lines.append(f"  try: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors are pickled between processes: rebuild them without __init__, which may take other arguments.
        return (_revive, (type(self), self.args, self.__dict__))


def _revive(kind: type[DrycellError], args: tuple[object, ...], state: dict[str, object]) -> DrycellError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UnitError(DrycellError, ValueError):
    """A quantity without a unit, with the wrong one, or out of range."""


class FieldError(DrycellError, ValueError):
    """A value that is invalid for its field."""


class UnknownName(DrycellError):
    """A name that does not exist; the hint lists similar or all known names."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, what: str | None = None, where: str | None = None
    ) -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        super().__init__(what or f"there is no {kind} {name!r}", where=where, hint=did_you_mean(name, self.known))


class GeometryError(DrycellError):
    """An invalid shape or mesh."""


class WorldError(DrycellError):
    """An invalid tree, attachment or query of the world."""


class MechanismError(DrycellError):
    """A robot description that contradicts itself."""


class MotionError(DrycellError):
    """A target out of reach, a joint past its limit, or an impossible move."""


class ProgramError(DrycellError):
    """An error in a cell program. Your own programs can raise it.

    >>> from drycell import ProgramError
    >>> raise ProgramError("nothing under the gripper", hint="check the feeder")
    Traceback (most recent call last):
    drycell.base.errors.ProgramError: nothing under the gripper
      try: check the feeder
    """


class BusyWait(ProgramError):
    """A program that loops without letting cell time pass."""


class NotInProgram(ProgramError):
    """A blocking verb used outside a running program."""


class KernelError(DrycellError):
    """Wrong use of the clock or the kernel."""


class Setting(NamedTuple):
    """An override of a field of the cell file for one run: its path, and the value as written in files."""

    path: str
    text: str

    def __str__(self) -> str:
        """Return the setting as written on the command line: ``--set belt.speed=40 mm/s``."""
        return f"--set {_shortened(self.path, 80)}={_shortened(self.text, 40)}"


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a file: its place, the field, what is wrong and what to try.

    ``setting`` is set if the value comes from ``--set`` and not from the file.
    """

    what: str
    field: str = ""
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    setting: Setting | None = None

    @property
    def text(self) -> str:
        """The field and the problem. A setting already names its field."""
        named = self.setting is not None and self.setting.path == self.field
        return f"{self.field}: {self.what}" if self.field and not named else self.what

    def place(self, file: str) -> str:
        """Return its place in the format of editors, ``cell.yaml:14:12``, or the setting it comes from."""
        if self.setting is not None:
            return str(self.setting)
        return ":".join([file, *(str(number) for number in (self.line, self.column) if number is not None)])


class FileError(DrycellError):
    """A file that cannot be read, with file, line and field. ``mistakes`` lists all mistakes in it."""

    SHOWN = 10

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, mistakes: Iterable[Mistake] = ()
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.mistakes = tuple(mistakes)

    @classmethod
    def like(cls, other: "FileError") -> Self:
        """Convert a file error to this class."""
        return cls(other.what, where=other.where, hint=other.hint, mistakes=other.mistakes)

    @classmethod
    def of(cls, file: str, mistakes: Iterable[Mistake]) -> Self:
        """Combine all mistakes in a file into one error; its text shows the first ten."""
        found = tuple(mistakes)
        texts = [f"{mistake.place(file)}: {mistake.text}" for mistake in found[: cls.SHOWN]]
        where = f"{file}, line {found[0].line}" if found[0].line else file
        if len(found) == 1:
            return cls(texts[0], where=where, hint=found[0].hint, mistakes=found)
        lines = [f"{file} has {len(found)} mistakes"]
        for text, mistake in zip(texts, found, strict=False):
            lines.append(f"  {text}" + (f"\n    try: {mistake.hint}" if mistake.hint else ""))
        if len(found) > cls.SHOWN:
            lines.append(f"  … and {len(found) - cls.SHOWN} more")
        return cls("\n".join(lines), where=where, mistakes=found)


class CellFileError(FileError):
    """A cell file that cannot be read, or that describes a cell that cannot be built."""


class WriteError(FileError, OSError):
    """A file that cannot be written, for example because the disk is full. An existing file keeps its content."""


class PlugInError(DrycellError):
    """An installed distribution that defines kinds of things and cannot be loaded."""


class RecordingError(DrycellError):
    """A recording that cannot be read, or a replay that differs from it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the hint for an unknown name: similar known names if there are any, otherwise up to twelve known names."""
    names = sorted(known)
    if not names:
        return "there are none yet; define one first"
    import difflib  # imported here because loading it takes time

    folded = {known_name.lower(): known_name for known_name in names}
    near = [folded[match] for match in difflib.get_close_matches(name[:80].lower(), folded, n=3, cutoff=0.6)]
    if not near and len(name) >= 2:
        near = [known_name for low, known_name in folded.items() if name.lower() in low][:3]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, names[:12]))
    return f"choose one of: {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")
