"""Two versions of a text side by side, in a dialog: what only one of them has is coloured."""

import difflib
import html
from collections.abc import Iterator
from typing import Final

from nicegui import ui

from drycell.studio.page.naming import named

_AROUND: Final = 3  # lines shown around what differs
_MOST: Final = 2000  # rows


def show_difference(name: str, mine: str, theirs: str) -> None:
    """Opens the dialog; it changes nothing."""
    with ui.dialog() as dialog, ui.card().classes("p-3 gap-2").style("max-width: 94vw; max-height: 88vh"):
        with ui.row().classes("w-full items-center"):
            ui.label(f"{name}: mine at the left, the one on disk at the right").classes("text-weight-medium")
            ui.space()
            named(ui.button(icon="close", on_click=dialog.close).props("flat dense"), "difference-close")
        with ui.element("div").style("overflow: auto; min-width: 60vw"):
            rows = "".join(_rows(mine.split("\n"), theirs.split("\n")))
            named(ui.html(f'<table class="drycell-difference">{rows}</table>', sanitize=False), "difference")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _rows(mine: list[str], theirs: list[str]) -> Iterator[str]:
    made = 0
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield '<tr><td></td><td class="drycell-apart" colspan="3">⋯</td></tr>'
        for kind, first, last, begin, end in group:
            for place in range(max(last - first, end - begin)):
                made += 1
                if made > _MOST:
                    yield '<tr><td></td><td colspan="3" class="drycell-apart">and more</td></tr>'
                    return
                left = _cell(mine, first + place, last, "" if kind == "equal" else "drycell-mine")
                yield f"<tr>{left}{_cell(theirs, begin + place, end, '' if kind == 'equal' else 'drycell-theirs')}</tr>"


def _cell(lines: list[str], place: int, end: int, colour: str) -> str:
    if place >= end:
        return "<td></td><td></td>"
    return f'<td>{place + 1}</td><td class="{colour}">{html.escape(lines[place])}</td>'
