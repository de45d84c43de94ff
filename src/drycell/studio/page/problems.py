"""Problems of the run and of texts: fetched for one page, listed, and marked on the scrubber."""

from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from nicegui import background_tasks, ui

from drycell.studio.api.problems import ProblemMark, RunProblem, RunProblems
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import named, show_markup, with_props
from drycell.studio.page.texts import clock_text
from drycell.studio.server.events import HostReplaced

if TYPE_CHECKING:
    from drycell.studio.page.program import OpenFile
    from drycell.studio.page.program_run import FileProblem
    from drycell.studio.page.tab import BrowserTab

Go = Callable[[str, int, int | None], object]
Listener = Callable[[RunProblems], Coroutine[Any, Any, None] | None]
_PERIOD: Final = 0.5  # seconds between two updates during a run
_MOST_PROBLEMS: Final = 300


class ProblemFeed:
    """Keeps the problems of the run for one page. Asks only when something may have changed."""

    def __init__(self, tab: "BrowserTab") -> None:
        self._tab = tab
        self.found = RunProblems()
        self._known: tuple[object, ...] = ()
        self._asking = False
        self._callbacks: list[Listener] = []
        self._reveals: list[Callable[[], object]] = []
        self._stopped: RunProblem | None = None
        tab.on(HostReplaced, self._replaced)
        tab.on(HostStatus, self._stopped_at_collision)
        ui.timer(_PERIOD, self.look)

    def listen(self, callback: Listener) -> None:
        """Call back whenever the problems have changed."""
        self._callbacks.append(callback)

    def on_reveal(self, callback: Callable[[], object]) -> None:
        """Call back when the list of problems is to be shown."""
        self._reveals.append(callback)

    def reveal(self) -> None:
        """Show the list of problems."""
        for callback in self._reveals:
            callback()

    async def look(self) -> None:
        """Fetch the problems if anything may have changed."""
        status = self._tab.studio.latest
        known = (status.path, status.mode, status.state, status.t, status.records, status.error, status.collision)
        if self._asking or known == self._known or not self._tab.client.has_socket_connection:
            return
        self._asking = True
        try:
            found = await self._tab.ask(self._tab.host.problems.found())
        finally:
            self._asking = False
        if found is not None:
            self._known = known
            self._set(found)

    async def go_to(self, problem: RunProblem) -> None:
        """Show the instant of a problem, with its bodies or its program line."""
        tab = self._tab
        if await tab.act(tab.host.transport.seek(problem.t)) is None:
            return
        if problem.bodies is not None:
            await tab.encounters.show(problem.t, problem.bodies, problem.point, near=problem.kind == "near miss")
        if problem.file is not None and problem.line is not None:
            tab.show_source(problem.file, problem.line)

    def _set(self, found: RunProblems) -> None:
        if found != self.found:
            self.found = found
            for callback in self._callbacks:
                result = callback(found)
                if result is not None:
                    background_tasks.create(result, name="problems", context=self._tab.client)

    async def _replaced(self, _: HostReplaced) -> None:
        self._known = ()
        self._set(RunProblems())
        await self.look()

    async def _stopped_at_collision(self, status: HostStatus) -> None:
        """The run is paused at a collision: show which."""
        stopped, self._stopped = self._stopped, status.collision
        if status.collision is None or status.collision == stopped:
            return
        await self.look()
        self.reveal()
        if status.collision.bodies is not None:
            await self._tab.encounters.show(
                status.collision.t, status.collision.bodies, status.collision.point, near=False
            )


class ProblemList:
    """The list of problems: those of the run, then those of the texts.

    ``go(name, line, column)`` shows a place in a file, ``go_to(problem)`` the instant of a problem of the run.
    """

    def __init__(self, go: Go, go_to: Callable[[RunProblem], object]) -> None:
        self._go, self._go_to = go, go_to
        self._drawn: list[Any] = []
        self._list = ui.element("div").style("width: 100%; height: 100%; overflow: auto").mark("problems")
        self._empty()

    def draw(
        self, run: RunProblems, fault: "tuple[str, FileProblem] | None", files: "Iterable[OpenFile]"
    ) -> tuple[int, int]:
        """List all problems. Returns the numbers of errors and warnings."""
        if any(each.kind == "program error" for each in run.rows):
            fault = None  # the same error, with its time
        texts = [] if fault is None else [fault]
        for each in files:
            texts += [(each.name, problem) for problem in each.problems if not _same(fault, each.name, problem)]
        wanted: list[RunProblem | tuple[str, FileProblem]] = [*run.rows, *texts]
        if wanted != self._drawn:
            self._drawn = wanted
            self._list.clear()
            with self._list:
                for row in wanted[:_MOST_PROBLEMS]:
                    if isinstance(row, RunProblem):
                        self._run_row(row)
                    else:
                        self._row(*row)
                more = run.errors + run.warnings - len(run.rows)
                if more:
                    ui.label(f"and {more:,} more in the run").classes("drycell-quiet px-2 py-1 drycell-small")
            if not wanted:
                self._empty()
        warnings = sum(problem.severity == "warning" for _, problem in texts)
        return run.errors + len(texts) - warnings, run.warnings + warnings

    def _empty(self) -> None:
        with self._list:
            ui.label("no problems").classes("drycell-quiet px-2 py-1").style("font-size: 12px")

    def _run_row(self, problem: RunProblem) -> None:
        self._line(
            problem.severity,
            f"{problem.kind}: {problem.text}",
            problem.hint,
            clock_text(problem.t) + (f" · {_place(problem.file, problem.line)}" if problem.file else ""),
            "run-problem",
            lambda: self._go_to(problem),
        )

    def _row(self, name: str, problem: "FileProblem") -> None:
        line, column = problem.line, problem.column
        action = None if line is None else lambda: self._go(name, line, column)
        self._line(problem.severity, problem.text, problem.hint, _place(name, line), "problem", action)

    def _line(
        self, severity: str, text: str, hint: str | None, place: str, mark: str, action: Callable[[], object] | None
    ) -> None:
        row = named(ui.element("button" if action is not None else "div").classes("drycell-problem"), mark)
        if action is not None:
            row.on("click", action)
        with row:
            icon = ui.icon("warning" if severity == "warning" else "error")
            with_props(icon, color="warning" if severity == "warning" else "negative", aria_label=severity, role="img")
            with ui.element("div"):
                ui.label(text).style("white-space: pre-wrap")
                if hint:
                    ui.label(f"try: {hint}").classes("drycell-try")
            ui.label(place).classes("drycell-place")


def _same(fault: "tuple[str, FileProblem] | None", name: str, problem: "FileProblem") -> bool:
    """Whether a problem of a text is the one that keeps the cell from being built."""
    return fault is not None and fault[0] == name and fault[1].line == problem.line and problem.severity == "error"


def _place(file: str, line: int | None) -> str:
    return f"{file.rpartition('/')[2]}:{line}" if line else file


class ScrubberMarks:
    """Marks of the problems over the scrubber. They are also in the list, so screen readers skip them."""

    def __init__(self, tab: "BrowserTab") -> None:
        self._tab = tab
        self._html = show_markup(Markup("")).classes("drycell-marks").mark("scrubber-marks")
        self._html.props["aria-hidden"] = "true"
        self._end = 0
        tab.problems.listen(self._show)

    def stretch(self, end: int) -> None:
        """Set the time in ticks at the end of the scrubber."""
        if end != self._end:
            self._end = end
            self._html.style["--drycell-end"] = str(max(end, 1))
            self._html.update()

    def _show(self, found: RunProblems) -> None:
        self._html.content = Markup("").join(map(_mark, found.marks))


def _mark(mark: ProblemMark) -> Markup:
    return Markup('<i class="{}" style="left: calc(100% * {} / var(--drycell-end))"></i>').format(mark.severity, mark.t)
