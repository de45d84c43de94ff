"""The rooms and corridors that come with drycell, as data: those trained in and those kept for tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Final

from drycell.errors import FieldError, UnknownName
from drycell.fields import Length, Name, NoLess, Several, Size
from drycell.learn.data import ENDING, read_data
from drycell.learn.world.corridor import corridor
from drycell.learn.world.plan import PLASTER, FloorPlan
from drycell.learn.world.room import room

LIBRARY: Final = Path(__file__).parent / "library"
_STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}
Sides = Annotated[tuple[Size, Size], Several(2, "[4 m, 3 m]")]
StationSpec = Annotated[tuple[Length, Length, Size], Several(3, "[2 m, 0 m, 2.4 m]")]


@dataclass(frozen=True, kw_only=True)
class WorldSpec:
    """One world in a file: a ``room`` (length and width) or a ``corridor`` (stations: x, y, width)."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    room: Sides | None = None
    corridor: tuple[StationSpec, ...] = ()
    inset: NoLess = 3.0
    material: str = PLASTER

    def __post_init__(self) -> None:
        if (self.room is None) == (not self.corridor):
            raise FieldError("a world is a room or a corridor", hint="write room: [4 m, 3 m] or corridor: [[…], …]")

    def plan(self, name: str) -> FloorPlan:
        """The floor plan it describes."""
        if self.room is not None:
            return room(name, *self.room, self.material)
        return corridor(name, self.corridor, self.inset, self.material)


@dataclass(frozen=True, kw_only=True)
class Worlds:
    """A file of worlds: ``training`` in the order they are trained in, and the unseen ones of the ``test``."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    worlds: Name
    source: str = ""
    training: dict[str, WorldSpec]
    test: dict[str, WorldSpec]

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
