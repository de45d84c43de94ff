"""Which part of a kind an arm can pick, and where a part stands at a place of a pattern."""

import math
from typing import Final

from drycell.base import Pose, ProgramError, Vector, format_length
from drycell.handling import PatternPlace
from drycell.world import FOREVER, LiveBody, PartTracking, World, rests_from

_FITS: Final = 1e-3  # metres: a part may be this much larger than its place


def parts_of_kind(
    world: World, tracking: PartTracking, kind: str, on: LiveBody | None
) -> tuple[list[LiveBody], list[str]]:
    """The parts of a kind that can be picked, and why each other one cannot.

    A part can be picked if no gripper holds it, it is at rest, nothing lies on it, and it is not on a pallet or in a
    store already. With ``on``, it must rest on that body, or on parts that do.

    Args:
        world: The world.
        tracking: Knows the kinds of parts, and what keeps them.
        kind: The kind.
        on: The body that it must rest on, if any.
    """
    found, not_found = [], []
    for part in world.bodies.values():
        if not part.part or part.shape is None or part.gone != FOREVER or tracking.kind_named(part) != kind:
            continue
        below, why, kept = _carriers(part), None, tracking.kept_by(part)
        if any(each.part and each.shape is not None for each in part.children):
            why = "something lies on it"
        elif below and below[-1].grips:
            why = f"{below[-1].name!r} holds it"
        elif rests_from(part) > world.now:
            why = "it moves"
        elif on is not None and on not in below:
            why = f"it is not on {on.name!r}"
        elif on is None and kept:
            why = f"it is on {kept!r}"
        if why is None:
            found.append(part)
        else:
            not_found.append(f"{part.name}: {why}")
    return found, not_found


def _carriers(part: LiveBody) -> list[LiveBody]:
    """What a part rests on, and the parts below it, down to the first body that is not a part."""
    found: list[LiveBody] = []
    body = part.parent
    while body is not None:
        found.append(body)
        if not body.part:
            break
        body = body.parent
    return found


def place_pose(world: World, place: PatternPlace, box: Vector, name: str) -> Pose:
    """The pose of the top of a part (z down, x along its length) that stands at a place.

    Args:
        world: The world.
        place: The place.
        box: The length, width and height of the part.
        name: The name of the part, for errors.

    Raises:
        ProgramError: The part is larger than its place.
    """
    length, width, height = place.size
    along = max(length, width), min(length, width)
    if box[0] > along[0] + _FITS or box[1] > along[1] + _FITS or abs(box[2] - height) > _FITS:
        sizes = [" × ".join(format_length(each) for each in size) for size in (box, place.size)]
        raise ProgramError(
            f"{name!r} with {sizes[0]} does not fit {place.name}, which is for {sizes[1]} ({place.part!r})",
            hint="pick the kind that the place is for, arm.pick(place.part), or change the layers of the pattern",
        )
    top = world.pose(place).moved(z=box[2] - height)
    return top if length >= width else top @ Pose.turn_z(math.pi / 2)
