"""The keys of the page, and the list of them behind the question mark."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from nicegui import ui
from nicegui.events import GenericEventArguments

_KEYS: Final = {
    "Space": "run or pause; plays or holds what has been",
    ".": "step one event; in the past, to the event after",
    ",": "to the event before",
    "F10": "step one program line",
    "L": "live: back to now",
    "R": "restart with the seed in the field",
    "O": "open a cell or a recording",
    "?": "this list",
}
_MOUSE: Final = {
    "left button": "turns the view; a click selects, a double click goes near",
    "right button": "shifts the view",
    "wheel": "nearer, farther",
    "F": "all that is selected, or everything",
    "1 3 7": "from the front, the right, the top",
    "P": "perspective or parallel",
    "W": "wireframe",
    "Esc": "ends picking; selects nothing",
}

# Keys typed into fields, editors and dialogs stay there. A button that was clicked last must not be pressed by Space.
_LISTENER: Final = """<script>
document.addEventListener("keydown", (event) => {
  const names = {" ": "Space", ".": ".", ",": ",", "F10": "F10", "l": "L", "r": "R", "o": "O", "?": "?"};
  const name = names[event.key], at = event.target;
  if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = "input, textarea, select, [contenteditable=true], .cm-editor, .q-dialog, .q-menu";
  if (at.closest && at.closest(typing)) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat || name === "." || name === "," || name === "F10") emitEvent("drycell_key", name);
}, true);
document.addEventListener("keyup", (event) => {
  const button = event.key === " " && event.target.tagName === "BUTTON";
  if (button && !event.target.closest(".q-dialog, .q-menu")) event.preventDefault();
}, true);
</script>"""

Action = Callable[[], Awaitable[None] | None]


def keyboard(actions: dict[str, Action]) -> None:
    """Does what the keys ask for, by name of the key as it stands in the list."""
    ui.add_body_html(_LISTENER)

    async def pressed(event: GenericEventArguments) -> None:
        action = actions.get(event.args) if isinstance(event.args, str) else None
        result: Any = action() if action is not None else None
        if result is not None:
            await result

    ui.on("drycell_key", pressed)


def keyboard_help() -> ui.dialog:
    """The list of keys, as a dialog."""
    with ui.dialog().mark("keyboard-help") as dialog, ui.card().classes("p-4 gap-2"):
        for title, table in (("Keys", _KEYS), ("In the view", _MOUSE)):
            ui.label(title).classes("text-weight-medium")
            with ui.grid(columns="auto 1fr").classes("gap-x-6 gap-y-1 items-center"):
                for key, text in table.items():
                    ui.label(key).classes("drycell-key")
                    ui.label(text)
    return dialog
