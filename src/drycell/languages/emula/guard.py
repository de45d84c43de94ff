"""Guards and reports: what a move is stopped by, and what became of it."""

from dataclasses import dataclass

from drycell.base import ProgramError


@dataclass(frozen=True, slots=True)
class Guard:
    """``until sensors (1,2) exceed (10)``: any of the sensors at the limit or above stops the move.

    At the limit counts, because CONTACT and its kin return the limit itself to cause an event. A sensor that nothing
    is attached to reads 0.
    """

    sensors: tuple[int, ...]
    limit: float

    def __post_init__(self) -> None:
        if not self.sensors:
            raise ProgramError("a guard needs a sensor to watch", hint="until sensors (1) exceed (10)")
        if self.limit != self.limit:
            raise ProgramError("the limit of a guard must be a number")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What became of a move.

    ``motors`` is how many were commanded to move, ``cycles`` how many basic cycles it took (1 in complete mode).
    ``tripped`` is the sensor that stopped it with ``value``, and ``what`` says why: "finger1 touches parta".
    """

    motors: int
    seconds: float
    cycles: int
    tripped: int | None = None
    value: float = 0.0
    what: str = ""
