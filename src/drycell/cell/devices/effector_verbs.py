"""The verbs that add devices commanded by messages: end effector, wrist, tactile pad."""

from typing import TYPE_CHECKING

from drycell.cell.devices.verbs import DeviceVerbs
from drycell.cell.placing import Place
from drycell.devices import Device
from drycell.errors import WorldError
from drycell.messages.disturbance import CALM, Disturbance
from drycell.robots import Mechanism, load_robot
from drycell.spatial import IDENTITY
from drycell.units import mm
from drycell.world import Body, Who

if TYPE_CHECKING:
    from drycell.devices.effector import Effector, Pad, StandIn, Wrist
    from drycell.sensors.lookout import Lookout


class EffectorVerbs(DeviceVerbs):
    """What a cell can do about devices that are commanded by messages."""

    @property
    def lookout(self) -> "Lookout":
        """What the cell's sensors look through."""
        raise NotImplementedError

    def add_effector(
        self,
        name: str = "gripper",
        *,
        model: str | Mechanism = "two-finger",
        gains: tuple[float, float] = (400.0, 40.0),
        stiffness: float = 10e3,
        strength: float = 60.0,
        near: float = 5 * mm,
        hesitates: tuple[float, float] = (0.0, 0.0),
        carries: tuple[float, float] = (0.0, 0.0),
        disturbance: Disturbance = CALM,
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
    ) -> "Effector":
        """Sets up a parallel jaw that is commanded by messages, on a flange (``parent=arm.flange``) or by itself.

        ``gains`` of its servo are in 1/s² and 1/s, ``stiffness`` of its pads in N/m, ``strength`` in N. ``near`` is how
        near to a finger something ends a move by proximity. Before each queued command it ``hesitates`` for a time
        from a declared interval; ``carries`` is how long a reply is under way, another one. See
        :class:`~drycell.devices.effector.effector.Effector`.
        """
        from drycell.devices.effector import Effector

        self._new(name)
        mechanism = load_robot(model) if isinstance(model, str) else model
        carrier, pose = self._stand(Body(name, mechanism.base), at, on, parent)
        made = Effector(
            self.kernel,
            self.world,
            self.gravity,
            self.lookout,
            name,
            mechanism,
            carrier,
            pose,
            gains=gains,
            stiffness=stiffness,
            strength=strength,
            near=near,
            hesitates=hesitates,
            carries=carries,
            disturbance=disturbance,
        )
        self.devices[name] = made
        return made

    def add_wrist(
        self,
        name: str = "wrist",
        *,
        model: str = "wrist-force",
        disturbance: Disturbance = CALM,
        at: Place = IDENTITY,
        parent: Who | Device | None = None,
    ) -> "Wrist":
        """Sets up a force/torque sensor that is commanded by messages; mount the tool on it: ``parent="wrist"``."""
        from drycell.devices.effector import Wrist

        self._new(name)
        carrier, pose = self._stand(Body(name), at, None, parent)
        made = Wrist(self.kernel, self.scene, name, carrier, pose, model=model, disturbance=disturbance)
        self.devices[name] = made
        return made

    def add_pad(
        self,
        name: str = "pad",
        *,
        of: "str | Effector",
        finger: int = 1,
        size: float = 18 * mm,
        shift: float = 0.0,
        disturbance: Disturbance = CALM,
    ) -> "Pad":
        """Puts a tactile pad on a finger of an end effector; ``shift`` moves it towards the finger's tip."""
        from drycell.devices.effector import Effector, Pad

        self._new(name)
        effector = self.device(of) if isinstance(of, str) else of
        if not isinstance(effector, Effector):
            raise WorldError(f"{effector.name!r} is no end effector, and has no fingers for pad {name!r}")
        if finger not in (1, 2):
            raise WorldError(f"pad {name!r} cannot be on finger {finger}", hint="fingers are 1 and 2")
        made = Pad(
            self.kernel, self.scene, name, effector.jaw, finger=finger, size=size, shift=shift, disturbance=disturbance
        )
        self.devices[name] = made
        return made

    def add_stand_in(
        self,
        name: str,
        *,
        table: str = "gripper",
        takes: tuple[float, float] = (0.0, 0.0),
        carries: tuple[float, float] = (0.0, 0.0),
        disturbance: Disturbance = CALM,
    ) -> "StandIn":
        """Sets up what answers like a device of the table of messages, after declared times, and moves nothing."""
        from drycell.devices.effector import StandIn

        self._new(name)
        made = StandIn(self.kernel, name, table, takes=takes, carries=carries, disturbance=disturbance)
        self.devices[name] = made
        return made
