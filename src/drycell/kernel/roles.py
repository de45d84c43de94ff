"""What the event loop asks of others: of whoever acts outside programs, and of a pace."""

from typing import Protocol


class Actor(Protocol):
    """Who does something outside any program."""

    @property
    def owner(self) -> str: ...

    @property
    def turn(self) -> tuple[int, int]:
        """Its level and place in the order of an instant."""


class Pacing(Protocol):
    """What the loop asks of a pace."""

    @property
    def governs(self) -> bool:
        """Whether events must be let through one by one."""

    def admit(self, now: int, due: int) -> bool:
        """Wait until the event due at a time may happen; False: look again, something else came up meanwhile."""

    def nudge(self) -> None:
        """Something was posted."""

    def reach(self, process: str, file: str, line: int) -> None:
        """A program comes to a line."""
