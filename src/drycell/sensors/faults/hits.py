"""Which samples a fault strikes that strikes a share of them."""

import math
from collections.abc import Callable
from random import Random
from typing import Final

_NEVER: Final = 1 << 62


class Hits:
    """Numbers of samples, each struck with the same chance whatever became of the others.

    The gaps between them are drawn in order from one stream, so that neither who asks nor how often shifts them: a
    sensor that skips samples meets the same ones as one that takes all of them.
    """

    def __init__(self, share: float, stream: Callable[[], Random]) -> None:
        self._share = share
        self._stream = stream
        self._drawn: list[int] = []
        self._last = -1

    def strikes(self, number: int) -> bool:
        """Whether a sample is struck. Asked in rising order."""
        self._draw_past(number)
        while self._drawn[0] < number:
            del self._drawn[0]
        return self._drawn[0] == number

    def next_edge(self, after: int) -> int | None:
        """The first sample later than one that is struck, or that follows a struck one: something may change there."""
        self._draw_past(after)
        edges = [edge for hit in self._drawn for edge in (hit, hit + 1) if edge > after]
        return edges[0] if edges[0] < _NEVER else None

    def _draw_past(self, number: int) -> None:
        while self._last <= number:
            gap = self._gap()
            self._last = _NEVER if gap >= _NEVER else self._last + gap
            self._drawn.append(self._last)

    def _gap(self) -> int:
        """Geometric: the number of the first success among trials that succeed with the share's chance."""
        if self._share <= 0.0:
            return _NEVER
        if self._share >= 1.0:
            return 1
        u = 1.0 - self._stream().random()  # above 0, up to 1
        return 1 + int(min(math.log(u) / math.log1p(-self._share), _NEVER))
