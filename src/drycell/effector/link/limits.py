"""What a server bears from those who connect: every buffer, rate and wait has its limit."""

from dataclasses import dataclass

from drycell.base import FieldError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server; times in seconds."""

    connections: int = 32
    """Connections at one time. When all are taken, one that never said anything sensible gives way."""
    rate: float = 20_000.0
    """Messages a second from one connection, on average: faster ones wait, unread, until there is time."""
    burst: int = 2_000
    """Messages that one connection may send at once before its rate counts."""
    turn: int = 64
    """Messages of one connection that are served before others have their turn."""
    unsent: int = 64 * 1024
    """Bytes of answers that wait for one connection before no more is read from it."""
    most_unsent: int = 1024 * 1024
    """Bytes of answers that wait for one connection before it is cut."""
    half: float = 10.0
    """How long half a message, answers that nobody reads, or a missing token are borne."""
    idle: float = 900.0
    """How long a connection may be silent while no answer is due to it."""
    linger: float = 60.0
    """How long answers are still waited for when the far end has sent its last message."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise FieldError(f"limit {name} is {getattr(self, name)}", hint="limits are greater than 0")
