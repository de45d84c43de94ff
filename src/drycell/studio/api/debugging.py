"""Debugging: call stacks and variables of programs, checks of texts, program output. Host: ``host/debugging``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell import kernel

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A call on the stack of a program, and its current line."""

    name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ProgramCalls:
    """The call stack of a program, innermost call first, and the variables of one call."""

    stack: tuple[CallPlace, ...] = ()
    scopes: tuple[kernel.VariableScope, ...] = ()


@dataclass(frozen=True, slots=True)
class TextFinding:
    """An error or warning in a text. Lines and columns count from 1; the end is after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    hint: str | None = None
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class TextCheck:
    """The errors and warnings in a text. ``stops`` are the lines that can have a breakpoint; None: not known."""

    findings: tuple[TextFinding, ...]
    stops: tuple[int, ...] | None


class DebuggingApi(ABC):
    """Inspects programs."""

    @abstractmethod
    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        """The call stack of a program, and the variables of the call at ``level`` (0: the innermost)."""

    @abstractmethod
    async def check(self, file: str, text: str) -> TextCheck:
        """Check a text as if it were in a file, and find the lines that can have a breakpoint."""

    @abstractmethod
    async def printed(self) -> str:
        """The latest output of the programs. Later output is sent as events."""
