"""The Journal tab: filters, and a list of any length of which the browser holds only the visible part."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from nicegui import background_tasks, ui
from nicegui.element import Element
from nicegui.events import ValueChangeEventArguments

from drycell.studio.api.codec import encode
from drycell.studio.api.journal import JournalFilter, JournalRow
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import COMPONENTS, named, on_args, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

_PERIOD: Final = 0.5  # seconds between two updates of a growing journal
_FIRST: Final = (
    "collision",
    "near miss",
    "collision over",
    "lost",
    "blocked",
    "fault",
    "post",
)  # shown in the bar, in this order


class JournalList(
    Element,
    component=COMPONENTS / "journal_list.js",
    dependencies=[COMPONENTS / "after_view.js"],
    default_style="width: 100%; height: 100%; display: block",
):
    """The rows of the journal.

    Its events: ``rows`` (it needs rows: answer with :meth:`page`), ``pick`` (a row was clicked), ``unfollow`` (the
    user scrolled away).
    """

    def __init__(self) -> None:
        super().__init__()
        self.mark("journal-list")

    def reset(self) -> None:
        """Discard all rows: the filter has changed."""
        self.run_method("reset")

    def size(self, total: int, final: int, empty: str) -> None:
        """Set the number of rows, how many of them are final, and the text that is shown if there are none."""
        self.run_method("size", total, final, empty)

    def page(self, era: int, page: int, rows: Sequence[JournalRow]) -> None:
        """Send the rows that a ``rows`` event asked for."""
        self.run_method("page", era, page, encode(rows))

    def status(self, shown: int, place: int, *, follows: bool) -> None:
        """Set the time that is shown, the number of rows up to it, and whether the list scrolls with it."""
        self.run_method("status", shown, place, follows)


class JournalPanel:
    """Filters by kind, text and time, and the list of records. A click on a row shows its time."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._host = tab.host.journal
        self._kinds: set[str] = set()
        self._chips: dict[str, ui.chip] = {}
        self._counts: dict[str, int] = {}
        self._ready = self._looking = self._again = False
        self._known: tuple[object, ...] = ()
        self._follows = True
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar"):
                self._toolbar()
            with ui.element("div").classes("drycell-grow"):
                self.rows = JournalList()
        on_args(self.rows, "ready", self._begin)
        on_args(self.rows, "rows", self._send_rows)
        on_args(self.rows, "pick", self._picked)
        on_args(self.rows, "unfollow", self._unfollowed)
        tab.on(HostReplaced, self._host_replaced)
        ui.timer(_PERIOD, self.refresh)

    def _toolbar(self) -> None:
        self._text = ui.input(placeholder="text", on_change=self._filtered)
        self._text.props("dense borderless clearable debounce=250").style("width: 112px; font-size: 12px").mark(
            "journal-text"
        )
        with self._text.add_slot("prepend"):
            ui.icon("search", size="16px")
        self._from = self._time("from s", "journal-from")
        self._to = self._time("to s", "journal-to")
        self._kind_menu()
        self._count = ui.label().classes("drycell-quiet drycell-clock q-mr-sm").mark("journal-count")
        self._follow = ui.switch("follow", value=True, on_change=self._followed).props("dense size=xs")
        self._follow.style("font-size: 12px").tooltip("scroll with the time that is shown").mark("journal-follow")
        with (
            ui.button(icon="download")
            .props("flat dense size=sm")
            .tooltip("save the filtered records")
            .mark("journal-download"),
            ui.menu(),
        ):
            ui.menu_item("as text", on_click=lambda: self._save("text")).props("dense").mark("journal-save-text")
            ui.menu_item("as JSON lines", on_click=lambda: self._save("jsonl")).props("dense").mark(
                "journal-save-jsonl"
            )

    def _kind_menu(self) -> None:
        """The most important kinds are in the bar, all others in a menu."""
        self._others = ui.button("kinds", icon="filter_list").props("flat dense no-caps size=sm").mark("journal-kinds")
        with self._others, ui.menu().props("anchor='top left' self='bottom left'"):
            self._menu = ui.row().classes("q-pa-sm").style("gap: 4px 2px; width: 380px")
        self._bar = ui.row().classes("no-wrap items-center").style("gap: 2px; overflow: hidden; flex: 1; min-width: 0")

    def _time(self, text: str, mark: str) -> ui.number:
        field = ui.number(placeholder=text, min=0, on_change=self._filtered).props("dense borderless debounce=250")
        return field.style("width: 54px; font-size: 12px").mark(mark)

    @property
    def filter(self) -> JournalFilter:
        """The current filter."""
        t0, t1 = (None if field.value is None else round(field.value * 1e6) for field in (self._from, self._to))
        return JournalFilter(tuple(sorted(self._kinds)), str(self._text.value or ""), t0, t1)

    # ---------------------------------------------------------------- updating

    async def refresh(self) -> None:
        """Update the size of the journal, and the position of the time shown in it."""
        status = self._tab.studio.latest
        if not self._ready:
            return
        if self._looking:
            self._again = True
            return
        self._looking = True
        try:
            while True:
                self._again = False
                await self._update(status)
                if not self._again:
                    return
                status = self._tab.studio.latest
        finally:
            self._looking = False

    async def _update(self, status: HostStatus) -> None:
        wanted = self.filter
        known = (status.t, status.shown, status.records, status.state, status.path, wanted)
        if known == self._known:
            return
        page = await self._tab.ask(self._host.page(wanted, after=0, count=0))
        place = await self._tab.ask(self._host.place(wanted, status.shown))
        if page is None or place is None or wanted != self.filter:
            return
        complete = page.looked == page.records
        self._known = known if complete else ()
        self._again = self._again or not complete
        self._offer(page.kinds)
        total, records = page.total, page.records
        self._count.text = f"{total:,} of {records:,}" if total != records else f"{records:,} records"
        if not complete:
            self._count.text += f" · searching, {page.looked / records:.0%}"
        empty = "no record matches the filter" if records else "the journal is empty"
        self.rows.size(total, total - page.tail, empty)
        self.rows.status(status.shown, place, follows=self._follows)

    async def _begin(self, _: object) -> None:
        self._ready = True
        self._known = ()
        await self.refresh()

    async def _send_rows(self, wanted: dict[str, Any]) -> None:
        page = await self._tab.ask(self._host.page(self.filter, after=wanted["after"], count=wanted["count"]))
        self.rows.page(wanted["era"], wanted["page"], () if page is None else page.rows)

    async def _host_replaced(self, _: object) -> None:
        self._kinds.clear()
        self._counts = {}
        self._bar.clear()
        self._menu.clear()
        self._chips.clear()
        self._show_kinds()
        await self._filtered()

    # ---------------------------------------------------------------- filtering

    async def _filtered(self, _: object = None) -> None:
        self._known = ()
        if self._ready:
            self.rows.reset()
            await self.refresh()

    def _offer(self, counts: dict[str, int]) -> None:
        """Update the chips: one per kind of record, with its count."""
        if counts == self._counts:
            return
        self._counts = counts
        if set(counts) - set(self._chips):
            self._bar.clear()
            self._menu.clear()
            with self._bar:
                self._chips = {kind: self._chip(kind) for kind in _FIRST if kind in counts}
            with self._menu:
                self._chips |= {kind: self._chip(kind) for kind in sorted(set(counts) - set(_FIRST))}
        for kind, chip in self._chips.items():
            chip.text = f"{kind} {counts.get(kind, 0):,}"

    def _chip(self, kind: str) -> ui.chip:
        chip = ui.chip(kind, selectable=True, selected=kind in self._kinds, removable=False)
        colour = "negative" if kind in _FIRST[:1] + _FIRST[2:5] else "warning" if kind in ("near miss", "fault") else ""
        chip.props("dense outline size=11px").style("flex: none; margin: 0 1px")
        if colour:
            with_props(chip, color=colour)
        chip.on_selection_change(lambda event, kind=kind: self._toggled(kind, bool(event.value)))
        return named(chip, f"kind-{kind.replace(' ', '-')}")

    def _toggled(self, kind: str, on: bool) -> None:
        (self._kinds.add if on else self._kinds.discard)(kind)
        self._show_kinds()
        background_tasks.create(self._filtered(), name="journal", context=self._tab.client)

    def _show_kinds(self) -> None:
        chosen = sorted(self._kinds - set(_FIRST))
        self._others.text = "kinds" if not chosen else ", ".join(chosen[:2]) + (" …" if len(chosen) > 2 else "")

    def _unfollowed(self, _: object) -> None:
        self._follow.value = False

    def _followed(self, event: ValueChangeEventArguments[bool | None]) -> None:
        self._follows = bool(event.value)
        self._known = ()

    # ---------------------------------------------------------------- a clicked row

    async def _picked(self, row: dict[str, Any]) -> None:
        """Show the time of a row; for a collision or near miss also highlight the two bodies and the place."""
        show, bodies = row.get("show"), row.get("bodies")
        t = row["t"] if show is None else show
        self._tab.view.highlight([])
        if not self._tab.may_act() or await self._tab.act(self._tab.host.transport.seek(t)) is None or not bodies:
            return
        await self._tab.encounters.show(t, tuple(bodies), row.get("point"), near=row["kind"] == "near miss")

    async def _save(self, form: Literal["text", "jsonl"]) -> None:
        text = await self._tab.ask(self._host.text(self.filter, form))
        if text is not None:
            name = str(self._tab.studio.latest.name or "journal").replace(" ", "_")
            ui.download.content(text, f"{name}.{'journal' if form == 'text' else 'jsonl'}")
