"""A sheet: a dense table that can be sorted, and saved as CSV."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

Row = Any
"""A dataclass; a column names one of its fields."""


@dataclass(frozen=True)
class Shown:
    """A number as people read it: times a ``scale``, to so many ``digits``, with a ``unit``."""

    digits: int
    scale: float = 1.0
    unit: str = ""

    @property
    def script(self) -> str:
        """For the browser, which sorts by the number itself."""
        return f"v => v == null ? '' : (v * {self.scale}).toFixed({self.digits}) + '{self.unit}'"


@dataclass(frozen=True)
class SheetColumn:
    """A column: the field of a row it shows, its heading, and how people read the value."""

    field: str
    title: str
    text: Callable[[Row], str] | Shown | None = None

    def cell(self, row: Row) -> object:
        """What the browser is given for a row."""
        value = getattr(row, self.field)
        if isinstance(self.text, Shown):
            return value
        return self.text(row) if self.text is not None else "" if value is None else str(value)


def number(digits: int) -> Shown:
    """With so many digits after the point."""
    return Shown(digits)


share = Shown(1, 100.0, " %")
"""As a percentage."""


class Sheet:
    """A table on the page. Numbers stand at the right, and sort as numbers."""

    def __init__(self, columns: Sequence[SheetColumn], empty: str) -> None:
        self._columns, self._empty = columns, empty
        self._rows: list[Row] = []
        made = [
            {
                "name": column.field,
                "label": column.title,
                "field": column.field,
                "align": "right" if isinstance(column.text, Shown) else "left",
                "sortable": True,
                **({":format": column.text.script} if isinstance(column.text, Shown) else {}),
            }
            for column in columns
        ]
        with ui.element("div"):
            self.table = ui.table(columns=made, rows=[], row_key="key", pagination=0)
            self.table.props("dense flat virtual-scroll hide-bottom square").classes("drycell-sheet")
            self._note = ui.label(empty).classes("drycell-quiet q-pa-sm")

    def show(self, rows: Sequence[Row], empty: str | None = None) -> None:
        """Shows rows, or why there are none."""
        self._note.text = empty or self._empty
        self._note.set_visibility(not rows)
        self.table.set_visibility(bool(rows))
        if list(rows) == self._rows:
            return
        self._rows = list(rows)
        self.table.rows = [
            {column.field: column.cell(row) for column in self._columns} | {"key": index}
            for index, row in enumerate(rows)
        ]

    def csv(self) -> str:
        """The table as text, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([column.title or column.field for column in self._columns])
        for row in self._rows:
            writer.writerow([column.cell(row) for column in self._columns])
        return text.getvalue()
