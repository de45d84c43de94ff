"""Display control: what to draw of a session, when, and on which page.

A page works like the screen of 1981: drawings are added to it until it is erased. Each page becomes one SVG file in the
output folder. Any past instant of a run can be drawn, so drawing does not slow a move down.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from drycell.base import ProgramError, Vector
from drycell.pictures import Camera, LineDrawing
from drycell.world import LiveBody, World

_FILM: Final = (960, 720)  # pixels
_PASSING: Final = 0.5  # the line weight of intermediate positions of a move, relative to its end


Progress = Callable[[str], AbstractContextManager[Callable[[float], None] | None]]
"""Opens a progress display under a name; its function is called with the fraction done."""


def _no_progress(name: str) -> AbstractContextManager[None]:
    return nullcontext()


class DisplayControl:
    """The settings of a session; by default only DRAW draws.

    With the display on, moves are drawn every ``every`` basic cycles and at their end. With ``draw_all`` the whole
    model is drawn each time, not only what has moved. With ``erase_each`` every drawing begins a new page.
    """

    def __init__(self, world: World, out: Path, echo: Callable[[str], None]) -> None:
        self._world, self._out, self._echo = world, out, echo
        self.on = True
        self.every: int | None = None
        self.draw_all = False
        self.erase_each = False
        self.shaded = False
        self.camera = Camera()
        self.pages: list[Path] = []
        """The files of all pages; the last one may not be written yet."""
        self.progress: Progress = _no_progress
        """Shows the progress of writing a film."""
        self._page: LineDrawing | None = None
        self._dirty = False
        self._film: tuple[Path, int, bool] | None = None

    # ---------------------------------------------------------------- settings

    def set_display(self, n: int) -> None:
        """Turn drawing off (0) or on (1). If it is on, moves are drawn at least at their end."""
        if n not in (0, 1):
            raise ProgramError(f"display {n} does not exist", hint="0 is off, 1 is on")
        self.on = n == 1
        if self.on and self.every is None:
            self.every = 0

    def set_every(self, cycles: int) -> None:
        """Draw moves every ``cycles`` basic cycles and at their end; 0: at their end only."""
        if cycles < 0:
            raise ProgramError(f"a move cannot be drawn every {cycles} cycles", hint="use 1 or more, or 0 for its end")
        self.every = cycles

    def set_draw_all(self, on: bool) -> None:
        """Draw the whole model each time, or only what has moved."""
        self.draw_all = on

    def set_erase(self, on: bool) -> None:
        """Erase between drawings, or draw on top of each other."""
        self.erase_each = on

    def set_shaded(self, on: bool) -> None:
        """Draw shaded pictures, one file per instant, or line drawings, which can be drawn on top of each other."""
        self.erase()
        self.shaded = on

    def set_view(self, name: str, zoom: float = 1.0, focus: Vector | None = None) -> None:
        """Select a view (iso, front, back, left, right, top) and begin a new page.

        ``zoom`` enlarges around ``focus``, a point in metres, or around the middle of the page.
        """
        if not 0.01 <= zoom <= 100.0:
            raise ProgramError(f"a zoom of {zoom:g} is not possible", hint="use 0.01 to 100")
        self.camera = Camera(name.strip().casefold(), zoom, focus)
        self.erase()

    # ---------------------------------------------------------------- drawing

    def draw(self) -> None:
        """Draw everything where it is now."""
        if self.on:
            self._expose(self._world.now, None)

    def erase(self) -> None:
        """End the page; the next drawing begins a new one."""
        self.flush()
        self._page = None

    def flush(self) -> Path | None:
        """Write the page if it has changed, and return its file."""
        if self._page is None or not self._dirty:
            return None
        self._dirty = False
        self._page.save(self.pages[-1])
        return self.pages[-1]

    def moved(self, start: int, end: int, cycle: int) -> None:
        """Draw a motion that has ended, according to the settings."""
        if not self.on or self.every is None or end <= start:
            return
        step = self.every * cycle
        instants = [*range(start + step, end, step), end] if step else [end]
        moving = None if self.draw_all else self._moved(start, instants)
        for instant in instants:
            self._expose(instant, moving, 1.0 if instant == end or self.erase_each else _PASSING)

    def _moved(self, start: int, instants: list[int]) -> list[LiveBody]:
        pose = self._world.pose
        shown = [each for each in self._world.bodies.values() if each.shape is not None and not each.hole]
        shown = [body for body in shown if body.exists(start)]
        return [body for body in shown if any(pose(body, t) != pose(body, start) for t in instants)]

    def _expose(self, instant: int, bodies: Iterable[LiveBody] | None, weight: float = 1.0) -> None:
        if self.shaded:
            from drycell.pictures import save_picture

            self.pages.append(self._out / f"emula-{len(self.pages) + 1:03}.png")
            save_picture(self._world, self.pages[-1], at=instant, camera=self.camera)
            self._echo(f"drawing to {self.pages[-1]}")
            return
        if self.erase_each:
            self.erase()
        if self._page is None:
            self._page = LineDrawing(self._world, camera=self.camera)
            self.pages.append(self._out / f"emula-{len(self.pages) + 1:03}.svg")
            self._echo(f"drawing to {self.pages[-1]}")
        self._page.expose(instant, bodies, weight=weight)
        self._dirty = True

    # ---------------------------------------------------------------- film

    def film(self, path: Path | None, *, lines: bool = False) -> None:
        """Start a film of 24 frames per second of cell time, as line drawings or shaded; None ends and writes it.

        The film shows the robot's final model throughout.
        """
        if self._film is not None:
            from drycell.pictures import save_film

            target, start, drawn = self._film
            self._film = None
            if self._world.now <= start:
                raise ProgramError(f"no time has passed since the film {target.name} began", hint="move something")
            with self.progress(target.name) as progress:
                save_film(
                    self._world,
                    target,
                    start=start,
                    end=self._world.now,
                    camera=self.camera,
                    size=_FILM,
                    lines=drawn,
                    progress=progress,
                )
            self._echo(f"film in {target}")
        elif path is None:
            raise ProgramError("no film is being made", hint="start one with a file name")
        if path is not None:
            from drycell.pictures import check_film

            check_film(path, _FILM, lines=lines)  # report problems at the start, before the film is lost
            self._film = (self._out / path, self._world.now, lines)

    def close(self) -> None:
        """Write everything that has not been written yet."""
        self.flush()
        if self._film is not None:
            if self._world.now > self._film[1]:
                self.film(None)
            self._film = None
