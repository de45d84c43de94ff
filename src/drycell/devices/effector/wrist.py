"""The force/torque sensor of the wrist, commanded by messages: what presses on all that hangs beyond it, and weighs."""

from dataclasses import replace
from typing import Final

from drycell.devices.effector.station import Station, Values
from drycell.kernel import Kernel
from drycell.messages import WRIST
from drycell.messages.disturbance import CALM, Disturbance
from drycell.messages.mailboxes import Envelope
from drycell.sensors import look
from drycell.sensors.catalogue import load_sensor
from drycell.spatial import IDENTITY, Pose
from drycell.world import Body, Scene

_NAMES: Final = tuple(f"{what}_{axis}" for what in ("force", "torque") for axis in "xyz")


class Wrist(Station):
    """Between an arm and its tool: mount the tool on it. Forces in its own frame, in steps of the sensor's quantum."""

    def __init__(
        self,
        kernel: Kernel,
        scene: Scene,
        name: str,
        parent: Body | None = None,
        at: Pose = IDENTITY,
        *,
        model: str = "wrist-force",
        disturbance: Disturbance = CALM,
    ) -> None:
        body = scene.world.add(Body(name), parent, at)
        super().__init__(kernel, name, WRIST, body, disturbance=disturbance)
        self.model = model
        self.mount: Body = body
        self._scene, self._model = scene, replace(load_sensor(model), weighs=True)
        self._zero = (0.0,) * len(_NAMES)

    def on_status(self, envelope: Envelope, values: Values) -> dict[str, float]:
        """Force and torque now."""
        return dict(zip(_NAMES, self.load(), strict=True))

    def on_tare(self, envelope: Envelope, values: Values) -> dict[str, float]:
        """Takes the load of now as zero."""
        self._zero = self._loads()
        return {}

    def load(self) -> tuple[float, ...]:
        """Force and torque now, less what was there when zero was taken."""
        step = self._model.quantum or 1e-9
        told = (now - zero for now, zero in zip(self._loads(), self._zero, strict=True))
        return tuple(round(value / step) * step for value in told)

    def _loads(self) -> tuple[float, ...]:
        now = self.kernel.now
        reading = look(self._model, self._scene, self._scene.world.pose(self.mount, now), now, mount=self.mount)
        return (*(reading.force or (0.0,) * 3), *(reading.torque or (0.0,) * 3))
