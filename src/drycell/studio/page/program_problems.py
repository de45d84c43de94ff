"""The list of problems: what the run met, and what is wrong with the open files, each leading to its place."""

from collections.abc import Callable, Iterable

from nicegui import ui

from drycell.studio.page.naming import named
from drycell.studio.page.program_tabs import FileProblem, OpenFile

Go = Callable[[str, int, int | None], object]
_MOST = 100


class Problems:
    """The list. ``go(name, line, column)`` shows the place of one."""

    def __init__(self, go: Go) -> None:
        self._go = go
        self._drawn: list[tuple[str, FileProblem]] = []
        self._list = ui.element("div").style("width: 100%; height: 100%; overflow: auto").mark("problems")
        self._empty()

    def draw(self, fault: tuple[str, FileProblem] | None, files: Iterable[OpenFile]) -> tuple[int, int]:
        """Lists all; returns how many mistakes and how many doubts there are."""
        wanted: list[tuple[str, FileProblem]] = [] if fault is None else [fault]
        for each in files:
            wanted += [(each.name, problem) for problem in each.problems]
        if wanted != self._drawn:
            self._drawn = wanted
            self._list.clear()
            with self._list:
                for name, problem in wanted[:_MOST]:
                    self._row(name, problem)
            if not wanted:
                self._empty()
        doubts = sum(problem.severity == "warning" for _, problem in wanted)
        return len(wanted) - doubts, doubts

    def _empty(self) -> None:
        with self._list:
            ui.label("no problems").classes("drycell-quiet px-2 py-1").style("font-size: 12px")

    def _row(self, name: str, problem: FileProblem) -> None:
        warning = problem.severity == "warning"
        line, column = problem.line, problem.column
        row = named(ui.element("div").classes("drycell-problem"), "problem")
        if line is not None:
            row.on("click", lambda: self._go(name, line, column))
        with row:
            ui.icon("warning" if warning else "error", color="warning" if warning else "negative")
            with ui.element("div"):
                ui.label(problem.text).style("white-space: pre-wrap")
                if problem.hint:
                    ui.label(f"try: {problem.hint}").classes("drycell-try")
            ui.label(f"{name.rpartition('/')[2]}:{line}" if line else name).classes("drycell-place")
