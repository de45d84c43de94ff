"""What the host tells unasked. An event is identified by its class: ``studio.listen(Status, callback)``."""

from dataclasses import dataclass
from typing import Any, Final

from drycell.studio.api.emula import EmulaEntry, EmulaState
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.transport import Status


@dataclass(frozen=True, slots=True)
class HostReady:
    """The process has loaded everything."""

    pid: int


@dataclass(frozen=True, slots=True)
class ConsoleText:
    """Programs have printed something."""

    text: str
    t: int


@dataclass(frozen=True, slots=True)
class Interfered:
    """A signal was forced or released, or has a fault more or less."""

    note: str


@dataclass(frozen=True, slots=True)
class InterventionRefused:
    """What was to be done to a signal in a run was refused."""

    note: str
    error: ErrorReport


@dataclass(frozen=True, slots=True)
class ShowingFailed:
    """A status or frame could not be made; the run goes on."""

    error: ErrorReport


@dataclass(frozen=True, slots=True)
class HostEnded:
    """The process has ended. Told by the client: the process itself no longer can."""

    error: ErrorReport


EVENTS: Final[dict[str, Any]] = {
    each.__name__: each
    for each in (HostReady, Status, ConsoleText, EmulaEntry, EmulaState, Interfered, InterventionRefused, ShowingFailed)
}
"""Those that come over the wire, by name."""
