"""Motion pieces: how a body moves over an interval, in the simplest form that is exact.

It stands or moves at constant velocity (linear), it sits rigidly on a link of a mechanism whose base stands, or it does
neither.
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
    """Constant velocity in the world: at ``pose`` until ``start``, moving until ``end``. It holds from ``since`` on."""

    pose: Pose
    velocity: Vector = (0.0, 0.0, 0.0)
    start: int = 0
    end: int = 0
    since: int = ALWAYS

    def stands(self, lo: int, hi: int) -> bool:
        """Whether it is at rest all the time from ``lo`` to ``hi``."""
        return hi <= self.start or lo >= self.end or not any(self.velocity)

    def at(self, t: int) -> Pose:
        """Where it is at an instant."""
        return self.pose.moved(*self.shift(t))

    def shift(self, t: int) -> Vector:
        """How far it has gone by an instant."""
        u = (min(max(t, self.start), self.end) - self.start) * SECOND
        x, y, z = self.velocity
        return (x * u, y * u, z * u)


@dataclass(frozen=True, slots=True)
class OnLink:
    """Rigidly on a link of a mechanism whose base stands still."""

    linkage: Linkage
    link: int
    offset: Pose  # of the body, seen from the link
    base: Pose  # of the mechanism's base, in the world


@dataclass(frozen=True, slots=True)
class MotionPiece:
    """What a body does during ``lo`` ≤ t < ``hi``, and what carries it then. ``path`` None is any other motion."""

    body: LiveBody
    lo: int
    hi: int
    lineage: tuple[LiveBody, ...]
    path: Linear | OnLink | None


def changed(body: LiveBody) -> int:
    """When the body, or what carries it, last got another segment."""
    return max(segment.start for segment in chain(body))


def segment_starts(body: LiveBody, t0: int, t1: int) -> set[int]:
    """The instants in ``t0`` < t < ``t1`` at which the body, or what carries it, got another segment."""
    found = set()
    for segment in body.segments(t0, t1):
        if t0 < segment.start < t1:
            found.add(segment.start)
        if segment.parent is not None:
            found |= segment_starts(segment.parent, t0, t1)
    return found


def motion_pieces(body: LiveBody, t0: int, t1: int) -> list[MotionPiece]:
    """All that a body does during ``t0`` ≤ t < ``t1``, as far as it exists then."""
    t0, t1 = max(t0, body.born), min(t1, body.gone)
    if t1 <= t0:
        return []
    times = [t0, *sorted(segment_starts(body, t0, t1) | _joint_moves(body, t0, t1)), t1]
    return [_piece(body, lo, hi) for lo, hi in pairwise(times)]


def _joint_moves(body: LiveBody, t0: int, t1: int) -> set[int]:
    """When mechanisms that other mechanisms carry begin and end to move.

    In between, a finger of a gripper sits as rigidly on the arm as the palm does.
    """
    motions = [segment.motion for each in lineage(body, t0) for segment in each.segments(t0, t1)]
    linkages = list(dict.fromkeys(motion.linkage for motion in motions if isinstance(motion, LinkMotion)))
    return {
        t
        for linkage in linkages[:-1]  # all but the one that stands in the world
        for trajectory in linkage.trajectories(t0, t1)
        for t in (trajectory.start, trajectory.end)
        if t0 < t < t1
    }


def _piece(body: LiveBody, lo: int, hi: int) -> MotionPiece:
    return MotionPiece(body, lo, hi, lineage(body, lo), _path(chain(body, lo), lo, hi))


def _path(segments: list[Segment], lo: int, hi: int) -> Linear | OnLink | None:
    """Below the one motion in the chain, and above it, everything must stand still."""
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
    """How a body goes on from its last change, if it stands or moves at constant velocity until something changes."""
    segments = chain(body)
    if any(not isinstance(segment.motion, (Rest, Travel)) for segment in segments):
        return None
    since = max(segment.start for segment in segments)
    path = _path(segments, since, FOREVER)
    return Linear(path.pose, path.velocity, path.start, path.end, since) if isinstance(path, Linear) else None


def rests_from(body: LiveBody) -> int:
    """From when on a body, and all that carries it, stays where it is unless something changes."""
    latest = ALWAYS
    for segment in chain(body):
        motion = segment.motion
        end = motion.linkage.history.values[-1].end if isinstance(motion, LinkMotion) else motion.end
        latest = max(latest, segment.start, ALWAYS if isinstance(motion, Rest) else end)
    return latest


def teleported(world: "World", body: LiveBody, t: int) -> bool:
    """Whether a change of segment at an instant put the body elsewhere at once, rather than took it where it was."""
    history = body.history
    if t not in history.times[max(history.count(t) - 1, 0) : history.count(t)]:
        return False
    before = history.count(t - 1) - 1
    if before < 0:
        return True
    segment = history.values[before]
    left = segment.motion.pose(t)
    if segment.parent is not None:
        # What carried it may have left the cell at that very instant.
        left = world.pose(segment.parent, min(t, segment.parent.gone - 1)) @ left
    metres, radians = left.distance_to(world.pose(body, t))
    return metres > 1e-6 or radians > 1e-6
