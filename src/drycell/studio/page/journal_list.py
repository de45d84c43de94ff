"""The list of the journal as an element: any number of rows, of which the browser holds what it shows."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from drycell.studio.api.codec import encode
from drycell.studio.api.journal import JournalRow
from drycell.studio.page.naming import COMPONENTS

Heard = Callable[[Any], Awaitable[None] | None]


class JournalList(
    Element,
    component=COMPONENTS / "journal_list.js",
    dependencies=[COMPONENTS / "after_view.js"],
    default_style="width: 100%; height: 100%; display: block",
):
    """Rows of a journal. It tells ``rows`` when it needs a page (answer with :meth:`page`), ``pick`` when a row was
    clicked, and ``unfollow`` when the user scrolls away."""

    def __init__(self) -> None:
        super().__init__()
        self.mark("journal-list")

    def hears(self, event: str, callback: Heard) -> None:
        """Calls back with what an event tells."""

        def heard(arguments: GenericEventArguments) -> Awaitable[None] | None:
            return callback(arguments.args)

        self.on(event, heard)

    def reset(self) -> None:
        """Other rows pass now: all that it holds is void."""
        self.run_method("reset")

    def size(self, total: int, final: int, empty: str) -> None:
        """How many rows there are, how many of them are final, and what to say if there are none."""
        self.run_method("size", total, final, empty)

    def page(self, era: int, page: int, rows: Sequence[JournalRow]) -> None:
        """The rows that a ``rows`` event asked for."""
        self.run_method("page", era, page, encode(rows))

    def status(self, shown: int, place: int, *, follows: bool) -> None:
        """The instant on the screen, how many rows come up to it, and whether they are to be kept in sight."""
        self.run_method("status", shown, place, follows)
