"""Steps of a lesson, and their format in files: move, grip, wait, set a signal, comment.

A step is exactly one of these. Lengths, angles and times are in SI units here, and have units in files.
"""

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated, Literal

from drycell.base import (
    Amount,
    Duration,
    Measure,
    Name,
    NoLess,
    PlainValue,
    Pose,
    Position,
    Problem,
    Rpy,
    Scalar,
    Size,
    Thing,
    deg,
    format_time,
    mm,
    s,
)
from drycell.teach.surface import TaughtPoint

Pace = Annotated[float, Measure(("speed", "ratio"), above=0.0)]
Joint = Annotated[float, Measure(("angle", "length"))]


class LessonMove(Thing):
    """A move of the tool to a point, of the arm to joint values, or straight back along the tool."""

    to: Name | None = None
    """Point of the lesson, or workpoint or body of the cell, to move the tool to."""
    joints: tuple[Joint, ...] | None = None
    """Joint values to move to: an angle for a revolute joint, a length for a prismatic one."""
    back: Size | None = None
    """Distance to move straight back along the tool."""
    before: NoLess = 0.0
    """Distance before the point at which to stop, back along its approach."""
    linear: bool = False
    """Whether the tool moves in a straight line; otherwise the joints take their own path."""
    speed: Pace | None = None
    """Speed of the tool in a straight line, or fraction of the joints' speed; by default the robot's own."""

    def problems(self) -> Iterator[Problem]:
        """Check that the move has exactly one goal, and a speed that matches it."""
        if sum(each is not None for each in (self.to, self.joints, self.back)) != 1:
            what = "a move needs exactly one of 'to', 'joints' and 'back'"
            yield Problem((), what, "to: grasp")
            return
        if self.before and self.to is None:
            yield Problem((), "only a move to a point can stop before it", "remove 'before', or give 'to'")
        if self.joints is not None and self.linear:
            what = "a linear move needs a point, not joint values"
            yield Problem((), what, "give 'to', or remove 'linear'")
        dimension = self.speed.dimension if isinstance(self.speed, Amount) else None
        straight = self.straight
        if dimension is not None and (dimension == "speed") != straight:
            example = "100 mm/s" if straight else "50 %"
            what = f"a move {'in a straight line' if straight else 'of the joints'} needs a speed such as {example!r}"
            yield Problem((), what, f"write {example!r}")
        elif self.speed is not None and not straight and self.speed > 1.0:
            yield Problem((), f"the joints cannot move at {self.speed:g} times their speed", "give at most 100 %")

    def as_written(self) -> "LessonMove":
        """Return a copy whose speed has its dimension, for a file."""
        if self.speed is None:
            return self
        return self.changed(speed=Amount(self.speed, "speed" if self.straight else "ratio"))

    @property
    def straight(self) -> bool:
        """Whether the tool moves in a straight line."""
        return self.linear or self.back is not None


class LessonUntil(Thing):
    """A wait until a signal has a value."""

    signal: Name
    """Signal to wait for."""
    value: PlainValue = True
    """Value to wait for."""
    timeout: Duration | None = None
    """Longest wait; when it expires, the program ends with an error."""


class LessonAssign(Thing):
    """A signal set to a value."""

    signal: Name
    """Signal to set."""
    value: PlainValue = True
    """Value to set it to."""
    pulse: Duration | None = None
    """Time for which it is on; the program waits for that time, then turns it off."""


class LessonStep(Thing):
    """One step: exactly one of its fields is given."""

    move: LessonMove | None = None
    """Move the arm."""
    grip: Literal["open", "close"] | None = None
    """Open or close the gripper."""
    wait: Duration | None = None
    """Wait for a time."""
    until: LessonUntil | None = None
    """Wait for a signal."""
    set: LessonAssign | None = None
    """Set a signal."""
    comment: str | None = None
    """A comment."""

    def problems(self) -> Iterator[Problem]:
        """Check that the step has exactly one field."""
        names = [field.name for field in fields(self)]
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            what = f"a step is one of {', '.join(names)}, but this is {' and '.join(given) or 'none of them'}"
            yield Problem((), what, "write a step such as {grip: open}")

    @property
    def kind(self) -> str:
        """Name of the field that is given."""
        return next(iter(self.given))

    @property
    def text(self) -> str:
        """The step in words, as shown in lists."""
        if self.move is not None:
            return _move_text(self.move)
        if self.grip is not None:
            return "open the gripper" if self.grip == "open" else "close the gripper"
        if self.wait is not None:
            return f"wait {format_time(self.wait)}"
        if self.until is not None:
            most = f", at most {format_time(self.until.timeout)}" if self.until.timeout is not None else ""
            return f"wait until {self.until.signal} is {_value(self.until.value)}{most}"
        if self.set is not None:
            if self.set.pulse is not None:
                return f"pulse {self.set.signal} for {format_time(self.set.pulse)}"
            return f"set {self.set.signal} {_value(self.set.value)}"
        return f"# {self.comment}"


class PointSpec(Thing):
    """A taught point in a file, in the format of a cell file's workpoints."""

    on: Name | None = None
    """Body that the point is attached to; by default the world."""
    at: Position = (0.0, 0.0, 0.0)
    """Position in the frame of the body."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Orientation as roll, pitch and yaw in the frame of the body."""

    def point(self, name: str) -> TaughtPoint:
        """Return the point with a name."""
        roll, pitch, yaw = self.rpy
        return TaughtPoint(name, self.on, Pose.of_rpy(roll, pitch, yaw, at=self.at))

    @classmethod
    def of(cls, point: TaughtPoint) -> "PointSpec":
        """Return a point in the form of its file."""
        x, y, z = (round(value, 9) + 0.0 for value in point.local.position)
        roll, pitch, yaw = (round(value / deg, 10) * deg + 0.0 for value in point.local.rpy)
        return cls(on=point.on, at=(x, y, z), rpy=(roll, pitch, yaw))


def _move_text(move: LessonMove) -> str:
    verb = "straight" if move.straight else "move"
    if move.back is not None:
        place = f"back {_length(move.back)}"
    elif move.to is not None:
        place = f"to {move.to}" if not move.before else f"to {_length(move.before)} before {move.to}"
    else:
        values = ", ".join(_joint(value) for value in move.joints or ())
        place = f"joints to {values}"
    speed = ""
    if move.speed is not None:
        speed = f" at {move.speed / (mm / s):g} mm/s" if move.straight else f" at {move.speed * 100:g} %"
    return f"{verb} {place}{speed}"


def _joint(value: float) -> str:
    if isinstance(value, Amount) and value.dimension == "length":
        return _length(value)
    return f"{round(math.degrees(value), 1) + 0.0:g}°"


def _length(metres: float) -> str:
    return f"{round(metres / mm, 3) + 0.0:g} mm"


def _value(value: Scalar) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
