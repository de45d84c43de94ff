"""Mobile robots as data: size, drive, speeds, and which sensors sit where, in one or several arrangements."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from drycell.base import Angle, Length, Name, Quantity, Size, Thing, UnknownName
from drycell.learn.data import ENDING, read_data
from drycell.learn.world import Mounted
from drycell.sensors import Output, load_sensor

LIBRARY: Final = Path(__file__).parent / "library"
Speed = Annotated[float, Quantity("speed", above=0.0)]
TurnRate = Annotated[float, Quantity("angular speed", above=0.0)]


class SensorSpec(Thing):
    """A sensor of the library on the robot."""

    sensor: Name
    """Name in the sensor library."""
    bearing: Angle = 0.0
    """Direction in which it looks, counter-clockwise from straight ahead."""
    out: Length = 0.0
    """Distance from the middle of the robot along the bearing."""
    aside: Length = 0.0
    """Distance to the left of the bearing."""
    height: Length = 0.0
    """Height above the floor."""
    output: Output | None = None
    """Replaces the sensor's own output, if the robot's converter publishes something else."""

    def mounted(self, name: str) -> Mounted:
        """The sensor ready to look."""
        model = load_sensor(self.sensor)
        if self.output is not None:
            model = replace(model, output=self.output)
        cosine, sine = math.cos(self.bearing), math.sin(self.bearing)
        x, y = self.out * cosine - self.aside * sine, self.out * sine + self.aside * cosine
        return Mounted(name, model, x, y, self.bearing)


class MobileModel(Thing):
    """A mobile robot. It is round, and turns on the spot about its middle."""

    robot: Name
    """Name of the robot."""
    title: str = ""
    """Name in full."""
    source: str = ""
    """Where the numbers come from."""
    drive: Literal["synchro", "differential"]
    """How it is driven: by wheels that steer together, or by two wheels at different speeds."""
    radius: Size
    """Radius of the robot."""
    height: Size
    """Height of the robot."""
    track: Size | None = None
    """Distance between the two wheels of a differential drive."""
    speed: Speed
    """Top speed straight ahead."""
    turn_rate: TurnRate
    """Top speed of turning on the spot."""
    arrangements: dict[str, dict[str, SensorSpec]]
    """Sensors by name, for each way in which they can be arranged."""

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
    return model.changed(title=" ".join(model.title.split()), source=" ".join(model.source.split()))
