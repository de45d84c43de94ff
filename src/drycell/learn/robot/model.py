"""Mobile robots as data: size, drive, speeds, and which sensors sit where, in one or several arrangements."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from drycell.errors import UnknownName
from drycell.fields import Angle, Length, Name, Quantity, Size
from drycell.learn.data import ENDING, read_data
from drycell.learn.world import Mounted
from drycell.sensors import Output
from drycell.sensors.catalogue import load_sensor

LIBRARY: Final = Path(__file__).parent / "library"
_STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}
Speed = Annotated[float, Quantity("speed", above=0.0)]
TurnRate = Annotated[float, Quantity("angular speed", above=0.0)]


@dataclass(frozen=True, kw_only=True)
class SensorSpec:
    """A sensor of the library on the robot: ``out`` from the middle along its bearing, ``aside`` to the left of that.

    ``output`` replaces the sensor's own, for what the robot's converter makes of it.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    sensor: Name
    bearing: Angle = 0.0
    out: Length = 0.0
    aside: Length = 0.0
    height: Length = 0.0
    output: Output | None = None

    def mounted(self, name: str) -> Mounted:
        """The sensor ready to look."""
        model = load_sensor(self.sensor)
        if self.output is not None:
            model = replace(model, output=self.output)
        cosine, sine = math.cos(self.bearing), math.sin(self.bearing)
        x, y = self.out * cosine - self.aside * sine, self.out * sine + self.aside * cosine
        return Mounted(name, model, x, y, self.bearing)


@dataclass(frozen=True, kw_only=True)
class MobileModel:
    """A mobile robot. It is round, and turns on the spot about its middle."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    robot: Name
    title: str = ""
    source: str = ""
    drive: Literal["synchro", "differential"]
    radius: Size
    height: Size
    track: Size | None = None  # between the two wheels of a differential drive
    speed: Speed
    turn_rate: TurnRate
    arrangements: dict[str, dict[str, SensorSpec]]

    def sensors(self, arrangement: str) -> dict[str, Mounted]:
        """The sensors of an arrangement by name."""
        if arrangement not in self.arrangements:
            raise UnknownName(f"arrangement of {self.robot}'s sensors", arrangement, self.arrangements)
        return {name: spec.mounted(name) for name, spec in self.arrangements[arrangement].items()}


def mobile_names() -> list[str]:
    """The names :func:`load_mobile` takes."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


@cache
def load_mobile(name: str) -> MobileModel:
    """A mobile robot of the library, or of a file of one's own."""
    if name.endswith(ENDING):
        return mobile_from_file(name)
    if name not in mobile_names():
        raise UnknownName("mobile robot", name, mobile_names())
    return mobile_from_file(LIBRARY / f"{name}.yaml")


def mobile_from_file(path: str | Path) -> MobileModel:
    """A mobile robot from a file of one's own, written as those of the library are."""
    model = read_data(MobileModel, path)
    return replace(model, title=" ".join(model.title.split()), source=" ".join(model.source.split()))
