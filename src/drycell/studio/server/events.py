"""Callbacks by class of event, called in the order they came; and the studio's own events."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

E = TypeVar("E")
Stop = Callable[[], None]


@dataclass(frozen=True)
class HostReplaced:
    """Something was opened or restarted: another host has taken the place of the one before."""

    path: str | None


@dataclass(frozen=True)
class ControlChanged:
    """Another tab holds control, or asks for it, or tabs came or went."""

    holder: str | None
    asking: str | None
    watching: int


@dataclass(frozen=True)
class LessonChanged:
    """The lesson, or what is known of it, is another."""


@dataclass(frozen=True)
class BuildingChanged:
    """The draft of the cell file, or what is wrong with it, is another."""


class Events:
    """Callbacks by event. A callback may stop listening, or others begin to, while it is called."""

    def __init__(self) -> None:
        self._callbacks: dict[type, list[Callable[[Any], None]]] = defaultdict(list)

    def listen(self, event: type[E], callback: Callable[[E], None]) -> Stop:
        """Calls back at every such event, until what is returned is called."""
        callbacks = self._callbacks[event]
        callbacks.append(callback)

        def stop() -> None:
            if callback in callbacks:
                callbacks.remove(callback)

        return stop

    def tell(self, event: object) -> None:
        """Calls all who listen to events of this class."""
        for callback in tuple(self._callbacks[type(event)]):
            callback(event)
