"""Sets of rooms and corridors as data: worlds for training, and others for tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from drycell.base import Name, NoLess, Problem, Quantity, Several, Thing
from drycell.learn.data import DataLibrary
from drycell.learn.world.floor_plans import PLASTER, FloorPlan, corridor, room

_LENGTH: Final = Quantity("length")
_SIZE: Final = Quantity("length", above=0.0)
Sides = Annotated[tuple[float, float], Several((_SIZE, _SIZE), "[4 m, 3 m]")]
StationSpec = Annotated[tuple[float, float, float], Several((_LENGTH, _LENGTH, _SIZE), "[2 m, 0 m, 2.4 m]")]


class WorldSpec(Thing):
    """A world in a file: a room or a corridor."""

    room: Sides | None = None
    """Length and width of a room."""
    corridor: tuple[StationSpec, ...] = ()
    """Stations of a corridor: x, y and width at each."""
    inset: NoLess = 3.0
    """Distance from the ends of the corridor at which a traverse starts and ends."""
    material: str = PLASTER
    """Material of the walls."""

    def problems(self) -> Iterator[Problem]:
        """A world is either a room or a corridor."""
        if (self.room is None) == (not self.corridor):
            hint = "write room: [4 m, 3 m] or corridor: [[…], …]"
            yield Problem((), "a world is a room or a corridor", hint)

    def plan(self, name: str) -> FloorPlan:
        """Return the floor plan."""
        if self.room is not None:
            return room(name, *self.room, self.material)
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
