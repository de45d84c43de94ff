"""Force sensors: contact forces on everything attached to the sensor, from springs where bodies overlap, and weight."""

import math
from collections.abc import Iterable, Iterator, Set
from typing import Final

from drycell.base import Pose, Vector
from drycell.geometry import Closest, ContactPoint, Placed, closest, contacts
from drycell.sensors.model import SensorModel
from drycell.sensors.output import respond
from drycell.sensors.reading import Reading
from drycell.world import LiveBody, Scene

GRAVITY: Final = 9.80665  # m/s², along -z of the world
_SAME: Final = 1e-9  # metres: contact points whose depths differ by less belong to the same face
_COMPONENTS: Final = {"x": 0, "y": 1, "z": 2}

Load = tuple[Vector, Vector]  # a force and its point of action, in the world


def feel(
    model: SensorModel,
    scene: Scene,
    pose: Pose,
    t: int,
    ignore: Set[LiveBody],
    mount: LiveBody | None = None,
    was_on: bool = False,
) -> Reading:
    """The force on everything attached to the sensor, and its torque about the sensor's origin, in the sensor's frame.

    Where two bodies overlap, a spring with the model's stiffness pushes them apart along the contact normal, according
    to the depth. It acts in the middle of the common face, once for each pair of bodies. A sensor with a volume is a
    pad: it measures bodies that are pressed into its volume, and nothing is attached to it.
    """
    attached = [] if mount is None or model.volumes else beyond(scene, mount, t)
    pressed = [*_pad(model, scene, pose, t, ignore), *_presses(model, scene, attached, t, ignore)]
    loads = [load for _, load in pressed]
    if model.weighs:
        loads += _weights(scene, attached, t)
    force, torque = _sum(loads, pose)
    quantity = _component(model.measures, force, torque)
    answer = respond(model, quantity, True, was_on)
    seen = tuple(dict.fromkeys(body for body, _ in pressed))
    return Reading(model, answer.value, answer.on, quantity, seen=seen, force=force, torque=torque)


def beyond(scene: Scene, mount: LiveBody, t: int) -> list[LiveBody]:
    """The bodies on which a sensor measures forces: those attached to it or, if none are, to its carrier."""
    carried = [body for body in _carried(scene, mount, t) if body is not mount]
    parent = mount.segment(t).parent
    if not carried and parent is not None:
        carried = [body for body in _carried(scene, parent, t) if body not in (mount, parent)]
    own = [mount] if mount.shape is not None else []
    return [*own, *(body for body in carried if body.shape is not None and not body.hole)]


def _carried(scene: Scene, root: LiveBody, t: int) -> Iterator[LiveBody]:
    """A body and everything attached to it at an instant, which may be in the past."""
    if t >= scene.world.now:
        yield from scene.world.subtree(root)
        return
    for body in scene.world.bodies.values():
        above: LiveBody | None = body
        while above is not None and above is not root:
            above = above.segment(t).parent
        if above is root and body.exists(t):
            yield body


def _presses(
    model: SensorModel, scene: Scene, attached: list[LiveBody], t: int, ignore: Set[LiveBody]
) -> Iterator[tuple[LiveBody, Load]]:
    for a, b, distance in scene.clearances(attached, 0.0, t, ignore):
        if distance >= 0.0:
            continue
        near = scene.closest(a, b, t)
        yield b, _spring(model.stiffness, near, scene.contacts(a, b, t))


def _pad(
    model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody]
) -> Iterator[tuple[LiveBody, Load]]:
    for shape, place in model.probe.volumes(1.0):
        pad = Placed(shape, pose @ place)
        for touch in scene.inside(shape, pad.pose, t, ignore=ignore):
            near = closest(pad, scene.placed(touch.body, t))
            if near.distance < 0.0:
                yield touch.body, _spring(model.stiffness, near, contacts(pad, scene.placed(touch.body, t)))


def _spring(stiffness: float, near: Closest, points: list[ContactPoint]) -> Load:
    """The force on the first of two bodies, in the middle of their common face where they overlap most."""
    face = [
        each.point
        for each in points
        if each.depth >= -near.distance - _SAME and _along(each.normal, near.normal) > 1.0 - 1e-6
    ]
    push = stiffness * near.distance  # negative: the normal points into the other body, the force away from it
    x, y, z = near.normal
    return (push * x, push * y, push * z), _mean(face or [near.point_a, near.point_b])


def _weights(scene: Scene, attached: list[LiveBody], t: int) -> Iterator[Load]:
    for body in attached:
        if body.shape is not None:
            mass = scene.world.materials[body.material].density * body.shape.volume
            centre = scene.placed(body, t).pose.point(body.shape.centre_of_mass)
            yield (0.0, 0.0, -GRAVITY * mass), centre


def _sum(loads: Iterable[Load], pose: Pose) -> tuple[Vector, Vector]:
    """Force and torque about the sensor's origin, in the sensor's frame."""
    fx = fy = fz = tx = ty = tz = 0.0
    x, y, z = pose.position
    for (u, v, w), (px, py, pz) in loads:
        a, b, c = px - x, py - y, pz - z
        fx, fy, fz = fx + u, fy + v, fz + w
        tx, ty, tz = tx + b * w - c * v, ty + c * u - a * w, tz + a * v - b * u
    back = pose.inverse()
    return back.direction((fx, fy, fz)), back.direction((tx, ty, tz))


def _component(measures: str, force: Vector, torque: Vector) -> float:
    vector = torque if measures.startswith("t") else force
    if measures in ("force", "torque"):
        x, y, z = vector
        return math.sqrt(x * x + y * y + z * z)
    return vector[_COMPONENTS[measures[1]]]


def _mean(points: list[Vector]) -> Vector:
    x, y, z = (sum(point[k] for point in points) / len(points) for k in range(3))
    return (x, y, z)


def _along(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
