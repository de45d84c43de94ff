"""Forms of the Build tab that show a pattern: the layers of a pallet, and the cups of a vacuum gripper."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup
from nicegui import ui

from drycell.base import DrycellError, Path as FieldPath, format_length, mm
from drycell.devices import Pallet
from drycell.editing import Draft
from drycell.handling import Mouth, PartLayer
from drycell.robots import Robot, Tool, load_tool
from drycell.studio.page.build_forms import FieldForm, Names
from drycell.studio.page.elements import named, show_markup
from drycell.studio.page.tab import BrowserTab

_WIDE: Final = 220.0  # pixels
_MOST: Final = 6  # layers that are drawn
_PLACE: Final = Markup(
    '<g transform="translate({} {}) rotate({})"><rect x="{}" y="{}" width="{}" height="{}" fill="currentColor" '
    'fill-opacity="0.15" stroke="currentColor"/></g>'
    '<text x="{}" y="{}" text-anchor="middle" font-size="11" fill="currentColor">{}</text>'
)
_PATTERN: Final = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" role="img"><g transform="translate(2 2)">'
    '<rect width="{}" height="{}" fill="none" stroke="currentColor"/>{}</g></svg>'
)
_CUPS: Final = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-54 -54 108 108" width="108" height="108" role="img">{}</svg>'
)
_CUP: Final = Markup('<circle cx="{}" cy="{}" r="{}" fill="currentColor" fill-opacity="0.15" stroke="currentColor"/>')
_NEW: Final[dict[str, Any]] = {"size": ["100 mm", "80 mm", "50 mm"], "part": "part"}


def pattern_svg(layer: PartLayer, room: tuple[float, float], first: int) -> Markup:
    """Draw a layer from above, with the numbers of its places.

    Args:
        layer: The layer.
        room: The length and width of the pallet in metres.
        first: The number of its first place.
    """
    scale = _WIDE / max(room[0], 1 * mm)
    high, number, parts = room[1] * scale, first, []
    for block in layer.blocks:
        length, width, _ = (each * scale for each in block.size)
        for _, _, x, y in block.middles():
            u, v = (room[0] / 2 + x) * scale, (room[1] / 2 - y) * scale
            box = (u, v, -math.degrees(block.turn), -length / 2, -width / 2, length, width, u, v + 4)
            parts.append(_PLACE.format(*(f"{each:.1f}" for each in box), number))
            number += 1
    return _PATTERN.format(f"{_WIDE + 4:.0f}", f"{high + 4:.0f}", f"{_WIDE:.0f}", f"{high:.0f}", Markup("").join(parts))


def cups_svg(cups: Sequence[Mouth]) -> Markup:
    """Draw the lips of cups as seen from the part.

    Args:
        cups: The cups, relative to the mounting face.
    """
    reach = max(max(abs(cup.pose.x), abs(cup.pose.y)) + cup.radius for cup in cups)
    scale = 50.0 / reach
    places = [(cup.pose.x * scale, -cup.pose.y * scale, cup.radius * scale) for cup in cups]
    return _CUPS.format(Markup("").join(_CUP.format(*(f"{each:.1f}" for each in place)) for place in places))


class PalletForm:
    """The form of a pallet: its fields, a form for each layer, and the pattern from above.

    Args:
        tab: The browser tab.
        path: The entry of the pallet.
        names: Returns the names that a field of a kind can refer to.
    """

    def __init__(self, tab: BrowserTab, path: FieldPath, names: Names) -> None:
        self._tab, self._building, self.path = tab, tab.studio.building, path
        self._layers_path: FieldPath = (*path, "pallet", "layers")
        self._fields = FieldForm(tab, path, names)
        self._layers: list[FieldForm] = []
        for number, _ in enumerate(self._written(self._building.require_draft())):
            title = f"layer {number + 1}"
            box = ui.expansion(title, value=True).props("dense").classes("full-width").mark(f"layer-{number + 1}")
            with box, ui.column().classes("build-nested"):
                self._layers.append(FieldForm(tab, (*self._layers_path, number), names, ()))
        with ui.row().classes("build-row"):
            ui.button("Add a layer", icon="add", on_click=self._add).props("flat dense no-caps").mark("layer-add")
            ui.button("Remove the last", icon="remove", on_click=self._remove).props("flat dense no-caps").mark(
                "layer-remove"
            )
        self._drawing = ui.column().classes("build-nested").mark("pattern")

    def signature(self, draft: Draft) -> object:
        """A value that changes when the form must be rebuilt: for another number of layers, or other groups."""
        return self._fields.signature(draft), len(self._written(draft))

    def show(self, draft: Draft) -> None:
        """Show the values of the draft, and the pattern."""
        for each in (self._fields, *self._layers):
            each.show(draft)
        self._drawing.clear()
        with self._drawing:
            self._draw(self._thing(draft))

    def _written(self, draft: Draft) -> list[Any]:
        written = draft.get(self._layers_path)
        return written if isinstance(written, list) else []

    def _thing(self, draft: Draft) -> Pallet | None:
        entry = next((each for each in draft.model.entries.values() if each.path == self.path), None)
        return entry.thing if entry is not None and isinstance(entry.thing, Pallet) else None

    def _draw(self, pallet: Pallet | None) -> None:
        try:
            file = self._building.require_draft().path
            solid = None if pallet is None else pallet.shape.solid(Path() if file is None else file.parent)
        except DrycellError:
            solid = None
        if pallet is None or solid is None:
            text = "The pattern is shown when its fields are valid."
            named(ui.label(text).classes("drycell-quiet"), "pattern-text")
            return
        lower, upper = solid.bounds
        room, first, height = (upper[0] - lower[0], upper[1] - lower[1]), 1, 0.0
        count = [sum(block.grid[0] * block.grid[1] for block in layer.blocks) for layer in pallet.layers]
        total, layers = pallet.repeat * sum(count), pallet.repeat * len(pallet.layers)
        high = pallet.repeat * sum(layer.height for layer in pallet.layers)
        text = f"{total} places in {layers} layers, {format_length(high)} high"
        named(ui.label(text).classes("drycell-quiet"), "pattern-text")
        for number, (layer, places) in enumerate(zip(pallet.layers, count, strict=True), 1):
            if number > _MOST:
                ui.label(f"and {len(pallet.layers) - _MOST} more layers").classes("drycell-quiet")
                break
            parts = ", ".join(f"{block.grid[0] * block.grid[1]} × {block.part}" for block in layer.blocks)
            ui.label(f"layer {number}: {parts}, from {format_length(height)}").classes("drycell-small")
            named(show_markup(pattern_svg(layer, room, first)), f"pattern-{number}")
            first, height = first + places, height + layer.height

    def _add(self) -> None:
        self._edit(lambda draft: self._put(draft, [*self._written(draft), (self._written(draft) or [_NEW])[-1]]))

    def _remove(self) -> None:
        def remove(draft: Draft) -> None:
            if len(self._written(draft)) > 1:
                self._put(draft, self._written(draft)[:-1])

        self._edit(remove)

    def _put(self, draft: Draft, layers: list[Any]) -> None:
        draft.set(self._layers_path, layers)

    def _edit(self, action: Callable[[Draft], object]) -> None:
        self._fields.edit(self._layers_path, action)


def suction_card(robot: Robot) -> None:
    """Show the cups of the vacuum grippers and magnets of a robot, and what they hold.

    Args:
        robot: The robot. Tools from files are not shown.
    """
    for called, tool in robot.mounted_tools():
        if not isinstance(tool, Tool) or not isinstance(tool.model, str):
            continue
        try:
            model = load_tool(tool.model)
        except DrycellError:
            continue
        if not model.cups:
            continue
        sheet = model.sheet
        with ui.row().classes("build-row").mark(f"cups-{called}"):
            show_markup(cups_svg(model.cups))
            with ui.column().classes("gap-0"):
                count = len(model.cups)
                ui.label(f"{called}: {count} cup{'s' * (count > 1)}, {sheet.kind}").classes("drycell-small")
                force = "not known" if sheet.suction is None else f"{sheet.suction:.1f} N"
                ui.label(f"holding force {force}").classes("drycell-small").mark(f"cups-{called}-force")
                if sheet.limit is not None:
                    ui.label(f"bears {sheet.limit:.2f} kg at rest").classes("drycell-small")
                if sheet.evacuation is not None:
                    ui.label(f"vacuum after {sheet.evacuation * 1e3:.0f} ms").classes("drycell-small")
