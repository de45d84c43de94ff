"""What was found out about the run on stage, kept so that the next question is quickly answered."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from drycell.base import UnknownName
from drycell.kernel import JournalLine
from drycell.studio.review.pages import Pages
from drycell.studio.review.trace import Trace, Value

if TYPE_CHECKING:
    from drycell.studio.host.session import HostSession


class Review:
    """The traces of signals, the pages of the journal and what is forced, of one run or recording."""

    def __init__(self, session: "HostSession") -> None:
        self.of = session.record
        self.wanted: dict[str, Value] = {}
        """What signals are to be forced to: in a run that is paused, as soon as it goes on."""
        self._pages: Pages | None = None
        self._traces: dict[str, Trace] = {}

    def pages(self, session: "HostSession") -> Pages:
        """The pages of what is final of the journal; that of a recording is read when it is first asked for."""
        if self._pages is None:
            self._pages = Pages(session.released if session.cell is not None else session.journal)
        return self._pages

    def trace(self, session: "HostSession", name: str) -> Trace:
        """The trace of a signal."""
        found = self._traces.get(name)
        if found is None:
            signals = session.record.signals
            if name not in signals:
                raise UnknownName("signal", name, signals)
            found = self._traces[name] = Trace(signals[name])
        return found

    def tail(self, session: "HostSession") -> Sequence[JournalLine]:
        """What is written of the journal, but not yet final."""
        return () if session.cell is None else session.cell.kernel.journal.records


_reviews: "WeakKeyDictionary[HostSession, Review]" = WeakKeyDictionary()


def review(session: "HostSession") -> Review:
    """The review of what is on stage; a new one when something else is."""
    found = _reviews.get(session)
    if found is None or found.of is not session.record:
        found = _reviews[session] = Review(session)
    return found
