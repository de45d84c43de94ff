"""What can go wrong with a plan, and in carrying it out."""

from drycell.base import DrycellError, ProgramError


class PlanError(DrycellError):
    """Tasks whose order makes no sense, with the ring or the name that is to blame."""


class Trouble(ProgramError):
    """Raised by a task that has met one of the exceptions imagined for it, by its name."""

    def __init__(self, name: str, what: str = "", **more: str) -> None:
        super().__init__(what or f"{name}, which nothing was imagined for", **more)
        self.name = name


class Unrecovered(ProgramError):
    """An exception for which no strategy is left."""
