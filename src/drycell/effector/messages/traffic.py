"""What goes to and fro, as those see it who watch: recorders, debugging output, checkers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from drycell.effector.messages.message import Message
from drycell.effector.messages.refusal import Refusal

Answer = Message | Refusal
"""What comes back to a controlling program."""

Event = Literal["sent", "delivered", "late", "lost", "doubled", "refused", "dropped", "connected", "closed"]
"""What happened to a message, or to the connection that carries it."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """One thing seen on a link: when in seconds, with which controlling program, what happened, and the message."""

    time: float
    peer: str
    event: Event
    message: Answer | None = None
    text: str = ""


Watcher = Callable[[Traffic], None]
