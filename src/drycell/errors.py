"""The one tree of errors. Every message says what, where, the numbers against their limits, and what to try.

::

    DrycellError
    ├── UnitError          a quantity without a unit, or with the wrong one
    ├── UnknownName        a name that does not exist, with the nearest that does
    ├── GeometryError      a shape or mesh that cannot be what it is meant to be
    ├── WorldError         a tree, affixment or query that makes no sense
    ├── MechanismError     a robot description that contradicts itself
    ├── MotionError        a target out of reach, a joint past its limit, a move that cannot be made
    ├── ProgramError       a cell program that went wrong (raise it from your own programs, too)
    │   ├── BusyWait       a program that loops without letting cell time pass
    │   └── NotInProgram   a blocking verb outside a running program
    ├── KernelError        the clock used in a way it cannot be
    ├── CellFileError      a cell file that cannot be read, with file, line and field
    └── RecordingError     a recording or replay that cannot be read or does not agree

A fault of the simulated world (a crash, a jam, a lost part) is no exception but an outcome, found in the journal
and in the result. A mistake of the author raises.
"""

import difflib
from collections.abc import Iterable


class DrycellError(Exception):
    """Base of every error drycell raises. ``what`` happened, ``where``, and a ``hint`` of what to try."""

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


class UnitError(DrycellError):
    """A quantity without a unit, or with the wrong one."""


class UnknownName(DrycellError):
    """A name that does not exist; says which names do, the nearest first."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str | None = None) -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        super().__init__(f"there is no {kind} {name!r}", where=where, hint=did_you_mean(name, self.known))


class GeometryError(DrycellError):
    """A shape or mesh that cannot be what it is meant to be."""


class WorldError(DrycellError):
    """A tree, an affixment or a query that makes no sense."""


class MechanismError(DrycellError):
    """A robot description that contradicts itself."""


class MotionError(DrycellError):
    """A target out of reach, a joint past its limit, a move that cannot be made."""


class ProgramError(DrycellError):
    """A cell program that went wrong. Raise it from your own programs, too."""


class BusyWait(ProgramError):
    """A program that loops without letting cell time pass."""


class NotInProgram(ProgramError):
    """A blocking verb used outside a running program."""


class KernelError(DrycellError):
    """The clock used in a way it cannot be."""


class CellFileError(DrycellError):
    """A cell file that cannot be read, with file, line and field."""


class RecordingError(DrycellError):
    """A recording that cannot be read, or a replay that does not agree with it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The hint that follows an unknown name: the nearest known ones first, all of them when there are few."""
    names = sorted(known)
    if not names:
        return "none are defined yet"
    folded = {known_name.lower(): known_name for known_name in names}
    near = [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.6)]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, names[:12]))
    return f"known are {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")
