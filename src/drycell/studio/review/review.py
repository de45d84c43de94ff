"""What was found out about the run on stage, kept so that the next question is quickly answered."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from drycell.base import UnknownName
from drycell.kernel import JournalLine
from drycell.studio.review.pages import Pages
from drycell.studio.review.trace import Trace, Value

if TYPE_CHECKING:
    from drycell.studio.stage.theatre import Theatre


class Review:
    """The traces of signals, the pages of the journal and what is forced, of one run or recording."""

    def __init__(self, theatre: "Theatre") -> None:
        self.of = theatre.record
        self.wanted: dict[str, Value] = {}
        """What signals are to be forced to: in a run that is paused, as soon as it goes on."""
        self._pages: Pages | None = None
        self._traces: dict[str, Trace] = {}

    def pages(self, theatre: "Theatre") -> Pages:
        """The pages of what is final of the journal; that of a recording is read when it is first asked for."""
        if self._pages is None:
            self._pages = Pages(theatre.released if theatre.cell is not None else theatre.journal)
        return self._pages

    def trace(self, theatre: "Theatre", name: str) -> Trace:
        """The trace of a signal."""
        found = self._traces.get(name)
        if found is None:
            signals = theatre.record.signals
            if name not in signals:
                raise UnknownName("signal", name, signals)
            found = self._traces[name] = Trace(signals[name])
        return found

    def tail(self, theatre: "Theatre") -> Sequence[JournalLine]:
        """What is written of the journal, but not yet final."""
        return () if theatre.cell is None else theatre.cell.kernel.journal.records


_reviews: "WeakKeyDictionary[Theatre, Review]" = WeakKeyDictionary()


def review(theatre: "Theatre") -> Review:
    """The review of what is on stage; a new one when something else is."""
    found = _reviews.get(theatre)
    if found is None or found.of is not theatre.record:
        found = _reviews[theatre] = Review(theatre)
    return found
