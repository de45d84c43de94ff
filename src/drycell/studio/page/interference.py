"""Interfering with signals: forced by hand, disturbed by faults, each with its dialog."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from nicegui import ui

from drycell.studio.api.signals import Intervention, SignalRow, SignalValue
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab

# Of each field of a fault: what it is called, and its unit.
_FIELDS: Final = {
    "value": ("value", ""),
    "per_second": ("drift", "per s"),
    "every": ("in steps of", "s"),
    "size": ("size", ""),
    "by": ("late by", "s"),
    "other": ("with signal", ""),
    "at": ("from", "s"),
    "until": ("until", "s"),
    "lasting": ("lasting", "s"),
    "rate": ("at random", "per s"),
    "share": ("chance a sample", "0…1"),
}
_NEEDED: Final = {"drift": "per_second", "late": "by", "swapped": "other"}
_NUMBERS: Final = ("int", "float")


class SignalInterference:
    """What the menu of a row does. ``done`` is awaited when something may have changed."""

    def __init__(self, tab: BrowserTab, done: Callable[[], Awaitable[None]]) -> None:
        self._tab, self._done = tab, done
        self.kinds: dict[str, tuple[str, ...]] = {}
        """The kinds of faults, with the fields of each."""

    async def act(self, row: SignalRow, action: str, value: Any) -> None:
        """Does what was chosen for a signal."""
        name, signals = row.name, self._tab.host.signals
        if action == "force":
            await self._do(signals.force(name, value))
        elif action == "release":
            await self._do(signals.release(name))
        elif action == "clear":
            if await self._tab.act(signals.clear_fault(name, value)) is not None:
                await self._done()
        elif action == "ask" and self._tab.may_act():
            self._ask_value(row)
            return
        elif action == "fault" and self._tab.may_act():
            self._ask_fault(row)
            return

    async def _do(self, intervention: Coroutine[Any, Any, Intervention]) -> bool:
        done = await self._tab.act(intervention)
        if done is None:
            return False
        if done.later:
            self._tab.notify("The run is paused: this comes into force when it goes on.")
        await self._done()  # on the bench it is done; a run tells when it has done it
        return True

    def _ask_value(self, row: SignalRow) -> None:
        async def force() -> None:
            try:
                value = parsed(str(field.value), row.type)
            except ValueError as error:
                field.props(f'error error-message="{error}"')
                return
            dialog.close()
            await self._do(self._tab.host.signals.force(row.name, value))

        with ui.dialog(value=True) as dialog, ui.card().classes("q-pa-sm").style("min-width: 280px"):
            ui.label(f"Force {row.name}").classes("text-weight-medium")
            start = "" if row.forced is None else str(row.forced)
            field = ui.input(label=f"value ({row.type})", value=start).props("dense autofocus outlined")
            named(field, "force-value").props(f'suffix="{row.unit}"').style("width: 100%").on("keydown.enter", force)
            _buttons(dialog, "Force", force)
        dialog.on("hide", dialog.delete)

    def _ask_fault(self, row: SignalRow) -> None:
        inputs: dict[str, ui.input] = {}
        kinds = [kind for kind in self.kinds if kind != "drift" or row.type in _NUMBERS]
        if row.type in ("int", "str"):
            kinds = [kind for kind in kinds if kind not in ("stuck_on", "stuck_off")]

        def fill() -> None:
            fields.clear()
            inputs.clear()
            with fields:
                for name in self.kinds[kind.value]:
                    label, unit = _FIELDS[name]
                    needed = " *" if _NEEDED.get(kind.value) == name else ""
                    inputs[name] = ui.input(label=label + needed).props(f'dense outlined stack-label suffix="{unit}"')
                    named(inputs[name], f"fault-{name}").style("width: 130px")

        async def put() -> None:
            given: dict[str, SignalValue] = {}
            for name, field in inputs.items():
                text = str(field.value or "").strip()
                field.props(remove="error error-message")
                if text:
                    kept = "str" if name == "other" else row.type if name == "value" else "float"
                    try:
                        given[name] = parsed(text, kept)
                    except ValueError as error:
                        field.props(f'error error-message="{error}"')
                        return
            if await self._do(self._tab.host.signals.put_fault(row.name, str(kind.value), given)):
                dialog.close()

        with ui.dialog(value=True) as dialog, ui.card().classes("q-pa-sm").style("width: 320px"):
            ui.label(f"Fault on {row.name}").classes("text-weight-medium")
            options = {each: each.replace("_", " ") for each in kinds}
            kind = ui.select(options, value=kinds[0], label="kind", on_change=fill).props(
                "dense outlined options-dense"
            )
            named(kind, "fault-kind").style("width: 100%")
            fields = ui.row().style("gap: 8px")
            ui.label(
                "Without times: from now on, for good. At random: so often, each time for as long as it is lasting. "
                "With a chance: single samples alone."
            ).classes("drycell-quiet").style("font-size: 11px")
            _buttons(dialog, "Put", put)
        fill()
        dialog.on("hide", dialog.delete)


def parsed(text: str, kind: str) -> SignalValue:
    """What was typed as a value of a signal; raises ValueError with what to type."""
    text = text.strip()
    if kind == "str":
        return text
    if kind == "bool":
        if text.lower() in ("on", "true", "1", "yes"):
            return True
        if text.lower() in ("off", "false", "0", "no"):
            return False
        raise ValueError("on or off")
    try:
        return int(text) if kind == "int" else float(text.replace(",", "."))
    except ValueError:
        raise ValueError("a whole number" if kind == "int" else "a number") from None


def _buttons(dialog: ui.dialog, text: str, action: Callable[[], Awaitable[None]]) -> None:
    with ui.row().classes("justify-end").style("width: 100%"):
        ui.button("Cancel", on_click=dialog.close).props("flat dense no-caps")
        done = ui.button(text, on_click=action).props("dense no-caps unelevated color=primary").classes("q-px-sm")
        named(done, "interfere")
