"""The results of inverse kinematics: a solution with its configuration, or the reason why there is none.

A configuration distinguishes the solutions for one pose (shoulder, elbow, wrist). Each configuration question has two
answers, given by the sign of a function of the joints. The function is zero only where the two solutions are equal, so
an arm cannot leave its configuration without passing a singularity:

* shoulder: the wrist (the flange, on a 5-axis arm) is in front of the waist axis, as seen from the arm, or behind it;
* elbow: the elbow is above the line from shoulder to wrist, or below it;
* wrist: the sine of joint 5 is positive (``noflip``) or negative (``flip``);
* on a SCARA, elbow: the outer arm is bent to the left or to the right, seen from above.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from drycell.base import MotionError, UnknownName

Names = tuple[tuple[str, tuple[str, str]], ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One answer to every question, such as shoulder=right, elbow=up, wrist=noflip."""

    sides: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sides)

    def __str__(self) -> str:
        return ", ".join(f"{question}={side}" for question, side in self.sides)

    def __getitem__(self, question: str) -> str:
        for asked, side in self.sides:
            if asked == question:
                return side
        raise UnknownName("configuration question", question, [asked for asked, _ in self.sides])

    def only(self, *questions: str) -> "Configuration":
        """The answers to some of the questions."""
        return Configuration(tuple(pair for pair in self.sides if pair[0] in questions))


# How a caller can restrict the choice: "elbow=up", {"elbow": "up"}, a Configuration, or None.
Choice = str | Mapping[str, str] | Configuration | None


class Questions:
    """The configuration questions of one mechanism. A configuration has a number: bit k is set for the second answer
    to question k."""

    def __init__(self, owner: str, names: Names) -> None:
        self.owner, self.names = owner, names
        self.configurations = tuple(
            Configuration(tuple((question, sides[bits >> k & 1]) for k, (question, sides) in enumerate(names)))
            for bits in range(1 << len(names))
        )
        self._read: dict[str | Configuration, tuple[int, int]] = {}

    def wanted(self, choice: Choice) -> tuple[int, int]:
        """A choice as (mask, bits): a configuration fits if its masked bits are equal to these."""
        try:
            return self._read[choice]  # type: ignore[index]
        except (KeyError, TypeError):  # not cached yet, or a mapping
            key = Configuration(tuple(choice.items())) if isinstance(choice, Mapping) else choice
            found = self._parse(str(key)) if key else (0, 0)
        if key is not None:
            self._read[key] = found
        return found

    def asked(self, choice: Choice) -> tuple[tuple[str, str], ...]:
        """The answers that a choice asks for."""
        mask, bits = self.wanted(choice)
        return tuple(
            (question, sides[bits >> k & 1]) for k, (question, sides) in enumerate(self.names) if mask >> k & 1
        )

    def bits(self, signs: Sequence[float]) -> int:
        """The number of a configuration from the sign of each question's function."""
        return sum(1 << k for k, sign in enumerate(signs) if sign < 0.0)

    def _parse(self, text: str) -> tuple[int, int]:
        mask = bits = 0
        known = {question: (k, sides) for k, (question, sides) in enumerate(self.names)}
        for part in text.split(","):
            question, equals, side = (piece.strip() for piece in part.partition("="))
            if not equals:
                raise MotionError(f"{part.strip()!r} is not a configuration", hint="write for example 'elbow=up'")
            if question not in known:
                raise UnknownName(f"configuration question of {self.owner}", question, known)
            k, sides = known[question]
            if side not in sides:
                raise UnknownName(f"{question} configuration of {self.owner}", side, sides)
            mask |= 1 << k
            bits |= sides.index(side) << k
        return mask, bits


class Solution(NamedTuple):
    """Joint values for a pose, verified by forward kinematics."""

    joints: tuple[float, ...]
    configuration: Configuration
    travel: float  # joint travel at full speed from the ``near`` joints, in seconds, summed over the joints
    singular: tuple[str, ...] = ()  # questions without an answer, such as ("wrist",) at the wrist singularity


Reason = Literal["reachable", "too far", "too near", "orientation", "off", "limit", "configuration", "not found"]


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a pose can be reached: ``bool(reach)``. If not, ``text`` is the reason.

    ``amount`` is by how much: metres if too far, too near or off; radians for an orientation that does not fit;
    radians or metres past the limit of ``joint``.
    """

    reason: Reason
    text: str
    amount: float = 0.0
    joint: str | None = None
    hint: str | None = None
    configurations: tuple[Configuration, ...] = ()  # those that reach it within the limits

    def __bool__(self) -> bool:
        return self.reason == "reachable"


class OutOfReach(MotionError):
    """A pose cannot be reached; ``reach`` has the reason."""

    def __init__(self, robot: str, target: str | None, reach: Reach) -> None:
        place = "the pose" if target is None else repr(target)
        super().__init__(f"{robot} cannot reach {place}: {reach.text}", hint=reach.hint)
        self.reach = reach
