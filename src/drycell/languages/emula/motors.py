"""Motors by number or name, and the units of lengths and angles in programs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import UnknownName, deg, inch, m, mm, rad
from drycell.languages.emula.values import Value, described
from drycell.languages.kit import StatementError
from drycell.robots import Joint

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation

LENGTHS: Final = {"inch": inch, "in": inch, "mm": mm, "cm": 10 * mm, "m": m}
ANGLES: Final = {"deg": deg, "rad": rad}


@dataclass(frozen=True, slots=True)
class ProgramUnits:
    """The units of lengths and angles in a program."""

    length_name: str = "inch"
    angle_name: str = "deg"

    @property
    def length(self) -> float:
        """The unit of length in metres."""
        return LENGTHS[self.length_name]

    @property
    def angle(self) -> float:
        """The unit of angle in radians."""
        return ANGLES[self.angle_name]

    def with_unit(self, name: str) -> "ProgramUnits":
        """These units with another unit of length or angle."""
        folded = name.lower()
        if folded in LENGTHS:
            return ProgramUnits(folded, self.angle_name)
        if folded in ANGLES:
            return ProgramUnits(self.length_name, folded)
        raise UnknownName("unit", name, [*LENGTHS, *ANGLES])

    def __str__(self) -> str:
        return f"lengths in {self.length_name}, angles in {self.angle_name}"


AXES: Final = ("x", "y", "z")
ROLL: Final = "roll"
GRIPPER: Final = "gripper"
"""The motors of the paper's robot that its verbs move. Other robots use their TCP and the gripper on the flange."""


class Motors:
    """The motors of the emulated robot, in the order of its family."""

    def __init__(self, emulation: "Emulation") -> None:
        self._emulation = emulation

    @property
    def names(self) -> list[str]:
        """The names of the motors; the first is motor 1."""
        return list(self._emulation.motors)

    def constants(self) -> dict[str, Value]:
        """The constants of programs: the numbers of motors by name, ARM (all motors except the gripper) and others."""
        numbers: dict[str, Value] = {name.lower(): number for number, name in enumerate(self.names, 1)}
        arm = tuple(number for number, name in enumerate(self.names, 1) if name != self.gripper)
        known: dict[str, Value] = {"pi": math.pi, "true": 1, "false": 0, "arm": arm}
        return known | numbers

    def chosen(self, value: Value) -> list[str]:
        """The motors of a value: a number, a name, or an aggregate of them."""
        found = [self._one(each) for each in (value if isinstance(value, tuple) else (value,))]
        if not found:
            raise StatementError("no motors are named", f"motors are {self._listed()}")
        twice = next((name for name in found if found.count(name) > 1), None)
        if twice is not None:
            raise StatementError(f"motor {twice} is named twice")
        return found

    def _one(self, value: Value) -> str:
        names = self.names
        if isinstance(value, int) and 1 <= value <= len(names):
            return names[value - 1]
        if isinstance(value, str):
            for name in names:
                if name.lower() == value.lower():
                    return name
            raise UnknownName("motor", value, names)
        raise StatementError(f"{described(value)} is not a motor", f"motors are {self._listed()}")

    def _listed(self) -> str:
        return ", ".join(f"{number} {name}" for number, name in enumerate(self.names, 1))

    @property
    def axes(self) -> tuple[str, str, str] | None:
        """The motors that move the hand along x, y and z; None if no motors have these names."""
        x, y, z = (self._named(axis) for axis in AXES)
        return None if x is None or y is None or z is None else (x, y, z)

    @property
    def roll(self) -> str:
        """The motor that turns the hand about its axis: the one of this name, or the one that turns the flange."""
        if (named := self._named(ROLL)) is not None:
            return named
        mechanism = self._emulation.robot.mechanism
        link = mechanism.flange.link
        drives = [each for each in mechanism.links[link].drives if each.kind == "revolute"] if link >= 0 else []
        if len(drives) != 1:
            raise UnknownName("motor", ROLL, self.names)
        return self.names[drives[0].joint]

    @property
    def gripper(self) -> str | None:
        """The motor that moves the fingers: the one of this name, or the one that shifts links on the hand."""
        if (named := self._named(GRIPPER)) is not None:
            return named
        mechanism = self._emulation.robot.mechanism
        hand = mechanism.flange.link
        drives = [each for link in mechanism.links if link.parent == hand >= 0 for each in link.drives]
        fingers = sorted({each.joint for each in drives if each.kind == "prismatic"})
        return self.names[fingers[0]] if len(fingers) == 1 else None

    def _named(self, name: str) -> str | None:
        return next((each for each in self.names if each.lower() == name), None)

    def factor(self, name: str, units: ProgramUnits) -> float:
        """The program's unit for this motor in SI units."""
        return units.angle if self._joint(name).revolute else units.length

    def limits(self, name: str) -> tuple[float, float]:
        """The lower and upper limit of a motor, in SI units."""
        joint = self._joint(name)
        return joint.lower, joint.upper

    def check(self, targets: Mapping[str, float], units: ProgramUnits) -> None:
        """Check targets, in SI units, against the limits; the message is in the units of the program."""
        for name, target in targets.items():
            lower, upper = self.limits(name)
            if not lower <= target <= upper:
                factor = self.factor(name, units)
                unit = units.angle_name if self._joint(name).revolute else units.length_name
                now = self._emulation.motors[name]
                low, value, high, here = (_plain(each / factor) for each in (lower, target, upper, now))
                raise StatementError(
                    f"{name.upper()} is beyond its limit: {value} {unit} is not between {low} and {high} {unit}",
                    f"keep {name.upper()} within {low}..{high}; it is at {here} now",
                )

    def hand(self, units: ProgramUnits) -> str:
        """The position of the hand now, seen from the robot's base, as text: ``X -2.000 Y 10.000 Z 3.000``."""
        place = self._emulation.hand_position
        return " ".join(
            f"{axis.upper()} {_plain(value / units.length)}" for axis, value in zip(AXES, place, strict=True)
        )

    def jaws(self, units: ProgramUnits) -> str:
        """The gap of the gripper now and what it holds, as text: ``GAP 0.945, holding block``."""
        gripper = self._emulation.robot.fingers
        load = ", ".join(body.name for body in gripper.load)
        return f"GAP {_plain(gripper.gap / units.length)}" + (f", holding {load}" if load else "")

    def shown(self, names: Sequence[str], units: ProgramUnits) -> str:
        """The values of motors now, as text: ``X -2.000 Y 10.000``."""
        now = self._emulation.motors
        return " ".join(f"{name.upper()} {_plain(now[name] / self.factor(name, units))}" for name in names)

    def _joint(self, name: str) -> Joint:
        joints = self._emulation.robot.mechanism.joints
        return joints[self.names.index(name)]


def _plain(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"
