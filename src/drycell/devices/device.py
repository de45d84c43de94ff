"""What all devices of a cell have in common."""

from typing import Protocol

from drycell.world import Body


class Device(Protocol):
    """A small state machine with signals named after it, ``NAME.signal``."""

    @property
    def name(self) -> str:
        """How it is called."""

    @property
    def body(self) -> Body | None:
        """What it is in the world, if it stands there."""

    @property
    def points(self) -> tuple[str, ...]:
        """The workpoints it offers, by name."""
