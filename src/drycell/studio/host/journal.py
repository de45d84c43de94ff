"""The journal of a session, filtered and read page by page, however long it is."""

from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from drycell.base import format_length, format_time
from drycell.kernel import JournalLine
from drycell.studio.api.journal import JournalApi, JournalFilter, JournalPage, JournalRow

if TYPE_CHECKING:
    from drycell.record import Record
    from drycell.studio.host.session import HostSession

LARGEST: Final = 1000  # rows of a page
_AT_ONCE: Final = 10_000  # records that one request searches: it must not occupy the cell's thread for long
_REMEMBERED: Final = 8  # filters whose results are kept


class HostJournal(JournalApi):
    """The journal of a session. Search results are kept."""

    def __init__(self, session: "HostSession") -> None:
        self._session = session
        self._of: Record | None = None
        self._kept: JournalPages | None = None

    async def page(self, wanted: JournalFilter, after: int = 0, count: int = 100) -> JournalPage:
        return self._pages().page(wanted, after, count, self._tail())

    async def place(self, wanted: JournalFilter, t: int) -> int:
        return self._pages().place(wanted, t, self._tail())

    async def text(self, wanted: JournalFilter, form: Literal["text", "jsonl"]) -> bytes:
        tail, pages = self._tail(), self._pages()
        records = (pages.record(number, tail) for number in pages.numbers(wanted, tail))
        return "".join((each.text() if form == "text" else each.json()) + "\n" for each in records).encode()

    def _pages(self) -> "JournalPages":
        """The pages of the final part of the journal. The journal of a recording is read on demand."""
        session = self._session
        if self._kept is None or self._of is not session.record:
            self._of = session.record
            self._kept = JournalPages(session.released if session.cell is not None else session.journal)
        return self._kept

    def _tail(self) -> Sequence[JournalLine]:
        """The records that are not final yet."""
        return () if self._session.cell is None else self._session.cell.kernel.journal.records


class LiveJournal(Sequence[JournalLine]):
    """The journal of a run: first the final records, then those between which others may still be inserted."""

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


@dataclass
class _Found:
    """The numbers of the records that pass a filter, and how many records have been searched."""

    rows: list[int] = field(default_factory=list)
    looked: int = 0


class JournalPages:
    """A growing journal, read in pages. No record is searched twice for the same filter."""

    def __init__(self, journal: Sequence[JournalLine]) -> None:
        self.journal = journal
        self._kinds: Counter[str] = Counter()
        self._counted = 0
        self._filters: OrderedDict[tuple[tuple[str, ...], str], _Found] = OrderedDict()

    def page(self, wanted: JournalFilter, after: int, count: int, tail: Sequence[JournalLine] = ()) -> JournalPage:
        """At most ``count`` rows that pass the filter, starting at index ``after`` (negative: from the end).

        ``tail`` are further records that are not final yet.
        """
        rows, looked = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        total = high - low
        place = min(after, total) if after >= 0 else max(total + after, 0)
        chosen = rows[low + place : min(low + place + min(count, LARGEST), high)]
        kinds = self._kinds + Counter(record.kind for record in tail)
        return JournalPage(
            rows=tuple(row(number, self.record(number, tail)) for number in chosen),
            place=place,
            total=total,
            looked=looked,
            records=len(self.journal) + len(tail),
            kinds=dict(sorted(kinds.items())),
            tail=len(tail),
        )

    def place(self, wanted: JournalFilter, t: int, tail: Sequence[JournalLine] = ()) -> int:
        """The number of rows up to time ``t`` that pass the filter."""
        rows, _ = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        found = bisect_right(rows, t, key=lambda number: self.record(number, tail).time)
        return min(max(found, low), high) - low

    def numbers(self, wanted: JournalFilter, tail: Sequence[JournalLine] = ()) -> Sequence[int]:
        """The numbers of all records that pass the filter. Searches the whole journal."""
        while self._passing(wanted, tail)[1] < len(self.journal) + len(tail):
            pass
        rows, _ = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        return rows[low:high]

    def record(self, number: int, tail: Sequence[JournalLine] = ()) -> JournalLine:
        """The record with a number."""
        known = len(self.journal)
        return self.journal[number] if number < known else tail[number - known]

    def _passing(self, wanted: JournalFilter, tail: Sequence[JournalLine]) -> tuple[Sequence[int], int]:
        """The numbers of the records that pass, regardless of time, and how many records have been searched."""
        known = len(self.journal)
        self._count(known)
        plain = JournalFilter(tuple(sorted(set(wanted.kinds))), wanted.text.lower())
        found = self._searched(plain, known)
        if found is None:
            return range(known + len(tail)), known + len(tail)
        if found.looked < known or not tail:
            return found.rows, found.looked
        late = [known + index for index, record in enumerate(tail) if _wants(plain, record)]
        return [*found.rows, *late] if late else found.rows, known + len(tail)

    def _bounds(self, wanted: JournalFilter, rows: Sequence[int], tail: Sequence[JournalLine]) -> tuple[int, int]:
        def time(number: int) -> int:
            return self.record(number, tail).time

        low = 0 if wanted.t0 is None else bisect_left(rows, wanted.t0, key=time)
        high = len(rows) if wanted.t1 is None else bisect_right(rows, wanted.t1, key=time)
        return low, max(high, low)

    def _count(self, known: int) -> None:
        if known < self._counted:
            self._kinds.clear()
            self._filters.clear()
            self._counted = 0
        if known > self._counted:
            self._kinds.update(record.kind for record in self.journal[self._counted : known])
            self._counted = known

    def _searched(self, wanted: JournalFilter, known: int) -> _Found | None:
        """The search result so far; None: all records pass."""
        if not wanted.kinds and not wanted.text:
            return None
        key = (wanted.kinds, wanted.text)
        found = self._filters.get(key)
        if found is None:
            found = self._filters[key] = _Found()
            if len(self._filters) > _REMEMBERED:
                self._filters.popitem(last=False)
        self._filters.move_to_end(key)
        end = min(known, found.looked + _AT_ONCE) if wanted.text else known
        new = self.journal[found.looked : end]
        found.rows += [found.looked + index for index, record in enumerate(new) if _wants(wanted, record)]
        found.looked = end
        return found


def _wants(wanted: JournalFilter, record: JournalLine) -> bool:
    """Whether a record passes a filter, regardless of its time."""
    if wanted.kinds and record.kind not in wanted.kinds:
        return False
    return not wanted.text or wanted.text in record.text().lower()


def row(number: int, record: JournalLine) -> JournalRow:
    """A record as a row."""
    made = JournalRow(number, record.time, record.kind, record.subject, _text(record))
    fields: Any = record.fields
    a, b = fields.get("a"), fields.get("b")
    encounter = record.kind in ("collision", "collision over", "near miss")
    if not encounter or not isinstance(a, str) or not isinstance(b, str):
        return made
    point, nearest = fields.get("point_m"), fields.get("nearest_s")
    return replace(
        made,
        bodies=(a, b),
        point=None if point is None else tuple(point),
        distance=fields.get("distance_m"),
        depth=fields.get("depth_m"),
        show=round(nearest * 1e6) if isinstance(nearest, (int, float)) else None,
    )


def _text(record: JournalLine) -> str:
    """The fields of a record as text."""
    fields = record.fields
    a, b = fields.get("a"), fields.get("b")
    if record.kind == "collision" and a is not None:
        return f"{a} – {b}{_at(fields.get('point_m'))}"
    if record.kind == "collision over" and a is not None:
        lasted, depth = fields.get("lasted_s"), fields.get("depth_m")
        return f"{a} – {b}" + _amount(", lasted ", lasted, "time") + _amount(", ", depth, "length", " deep")
    if record.kind == "near miss" and a is not None:
        near, when = fields.get("distance_m"), fields.get("nearest_s")
        return f"{a} – {b}" + _amount(" within ", near, "length") + _amount(" at ", when, "time")
    # The text of a line begins with time, subject and kind, which have their own columns.
    return JournalLine(0, "", "", fields).text()[12:].strip()


def _amount(before: str, value: object, dimension: str, after: str = "") -> str:
    if not isinstance(value, (int, float)):
        return ""
    return before + (format_time(value) if dimension == "time" else format_length(value)) + after


def _at(point: object) -> str:
    if not isinstance(point, list) or not all(isinstance(each, (int, float)) for each in point):
        return ""
    return " at (" + ", ".join(f"{float(each) * 1e3:.1f}" for each in point if isinstance(each, (int, float))) + ") mm"
