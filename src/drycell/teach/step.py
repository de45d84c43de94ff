"""Steps of a lesson, as values and as the format of its file: move, grip, wait, set a signal, remark.

A step is exactly one of these. Lengths, angles and times are SI here and have units in files.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Final, Literal

from drycell.errors import FieldError
from drycell.fields import Duration, JointValue, Measure, Name, NoLess, Plain, Position, Rpy, Scalar, Size
from drycell.spatial import Pose
from drycell.teach.surface import TaughtPoint
from drycell.units import deg, format_time, mm, s

STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}
Pace = Annotated[float, Measure(("speed", "ratio"), above=0.0)]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A move of the tool to a workpoint, of the arm to joint values, or of the tool straight back from where it is.

    ``to`` names a point of the lesson, or a workpoint or body of the cell; ``before`` stops short of it, back along its
    approach. A ``linear`` move goes straight, at a ``speed`` in m/s; another one as the joints like best, at a share of
    their speed. Without a speed it is the robot's own.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    to: Name | None = None
    joints: tuple[JointValue, ...] | None = None
    back: Size | None = None
    before: NoLess = 0.0
    linear: bool = False
    speed: Pace | None = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.to, self.joints, self.back)) != 1:
            raise FieldError("a move goes 'to' a point, to 'joints', or 'back': one of the three", hint="to: grasp")
        if self.before and self.to is None:
            raise FieldError("only a move to a point can stop before it", hint="leave 'before' out, or give 'to'")
        if self.joints is not None and self.linear:
            raise FieldError("joint values are no place to go straight to", hint="give 'to', or leave 'linear' out")
        dimension = getattr(self.speed, "dimension", None)
        straight = self.straight
        if dimension is not None and (dimension == "speed") != straight:
            example = "100 mm/s" if straight else "50 %"
            raise FieldError(
                f"a move {'in a straight line' if straight else 'of the joints'} has its speed as {example!r}",
                hint=f"write for example {example!r}",
            )
        if self.speed is not None and not straight and self.speed > 1.0:
            raise FieldError(f"the joints cannot go at {self.speed:g} times their speed", hint="give up to 100 %")

    @property
    def straight(self) -> bool:
        """Whether the tool goes in a straight line."""
        return self.linear or self.back is not None


@dataclass(frozen=True, kw_only=True)
class Until:
    """A wait until a signal has a value, at most for a time: then the program ends with an error."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    signal: Name
    value: Plain = True
    timeout: Duration | None = None


@dataclass(frozen=True, kw_only=True)
class Assign:
    """A signal set to a value; with a ``pulse`` it is on for that long, which is waited for, and off again."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    signal: Name
    value: Plain = True
    pulse: Duration | None = None


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: exactly one of its fields is given."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    move: Move | None = None
    grip: Literal["open", "close"] | None = None
    wait: Duration | None = None
    until: Until | None = None
    set: Assign | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if len(given) != 1:
            kinds = ", ".join(field.name for field in fields(self))
            raise FieldError(
                f"a step is one of {kinds}, but this is {' and '.join(given) or 'none of them'}",
                hint="write for example {grip: open}",
            )

    @property
    def kind(self) -> str:
        """Which of the fields is given."""
        return next(field.name for field in fields(self) if getattr(self, field.name) is not None)

    @property
    def text(self) -> str:
        """The step in words, as lists show it."""
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


@dataclass(frozen=True, kw_only=True)
class PointSpec:
    """A taught point as a file has it: the same as a workpoint of a cell file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    on: Name | None = None
    at: Position = (0.0, 0.0, 0.0)
    rpy: Rpy = (0.0, 0.0, 0.0)

    def point(self, name: str) -> TaughtPoint:
        """The point itself."""
        return TaughtPoint(name, self.on, Pose.of_rpy(*self.rpy, at=self.at))

    @classmethod
    def of(cls, point: TaughtPoint) -> "PointSpec":
        """What a file says of a point."""
        x, y, z = (round(value, 9) + 0.0 for value in point.local.position)
        roll, pitch, yaw = (round(value / deg, 10) * deg + 0.0 for value in point.local.rpy)
        return cls(on=point.on, at=(x, y, z), rpy=(roll, pitch, yaw))


def _move_text(move: Move) -> str:
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


def _joint(value: JointValue) -> str:
    if value.dimension == "length":
        return _length(value.value)
    return f"{round(math.degrees(value.value), 1) + 0.0:g}°"


def _length(metres: float) -> str:
    return f"{round(metres / mm, 3) + 0.0:g} mm"


def _value(value: Scalar) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
