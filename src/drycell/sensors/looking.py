"""Looking: what a sensor reads of the world at an instant, as a pure function of model, scene, place and time."""

from collections.abc import Iterable, Set

from drycell.base import Pose
from drycell.sensors.contact import touch
from drycell.sensors.force import feel
from drycell.sensors.model import SensorModel
from drycell.sensors.reading import Reading
from drycell.sensors.response import respond
from drycell.sensors.sounding import Sounding
from drycell.world import LiveBody, Scene


def look(
    model: SensorModel,
    scene: Scene,
    pose: Pose,
    t: int | None = None,
    ignore: Iterable[LiveBody] = (),
    *,
    mount: LiveBody | None = None,
    was_on: bool | None = None,
    thorough: bool = True,
) -> Reading:
    """What a sensor whose frame is at a pose reads at an instant (now, if none is given).

    ``mount`` is the sensor's own body, which force and contact sensors need: what hangs on it is felt, its shape is
    the pad. ``was_on`` is the last reading's ``on``, for hysteresis; None: there was none, and nothing was detected.
    Without ``thorough`` the volume is not searched for what trace-lines miss, which changes no value but leaves
    ``missed`` empty.
    """
    t = scene.world.now if t is None else t
    ignored = ignore if isinstance(ignore, Set) else frozenset(ignore)
    if mount is not None and mount not in ignored:
        ignored = ignored | {mount}
    if model.type == "force":
        return feel(model, scene, pose, t, ignored, mount, bool(was_on))
    if model.type == "contact":
        return touch(model, scene, pose, t, ignored, mount)
    holds = was_on is not None and _found(model, was_on)
    return _watch(model, Sounding(model, scene, pose, t, ignored, holds), bool(was_on), thorough)


def _watch(model: SensorModel, sounding: Sounding, was_on: bool, thorough: bool) -> Reading:
    lines = sounding.lines()
    met = [line.body for line in lines if line.body is not None]
    counted = [line.body for line in lines if line.measured is not None and line.body is not None]
    within = sounding.within(counted) if thorough or not lines else ()
    seen = tuple(dict.fromkeys((*counted, *within)))
    missed = tuple(body for body in within if body not in met) if lines else ()
    distance = min((line.measured for line in lines if line.measured is not None), default=None)
    if model.type == "range":
        answer = respond(model, distance, distance is not None, was_on)
        return Reading(model, answer.value, answer.on, distance, distance, lines, seen, missed)
    found = bool(counted) if lines else bool(seen)
    answer = respond(model, None, _switch(model, found))
    return Reading(model, answer.value, answer.on, None, distance, lines, seen, missed)


def _switch(model: SensorModel, found: bool) -> bool:
    """Whether a switch is on: a beam is on while light comes through, everything else while something is there."""
    lit = found if model.beam == "diffuse" else not found
    return lit != model.dark_on


def _found(model: SensorModel, on: bool) -> bool:
    """Whether a switch that is on, or off, has found something."""
    return on == _switch(model, True)
