"""Display control: what is drawn of a session, when, and on which page.

A page is what the screen of 1981 was: drawings go over each other on it until it is erased. Each page becomes one SVG
file in the output folder. Since any instant of a run can be drawn after it has passed, nothing here slows a move down.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from drycell.base import ProgramError, Vector
from drycell.pictures import Camera, LineDrawing
from drycell.world import LiveBody, World

_FILM: Final = (960, 720)  # pixels
_PASSING: Final = 0.5  # how heavily positions are drawn that a move only passes through, over those where it ends


Told = Callable[[float], None] | None
Progress = Callable[[str], AbstractContextManager[Told]]


def _unseen(name: str) -> AbstractContextManager[Told]:
    return nullcontext()


class DisplayControl:
    """The settings, with the defaults of a session that says nothing: only DRAW draws.

    With the display on, moves are drawn every ``every`` basic cycles and at their end; ``draw_all`` draws the whole
    model each time instead of what has moved; ``erase_each`` begins a new page for every drawing.
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
        """The files of all pages so far; the last one may not be written yet."""
        self.progress: Progress = _unseen
        """Shows how far a film that is being written has got; given its name."""
        self._page: LineDrawing | None = None
        self._dirty = False
        self._film: tuple[Path, int, bool] | None = None

    # ---------------------------------------------------------------- settings

    def set_display(self, n: int) -> None:
        """0: nothing is drawn; 1: drawings are made, of moves at their end at least."""
        if n not in (0, 1):
            raise ProgramError(f"there is no display {n}", hint="0 is off, 1 is on")
        self.on = n == 1
        if self.on and self.every is None:
            self.every = 0

    def set_every(self, cycles: int) -> None:
        """Draws moves once in so many basic cycles, and at their end; 0: at their end only."""
        if cycles < 0:
            raise ProgramError(f"a move cannot be drawn every {cycles} cycles", hint="give 1 or more, 0 for its end")
        self.every = cycles

    def set_draw_all(self, on: bool) -> None:
        """Draws the whole model each time, or only what has moved."""
        self.draw_all = on

    def set_erase(self, on: bool) -> None:
        """Erases between drawings, or leaves them over each other."""
        self.erase_each = on

    def set_shaded(self, on: bool) -> None:
        """Draws shaded pictures, a file an instant, or lines (which can be exposed over each other)."""
        self.erase()
        self.shaded = on

    def set_view(self, name: str, zoom: float = 1.0, focus: Vector | None = None) -> None:
        """Looks from another side: iso, front, back, left, right, top; a new page is begun.

        ``zoom`` moves in on ``focus``, a point in metres, or on the middle of the page.
        """
        if not 0.01 <= zoom <= 100.0:
            raise ProgramError(f"a view cannot be {zoom:g} times as near", hint="give 0.01 to 100")
        self.camera = Camera(name.strip().casefold(), zoom, focus)
        self.erase()

    # ---------------------------------------------------------------- drawing

    def draw(self) -> None:
        """Draws everything where it is now."""
        if self.on:
            self._expose(self._world.now, None)

    def erase(self) -> None:
        """Ends the page; the next drawing begins another."""
        self.flush()
        self._page = None

    def flush(self) -> Path | None:
        """Writes the page as it is by now, if there is something new on it; the file written."""
        if self._page is None or not self._dirty:
            return None
        self._dirty = False
        self._page.save(self.pages[-1])
        return self.pages[-1]

    def moved(self, start: int, end: int, cycle: int) -> None:
        """A motion has ended: draws it as the settings say."""
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
        """Begins a film of 24 frames a second of cell time, as line drawings or shaded; None ends it and writes it.

        A film shows the whole time in the solids the robot has at its end.
        """
        if self._film is not None:
            from drycell.pictures import save_film

            target, begun, drawn = self._film
            self._film = None
            if self._world.now <= begun:
                raise ProgramError(f"no time has passed since the film {target.name} began", hint="move something")
            with self.progress(target.name) as told:
                save_film(
                    self._world,
                    target,
                    start=begun,
                    end=self._world.now,
                    camera=self.camera,
                    size=_FILM,
                    lines=drawn,
                    progress=told,
                )
            self._echo(f"film in {target}")
        elif path is None:
            raise ProgramError("no film is being made", hint="begin one by giving it a file name")
        if path is not None:
            from drycell.pictures import check_film

            check_film(path, _FILM, lines=lines)  # said when it begins, not when it is lost
            self._film = (self._out / path, self._world.now, lines)

    def close(self) -> None:
        """Writes what is not written yet."""
        self.flush()
        if self._film is not None:
            if self._world.now > self._film[1]:
                self.film(None)
            self._film = None
