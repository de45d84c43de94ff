"""Stands in for the stage and the workspace until they are there."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drycell.errors import DrycellError


class StageError(DrycellError):
    """An error of the stage."""


class StageGone(DrycellError):
    """The stage ended."""


@dataclass
class Answer:
    """What a request gives."""

    data: dict[str, Any] = field(default_factory=dict)
    bytes: bytes = b""


class Stage:
    """Answers nothing much."""

    @classmethod
    async def start(cls) -> "Stage":
        return cls()

    async def ask(self, do: str, **arguments: Any) -> Answer:
        if do == "status":
            return Answer({"mode": "bench", "state": "ready", "t": 0, "shown": 0, "name": "stand-in", "version": 0})
        return Answer()

    def listen(self, event: str, callback: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        return lambda: None

    async def next_frame(self, seen: int) -> tuple[int, bytes]:
        await asyncio.Event().wait()
        return 0, b""

    def want_frame(self) -> None: ...

    async def close(self) -> None: ...


class Workspace:
    """Nothing."""

    def open(self, path: Path) -> None: ...
