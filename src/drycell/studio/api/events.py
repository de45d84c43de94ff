"""Events: messages that the host sends on its own initiative. An event is identified by its class.

``studio.listen(HostStatus, callback)`` calls back at every new status.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from drycell.studio.api.emula import EmulaEntry, EmulaState
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import HostStatus

E = TypeVar("E")
Stop = Callable[[], None]


class Events:
    """Callbacks by class of event. A callback may add or remove callbacks while it is called."""

    def __init__(self) -> None:
        self._callbacks: dict[type, list[Callable[[Any], None]]] = defaultdict(list)

    def listen(self, event: type[E], callback: Callable[[E], None]) -> Stop:
        """Call back at every event of a class. Returns a function that stops it."""
        callbacks = self._callbacks[event]
        callbacks.append(callback)

        def stop() -> None:
            if callback in callbacks:
                callbacks.remove(callback)

        return stop

    def emit(self, event: object) -> None:
        """Call all callbacks for events of this class, in the order in which they were added."""
        for callback in tuple(self._callbacks[type(event)]):
            callback(event)


@dataclass(frozen=True, slots=True)
class HostReady:
    """The host process has loaded everything and accepts calls."""

    pid: int


@dataclass(frozen=True, slots=True)
class ConsoleText:
    """Programs have printed ``text``; ``t`` is the cell time."""

    text: str
    t: int


@dataclass(frozen=True, slots=True)
class InterventionDone:
    """A signal was forced or released, or a fault was added or removed."""

    note: str


@dataclass(frozen=True, slots=True)
class InterventionRefused:
    """A run refused to force or release a signal, or to add or remove a fault."""

    note: str
    error: ErrorReport


@dataclass(frozen=True, slots=True)
class ShowingFailed:
    """A status or frame could not be computed. The run continues."""

    error: ErrorReport


@dataclass(frozen=True, slots=True)
class HostEnded:
    """The host process has ended. The client emits this event, since the process no longer can."""

    error: ErrorReport


EVENTS: Final[dict[str, Any]] = {
    each.__name__: each
    for each in (
        HostReady,
        HostStatus,
        ConsoleText,
        EmulaEntry,
        EmulaState,
        InterventionDone,
        InterventionRefused,
        ShowingFailed,
    )
}
"""The events that the host sends, by name."""
