"""EMULA's console: lines come from the page instead of a terminal. Implemented in ``host/emula``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class EmulaEntry:
    """A line of the transcript; sent as an event, too."""

    kind: Literal["typed", "answer"]
    text: str


@dataclass(frozen=True, slots=True)
class EmulaState:
    """The prompt the console waits at, and how many pages it has drawn; sent as an event, too."""

    prompt: str | None
    drawings: int
    ended: bool


@dataclass(frozen=True, slots=True)
class EmulaTranscript:
    """A console from its beginning."""

    state: EmulaState
    entries: tuple[EmulaEntry, ...]


@dataclass(frozen=True, slots=True)
class EmulaCompletion:
    """The words that the end of a line can become."""

    beginning: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmulaDrawing:
    """A page as a file: SVG of lines, or a shaded PNG."""

    name: str
    kind: Literal["svg", "png"]
    content: bytes


class EmulaApi(ABC):
    """The console of the session; there is one at most."""

    @abstractmethod
    async def begin(self, cell: str | None = None, model: str = "stylised", seed: int | None = None) -> EmulaState:
        """Opens the paper's work station, or another cell with one robot, and the console."""

    @abstractmethod
    async def transcript(self) -> EmulaTranscript | None:
        """All that was typed and answered so far, and where the console waits; None where none is open."""

    @abstractmethod
    async def type_line(self, line: str) -> EmulaState:
        """Types a line, or several; they are read when the console asks for one."""

    @abstractmethod
    async def interrupt(self) -> EmulaState:
        """As Ctrl-C: stops the running move, or gives up the line being typed."""

    @abstractmethod
    async def complete(self, line: str) -> EmulaCompletion:
        """The words that the end of a line can become."""

    @abstractmethod
    async def drawing(self, number: int) -> EmulaDrawing:
        """A page that was drawn, counted from 1."""
