"""The palette: all that can be added to a cell, found by typing a part of its name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from nicegui import ui

from drycell.base import Kinds
from drycell.cell import Draft, palette
from drycell.studio.api.building import Library
from drycell.studio.page.build_fields import hint
from drycell.studio.page.naming import name_elements

_TABLE: Final[dict[str, Any]] = {
    "shape": {"box": ["900 mm", "600 mm", "20 mm"]},
    "material": "aluminium",
    "at": ["0 mm", "0 mm", "-10 mm"],  # its top is the floor of the world
}
_PART: Final[dict[str, Any]] = {"shape": {"box": ["60 mm", "40 mm", "50 mm"]}, "part": True}
_GROUPS: Final = ("Bodies", "Robots", "Devices", "Sensors", "Others")
_TITLES: Final = {"body": ("empty node", "node"), "python": ("program", "program"), "workpoint": ("workpoint", "point")}
_PLACES: Final = ((100, -100), (100, 100), (250, -100), (250, 100), (100, -220), (100, 220))  # mm, one after the other
GENERIC: Final[dict[str, Any]] = {
    "type": "range",
    "volume": {"beam": {"length": "300 mm", "half_angle": "8 deg"}},
    "trace_lines": {"count": 5, "spread": "6 deg"},
    "every": "100 ms",
    "output": {"kind": "real", "unit": "mm", "default": 0},
}


@dataclass(frozen=True)
class Item:
    """Something that can be added: to which section, under which name, and what is written for it at first."""

    group: str
    title: str
    icon: str
    section: str
    name: str
    entry: Any
    text: str = ""


def items(kinds: Kinds, library: Library) -> list[Item]:
    """All that there is, by group: the kinds of things, and the models in the library."""
    found = [
        Item("Bodies", "table", "table_restaurant", "bodies", "table", _TABLE, "A plate whose top is at z = 0"),
        Item("Bodies", "part", "inventory_2", "bodies", "part", _PART, "A block that can be grasped"),
        Item("Sensors", "generic sensor", "sensors", "sensors", "sensor", GENERIC, "Range or proximity"),
    ]
    for section, name, entries in (("robots", "arm", library.robots), ("sensors", "", library.sensors)):
        icon = kinds.sections[section].meta.icon if section in kinds.sections else "widgets"
        for each in entries:
            model = each.name
            own = name or model.rpartition("/")[2]
            found.append(Item(section.title(), model, icon, section, own, {"model": model}, each.text))
    for sample in palette(kinds):
        if sample.section in ("robots", "sensors", "materials"):  # shown model by model
            continue
        group = sample.section.title() if sample.section in ("bodies", "devices") else "Others"
        title, name = _TITLES.get(sample.title, (sample.title, sample.kind))
        found.append(Item(group, title, sample.icon, sample.section, name, sample.entry, sample.doc))
    return sorted(found, key=lambda each: _GROUPS.index(each.group))


def fitted(item: Item, draft: Draft, chosen: tuple[str, str] | None, flange: Callable[[str], str]) -> Any:
    """What is written for an item so that it suits what is there: parts come onto a belt, the rest onto a body."""
    if not isinstance(item.entry, dict):
        return item.entry
    entry = dict(item.entry)
    bodies = draft.entries.names("bodies")
    if "source" in entry:
        belts = list(_devices(draft, "conveyor"))
        entry["on"] = belts[-1] if belts else next(iter(bodies), "table")
    elif "pad" in entry:
        entry["pad"] = {"of": next(_devices(draft, "effector"), "effector")}
    elif "logic" in entry:
        entry["logic"] = {"rules": {draft.free_name("lamp"): "true"}}
    elif item.section == "sensors" and chosen is not None and chosen[0] in ("bodies", "robots", "devices", "sensors"):
        entry["on"] = flange(chosen[1]) if chosen[0] == "robots" else chosen[1]
    elif item.section in ("bodies", "robots", "devices") and "at" not in entry:
        ground = _ground(draft, chosen) or (
            _only_ground(draft) if item.section == "robots" or "part" in entry else None
        )
        if ground is not None:
            entry["on"] = ground
            others = [name for name in bodies if (draft.get(("bodies", name)) or {}).get("on") == ground]
            x, y = (-200, 0) if item.section == "robots" else _PLACES[len(others) % len(_PLACES)]
            entry["at"] = [f"{x} mm", f"{y} mm"]
        elif "shape" in entry:
            entry["at"] = ["0 mm", "0 mm", "50 mm"]
    return entry


def _devices(draft: Draft, kind: str) -> Iterator[str]:
    """The devices of a kind, by name."""
    return (name for name in draft.entries.names("devices") if kind in (draft.get(("devices", name)) or {}))


def _ground(draft: Draft, chosen: tuple[str, str] | None) -> str | None:
    """What new things stand on: the chosen body, or what the chosen part or robot itself stands on."""
    if chosen is None or chosen[0] not in ("bodies", "robots", "devices"):
        return None
    entry = draft.get(draft.path_of(chosen[1], chosen[0])) or {}
    on: str | None = entry.get("on")
    return chosen[1] if chosen[0] == "bodies" and _carries(entry) else on


def _only_ground(draft: Draft) -> str | None:
    """The body that everything stands on, if there is but one to stand on."""
    bodies = {name: draft.get(("bodies", name)) or {} for name in draft.entries.names("bodies") if "/" not in name}
    found = [name for name, entry in bodies.items() if _carries(entry)]
    return found[0] if len(found) == 1 else None


def _carries(entry: dict[str, Any]) -> bool:
    """Whether a body is solid and no part, so that things are put on it for good."""
    return bool(entry.get("shape")) and not entry.get("part", "on" in entry)


class Palette:
    """The tiles, by group, and the field that finds them."""

    def __init__(self, add: Callable[[Item], object]) -> None:
        self._add = add
        self._items: list[Item] = []
        with ui.column().classes("build-section") as self._whole:
            with ui.row().classes("build-row"):
                ui.label("Add").classes("build-title")
                self._search = ui.input(placeholder="box, ur5, range sensor, conveyor …", on_change=self._fill)
                self._search.props("dense outlined clearable").classes("build-field").mark("palette-search")
            self._box = ui.column().classes("full-width gap-1")

    def offer(self, kinds: Kinds, library: Library) -> None:
        """Offers what there is."""
        self._items = items(kinds, library)
        self._fill()

    def show(self, on: bool) -> None:
        """Shows the palette, or hides it where there is nothing to add to."""
        self._whole.set_visibility(on)

    def _fill(self) -> None:
        words = str(self._search.value or "").lower().split()
        found = [
            each
            for each in self._items
            if all(word in f"{each.group} {each.title} {each.text}".lower() for word in words)
        ]
        self._box.clear()
        with self._box:
            for group in dict.fromkeys(each.group for each in found):
                inside = [each for each in found if each.group == group]
                if words or group == "Bodies":
                    self._group(group, inside)
                else:
                    with (
                        ui.expansion(f"{group} ({len(inside)})")
                        .props("dense")
                        .classes("full-width")
                        .mark(f"palette-{group.lower()}")
                    ):
                        self._tiles(inside)
            if not found:
                ui.label("Nothing matches.").classes("drycell-quiet")
        name_elements(self._box.client)

    def _group(self, group: str, inside: list[Item]) -> None:
        ui.label(group).classes("build-title")
        self._tiles(inside)

    def _tiles(self, inside: list[Item]) -> None:
        with ui.element("div").classes("build-tiles"):
            for each in inside:
                tile = ui.element("button").classes("build-tile").mark(f"add-{each.title.replace(' ', '-')}")
                hint(tile, each.text or each.title)
                with tile.on("click", lambda each=each: self._add(each)):
                    ui.icon(each.icon)
                    ui.label(each.title)
