"""A page with a view and a dragger, for test_dragging.py: ``python dragging_page.py PORT``."""

import sys
from types import SimpleNamespace
from typing import Any

from nicegui import ui

from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.view import CellView, Drag

seen: list[Drag] = []


class BrowserTab(SimpleNamespace):
    selected = None

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **options: None


@ui.page("/")
def page() -> None:
    tab = BrowserTab(studio=SimpleNamespace(tree=Tree(version=1), latest=HostStatus(version=1), opened_name=""))
    view = CellView(tab).style("width:800px;height:600px")  # type: ignore[arg-type]

    async def dragged(drag: Drag) -> list[float]:
        x, y, z, *turn = drag.pose
        reported.set_text(f"{drag.phase} {x:.6f} {y:.6f} {z:.6f} {turn[0]:.6f}")
        return [x, y, max(z, 0.0), *turn]  # a floor that stops dragged bodies

    handle = view.dragger([0, 0, 0.2, 1, 0, 0, 0], dragged)
    reported = ui.label("nothing yet").props("data-testid=dragged")
    ui.button("snap", on_click=lambda: handle.snap(0.01, 0.2617993877991494)).props("data-testid=snap")
    ui.button("close", on_click=handle.close).props("data-testid=close")


if __name__ == "__main__":
    ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False)
