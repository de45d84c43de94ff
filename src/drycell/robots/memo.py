"""Memos: plans kept by what they were made from, because cell programs loop."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

P = TypeVar("P")

_MOST: Final = 1024


class Memo(Generic[P]):
    """Results by their exact inputs: the same inputs give the same object. Forgets the oldest of many."""

    def __init__(self) -> None:
        self._known: dict[Hashable, P] = {}

    def get(self, key: Hashable, make: Callable[[], P]) -> P:
        """What was made for this key before, or what ``make`` makes now. Errors are not kept."""
        if key in self._known:
            return self._known[key]
        made = make()
        if len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[key] = made
        return made
