"""Dialogs of the Build tab: new cell, save as, import of CAD files, delete."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import events, ui

from drycell.base import DrycellError
from drycell.editing import ENDINGS, MOST_BYTES, UNITS, CadFile, body_name, bring_in, look_at
from drycell.studio.page.elements import name_elements, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import typed_path
from drycell.studio.server.files import Example, examples


def _dialog(title: str, mark: str, closed: Callable[[], None] = lambda: None) -> tuple[ui.dialog, ui.column]:
    with ui.dialog().mark(mark) as dialog, ui.card().classes("gap-2").style("width: 560px; max-width: 92vw"):
        ui.label(title).classes("text-subtitle1 text-weight-medium")
        body = ui.column().classes("full-width gap-2")

    def hidden() -> None:
        closed()
        dialog.delete()

    dialog.on("hide", hidden)
    return dialog, body


def _buttons(dialog: ui.dialog, text: str, action: Callable[[], Awaitable[None]], mark: str) -> ui.button:
    with ui.row().classes("full-width justify-end"):
        ui.button("Cancel", on_click=dialog.close).props("flat dense no-caps")
        return ui.button(text, on_click=action).props("unelevated dense no-caps").classes("px-3").mark(mark)


def begin_dialog(tab: BrowserTab) -> None:
    """Create a new cell: empty, or a copy of an example."""
    if not tab.may_act():
        return
    building = tab.studio.building
    dialog, body = _dialog("New cell", "begin-dialog")
    found = examples()
    options: dict[str, str] = {"": "an empty cell", **{str(each.path): f"{each.title}" for each in found}}
    with body:
        start = (
            ui.select(options, value="", label="start from", with_input=True).props("dense outlined").mark("begin-from")
        )
        start.classes("full-width")
        about = ui.label("Add a table first, to put things on.").classes("drycell-quiet")
        folder = ui.input("new folder", value=_free_folder("my_cell")).props("dense outlined").mark("begin-folder")
        folder.classes("full-width")

        def chosen() -> None:
            example = _example(found, start.value)
            about.text = example.text if example is not None else "Add a table first, to put things on."
            folder.value = _free_folder(example.path.name.lstrip("0123456789_") if example is not None else "my_cell")

        start.on_value_change(chosen)

        async def begin() -> None:
            example, target = _example(found, start.value), str(folder.value)
            made = building.new(target) if example is None else building.begin_from(example.path, target)
            if await tab.act(made) is not None:
                dialog.close()

        _buttons(dialog, "Create", begin, "begin")
    _open(tab, dialog)


def save_as_dialog(tab: BrowserTab) -> None:
    """Save to another file. A cell built in Python becomes a cell file."""
    if not tab.may_act():
        return
    building = tab.studio.building
    dialog, body = _dialog("Save as", "save-as-dialog")
    path = tab.studio.path
    beside = None if path is None else (path if path.is_dir() else path.parent)
    python = building.draft is None and beside is not None
    proposed = (
        typed_path(beside / "cell.yaml") if python and beside is not None else _free_folder("my_cell") + "/cell.yaml"
    )
    with body:
        target = ui.input("cell file", value=proposed).props("dense outlined autofocus").classes("full-width")
        target.mark("save-as-path")
        ui.label(
            "Programs and meshes stay where they are; the new file refers to them. The editor shows the new folder."
        ).classes("drycell-quiet")

        async def save() -> None:
            if await tab.act(building.save_as(str(target.value))) is not None:
                dialog.close()

        _buttons(dialog, "Save", save, "save-as")
    _open(tab, dialog)


def remove_dialog(tab: BrowserTab, name: str, section: str, done: Callable[[], None]) -> None:
    """Delete an entry. If others refer to it, list them and ask first."""
    if not tab.may_act():
        return
    building = tab.studio.building
    draft = building.require_draft()
    path = draft.path_of(name, section)
    others = [each for each in draft.referring(name, section) if each.path[: len(path)] != path]

    def remove(with_all: bool) -> None:
        removed = tab.edit(lambda: building.edit(lambda draft: draft.remove(name, section, with_all=with_all)))
        if removed is not None:
            done()
            tab.notify(f"Deleted {name}" + (f" and {', '.join(removed[:6])}" if removed else "") + ".")

    if not others:
        remove(False)
        return
    dialog, body = _dialog(f"Delete {name}?", "remove-dialog")
    with body:
        ui.label("These entries refer to it. They are deleted too, or removed from lists:")
        with ui.column().classes("gap-0"):
            for each in others[:12]:
                ui.label(".".join(map(str, each.path))).classes("drycell-mono")
            if len(others) > 12:
                ui.label(f"… and {len(others) - 12} more")
        programs = draft.mentions(name)
        if programs:
            ui.label(f"Programs that use it are not changed: {', '.join(programs[:8])}").classes("drycell-quiet")

        async def confirm() -> None:
            dialog.close()
            remove(True)

        _buttons(dialog, "Delete all", confirm, "remove-all").props("color=negative")
    _open(tab, dialog)


def import_dialog(tab: BrowserTab, added: Callable[[str], None]) -> None:
    """Import a CAD file. The user states its units and confirms its size."""
    if not tab.may_act():
        return
    building = tab.studio.building
    folder = tempfile.TemporaryDirectory(prefix="drycell-cad-")
    held: dict[str, Any] = {"file": None, "cad": None}
    dialog, body = _dialog("Import a CAD file", "import-dialog", folder.cleanup)
    with body:
        upload = ui.upload(label=f"{', '.join(each[1:].upper() for each in ENDINGS)}", auto_upload=True, max_files=1,
                           max_file_size=MOST_BYTES).classes("full-width").mark("import-file")  # fmt: skip
        with_props(upload, accept=",".join(ENDINGS)).props("flat bordered")
        units = ui.select(list(UNITS), label="units of the file").props("dense outlined").classes("full-width")
        units.mark("import-units")
        size = ui.label("Choose a file and its units. Its size is shown here before it is imported.").mark(
            "import-size"
        )
        name = ui.input("name").props("dense outlined").classes("full-width").mark("import-name")

        async def look() -> None:
            held["cad"] = None
            accept.disable()
            file = held["file"]
            if file is None:
                return
            step = file.suffix.lower() in (".step", ".stp")
            units.set_visibility(not step)
            if units.value is None and not step:
                size.text = "Choose the units: the file does not state them."
                return
            size.text = f"Reading {file.name} …"
            try:
                cad: CadFile = await asyncio.to_thread(look_at, file, None if step else units.value)
            except DrycellError as error:
                size.text = error.what + (f" ({error.hint})" if error.hint else "")
                return
            held["cad"] = cad
            size.text = f"{cad.size_text}, {cad.triangles} triangles. Check the size."
            accept.enable()

        async def uploaded(event: events.UploadEventArguments) -> None:
            given = Path(event.file.name)
            file = Path(folder.name) / f"{body_name(given)}{given.suffix.lower()[:6]}"
            await event.file.save(file)
            held["file"] = file
            name.value = building.require_draft().free_name(file.stem)
            await look()

        def rejected() -> None:
            size.text = f"Not accepted. Use {', '.join(ENDINGS)}, at most {MOST_BYTES / 2**20:.0f} MB."

        async def take() -> None:
            made = tab.edit(lambda: building.edit(lambda draft: bring_in(draft, held["cad"], str(name.value))))
            if made is not None:
                dialog.close()
                added(made)

        accept = _buttons(dialog, "Import", take, "import-accept")
        accept.disable()
        upload.on_upload(uploaded)
        upload.on("rejected", rejected)
        units.on_value_change(look)
    _open(tab, dialog)


def _open(tab: BrowserTab, dialog: ui.dialog) -> None:
    name_elements(tab.client)
    dialog.open()


def _free_folder(name: str) -> str:
    """The name of a folder in the working folder that does not exist yet."""
    path, number = Path(name), 1
    while path.exists():
        number += 1
        path = Path(f"{name}{number}")
    return str(path)


def _example(found: list[Example], value: str) -> Example | None:
    return next((each for each in found if str(each.path) == value), None)
