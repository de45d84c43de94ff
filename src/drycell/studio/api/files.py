"""Opening a cell or a recording in the host, and saving recordings. Host: ``host/files``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from drycell.studio.api.transport import HostStatus


@dataclass(frozen=True, slots=True)
class FaultTraceStep:
    """A step of a deadlock or fault trace found by ``drycell verify``."""

    t: int
    who: str
    text: str
    note: str | None = None
    file: str | None = None
    line: int | None = None


class FilesApi(ABC):
    """Opens and closes the session's cell or recording."""

    @abstractmethod
    async def open(self, path: str, seed: int | None = None, until: float | None = None) -> HostStatus:
        """Build the cell at a path, or read a recording.

        Code is executed only from folders that the user trusts. A cell file in another folder is shown without its
        programs; a Python file raises Untrusted.

        Args:
            path: A cell file, a Python file, a folder with one, or a recording.
            seed: The seed of the run; by default that of the cell.
            until: The cell time in seconds at which the run ends; by default that of the cell.
        """

    @abstractmethod
    async def close(self) -> HostStatus:
        """Close the open cell or recording."""

    @abstractmethod
    async def rerun(self) -> HostStatus:
        """Build the cell of the open recording, ready to run with the same seed, choices and external input.

        A recording does not contain the program lines that were executed; a repeated run shows them.
        """

    @abstractmethod
    async def save_recording(self, path: str) -> int:
        """Copy the recording of the run, or the open recording, to a ``.dry`` file. Returns its size in bytes."""

    @abstractmethod
    async def save(self, path: str, t: int) -> int:
        """Save what is open to a file, completely or not at all, and return its size in bytes.

        The extension selects the kind: ``.dry`` the recording, ``.svg`` or ``.png`` a picture at time ``t``, ``.mp4``
        or ``.gif`` a film of the run, ``.zip`` the tables as CSV files, ``.html`` the report on one page. Except for
        pictures, the run must have ended.
        """

    @abstractmethod
    async def fault_trace(self) -> tuple[FaultTraceStep, ...]:
        """The steps that lead to the fault, if the open recording is a counter-example of ``drycell verify``."""
