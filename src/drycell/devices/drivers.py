"""Drivers: which outputs and rules drive the signals of a cell. Each signal is driven by one alone."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drycell.base import KernelError
from drycell.kernel import Signal

K = TypeVar("K")


class Drivers:
    """The signals that outputs of controllers and rules of logic blocks drive, and what each of these is called."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}

    def claim(self, outputs: Mapping[K, Signal[Any]], line: Callable[[K], str]) -> dict[K, KernelError]:
        """Claims signals for outputs, which ``line`` describes: all of them, or none. Returns what was refused."""
        lines, refused = dict(self._lines), dict[K, KernelError]()
        for key, signal in outputs.items():
            if signal.name in lines:
                refused[key] = KernelError(
                    f"{line(key)} and {lines[signal.name]} both drive '{signal.name}'",
                    hint="give each a signal of its own, and join them in a logic block",
                )
            lines[signal.name] = line(key)
        if not refused:
            self._lines = lines
        return refused
