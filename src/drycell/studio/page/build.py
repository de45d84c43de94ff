"""The Build tab: a palette of things to add, and a form for the selected thing."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from nicegui import background_tasks, ui

from drycell.base import DrycellError, Kinds, Path as FieldPath
from drycell.cell import known_kinds
from drycell.editing import Draft, names_for, palette
from drycell.robots import Robot
from drycell.studio.api.building import Library
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.building import Shift
from drycell.studio.page.build_dialogs import begin_dialog, import_dialog, remove_dialog, save_as_dialog
from drycell.studio.page.build_forms import FieldForm, PlaceForm, SensorForm
from drycell.studio.page.build_patterns import PalletForm, suction_card
from drycell.studio.page.elements import COMPONENTS, name_elements, titled, with_props
from drycell.studio.page.tab import BrowserTab, PanelKey
from drycell.studio.server.events import BuildingChanged, ControlChanged, HostReplaced

R = TypeVar("R")
_TABLE: Final[dict[str, Any]] = {
    "shape": {"box": ["900 mm", "600 mm", "20 mm"]},
    "material": "aluminium",
    "at": ["0 mm", "0 mm", "-10 mm"],  # its top is at z = 0
}
_PART: Final[dict[str, Any]] = {"shape": {"box": ["60 mm", "40 mm", "50 mm"]}, "part": True}
_GROUPS: Final = ("Bodies", "Robots", "Grippers", "Tools", "Devices", "Sensors", "Others")
_NAMES: Final = {
    "body": ("empty node", "node"),
    "python": ("program", "program"),
    "workpoint": ("workpoint", "point"),
}
_PLACES: Final = ((100, -100), (100, 100), (250, -100), (250, 100), (100, -220), (100, 220))  # mm, used in turn
GENERIC: Final[dict[str, Any]] = {
    "type": "range",
    "volume": {"beam": {"length": "300 mm", "half_angle": "8 deg"}},
    "trace_lines": {"count": 5, "spread": "6 deg"},
    "every": "100 ms",
    "output": {"kind": "real", "unit": "mm", "default": 0},
}
_CARRIER: Final = "ur5e"  # carries a tool that is added without a robot
_STANDING: Final = ("bodies", "robots", "devices", "sensors")
_TITLES: Final = {
    "bodies": "body", "robots": "robot", "devices": "device", "sensors": "sensor", "workpoints": "workpoint",
    "signals": "signal", "programs": "program", "controllers": "controller",
}  # fmt: skip


@dataclass(frozen=True)
class PaletteItem:
    """Something that can be added: the section, the name, and the initial entry in the cell file."""

    group: str
    title: str
    icon: str
    section: str
    name: str
    entry: Any
    text: str = ""
    picture: str = ""


def items(kinds: Kinds, library: Library) -> list[PaletteItem]:
    """The items of the palette, by group: the kinds of things, and the models in the library."""
    found = [
        PaletteItem("Bodies", "table", "table_restaurant", "bodies", "table", _TABLE, "A plate with its top at z = 0"),
        PaletteItem("Bodies", "part", "inventory_2", "bodies", "part", _PART, "A block that a gripper can grasp"),
        PaletteItem(
            "Sensors",
            "generic sensor",
            "sensors",
            "sensors",
            "sensor",
            GENERIC,
            "A range or proximity sensor with adjustable data",
        ),
    ]
    for section, name, entries in (("robots", "arm", library.robots), ("sensors", "", library.sensors)):
        icon = kinds.sections[section].meta.icon if section in kinds.sections else "widgets"
        for each in entries:
            model = each.name
            own = name or model.rpartition("/")[2]
            found.append(
                PaletteItem(section.title(), model, icon, section, own, {"model": model}, each.text, each.picture)
            )
    for field, entries in (("gripper", library.grippers), ("tool", library.tools)):
        for each in entries:
            entry = {"model": _CARRIER, field: each.name}
            text = f"{each.text}: on the selected robot, or on a new one"
            group = f"{field.title()}s"
            found.append(
                PaletteItem(group, each.name, "precision_manufacturing", "robots", "arm", entry, text, each.picture)
            )
    for sample in palette(kinds):
        if sample.section in ("robots", "sensors", "materials"):  # shown model by model
            continue
        group = sample.section.title() if sample.section in ("bodies", "devices") else "Others"
        title, name = _NAMES.get(sample.title, (sample.title, sample.kind))
        found.append(PaletteItem(group, title, sample.icon, sample.section, name, sample.entry, sample.doc))
    return sorted(found, key=lambda each: _GROUPS.index(each.group))


def fitted(
    item: PaletteItem,
    draft: Draft,
    chosen: tuple[str, str] | None,
    flange: Callable[[str], str],
    bodies_there: Collection[str],
) -> Any:
    """The entry of a new item, adapted to the cell: a source is put on a belt, most things on a body.

    Args:
        item: The item of the palette.
        draft: The cell file.
        chosen: Section and name of the selected entry.
        flange: Returns the name of a robot's flange.
        bodies_there: The bodies of the cell. A device need not have one: a source has none.
    """
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
        below: str | None = (draft.get(draft.path_of(chosen[1], chosen[0])) or {}).get("on")
        carrier = flange(chosen[1]) if chosen[0] == "robots" else chosen[1] if chosen[1] in bodies_there else below
        if carrier is not None:
            entry["on"] = carrier
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


def moved(entry: Any, shift: Shift) -> Any:
    """An entry of the palette, moved by a distance in x and y of its carrier, in metres."""
    if shift == (0.0, 0.0):
        return entry
    at = [float(text.removesuffix(" mm")) for text in entry.get("at", ("0 mm", "0 mm"))]
    there = [at[0] + 1e3 * shift[0], at[1] + 1e3 * shift[1], *at[2:]]
    return {**entry, "at": [f"{value:g} mm" for value in there]}


def mounted_on(item: PaletteItem, draft: Draft, chosen: tuple[str, str] | None) -> str | None:
    """Mount a gripper or another tool of the palette on the selected robot, and return its name.

    None if the item is not a tool, or no robot is selected; nothing has changed then.

    Args:
        item: The item of the palette.
        draft: The cell file.
        chosen: Section and name of the selected entry.
    """
    if item.group not in ("Grippers", "Tools") or chosen is None or chosen[0] != "robots":
        return None
    field = item.group.lower().removesuffix("s")
    draft.set(("robots", chosen[1], field), item.entry[field])
    return chosen[1]


def _devices(draft: Draft, kind: str) -> Iterator[str]:
    """The devices of a kind, by name."""
    return (name for name in draft.entries.names("devices") if kind in (draft.get(("devices", name)) or {}))


def _ground(draft: Draft, chosen: tuple[str, str] | None) -> str | None:
    """The body for new things: the selected body, or the one that the selected part or robot is on."""
    if chosen is None or chosen[0] not in ("bodies", "robots", "devices"):
        return None
    entry = draft.get(draft.path_of(chosen[1], chosen[0])) or {}
    on: str | None = entry.get("on")
    return chosen[1] if chosen[0] == "bodies" and _carries(entry) else on


def _only_ground(draft: Draft) -> str | None:
    """The body for new things if there is only one candidate."""
    bodies = {name: draft.get(("bodies", name)) or {} for name in draft.entries.names("bodies") if "/" not in name}
    found = [name for name, entry in bodies.items() if _carries(entry)]
    return found[0] if len(found) == 1 else None


def _carries(entry: dict[str, Any]) -> bool:
    """Whether a body is solid and not a part, so that things can be placed on it."""
    return bool(entry.get("shape")) and not entry.get("part", "on" in entry)


class Palette:
    """The tiles of what can be added, by group, with a search field."""

    def __init__(self, add: Callable[[PaletteItem], object]) -> None:
        self._add = add
        self._items: list[PaletteItem] = []
        with ui.column().classes("build-section") as self._whole:
            with ui.row().classes("build-row"):
                ui.label("Add").classes("build-title")
                self._search = ui.input(placeholder="box, ur5, range sensor, conveyor …", on_change=self._fill)
                self._search.props("dense outlined clearable").classes("build-field").mark("palette-search")
            self._box = ui.column().classes("full-width gap-1")

    def offer(self, kinds: Kinds, library: Library) -> None:
        """Set the kinds and the library."""
        self._items = items(kinds, library)
        self._fill()

    def show(self, on: bool) -> None:
        """Show or hide the palette."""
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

    def _group(self, group: str, inside: list[PaletteItem]) -> None:
        ui.label(group).classes("build-title")
        self._tiles(inside)

    def _tiles(self, inside: list[PaletteItem]) -> None:
        with ui.element("div").classes("build-tiles"):
            for each in inside:
                tile = ui.element("button").classes("build-tile").mark(f"add-{each.title.replace(' ', '-')}")
                titled(tile, each.text or each.title)
                with tile.on("click", lambda each=each: self._add(each)):
                    if each.picture:
                        # Most of them are never scrolled into view. The title says what they show.
                        picture = ui.element("img").props('alt="" loading=lazy').classes("build-picture")
                        picture.props["src"] = each.picture
                    else:
                        ui.icon(each.icon)
                    ui.label(each.title)


class BuildPanel:
    """The panel of one page. All pages edit the same draft."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._building = tab.studio.building
        self._library: Library | None = None
        self._offered: Kinds | None = None
        self._entry: tuple[str, str] | None = None  # section and name of the selected entry
        self._place: PlaceForm | None = None
        self._form: FieldForm | SensorForm | PalletForm | None = None
        self._built: object = None
        self._mode = ""
        ui.add_css(COMPONENTS / "build.css")
        with ui.column().classes("build drycell-column"):
            self._bar()
            self._notes = ui.column().classes("full-width gap-0")
            with (
                ui.column()
                .classes("full-width gap-0")
                .style("flex: 1 1 0; overflow: auto; flex-wrap: nowrap") as self._all
            ):
                self._editor = ui.column().classes("full-width gap-0").mark("build-editor")
                self._palette = Palette(self._add)
        tab.keys["Build"] = (
            PanelKey("Ctrl-S", "save the cell file", self._save_now),
            PanelKey("Ctrl-Z", "undo", self._undo_now),
            PanelKey("Ctrl-Y", "redo", self._redo_now),
            PanelKey("Delete", "delete the selected thing", self._delete_now),
        )
        tab.on(BuildingChanged, lambda data: self._refresh())
        tab.on(HostReplaced, lambda data: self._host_replaced())
        tab.on(Tree, lambda data: self._moved())
        tab.on(HostStatus, self._status)
        tab.on(ControlChanged, lambda data: self._refresh())
        tab.on_select(self._selected)
        tab.on_turn(self._watch)
        ui.timer(0.5, self._watch)  # control may change hands
        self._host_replaced()

    # ---------------------------------------------------------------- toolbar

    def _bar(self) -> None:
        with ui.row().classes("drycell-bar"):
            self._save = self._button("save", "Save (Ctrl-S)", self._save_now, "build-save")
            self._button("save_as", "Save as …", lambda: save_as_dialog(self._tab), "build-save-as")
            self._button(
                "note_add",
                "New cell, empty or from an example",
                lambda: begin_dialog(self._tab),
                "build-new",
            )
            ui.separator().props("vertical").classes("q-mx-xs")
            self._undo = self._button("undo", "Undo", self._undo_now, "build-undo")
            self._redo = self._button("redo", "Redo", self._redo_now, "build-redo")
            ui.separator().props("vertical").classes("q-mx-xs")
            self._button("upload_file", "Import a CAD file (STL, OBJ, PLY, glTF, STEP)", self._import, "build-import")
            ui.space()
            self._state = ui.label().classes("ellipsis drycell-small").mark("build-state")

    @staticmethod
    def _button(icon: str, tip: str, action: Any, mark: str) -> ui.button:
        button = ui.button(icon=icon, on_click=action).props("flat dense").classes("build-icon").mark(mark)
        titled(button, tip)
        return button

    def _save_now(self) -> None:
        def save() -> None:
            if self._building.require_draft().changed_on_disk:
                self._overwrite()
            else:
                self._building.save()

        self._tab.edit(save)

    def _overwrite(self) -> None:
        with ui.dialog() as dialog, ui.card().classes("gap-2"):
            ui.label(f"{self._building.name} was changed on disk by another program.")
            with ui.row().classes("justify-end full-width"):
                ui.button("Cancel", on_click=dialog.close).props("flat dense no-caps")

                def take() -> None:
                    dialog.close()
                    self._edit(lambda draft: draft.reload())

                def over() -> None:
                    dialog.close()
                    self._tab.edit(lambda: self._building.save(over=True))

                ui.button("Reload from disk", on_click=take).props("flat dense no-caps").mark("take-theirs")
                ui.button("Overwrite", on_click=over).props("unelevated dense no-caps color=negative").mark(
                    "write-over"
                )
        name_elements(self._tab.client)
        dialog.open()

    def _undo_now(self) -> None:
        self._edit(lambda draft: draft.undo())

    def _redo_now(self) -> None:
        self._edit(lambda draft: draft.redo())

    def _import(self) -> None:
        if self._tab.edit(self._building.require_draft) is not None:
            import_dialog(self._tab, lambda name: self._choose("bodies", name))

    def _delete_now(self) -> None:
        if self._entry is None:
            self._tab.notify("Select something of the cell file first.")
        elif self._tab.may_act():
            section, name = self._entry
            remove_dialog(self._tab, name, section, lambda: self._tab.select(None))

    # ---------------------------------------------------------------- editing

    async def _add(self, item: PaletteItem) -> None:
        def add(draft: Draft, shift: Shift) -> str:
            robot = mounted_on(item, draft, chosen)
            if robot is not None:
                return robot
            name = draft.free_name(item.name)
            bodies = {each.name for each in self._tab.studio.tree.bodies}
            entry = fitted(item, draft, chosen, self._flange, bodies)
            if item.section == "programs":
                entry = {"file": self._building.begin_program(name)}
            return draft.add(item.section, moved(entry, shift), name)

        chosen = self._entry
        self._tab.view.expect()
        made = await self._tab.act(self._building.add_clear(add))
        if isinstance(made, str):
            self._choose(item.section, made)
            if item.section == "programs":
                self._tab.notify(f"{made}.py was created. Edit it in the Program tab.")

    def _flange(self, robot: str) -> str:
        known = self._tab.studio.tree.robots
        found = next((each.flange for each in known if each.name == robot), None)
        return found or robot

    def _edit(self, action: Callable[[Draft], R]) -> R | None:
        return self._tab.edit(lambda: self._building.edit(action))

    def _selected(self, name: str | None) -> None:
        draft = self._building.draft
        found = None
        if draft is not None and name is not None:
            while name and found is None:
                sections = [section for section, each in draft.entries.paths if each == name]
                found = (sections[0], name) if sections else None
                name = name.rpartition("/")[0]  # a link belongs to its robot
        if found != self._entry:
            self._entry = found
            self._refresh()

    def _choose(self, section: str, name: str) -> None:
        self._entry = (section, name)
        self._tab.select(name)
        self._entry = (section, name)
        self._refresh()

    # ---------------------------------------------------------------- showing

    @property
    def _active(self) -> bool:
        return self._tab.in_front("Build")

    def _host_replaced(self) -> None:
        self._entry = None
        self._refresh()
        background_tasks.create(self._fetch(), name="library")

    async def _fetch(self) -> None:
        if self._library is None:
            try:
                self._library = await self._tab.host.building.library()
            except DrycellError:
                return
            with self._tab.client:
                self._offer()

    def _offer(self) -> None:
        """Update the palette with the library and the kinds that the cell may use, including its own."""
        draft = self._building.draft
        kinds = known_kinds() if draft is None else draft.model.kinds
        if self._library is not None and kinds is not self._offered:
            self._offered = kinds
            self._palette.offer(kinds, self._library)

    def _status(self, status: HostStatus) -> None:
        if status.mode != self._mode:
            self._mode = status.mode
            self._refresh()

    def _watch(self) -> None:
        """Show the dragger only while the Build tab is in front."""
        if self._place is not None and not self._active:
            self._place.detach()
        elif self._place is not None and not self._place.attached and self._tab.holds_control:
            self._moved()

    def _moved(self) -> None:
        if self._place is not None and self._active and self._building.previews:
            background_tasks.create(self._place.attach(), name="dragger")

    def _refresh(self) -> None:
        draft = self._building.draft
        self._state_line(draft)
        self._show_notes(draft)
        self._palette.show(draft is not None)
        self._offer()
        name_elements(self._tab.client)
        paths = draft.entries.paths if draft is not None else {}
        if self._entry is not None and self._entry not in paths:
            self._entry = None
        path = paths[self._entry] if self._entry is not None else None
        if draft is None or path is None or self._entry is None:
            if self._built is not None or not self._editor.default_slot.children:
                self._show_nothing(draft)
            return
        wanted = (path, self._signature(draft, path))
        if wanted != self._built:
            self._built = wanted
            self._build_editor(draft, path, *self._entry)
        if self._place is not None:
            self._place.show(draft)
        if self._form is not None:
            self._form.show(draft)

    def _signature(self, draft: Draft, path: FieldPath) -> object:
        if self._form is not None and self._form.path == path:
            return self._form.signature(draft)
        return object()

    def _state_line(self, draft: Draft | None) -> None:
        name = self._building.name if draft is not None else ""
        self._state.text = f"● {name}: unsaved" if self._building.unsaved else name
        self._state.classes(add="build-unsaved" if self._building.unsaved else "drycell-quiet",
                            remove="drycell-quiet" if self._building.unsaved else "build-unsaved")  # fmt: skip
        self._save.set_enabled(self._building.unsaved)
        self._undo.set_enabled(draft is not None and bool(draft.steps))
        self._redo.set_enabled(draft is not None and bool(draft.steps_undone))

    def _show_notes(self, draft: Draft | None) -> None:
        self._notes.clear()
        with self._notes:
            if draft is None:
                error = self._building.error
                with ui.row().classes("build-note"):
                    ui.label(error.what if error is not None else "No cell file is open.").mark("build-trouble")
                with ui.row().classes("build-note"):
                    if self._tab.studio.latest.mode == "ready":
                        ui.button("Save as cell.yaml …", on_click=lambda: save_as_dialog(self._tab)).props(
                            "unelevated dense no-caps"
                        ).mark("save-python")
                    ui.button("New cell …", on_click=lambda: begin_dialog(self._tab)).props("flat dense no-caps")
                return
            if not self._building.previews:
                with ui.row().classes("build-note drycell-quiet"):
                    ui.label("The run has started. Restart to see your edits.")
            if draft.unsaved and draft.changed_on_disk:
                with ui.row().classes("build-note build-wrong"):
                    ui.label(f"{self._building.name} has changed on disk. Saving asks which version to keep.").mark(
                        "build-on-disk"
                    )
            for mistake in self._building.mistakes[:4]:
                with ui.row().classes("build-note build-wrong"):
                    place = f"line {mistake.line}: " if mistake.line else ""
                    hint = f" ({mistake.hint})" if mistake.hint else ""
                    ui.label(f"{place}{mistake.field}: {mistake.what}{hint}".replace(": :", ":")).mark("build-mistake")

    def _show_nothing(self, draft: Draft | None) -> None:
        self._drop_forms()
        self._built = None
        self._editor.clear()
        with self._editor:
            if draft is not None:
                with ui.column().classes("build-section"):
                    ui.label("Select something in the view or the tree, or add something below.").classes(
                        "drycell-quiet"
                    )

    def _drop_forms(self) -> None:
        if self._place is not None:
            self._place.detach()
        self._place, self._form = None, None

    def _build_editor(self, draft: Draft, path: FieldPath, section: str, name: str) -> None:
        self._drop_forms()
        self._editor.clear()
        with self._editor:
            self._head(section, name)
            if self._building.has_place(path):
                self._place = PlaceForm(self._tab, path, name, self._names("body", name))
            with ui.column().classes("build-section"):
                if section == "sensors":
                    self._form = SensorForm(self._tab, path, self._names)
                elif section == "devices" and "pallet" in (draft.get(path) or {}):
                    self._form = PalletForm(self._tab, path, self._names)
                else:
                    self._form = FieldForm(self._tab, path, self._names)
                robot = next((each.thing for each in draft.model.entries.values() if each.path == path), None)
                if isinstance(robot, Robot):
                    suction_card(robot)
        self._built = (path, self._form.signature(draft))
        name_elements(self._tab.client)
        self._moved()

    def _head(self, section: str, name: str) -> None:
        with ui.row().classes("build-section build-row"):
            own = (
                name.rpartition("/")[2]
                if section == "bodies" and len(self._building.require_draft().path_of(name, section)) > 2
                else name
            )
            box = ui.input(value=own).props("dense outlined").classes("build-field").mark("entry-name")
            with_props(box, prefix=_TITLES.get(section, section))

            def rename() -> None:
                if box.value and box.value != own:
                    mentions = self._edit(lambda draft: draft.rename(name, str(box.value), section))
                    if mentions is None:
                        box.value = own
                        return
                    self._choose(section, name[: len(name) - len(own)] + str(box.value))
                    if mentions:
                        note = f"Programs still use the old name. Check {', '.join(mentions[:8])}."
                        self._tab.notify(note, "warning")

            box.on("blur", rename)
            box.on("keydown.enter", rename)
            if section in (*_STANDING, "workpoints"):
                self._button("center_focus_strong", "Zoom to it", lambda: self._tab.view.fit(name), "entry-fit")
            self._button("content_copy", "Duplicate", lambda: self._duplicate(section, name), "entry-copy")
            self._button("delete", "Delete", lambda: remove_dialog(
                self._tab, name, section, lambda: self._tab.select(None)), "entry-delete")  # fmt: skip

    async def _duplicate(self, section: str, name: str) -> None:
        def copy(draft: Draft, shift: Shift) -> str:
            return draft.duplicate(name, shift=shift if section in _STANDING else by)

        by = (0.05, 0.05) if section == "workpoints" else ()
        made = await self._tab.act(self._building.add_clear(copy))
        if isinstance(made, str):
            self._choose(section, made)

    def _names(self, kind: str, own: str = "") -> list[str]:
        """The names that a field can refer to: bodies and links of the cell, other things, or materials."""
        draft, tree = self._building.draft, self._tab.studio.tree
        if kind == "material":
            return [each.name for each in self._library.materials] if self._library is not None else []
        known = names_for(draft.model, kind) if draft is not None else []
        links = [each.name for each in tree.bodies] if kind == "body" else []
        below = f"{own}/"
        return [
            each for each in dict.fromkeys([*known, *links]) if not own or (each != own and not each.startswith(below))
        ]
