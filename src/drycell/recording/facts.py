"""What there is to say of a body, a segment or a trajectory, fact by fact: what two runs are compared by."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from drycell.base import Pose
from drycell.world import Fall, JointTrajectory, LinkMotion, LiveBody, Sampled, Segment, Travel

Fact = tuple[str, object]  # what it is about, and the value

_AXES = ("x", "y", "z")
_PLACES = {3: "x in m", 7: "y in m", 11: "z in m"}


def body_facts(body: LiveBody) -> Iterator[Fact]:
    """What a body is."""
    yield "born at, in µs", body.born
    yield "shape", None if body.shape is None else body.shape.key
    yield "material", body.material
    yield "part", body.part
    yield "hole", body.hole


def segment_facts(segment: Segment) -> Iterator[Fact]:
    """How a body moves from an instant on."""
    motion = segment.motion
    yield "start in µs", segment.start
    yield "attached to", "the world" if segment.parent is None else segment.parent.name
    yield "motion", type(motion).__name__
    if isinstance(motion, LinkMotion):
        yield "moves with", f"{motion.linkage.name}, link {motion.index}"
    elif isinstance(motion, Sampled):
        yield "number of samples", len(motion.times)
        for place, (time, pose) in enumerate(zip(motion.times, motion.poses, strict=True)):
            yield f"time of sample {place} in µs", time
            yield from _pose_facts(pose, f" of sample {place}")
    elif isinstance(motion, Travel | Fall):
        yield "motion's start in µs", motion.start
        yield "motion's end in µs", motion.end
        yield from _pose_facts(motion.first, "")
        for axis, value in zip(_AXES, motion.velocity, strict=True):
            yield f"velocity {axis} in m/s", value
        if isinstance(motion, Fall):
            for axis, value in zip(_AXES, motion.gravity, strict=True):
                yield f"gravity {axis} in m/s²", value
    else:
        yield from _pose_facts(motion.pose(segment.start), "")


def trajectory_facts(trajectory: JointTrajectory) -> Iterator[Fact]:
    """How the joints move."""
    yield "start in µs", trajectory.start
    yield "number of pieces", len(trajectory.breaks) - 1
    for place, value in enumerate(trajectory.breaks.tolist()):
        yield f"break {place} in s", value
    for piece, powers in enumerate(trajectory.coefficients.tolist()):
        for power, joints in enumerate(powers):
            for joint, value in enumerate(joints):
                yield f"coefficient {power} of joint {joint} in piece {piece}", value
    yield "end in µs", trajectory.end


def row_facts(row: tuple[int, object]) -> Iterator[Fact]:
    """What a row of a track says: its time and its value, field by field."""
    yield "time in µs", row[0]
    value = row[1]
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield each.name.replace("_", " "), getattr(value, each.name)
    elif isinstance(value, tuple):
        for name, each in zip(getattr(value, "_fields", ("value",) * len(value)), value, strict=True):
            yield str(name), each
    else:
        yield "value", value


def _pose_facts(pose: Pose, of: str) -> Iterator[Fact]:
    for place, value in enumerate(pose.rows):
        yield _PLACES.get(place, f"rotation, entry {place}") + of, value
