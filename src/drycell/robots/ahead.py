"""What carries a robot, and the world as it will be when external axes have moved."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from drycell.base import IDENTITY, Pose, deg, mm
from drycell.robots.arm import Arm
from drycell.robots.links import Joint
from drycell.robots.mechanism import Mechanism
from drycell.world import Linkage, LinkMotion, LiveBody, LiveWorkpoint, World, chain

_PLACES: Final = 64  # where an axis is tried, to find out how far it would have to go
_BISECTIONS: Final = 20


class Ahead:
    """The world as it will be when some mechanisms are at other joints, for targets of coordinated moves."""

    def __init__(self, world: World, joints: Mapping[Linkage, Sequence[float]]) -> None:
        self._world, self._poses = world, {each: each.kinematics.link_poses(at) for each, at in joints.items()}
        self.workpoints, self.bodies = world.workpoints, world.bodies

    def pose(self, what: LiveBody | LiveWorkpoint) -> Pose:
        """The pose of a body or workpoint in that world."""
        if isinstance(what, LiveWorkpoint):
            return what.local if what.body is None else self.pose(what.body) @ what.local
        pose = IDENTITY
        for segment in chain(what):
            motion = segment.motion
            if isinstance(motion, LinkMotion) and motion.linkage in self._poses:
                pose = self._poses[motion.linkage][motion.index] @ pose
            else:
                pose = motion.pose(self._world.now) @ pose
        return pose


def carriers(body: LiveBody) -> list[tuple[Linkage, int]]:
    """The mechanisms that carry a body now, nearest first, each with the number of the link that it is on."""
    motions = (segment.motion for segment in chain(body))
    return [(each.linkage, each.index) for each in motions if isinstance(each, LinkMotion)]


def farther(
    arm: Arm, base: LiveBody, target: Pose, world: World, known: Mapping[Linkage, Sequence[float]]
) -> str | None:
    """How far an axis that carries the arm has to go so that it reaches a target in the world; None if none helps.

    Args:
        arm: The arm.
        base: Its base.
        target: The pose of the TCP in the world.
        world: The world.
        known: Where mechanisms will be when the arm arrives; the others are where they are now.
    """
    for linkage, _ in carriers(base):
        mechanism = linkage.kinematics
        if not isinstance(mechanism, Mechanism):
            continue
        now = list(known.get(linkage) or linkage.joints())
        for number, joint in enumerate(mechanism.joints):

            def reaches(value: float) -> bool:
                at = [*now[:number], value, *now[number + 1 :]]  # noqa: B023, called only in this pass
                pose = Ahead(world, {**known, linkage: at}).pose(base).inverse() @ target  # noqa: B023
                return bool(arm.mechanism.reach(arm.flange(pose)))

            value = _nearest(reaches, now[number], joint)
            if value is not None:
                unit = deg if joint.revolute else mm
                there = [*now[:number], value, *now[number + 1 :]]
                each = [
                    f"{one / (deg if other.revolute else mm):.6g}*{'deg' if other.revolute else 'mm'}"
                    for one, other in zip(there, mechanism.joints, strict=True)
                ]
                axes = each[0] if len(each) == 1 else f"({', '.join(each)})"
                return (
                    f"move {linkage.name}/{joint.name} to {value / unit:.1f} {joint.unit} "
                    f"(now {now[number] / unit:.1f} {joint.unit}), for example with axes={{{linkage.name}: {axes}}}"
                )
    return None


def _nearest(reaches: Callable[[float], bool], now: float, joint: Joint) -> float | None:
    """The value of a joint nearest to its present one at which a test holds, a little inside; None if there is none."""
    lower, upper = (joint.lower, joint.upper) if joint.upper < math.inf else (now - math.pi, now + math.pi)
    unit = deg if joint.revolute else mm
    found: list[float] = []
    for end in (lower, upper):
        bad = now
        for step in range(1, _PLACES + 1):
            good = now + (end - now) * step / _PLACES
            if not reaches(good):
                bad = good
                continue
            for _ in range(_BISECTIONS):
                middle = 0.5 * (bad + good)
                bad, good = (bad, middle) if reaches(middle) else (middle, good)
            # The next whole millimetre or degree, as far as the axis goes.
            whole = (math.ceil(good / unit - 1e-6) if good > now else math.floor(good / unit + 1e-6)) * unit
            value = min(max(whole, lower), upper)
            found.append(value if reaches(value) else good)
            break
    return min(found, key=lambda value: abs(value - now), default=None)
