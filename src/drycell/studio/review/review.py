"""What was found out about the run on stage, kept so that the next question is quickly answered."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from drycell.errors import UnknownName
from drycell.kernel import JournalLine
from drycell.studio.review.flow import Flow
from drycell.studio.review.pages import Pages
from drycell.studio.review.trace import Trace, Value

if TYPE_CHECKING:
    from drycell.studio.stage.theatre import Theatre


class Review:
    """The traces of signals, the pages of the journal and the flow of parts, of one run or recording."""

    def __init__(self, theatre: "Theatre") -> None:
        self.of = (theatre.cell, theatre.recording, theatre.world)
        self.records: Sequence[JournalLine] = theatre.released if theatre.cell is not None else theatre.journal
        """What is final of the journal; grows while a run goes on."""
        self.pages = Pages(self.records)
        cell = theatre.cell
        self.flow = Flow(self.records, theatre.bodies, tuple if cell is None else lambda: cell.kernel.journal.records)
        self.wanted: dict[str, Value] = {}
        """What signals are to be forced to: in a run that is paused, as soon as it goes on."""
        self._traces: dict[str, Trace] = {}

    def trace(self, theatre: "Theatre", name: str) -> Trace:
        """The trace of a signal."""
        found = self._traces.get(name)
        if found is None:
            signals = theatre.signals
            if name not in signals:
                raise UnknownName("signal", name, signals)
            found = self._traces[name] = Trace(signals[name])
        return found

    @cached_property
    def journalled(self) -> frozenset[str]:
        """The signals that the journal of a recording tells of."""
        return frozenset(record.subject for record in self.records if record.kind == "signal")

    def tail(self, theatre: "Theatre") -> Sequence[JournalLine]:
        """What is written of the journal, but not yet final."""
        return () if theatre.cell is None else theatre.cell.kernel.journal.records


_reviews: "WeakKeyDictionary[Theatre, Review]" = WeakKeyDictionary()


def review(theatre: "Theatre") -> Review:
    """The review of what is on stage; a new one when something else is."""
    found = _reviews.get(theatre)
    if found is None or found.of != (theatre.cell, theatre.recording, theatre.world):
        found = _reviews[theatre] = Review(theatre)
    return found
