"""The journal, a page at a time: filtered in the host, so that the browser holds little. See ``host/journal``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell.studio.api.codec import Vector


@dataclass(frozen=True, slots=True)
class JournalFilter:
    """Which records are wanted: of some kinds (none given: of all), with a text in their line, in a stretch of time."""

    kinds: tuple[str, ...] = ()
    text: str = ""
    t0: int | None = None
    t1: int | None = None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """A record: its number, time, kind, subject and the rest as text.

    Of a collision or a near miss also the two bodies, the point and the depth or distance, and in ``show`` the instant
    that is worth looking at.
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
    """Rows of those that pass a filter, from a ``place`` among them on.

    ``total`` is how many pass, of the first ``looked`` of all ``records``: in a long journal a text is looked for
    step by step, and asking again goes on with it. ``kinds`` counts the records of each kind. The last
    ``tail`` records are not final: others may still come between them.
    """

    rows: tuple[JournalRow, ...]
    place: int
    total: int
    looked: int
    records: int
    kinds: dict[str, int]
    tail: int = 0


class JournalApi(ABC):
    """Reads the journal of the run, or of the recording."""

    @abstractmethod
    async def page(self, wanted: JournalFilter, after: int = 0, count: int = 100) -> JournalPage:
        """So many rows of those that pass, from a place on (from the end if negative)."""

    @abstractmethod
    async def place(self, wanted: JournalFilter, t: int) -> int:
        """How many of the rows that pass come up to an instant."""

    @abstractmethod
    async def text(self, wanted: JournalFilter, form: Literal["text", "jsonl"]) -> bytes:
        """All rows that pass as a file: lines for people, or JSON lines as ``drycell run`` writes them."""
