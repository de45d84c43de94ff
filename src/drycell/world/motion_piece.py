"""Motion pieces: the motion of a body over an interval, in the simplest form that is exact.

A body is at rest or has constant velocity (linear), is fixed to a link of a mechanism whose base is at rest, or moves
in another way.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from drycell.base import IDENTITY, Pose, Vector
from drycell.world.body import LiveBody, Segment, chain, lineage
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.motion import ALWAYS, FOREVER, SECOND, Motion, Rest, Travel

if TYPE_CHECKING:
    from drycell.world.world import World


@dataclass(frozen=True, slots=True)
class Linear:
    """Constant velocity in the world: at ``pose`` until ``start``, moving until ``end``. Valid from ``since``."""

    pose: Pose
    velocity: Vector = (0.0, 0.0, 0.0)
    start: int = 0
    end: int = 0
    since: int = ALWAYS

    def stands(self, lo: int, hi: int) -> bool:
        """Whether it is at rest from ``lo`` to ``hi``."""
        return hi <= self.start or lo >= self.end or not any(self.velocity)

    def at(self, t: int) -> Pose:
        """The pose at an instant."""
        return self.pose.moved(*self.shift(t))

    def shift(self, t: int) -> Vector:
        """The displacement at an instant."""
        u = (min(max(t, self.start), self.end) - self.start) * SECOND
        x, y, z = self.velocity
        return (x * u, y * u, z * u)


@dataclass(frozen=True, slots=True)
class OnLink:
    """Fixed to a link of a mechanism whose base is at rest."""

    linkage: Linkage
    link: int
    offset: Pose  # pose of the body relative to the link
    base: Pose  # pose of the mechanism's base in the world


@dataclass(frozen=True, slots=True)
class MotionPiece:
    """The motion and carriers of a body during ``lo`` ≤ t < ``hi``. ``path`` is None for any other motion."""

    body: LiveBody
    lo: int
    hi: int
    lineage: tuple[LiveBody, ...]
    path: Linear | OnLink | None


def changed(body: LiveBody) -> int:
    """The last change of the body or its carriers."""
    return max(segment.start for segment in chain(body))


def segment_starts(body: LiveBody, t0: int, t1: int) -> set[int]:
    """The changes of the body or its carriers in ``t0`` < t < ``t1``."""
    found = set()
    for segment, lo, hi in body.spans(t0, t1):
        if t0 < segment.start < t1:
            found.add(segment.start)
        if segment.parent is not None:
            found |= segment_starts(segment.parent, lo, hi)
    return found


def motion_pieces(body: LiveBody, t0: int, t1: int) -> list[MotionPiece]:
    """The motion of a body during ``t0`` ≤ t < ``t1``, as far as the body exists then."""
    t0, t1 = max(t0, body.born), min(t1, body.gone)
    if t1 <= t0:
        return []
    times = [t0, *sorted(segment_starts(body, t0, t1) | _joint_moves(body, t0, t1)), t1]
    return [_piece(body, lo, hi) for lo, hi in pairwise(times)]


def _joint_moves(body: LiveBody, t0: int, t1: int) -> set[int]:
    """The starts and ends of motions of mechanisms that are carried by other mechanisms.

    In between, a finger of a gripper is fixed to the arm like the palm.
    """
    motions = [segment.motion for each in lineage(body, t0) for segment in each.segments(t0, t1)]
    linkages = list(dict.fromkeys(motion.linkage for motion in motions if isinstance(motion, LinkMotion)))
    return {
        t
        for linkage in linkages[:-1]  # without the mechanism that is fixed to the world
        for trajectory in linkage.trajectories(t0, t1)
        for t in (trajectory.start, trajectory.end)
        if t0 < t < t1
    }


def _piece(body: LiveBody, lo: int, hi: int) -> MotionPiece:
    return MotionPiece(body, lo, hi, lineage(body, lo), _path(chain(body, lo), lo, hi))


def _path(segments: list[Segment], lo: int, hi: int) -> Linear | OnLink | None:
    """The path, if everything in the chain except one motion is at rest."""
    below = above = IDENTITY
    moving: Motion | None = None
    for segment in segments:
        motion = segment.motion
        if _still(motion, lo, hi):
            if moving is None:
                below = motion.pose(lo) @ below
            else:
                above = motion.pose(lo) @ above
        elif moving is None and isinstance(motion, (Travel, LinkMotion)):
            moving = motion
        else:
            return None
    if moving is None:
        return Linear(below, since=lo)
    if isinstance(moving, LinkMotion):
        return OnLink(moving.linkage, moving.index, below, above)
    if isinstance(moving, Travel):
        return Linear(above @ moving.first @ below, above.direction(moving.velocity), moving.start, moving.end, lo)
    return None


def _still(motion: Motion, lo: int, hi: int) -> bool:
    if isinstance(motion, Rest):
        return True
    if isinstance(motion, LinkMotion):
        held = motion.linkage.trajectories(lo, hi - 1)
        return len(held) == 1 and (held[0].end <= lo or held[0].start >= hi)
    return motion.end <= lo or motion.start >= hi


def linear_motion(body: LiveBody) -> Linear | None:
    """The motion of a body since its last change, if it is at rest or has constant velocity; None otherwise."""
    segments = chain(body)
    if any(not isinstance(segment.motion, (Rest, Travel)) for segment in segments):
        return None
    since = max(segment.start for segment in segments)
    path = _path(segments, since, FOREVER)
    return Linear(path.pose, path.velocity, path.start, path.end, since) if isinstance(path, Linear) else None


def rests_from(body: LiveBody) -> int:
    """The time from which a body and its carriers are at rest, unless something changes."""
    latest = ALWAYS
    for segment in chain(body):
        motion = segment.motion
        end = motion.linkage.history.values[-1].end if isinstance(motion, LinkMotion) else motion.end
        latest = max(latest, segment.start, ALWAYS if isinstance(motion, Rest) else end)
    return latest


def teleported(world: "World", body: LiveBody, t: int) -> bool:
    """Whether a change at an instant made the body jump to another pose."""
    history = body.history
    if t not in history.times[max(history.count(t) - 1, 0) : history.count(t)]:
        return False
    before = history.count(t - 1) - 1
    if before < 0:
        return True
    segment = history.values[before]
    left = segment.motion.pose(t)
    if segment.parent is not None:
        # Its carrier may have left the cell at the same instant.
        left = world.pose(segment.parent, min(t, segment.parent.gone - 1)) @ left
    metres, radians = left.distance_to(world.pose(body, t))
    return metres > 1e-6 or radians > 1e-6
