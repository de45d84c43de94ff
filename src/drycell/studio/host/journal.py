"""The journal of a run that goes on."""

from collections.abc import Sequence
from typing import overload

from drycell.kernel import JournalLine


class LiveJournal(Sequence[JournalLine]):
    """The journal so far: what was released, and then what still may get company of earlier records."""

    def __init__(self, released: list[JournalLine], pending: Sequence[JournalLine]) -> None:
        self._released, self._pending = released, pending

    def __len__(self) -> int:
        return len(self._released) + len(self._pending)

    @overload
    def __getitem__(self, place: int) -> JournalLine: ...
    @overload
    def __getitem__(self, place: slice) -> list[JournalLine]: ...

    def __getitem__(self, place: int | slice) -> JournalLine | list[JournalLine]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        count = len(self._released)
        return self._released[place] if place < count else self._pending[place - count]
