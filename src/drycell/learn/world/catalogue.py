"""Sets of rooms, corridors and mazes as data: worlds for training and separate ones for tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from drycell.base import FieldError, Name, NoLess, Problem, Quantity, Several, Thing
from drycell.learn.data import DataLibrary
from drycell.learn.world.floor_plans import PLASTER, FloorPlan, corridor, room
from drycell.learn.world.mazes import maze

_LENGTH: Final = Quantity("length")
_SIZE: Final = Quantity("length", above=0.0)
Sides = Annotated[tuple[float, float], Several((_SIZE, _SIZE), "[4 m, 3 m]")]
StationSpec = Annotated[tuple[float, float, float], Several((_LENGTH, _LENGTH, _SIZE), "[2 m, 0 m, 2.4 m]")]


class WorldSpec(Thing):
    """A world in a file: a room, a corridor or a maze."""

    room: Sides | None = None
    """Length and width of a room."""
    corridor: tuple[StationSpec, ...] = ()
    """Stations of a corridor: x, y and width at each."""
    maze: str = ""
    """Drawing of a maze: # blocks, or walls between posts, with S and G where a run starts and ends."""
    cell: Annotated[float, _SIZE] = 1.0
    """Side of a block or a cell of a maze."""
    inset: NoLess = 3.0
    """Distance from the ends of the corridor at which a run starts and ends."""
    material: str = PLASTER
    """Material of the walls."""

    def problems(self) -> Iterator[Problem]:
        """A world is either a room, a corridor or a maze."""
        if (self.room is not None) + bool(self.corridor) + bool(self.maze) != 1:
            hint = "write room: [4 m, 3 m], corridor: [[…], …], or maze: with a drawing"
            yield Problem((), "a world is a room, a corridor or a maze", hint)
        elif self.maze:
            try:
                self.plan("maze")
            except FieldError as error:
                yield Problem(("maze",), error.what, error.hint)

    def plan(self, name: str) -> FloorPlan:
        """Return the floor plan."""
        if self.room is not None:
            return room(name, *self.room, self.material)
        if self.maze:
            return maze(name, self.maze, self.cell, self.material)
        return corridor(name, self.corridor, self.inset, self.material)


class Worlds(Thing):
    """A file of worlds."""

    worlds: Name
    """Name of the set."""
    source: str = ""
    """Where the numbers come from."""
    training: dict[str, WorldSpec]
    """Worlds to train in, in this order."""
    test: dict[str, WorldSpec]
    """Worlds kept for the test, which training does not see."""

    @property
    def training_plans(self) -> list[FloorPlan]:
        """The worlds for training."""
        return [spec.plan(name) for name, spec in self.training.items()]

    @property
    def test_plans(self) -> list[FloorPlan]:
        """The worlds for tests."""
        return [spec.plan(name) for name, spec in self.test.items()]


WORLDS: Final = DataLibrary(Worlds, Path(__file__).parent / "library", "set of worlds")
"""The sets of worlds of the library."""


def load_worlds(name: str) -> Worlds:
    """Load a set of worlds of the library by its name, or one from a file. Raises UnknownName or FileError."""
    return WORLDS.load(name)
