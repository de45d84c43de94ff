"""The console: what programs print, gathered and told now and then, however much it is."""

import io
from threading import Lock
from typing import Final

MOST: Final = 64 << 10
"""Characters told at a time; of more than that the beginning and the number of those left out are told."""


class Console(io.TextIOBase):
    """Takes the place of ``sys.stdout``."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._pieces: list[str] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self._lock:
            if self._size < MOST:
                self._pieces.append(text[: MOST - self._size])
            self._size += len(text)
        return len(text)

    def take(self) -> str:
        """What was printed since the last time."""
        if not self._size:
            return ""
        with self._lock:
            text, left_out = "".join(self._pieces), self._size - MOST
            self._pieces, self._size = [], 0
        return text if left_out <= 0 else f"{text}\n… {left_out} more characters\n"
