"""The rooms and corridors that come with drycell, as data: those trained in and those kept for tests."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from drycell.base import Name, NoLess, Problem, Quantity, Several, Thing, UnknownName
from drycell.learn.data import ENDING, read_data
from drycell.learn.world.floor_plans import PLASTER, FloorPlan, corridor, room

LIBRARY: Final = Path(__file__).parent / "library"
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
        """Either a room or a corridor."""
        if (self.room is None) == (not self.corridor):
            hint = "write room: [4 m, 3 m] or corridor: [[…], …]"
            yield Problem((), "a world is a room or a corridor", hint)

    def plan(self, name: str) -> FloorPlan:
        """The floor plan it describes."""
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
        """The plans to train in."""
        return [spec.plan(name) for name, spec in self.training.items()]

    @property
    def test_plans(self) -> list[FloorPlan]:
        """The plans that are kept for the test."""
        return [spec.plan(name) for name, spec in self.test.items()]


def world_names() -> list[str]:
    """The names :func:`load_worlds` takes."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


@cache
def load_worlds(name: str) -> Worlds:
    """A set of worlds of the library, or of a file of one's own."""
    if name.endswith(ENDING):
        return worlds_from_file(name)
    if name not in world_names():
        raise UnknownName("set of worlds", name, world_names())
    return worlds_from_file(LIBRARY / f"{name}.yaml")


def worlds_from_file(path: str | Path) -> Worlds:
    """A set of worlds from a file of one's own, written as those of the library are."""
    return read_data(Worlds, path)
