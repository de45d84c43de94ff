"""EMULA's console, with input from the page instead of a terminal. Host: ``host/emula``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class EmulaEntry:
    """A line of the transcript. Also sent as an event."""

    kind: Literal["typed", "answer"]
    text: str


@dataclass(frozen=True, slots=True)
class EmulaState:
    """The prompt at which the console waits, and the number of drawings. Also sent as an event."""

    prompt: str | None
    drawings: int
    ended: bool


@dataclass(frozen=True, slots=True)
class EmulaTranscript:
    """The state of the console, and its transcript from the beginning."""

    state: EmulaState
    entries: tuple[EmulaEntry, ...]


@dataclass(frozen=True, slots=True)
class EmulaCompletion:
    """Completions of the last word of a line; ``beginning`` is the part of it that was typed."""

    beginning: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmulaDrawing:
    """A drawing as a file: an SVG line drawing or a shaded PNG."""

    name: str
    kind: Literal["svg", "png"]
    content: bytes


class EmulaApi(ABC):
    """The console of the session. There is at most one."""

    @abstractmethod
    async def begin(self, cell: str | None = None, model: str = "stylised", seed: int | None = None) -> EmulaState:
        """Open a console on EMULA's own workstation, or on another cell with one robot."""

    @abstractmethod
    async def transcript(self) -> EmulaTranscript | None:
        """Everything that was typed and printed so far; None if no console is open."""

    @abstractmethod
    async def type_line(self, line: str) -> EmulaState:
        """Enter one or several lines. The console reads them when it is ready."""

    @abstractmethod
    async def interrupt(self) -> EmulaState:
        """Stop the current move, or discard the line being typed, as Ctrl-C does."""

    @abstractmethod
    async def complete(self, line: str) -> EmulaCompletion:
        """Complete the last word of a line."""

    @abstractmethod
    async def drawing(self, number: int) -> EmulaDrawing:
        """A drawing by its number, from 1."""
