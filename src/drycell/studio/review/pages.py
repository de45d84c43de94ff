"""Pages of a journal: what a reader sees of it after filtering, a screenful at a time, however long it is."""

from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from drycell.base import format_length, format_time
from drycell.kernel import JournalLine

LARGEST: Final = 1000  # rows of a page
_AT_ONCE: Final = 10_000  # records looked through in one request: the cell's thread is not kept longer
_REMEMBERED: Final = 8  # filters


@dataclass(frozen=True)
class Filter:
    """Which records are wanted: of some kinds (none given: of all), with a text in their line, in a stretch of time."""

    kinds: frozenset[str] = frozenset()
    text: str = ""
    t0: int | None = None
    t1: int | None = None

    def wants(self, record: JournalLine) -> bool:
        """Whether a record passes, but for its time."""
        if self.kinds and record.kind not in self.kinds:
            return False
        return not self.text or self.text in record.text().lower()


@dataclass
class _Found:
    """What of a journal passes a filter, as far as it was looked through."""

    rows: list[int] = field(default_factory=list)
    looked: int = 0


class Pages:
    """A journal that grows, read in pages. What was looked through once is not looked through again."""

    def __init__(self, journal: Sequence[JournalLine]) -> None:
        self.journal = journal
        self._kinds: Counter[str] = Counter()
        self._counted = 0
        self._filters: OrderedDict[tuple[frozenset[str], str], _Found] = OrderedDict()

    def page(self, wanted: Filter, after: int, count: int, tail: Sequence[JournalLine] = ()) -> dict[str, Any]:
        """So many rows of those that pass, from a place among them on; a negative place counts from the end.

        ``tail`` are further records that may still get company of earlier ones. ``total`` is how many pass, of the
        first ``looked`` of all ``records``: in a long journal a text is looked for bit by bit, and asking again goes
        on with it. ``kinds`` says how many there are of each kind, ``place`` where the page begins.
        """
        rows, looked = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        total = high - low
        place = min(after, total) if after >= 0 else max(total + after, 0)
        chosen = rows[low + place : min(low + place + min(count, LARGEST), high)]
        kinds = self._kinds + Counter(record.kind for record in tail)
        return {
            "rows": [row(number, self.record(number, tail)) for number in chosen],
            "place": place,
            "total": total,
            "looked": looked,
            "records": len(self.journal) + len(tail),
            "kinds": dict(sorted(kinds.items())),
        }

    def place(self, wanted: Filter, t: int, tail: Sequence[JournalLine] = ()) -> int:
        """How many of the rows that pass come up to an instant: where it is among them."""
        rows, _ = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        found = bisect_right(rows, t, key=lambda number: self.record(number, tail).time)
        return min(max(found, low), high) - low

    def numbers(self, wanted: Filter, tail: Sequence[JournalLine] = ()) -> Sequence[int]:
        """The numbers of all records that pass, however long it takes to look them through."""
        while self._passing(wanted, tail)[1] < len(self.journal) + len(tail):
            pass
        rows, _ = self._passing(wanted, tail)
        low, high = self._bounds(wanted, rows, tail)
        return rows[low:high]

    def record(self, number: int, tail: Sequence[JournalLine] = ()) -> JournalLine:
        """The record of a number."""
        known = len(self.journal)
        return self.journal[number] if number < known else tail[number - known]

    def _passing(self, wanted: Filter, tail: Sequence[JournalLine]) -> tuple[Sequence[int], int]:
        """The numbers of what passes, whenever it was, and how many were looked through."""
        known = len(self.journal)
        self._count(known)
        plain = Filter(wanted.kinds, wanted.text.lower())
        found = self._looked_through(plain, known)
        if found is None:
            return range(known + len(tail)), known + len(tail)
        if found.looked < known or not tail:
            return found.rows, found.looked
        late = [known + index for index, record in enumerate(tail) if plain.wants(record)]
        return [*found.rows, *late] if late else found.rows, known + len(tail)

    def _bounds(self, wanted: Filter, rows: Sequence[int], tail: Sequence[JournalLine]) -> tuple[int, int]:
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

    def _looked_through(self, wanted: Filter, known: int) -> _Found | None:
        """None: everything passes."""
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
        found.rows += [found.looked + index for index, record in enumerate(new) if wanted.wants(record)]
        found.looked = end
        return found


def row(number: int, record: JournalLine) -> dict[str, Any]:
    """A record as a row: its number, time, kind, subject and the rest as text; of a collision or a near miss its two
    bodies, its place and its depth or distance as well, and in ``show`` the instant that is worth looking at."""
    told: dict[str, Any] = {
        "n": number,
        "t": record.time,
        "kind": record.kind,
        "subject": record.subject,
        "text": _said(record),
    }
    a, b = record.fields.get("a"), record.fields.get("b")
    if record.kind in ("collision", "collision over", "near miss") and isinstance(a, str) and isinstance(b, str):
        told["bodies"] = [a, b]
        for name in ("point_m", "distance_m", "depth_m"):
            if name in record.fields:
                told[name.removesuffix("_m")] = record.fields[name]
        nearest = record.fields.get("nearest_s")
        if isinstance(nearest, (int, float)):
            told["show"] = round(nearest * 1e6)
    return told


def _said(record: JournalLine) -> str:
    """The fields for people, those of encounters in a sentence."""
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
    # The line for people begins with time, subject and kind, which have columns of their own.
    return JournalLine(0, "", "", fields).text()[12:].strip()


def _amount(before: str, value: object, dimension: str, after: str = "") -> str:
    if not isinstance(value, (int, float)):
        return ""
    return before + (format_time(value) if dimension == "time" else format_length(value)) + after


def _at(point: object) -> str:
    if not isinstance(point, list) or not all(isinstance(each, (int, float)) for each in point):
        return ""
    return " at (" + ", ".join(f"{float(each) * 1e3:.1f}" for each in point if isinstance(each, (int, float))) + ") mm"
