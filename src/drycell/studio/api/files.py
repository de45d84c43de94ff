"""Opening a cell or a recording in the host, and keeping what was recorded. Implemented in ``host/files``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from drycell.studio.api.transport import Status


@dataclass(frozen=True, slots=True)
class StoryStep:
    """A step of a deadlock or fault trace that a search has found."""

    t: int
    who: str
    text: str
    note: str | None = None
    file: str | None = None
    line: int | None = None


class FilesApi(ABC):
    """What is open."""

    @abstractmethod
    async def open(self, path: str, seed: int | None = None, until: float | None = None) -> Status:
        """Builds the cell at a path, or reads the recording; ``until`` in seconds is when the run is to end.

        Code is executed only from folders that the user trusts; otherwise this raises Untrusted, or leaves programs
        idle.
        """

    @abstractmethod
    async def close(self) -> Status:
        """Nothing is open any more."""

    @abstractmethod
    async def rerun(self) -> Status:
        """Puts the cell of a recording on the bench, to be run again with the same seed, choices and external input.

        A recording does not hold where its programs stood; the same run does, line by line.
        """

    @abstractmethod
    async def save_recording(self, path: str) -> int:
        """Copies the recording of the run, or the one that is open, to a ``.dry`` file; returns its size in bytes."""

    @abstractmethod
    async def story(self) -> tuple[StoryStep, ...]:
        """The steps that led to a fault, of a run that a search has found; none of any other."""
