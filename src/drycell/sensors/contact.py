"""Contact: whether anything touches a pad."""

from collections.abc import Set

from drycell.base import Pose, WorldError
from drycell.sensors.model import SensorModel
from drycell.sensors.reading import Reading
from drycell.sensors.response import respond
from drycell.world import LiveBody, Scene


def touch(
    model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody], mount: LiveBody | None = None
) -> Reading:
    """On while something touches the sensor's volume or, if it has none, the shape of its own body."""
    seen: dict[LiveBody, None] = {}
    for shape, place in model.probe.volumes(1.0):
        for found in scene.inside(shape, pose @ place, t, ignore=ignore):
            seen[found.body] = None
    if not model.volumes:
        if mount is None or mount.shape is None:
            raise WorldError(
                f"contact sensor {model.name!r} has neither a volume nor a body that could be touched",
                hint="give it a volume, such as {box: [20 mm, 20 mm, 1 mm]}",
            )
        seen = {found.body: None for found in scene.touching(mount, t, ignore=ignore)}
    answer = respond(model, None, bool(seen))
    return Reading(model, answer.value, answer.on, seen=tuple(seen))
