"""The journal, filtered in the host and sent page by page. Host: ``host/journal``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell.studio.api.codec import Vector


@dataclass(frozen=True, slots=True)
class JournalFilter:
    """Selects records by kind (empty: all kinds), by a text in their line, and by time interval."""

    kinds: tuple[str, ...] = ()
    text: str = ""
    t0: int | None = None
    t1: int | None = None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """A record: its number, time, kind, subject and the rest as text.

    A collision or near miss also has the two bodies, the point, and the depth or distance; ``show`` is the time at
    which the bodies are closest.
    """

    n: int
    t: int
    kind: str
    subject: str
    text: str
    bodies: tuple[str, str] | None = None
    point: Vector | None = None
    distance: float | None = None
    depth: float | None = None
    show: int | None = None


@dataclass(frozen=True, slots=True)
class JournalPage:
    """A page of the records that pass a filter, starting at index ``place`` among them.

    ``total`` records pass, out of the first ``looked`` of all ``records``: the search for a text in a long journal is
    done in steps, and each request continues it. ``kinds`` counts the records of each kind. The last ``tail`` records
    are not final: others may still be inserted between them.
    """

    rows: tuple[JournalRow, ...]
    place: int
    total: int
    looked: int
    records: int
    kinds: dict[str, int]
    tail: int = 0


class JournalApi(ABC):
    """Reads the journal of the run or recording."""

    @abstractmethod
    async def page(self, wanted: JournalFilter, after: int = 0, count: int = 100) -> JournalPage:
        """At most ``count`` rows that pass the filter, starting at index ``after`` (negative: from the end)."""

    @abstractmethod
    async def place(self, wanted: JournalFilter, t: int) -> int:
        """The number of rows up to time ``t`` that pass the filter."""

    @abstractmethod
    async def text(self, wanted: JournalFilter, form: Literal["text", "jsonl"]) -> bytes:
        """All rows that pass the filter, as a text file or as the JSON lines that ``drycell run`` writes."""
