"""How closing jaws turn a part: until one of its edges is flush with a jaw, or until friction wedges it.

The jaws are two parallel faces that approach each other along x. Seen along the tool, the part is a convex outline.
While it turns, it touches both jaws, so the gap between them is a function of its angle: the width of the outline. It
turns in the sense that narrows the gap, as far as the next minimum of the width. There an edge is flush with a jaw.

Two contacts hold a part without turning it if the line between them is within both friction cones (V.-D. Nguyen,
"Constructing force-closure grasps", 1988). For two corners between wide jaws this means that the angle between that
line and the jaw axis is at most atan µ.

The part slides on its support and turns about a vertical axis through its middle; it does not slide along the jaws.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from drycell.base import MotionError

Point = tuple[float, float]
Range = tuple[float, float]

FLUSH: Final = math.radians(0.05)
"""An edge that is closer than this to a jaw counts as flush."""
ROUND: Final = 0.01
"""An outline whose width grows by less than this fraction between two edges is round there: it does not turn."""
_PROBE: Final = 1e-5  # radians: the width a little further on shows in which sense it narrows
_STEP: Final = math.radians(0.5)  # between the angles at which wedging is looked for
_SAME: Final = 1e-9  # metres
_HALVINGS: Final = 60


@dataclass(frozen=True, slots=True)
class JawContact:
    """What a jaw touches: its distance from the middle along x, the range of y, and the contact normal's angle."""

    distance: float
    across: Range
    normal: float = 0.0


@dataclass(frozen=True, slots=True)
class PartTurn:
    """How a part turns between closing jaws.

    ``angle`` is signed, in radians about the jaws' z axis; ``narrowing`` is how much the gap closes meanwhile, in
    metres. It ends flush with a jaw, or wedged by friction. ``between`` is the angle between the line through both
    contacts and their normals, at the start.
    """

    squeeze: "Squeeze"
    angle: float
    narrowing: float
    wedged: bool
    between: float

    def at(self, narrowing: float) -> float:
        """The angle at which the gap has narrowed by a distance in metres (bisected exactly)."""
        if narrowing >= self.narrowing:
            return self.angle
        wide, low, high = self.squeeze.width(0.0), 0.0, self.angle
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if wide - self.squeeze.width(middle) <= narrowing else (low, middle)
        return low

    def shift(self, angle: float) -> float:
        """How far the middle of the part moves along x, in metres, so that it still touches both jaws at an angle."""
        one, two = self.squeeze.contacts(angle)
        first, second = self.squeeze.contacts(0.0)
        return 0.5 * ((two.distance - one.distance) - (second.distance - first.distance))


@dataclass(frozen=True)
class Squeeze:
    """A convex outline between two jaws.

    >>> from math import degrees
    >>> from drycell.handling import Squeeze
    >>> square = Squeeze(((0.02, 0.0), (0.0, 0.02), (-0.02, 0.0), (0.0, -0.02)), (-1.0, 1.0), (-1.0, 1.0))
    >>> round(square.width(0.0), 6), round(square.width(0.7853981634), 6)
    (0.04, 0.028284)

    Args:
        outline: Its corners (x, y), counter-clockwise, in metres, relative to the point that it turns about.
        one: The range of y that the jaw at +x covers.
        two: The range of y that the jaw at −x covers.

    Raises:
        MotionError: The outline has fewer than three corners, or is not counter-clockwise and convex.
    """

    outline: tuple[Point, ...]
    one: Range
    two: Range

    def __post_init__(self) -> None:
        corners = self.outline
        if len(corners) < 3:
            raise MotionError(f"an outline needs at least three corners, not {len(corners)}")
        for (a, b), (c, d), (e, f) in zip(corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True):
            if (c - a) * (f - d) - (d - b) * (e - c) < -1e-12:
                raise MotionError(
                    f"the outline turns right at ({c:g}, {d:g})", hint="give its corners counter-clockwise, and convex"
                )

    def contacts(self, angle: float) -> tuple[JawContact, JawContact]:
        """What the two jaws touch first when the outline is turned by an angle in radians."""
        c, s = math.cos(angle), math.sin(angle)
        turned = [(c * x - s * y, s * x + c * y) for x, y in self.outline]
        low, high = self.two
        return _farthest(turned, self.one), _farthest([(-x, -y) for x, y in turned], (-high, -low))

    def width(self, angle: float) -> float:
        """The gap at which both jaws touch the outline when it is turned by an angle; −∞ if one misses it."""
        one, two = self.contacts(angle)
        return one.distance + two.distance

    def between(self, angle: float) -> float:
        """The largest angle between the line through both contacts and their normals: above atan µ, the part turns."""
        one, two = self.contacts(angle)
        # The second contact is seen turned by 180°. Where an edge is flush, the best of its points counts.
        (a, b), (c, d) = one.across, (-two.across[1], -two.across[0])
        apart = max(a - d, 0.0) + min(b - c, 0.0)
        line = math.atan2(apart, one.distance + two.distance)
        return max(abs(line - one.normal), abs(line - two.normal))

    def turn(self, friction: float) -> PartTurn | None:
        """How closing jaws turn the outline from the angle 0; None if it is flush with them, or round.

        Args:
            friction: The coefficient of friction between the part and the jaws.

        Raises:
            MotionError: The friction is negative.
        """
        if not friction >= 0.0:
            raise MotionError(
                f"friction must be 0 or more, not {friction:g}", hint="a dry metal has about 0.4, rubber 0.8"
            )
        wide = self.width(0.0)
        if math.isinf(wide):
            return None
        ahead, behind = self.width(_PROBE), self.width(-_PROBE)
        if min(ahead, behind) >= wide:
            return None  # flush
        sense = 1.0 if ahead < behind else -1.0
        limit, between = math.atan(friction), self.between(0.0)
        end, least = self._minimum(sense)
        if abs(end) < FLUSH or self._round(sense, end, least):
            return None
        if between <= limit or (ahead == behind and ahead < wide):
            return PartTurn(self, 0.0, 0.0, wedged=True, between=between)
        last = 0.0
        for angle in self._steps(sense, end):
            if abs(angle) < abs(end) - FLUSH and self.between(angle) <= limit:
                low, high = last, angle
                for _ in range(_HALVINGS):
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if self.between(middle) <= limit else (middle, high)
                return PartTurn(self, high, wide - self.width(high), wedged=True, between=between)
            last = angle
        return PartTurn(self, end, wide - least, wedged=False, between=between)

    # ---------------------------------------------------------------- inside

    @cached_property
    def _edges(self) -> tuple[float, ...]:
        """The angles of the normals of all edges."""
        corners = self.outline
        return tuple(
            math.atan2(a - c, d - b)
            for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True)
            if math.hypot(c - a, d - b) > _SAME
        )

    def _steps(self, sense: float, end: float) -> list[float]:
        """Angles from 0 to an end, in order: all at which an edge is flush with a jaw, and some between them."""
        flush = {sense * math.fmod(math.fmod(-sense * edge, math.pi) + math.pi, math.pi) for edge in self._edges}
        count = math.ceil(abs(end) / _STEP)
        between = {end * k / count for k in range(1, count + 1)} if count else set[float]()
        return sorted((each for each in flush | between if 0.0 < abs(each) <= abs(end)), key=abs)

    def _minimum(self, sense: float) -> tuple[float, float]:
        """The angle of the next minimum of the width, and that width."""
        angle, width = 0.0, self.width(0.0)
        for each in self._steps(sense, sense * math.pi):
            found = self.width(each)
            if found > width:
                break
            angle, width = each, found
        return angle, width

    def _round(self, sense: float, end: float, least: float) -> bool:
        """Whether the width hardly grows on one side of a minimum, as between two edges of a round part's outline."""
        for start, way in ((end, sense), (0.0, -sense)):
            highest = self.width(start)
            for each in self._steps(way, way * math.pi):
                found = self.width(start + each)
                if found < highest - _SAME:
                    break
                highest = max(highest, found)
            if highest - least < ROUND * least:
                return True
        return False


def _farthest(corners: Sequence[Point], within: Range) -> JawContact:
    """The farthest points of an outline along x whose y is within a range."""
    low, high = within
    found: list[tuple[float, float, float]] = []  # x, y, and the angle of the contact normal
    for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if low <= b <= high:
            found.append((a, b, 0.0))
        for edge in within:
            if (b < edge < d) or (d < edge < b):  # the end of the jaw touches the side of the part
                found.append((a + (edge - b) / (d - b) * (c - a), edge, math.atan2(a - c, d - b)))
    if not found:
        return JawContact(-math.inf, (0.0, 0.0))
    best = max(x for x, _, _ in found)
    touched = [each for each in found if each[0] > best - _SAME]
    across = min(y for _, y, _ in touched), max(y for _, y, _ in touched)
    return JawContact(best, across, min((tilt for _, _, tilt in touched), key=abs))
