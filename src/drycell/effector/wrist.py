"""The force/torque sensor of the wrist, commanded by messages: forces on the tool, including its weight."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from drycell.base import FieldError, Type, did_you_mean
from drycell.cell import Cell, top_of
from drycell.effector.device import LiveMessageDevice, MessageDevice, Values
from drycell.effector.messages import WRIST, LinkTrouble
from drycell.effector.messages.mailboxes import ArrivedCommand
from drycell.sensors import load_sensor, look, sensor_names
from drycell.world import LiveBody

_NAMES: Final = tuple(f"{what}_{axis}" for what in ("force", "torque") for axis in "xyz")


@dataclass(frozen=True)
class _SensorName(Type):
    """The name of a sensor of the library."""

    def check(self, value: Any) -> str:
        """Return the name, if there is such a sensor."""
        if isinstance(value, str) and value in sensor_names():
            return value
        raise FieldError(f"there is no sensor {value!r}", hint=did_you_mean(str(value), sensor_names()))

    def schema(self, describer: Any) -> dict[str, Any]:
        """The schema of a choice."""
        return {"enum": sensor_names()}


class Wrist(MessageDevice, kind="wrist", icon="compress"):
    """A force/torque sensor between an arm and its tool, commanded by messages. Mount the tool on it.

    Forces are in newtons, torques in newton metres, in the frame of the sensor.

    >>> from drycell import Box, Body, Cell, Wrist, mm
    >>> from drycell.effector.link import WristClient, connect
    >>> cell = Cell("bench")
    >>> wrist = cell.add("wrist", Wrist(at=(0, 0, 200 * mm)))
    >>> tool = cell.add("tool", Body(Box(40 * mm, 40 * mm, 40 * mm), parent="wrist", material="steel"))
    >>> @cell.program
    ... def planner():
    ...     with connect("cell:wrist", WristClient) as sensor:
    ...         print(f"{sensor.status().force[2]:.1f} N")
    >>> result = cell.run()
    -4.9 N
    """

    model: Annotated[str, _SensorName()] = "wrist-force"
    """The force sensor it is made of, by its name in the library."""
    trouble: LinkTrouble = LinkTrouble()
    """Rates at which messages and commands fail."""

    def build(self, cell: Cell, name: str) -> "LiveWrist":
        """Build its body and its mailboxes."""
        return LiveWrist(cell, name, self)


class LiveWrist(LiveMessageDevice[Wrist]):
    """A running wrist sensor. Forces are in its own frame, in steps of the sensor's quantum."""

    def __init__(self, cell: Cell, name: str, model: Wrist) -> None:
        self.mount = LiveBody(name)
        if model.on is None:
            carrier, pose = cell.standing(model, self.mount)
        else:  # it has no shape that could lie on the other body, so its frame is at the top of that body
            carrier = cell.body(model.on)
            pose = top_of(carrier) @ model.pose
        cell.world.add(self.mount, carrier, pose)
        super().__init__(cell, name, model, WRIST, self.mount, trouble=model.trouble)
        self._scene, self._sensor = cell.scene, replace(load_sensor(model.model), weighs=True)
        self._zero = (0.0,) * len(_NAMES)

    def on_status(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Return the current force and torque."""
        return dict(zip(_NAMES, self.load(), strict=True))

    def on_tare(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Set the current load as zero."""
        self._zero = self._loads()
        return {}

    def load(self) -> tuple[float, ...]:
        """Return the current force and torque, relative to the load at the last tare."""
        step = self._sensor.quantum or 1e-9
        loads = (now - zero for now, zero in zip(self._loads(), self._zero, strict=True))
        return tuple(round(value / step) * step for value in loads)

    def _loads(self) -> tuple[float, ...]:
        now = self.kernel.now
        reading = look(self._sensor, self._scene, self._scene.world.pose(self.mount, now), now, mount=self.mount)
        return (*(reading.force or (0.0,) * 3), *(reading.torque or (0.0,) * 3))
