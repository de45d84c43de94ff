"""The events of the server itself. Those of the host are in ``api/events.py``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HostReplaced:
    """A cell was opened or restarted: a new host process has replaced the previous one."""

    path: str | None


@dataclass(frozen=True)
class ControlChanged:
    """Another tab holds control or asks for it, or the number of tabs has changed."""

    holder: str | None
    asking: str | None
    watching: int


@dataclass(frozen=True)
class LessonChanged:
    """The lesson, or the result of its check, has changed."""


@dataclass(frozen=True)
class BuildingChanged:
    """The draft of the cell file, or the list of its mistakes, has changed."""


@dataclass(frozen=True)
class PastChanged:
    """The programs at the instant that is shown are known, being computed, or not available."""
