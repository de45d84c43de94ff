"""The stack a program runs on, and what else can stand in the event queue."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.process import Process
    from drycell.kernel.waiter import Waiter


class Strand(greenlet):  # type: ignore[misc]
    """A program's own stack. It carries what ``delay`` needs, so that a program finds its kernel in one look.

    ``kernel`` is taken away while the program must not block (a subscriber runs, the run has ended): every verb
    then fails on the missing attribute, and the way of a program that may block costs no test.
    """

    __slots__ = ("kernel", "level", "made", "process", "queue", "steps", "waiter")

    kernel: "Kernel"
    process: "Process"
    queue: "list[Entry]"
    level: int
    waiter: "Waiter | None"
    steps: int
    """Steps made so far; counted for a chooser only."""
    made: int
    """The step that scheduled the next one; kept for a chooser only."""


class Event:
    """Anything in the queue that is not a program to be resumed. It runs on the hub, never on a program's stack."""

    __slots__ = ()

    def fire(self, time: int) -> "Entry | None":
        """Do it. The return value is an entry that came back from a program and is to be run next."""
        raise NotImplementedError

    def is_live(self) -> bool:
        """Whether it will still do anything."""
        return True

    def program(self) -> Strand | None:
        """The program it is a step of."""
        return None

    def identity(self) -> tuple[str, int, int]:
        """(owner, number, step that made it), for a chooser."""
        raise NotImplementedError


Entry = tuple[int, int, int, Strand | Event]
"""(time, level, sequence, what): the first three are unique, so comparing never reaches the fourth."""

current_strand = cast(Callable[[], Strand], getcurrent)
"""The running greenlet. It may be no strand at all: then it has no attribute ``kernel``."""


def program_of(what: Strand | Event) -> Strand | None:
    """The program that something in the queue is a step of."""
    return what if isinstance(what, Strand) else what.program()


__all__ = ["Entry", "Event", "GreenletExit", "Strand", "current_strand", "getcurrent", "greenlet", "program_of"]
