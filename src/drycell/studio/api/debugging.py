"""Debugging: calls and variables of programs, checks of texts, and what programs print. See ``host/debugging``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell import kernel

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A call of a program, and the line it stands at."""

    name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ProgramCalls:
    """The calls of a program, the innermost first, and the variables that one of them sees."""

    stack: tuple[CallPlace, ...] = ()
    scopes: tuple[kernel.VariableScope, ...] = ()


@dataclass(frozen=True, slots=True)
class TextFinding:
    """A mistake or doubt in a text. Lines and columns count from 1; the end is behind the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    hint: str | None = None
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class TextCheck:
    """What is wrong with a text; ``stops`` are the lines that a breakpoint can be set on, None: not known now."""

    findings: tuple[TextFinding, ...]
    stops: tuple[int, ...] | None


class DebuggingApi(ABC):
    """Looks into programs."""

    @abstractmethod
    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        """The calls of a program, and the variables that one of them sees."""

    @abstractmethod
    async def check(self, file: str, text: str) -> TextCheck:
        """What is wrong with a text that would stand in a file, and the lines at which a run of it can be held."""

    @abstractmethod
    async def printed(self) -> str:
        """The last of what programs have printed; what comes later comes as events."""
