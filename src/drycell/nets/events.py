"""Events of a run: what its journal tells that programs and devices did, a line each, under names that nets can use."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drycell.kernel import JournalLine

_ABOUT_THE_RUN = {"start", "end", "choose", "interval", "polls", "blocked", "post", "tolerance", "near miss", "cancel"}


@dataclass(frozen=True, slots=True)
class Event:
    """Who did what, and when: ``feed: nest_full on``, ``left: moves to nest``."""

    time: int
    who: str
    what: str
    switches: tuple[str, bool] | None = None
    """The signal that it switches, and whether on."""

    @property
    def text(self) -> str:
        """As nets name it."""
        return f"{self.who}: {self.what}"


def events_of(run: Iterable[JournalLine]) -> Iterator[Event]:
    """The events of a journal: changes of signals by who wrote them, and what robots, grippers and others did.

    What the journal tells of the run itself (starts, ends, choices) is left out.
    """
    for record in run:
        if record.kind in _ABOUT_THE_RUN:
            continue
        if record.kind == "signal":
            value, writer = record.fields.get("value"), str(record.fields.get("writer") or "?")
            if isinstance(value, bool):
                what = f"{record.subject} {'on' if value else 'off'}"
                yield Event(record.time, writer, what, (record.subject, value))
            else:
                yield Event(record.time, writer, f"{record.subject} = {value}")
        elif record.kind == "move":
            yield Event(record.time, record.subject, f"moves to {record.fields.get('to') or 'a place'}")
        else:
            of = record.fields.get("part", record.fields.get("event"))
            yield Event(record.time, record.subject, record.kind + (f" {of}" if of is not None else ""))
