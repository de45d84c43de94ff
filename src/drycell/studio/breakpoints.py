"""Breakpoints of a cell, kept on disk beside the drafts."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from drycell.base import beside

_MOST_FILES: Final = 200
_MOST_LINES: Final = 1000


class BreakpointStore(Mapping[str, list[int]]):
    """Lines by the name of their file in the open folder. If the disk cannot be written, they last for the session."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder: Path | None = None
        self._lines: dict[str, list[int]] = {}

    def open(self, folder: Path) -> None:
        """Load the breakpoints of a folder."""
        self._folder = folder
        self._lines = {}
        try:
            found = json.loads(self._path(folder).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        lines = found.get("lines") if isinstance(found, dict) else None
        if isinstance(lines, dict):
            for name, each in list(lines.items())[:_MOST_FILES]:
                if isinstance(each, list):
                    self._lines[name] = _checked(each)

    def set(self, name: str, lines: list[int]) -> None:
        """Replace all breakpoints of a file."""
        kept = _checked(lines)
        if kept == self._lines.get(name, []) or self._folder is None:
            return
        self._lines.pop(name, None)
        if kept and len(self._lines) < _MOST_FILES:
            self._lines[name] = kept
        with contextlib.suppress(OSError), beside(self._path(self._folder)) as written:
            os.chmod(written, 0o600)
            written.write_text(json.dumps({"folder": str(self._folder), "lines": self._lines}), encoding="utf-8")

    def by_path(self) -> dict[str, list[int]]:
        """Lines by absolute path of their file, as the host needs them."""
        folder = self._folder
        return {} if folder is None else {str(folder / name): list(lines) for name, lines in self._lines.items()}

    def __getitem__(self, name: str) -> list[int]:
        return self._lines[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def _path(self, folder: Path) -> Path:
        return self._store / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]}.json"


def _checked(lines: list[int]) -> list[int]:
    return sorted({each for each in lines if type(each) is int and each > 0})[:_MOST_LINES]
