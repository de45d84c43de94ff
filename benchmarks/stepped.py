"""A cell in MuJoCo: the same bodies, mechanisms that repeat their motions, and free parts.

It starts from the end of a run and goes back in time, because only then every part is where the mechanisms expect it.
Every body has the same boxes and cylinders. Links are connected by joints with position actuators, which are strong and
damped enough to follow, and have no weight. Neighbouring links are excluded from contacts, as in drycell's collision
checks; everything else collides with MuJoCo's default settings.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose
from drycell.geometry import Box, Compound, Cylinder, Shape
from drycell.robots import Mechanism
from drycell.world import Linkage, LiveBody

if TYPE_CHECKING:
    from drycell.cell import Cell

STEP: Final = 0.002  # s
_TICKS: Final = 2_000  # µs in a step
_STIFFNESS: Final = 10_000.0  # N/m, N·m/rad; critically damped
_ARMATURE: Final = 1.0  # kg, kg·m²: inertia of the gears


class SteppedCell:
    """The bodies of a cell that has run, ready to be stepped back through the last ``seconds`` of its motion."""

    def __init__(self, cell: "Cell", seconds: float) -> None:
        import mujoco

        self._mujoco, self._world = mujoco, cell.world
        self._spec = mujoco.MjSpec()
        self._spec.option.timestep = STEP
        self._spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self._known: dict[LiveBody | None, Any] = {None: self._spec.worldbody}
        self._driven: list[Array] = []
        links = {
            link: (each, number) for each in cell.world.linkages.values() for number, link in enumerate(each.links)
        }
        self._times = [cell.world.now - _TICKS * step for step in range(round(seconds / STEP))]
        for body in cell.world.bodies.values():
            if body in links:
                self._add_link(body, *links[body])
            else:
                self._add(body)
        for linkage in cell.world.linkages.values():
            self._exclude(linkage)
        self.model = self._spec.compile()
        self.data = mujoco.MjData(self.model)
        self._targets = np.stack(self._driven, axis=1)
        self.data.qpos[[self.model.jnt_qposadr[each] for each in self.model.actuator_trnid[:, 0]]] = self._targets[0]
        self._eyes = [(sensor.body.pose, round(sensor.period / STEP)) for sensor in cell.sensors.values()]

    def run(self) -> None:
        """Step the model from the first instant to the last, with every sensor as a ray at its own rate."""
        mujoco, model, data = self._mujoco, self.model, self.data
        step, control, met = mujoco.mj_step, data.ctrl, np.zeros(1, np.int32)
        eyes = [(np.array(pose.position), pose.rotation[:, 2].copy(), every) for pose, every in self._eyes]
        for number, targets in enumerate(self._targets):
            control[:] = targets
            step(model, data)
            for origin, along, every in eyes:
                if number % every == 0:
                    mujoco.mj_ray(model, data, origin, along, None, 1, -1, met)

    def _add(self, body: LiveBody) -> None:
        """Add the fixed bodies, and the parts as free bodies."""
        parent = None if body.part else body.parent
        carrier = IDENTITY if parent is None else self._world.pose(parent)
        made = self._known[body] = _hung(self._known[parent], body.name, carrier.inverse() @ self._world.pose(body))
        if body.part:
            made.add_freejoint()
        self._shape(made, body)

    def _add_link(self, body: LiveBody, linkage: Linkage, number: int) -> None:
        mechanism = linkage.kinematics
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"{linkage.name} is not a mechanism")
        link = mechanism.links[number]
        carrier = linkage.base if link.parent < 0 else linkage.links[link.parent]
        made = self._known[body] = _hung(self._known[carrier], body.name, link.origin)
        made.gravcomp = 1.0
        joints = np.array([linkage.joints(t) for t in self._times])
        for order, drive in enumerate(link.drives):
            kind = self._mujoco.mjtJoint.mjJNT_HINGE if drive.kind == "revolute" else self._mujoco.mjtJoint.mjJNT_SLIDE
            name = f"{body.name}:{order}"
            made.add_joint(name=name, type=kind, axis=drive.axis, armature=_ARMATURE)
            actuator = self._spec.add_actuator(name=name, target=name, trntype=self._mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=_STIFFNESS, dampratio=1.0)
            self._driven.append(drive.ratio * joints[:, drive.joint] + drive.offset)
        self._shape(made, body)

    def _shape(self, made: Any, body: LiveBody) -> None:
        density = self._world.materials[body.material].density
        for pose, shape in _solids(body.shape):
            if isinstance(shape, Box):
                kind, size = self._mujoco.mjtGeom.mjGEOM_BOX, shape.half
            else:
                kind, size = self._mujoco.mjtGeom.mjGEOM_CYLINDER, (shape.radius, shape.length / 2, 0.0)
            made.add_geom(type=kind, size=size, pos=pose.position, quat=pose.quaternion, density=density)

    def _exclude(self, linkage: Linkage) -> None:
        group = [linkage.base, *linkage.links]
        for number, body in enumerate(group):
            for other in group[number + 1 :]:
                if other in linkage.neighbours(body):
                    self._spec.add_exclude(bodyname1=body.name, bodyname2=other.name)


def _hung(carrier: Any, name: str, pose: Pose) -> Any:
    return carrier.add_body(name=name, pos=pose.position, quat=pose.quaternion)


def _solids(shape: Shape | None, at: Pose = IDENTITY) -> Iterator[tuple[Pose, Box | Cylinder]]:
    """The boxes and cylinders that a shape is made of."""
    if isinstance(shape, Compound):
        for pose, part in shape.parts:
            yield from _solids(part, at @ pose)
    elif isinstance(shape, (Box, Cylinder)):
        yield at, shape
    elif shape is not None:
        raise TypeError(f"a shape that this benchmark does not support: {shape!r}")
