"""What inverse kinematics answers: a solution and its configuration, or the reason why there is none.

A configuration names the way an arm takes to a pose (shoulder, elbow, wrist). Every question has two sides, given by
the sign of one function of the joints that is zero only where the two ways meet, so that an arm cannot leave its
configuration without passing a singularity:

* shoulder: the wrist (the flange, on a 5-axis arm) is in front of the waist axis, as the arm sees it, or behind it;
* elbow: the elbow lies above the line from shoulder to wrist, or below it;
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
    """One side of every question, such as shoulder=right, elbow=up, wrist=noflip."""

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


# What a caller may give to narrow the choice: "elbow=up", {"elbow": "up"}, a Configuration, or nothing.
Choice = str | Mapping[str, str] | Configuration | None


class Questions:
    """The configuration questions of one mechanism, numbered: bit k set means the second name of question k."""

    def __init__(self, owner: str, names: Names) -> None:
        self.owner, self.names = owner, names
        self.configurations = tuple(
            Configuration(tuple((question, sides[bits >> k & 1]) for k, (question, sides) in enumerate(names)))
            for bits in range(1 << len(names))
        )
        self._read: dict[str | Configuration, tuple[int, int]] = {}

    def wanted(self, choice: Choice) -> tuple[int, int]:
        """A choice as (mask, bits): a configuration fits if its bits under the mask are these."""
        try:
            return self._read[choice]  # type: ignore[index]
        except (KeyError, TypeError):  # not read before, or a mapping
            key = Configuration(tuple(choice.items())) if isinstance(choice, Mapping) else choice
            found = self._parse(str(key)) if key else (0, 0)
        if key is not None:
            self._read[key] = found
        return found

    def bits(self, signs: Sequence[float]) -> int:
        """The number of a configuration from the sign of each question's function."""
        return sum(1 << k for k, sign in enumerate(signs) if sign < 0.0)

    def _parse(self, text: str) -> tuple[int, int]:
        mask = bits = 0
        known = {question: (k, sides) for k, (question, sides) in enumerate(self.names)}
        for part in text.split(","):
            question, equals, side = (piece.strip() for piece in part.partition("="))
            if not equals:
                raise MotionError(f"{part.strip()!r} is no configuration", hint="write for example 'elbow=up'")
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
    travel: float  # seconds of joint travel at full speed from where it was asked near to, summed over the joints
    singular: tuple[str, ...] = ()  # questions that have no answer here, such as ("wrist",) at the wrist singularity


Reason = Literal["reachable", "too far", "too near", "orientation", "off", "limit", "configuration", "not found"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The verdict on a pose. ``bool(reach)`` is whether it can be reached; otherwise ``text`` says why not.

    ``amount`` says by how much: metres if too far, too near or off; radians for an orientation that does not fit;
    radians or metres past the limit of ``joint``.
    """

    reason: Reason
    text: str
    amount: float = 0.0
    joint: str | None = None
    hint: str | None = None
    configurations: tuple[Configuration, ...] = ()  # that reach it, within limits

    def __bool__(self) -> bool:
        return self.reason == "reachable"


class OutOfReach(MotionError):
    """A pose that cannot be reached; ``reach`` holds the verdict."""

    def __init__(self, robot: str, target: str | None, reach: Reach) -> None:
        place = "the pose" if target is None else repr(target)
        super().__init__(f"{robot} cannot reach {place}: {reach.text}", hint=reach.hint)
        self.reach = reach
