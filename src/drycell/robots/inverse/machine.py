"""Machines with linear axes, solved in closed form: gantries, measuring machines, box frames, SCARAs."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.base import Array, Pose
from drycell.robots.inverse.screws import EXACT, Miss, Screws, WristAxes, across, angle_about, elbow_angles, rotation
from drycell.robots.inverse.solver import Candidates
from drycell.robots.solution import Names

_TURN_TOLERANCE: Final = 1e-7  # maximum deviation of an orientation from what the axes can reach, rad
_SHIFT_TOLERANCE: Final = 1e-9  # maximum deviation of a position from what the slides can reach, m


class Gantry:
    """Up to three perpendicular linear axes, then up to three rotary axes, each perpendicular to the next."""

    def __init__(self, screws: Screws) -> None:
        self.screws = screws
        self._slides = [k for k, kind in enumerate(screws.kinds) if kind == "P"]
        self._turns = [k for k, kind in enumerate(screws.kinds) if kind == "R"]
        self.names: Names = (("wrist", ("noflip", "flip")),) if len(self._turns) == 3 else ()
        if len(self._turns) == 3:
            first, second, third = (screws.axes[k] for k in self._turns)
            self._wrist = WristAxes(first, second, third)

    @staticmethod
    def fits(screws: Screws) -> bool:
        """Whether the axes are of this kind."""
        kinds = screws.kinds
        slides, turns = kinds.count("P"), kinds.count("R")
        if kinds != "P" * slides + "R" * turns or not 1 <= slides <= 3 or turns > 3:
            return False
        square = all(screws.square(i, j) for i in range(slides) for j in range(i))
        return square and all(screws.square(k, k + 1) for k in range(slides, slides + turns - 1))

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        if not self.names:
            return ()
        return (math.sin(joints[self.screws.joints[self._turns[1]]] + self._wrist.lean),)

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        motion = pose @ self.screws.flange.inverse()
        for angles, straight in self._orient(found, motion.rotation, near):
            # The effect of the rotary axes on the flange position is known; the linear axes do the rest.
            place, at = self.screws.flange.translation, pose.translation
            for k, angle in reversed(list(zip(self._turns, angles, strict=True))):
                place = self.screws.points[k] + rotation(self.screws.axes[k], angle) @ (place - self.screws.points[k])
            rest = at - place
            row = list(near)
            for k in self._slides:
                row[self.screws.joints[k]] = float(self.screws.axes[k] @ rest)
                rest = rest - self.screws.axes[k] * float(self.screws.axes[k] @ rest)
            off = math.sqrt(float(rest @ rest))
            if off > _SHIFT_TOLERANCE:
                found.miss("off", off)
                continue
            for k, angle in zip(self._turns, angles, strict=True):
                row[self.screws.joints[k]] = angle
            found.add(row, 1 if straight else 0)
            found.free = self.screws.joints[self._turns[0]] if straight else found.free
        return found

    def _orient(self, found: Candidates, wanted: Array, near: Sequence[float]) -> list[tuple[tuple[float, ...], bool]]:
        """The angles of the rotary axes for a rotation, as close as they can reach."""
        axes = [self.screws.axes[k] for k in self._turns]
        if len(axes) == 3:
            keep = near[self.screws.joints[self._turns[0]]]
            (k, _, _), (m, n, o), (r, s, t) = (self._wrist.inner @ wanted @ self._wrist.outer).tolist()
            return [((a, b, c), straight) for a, b, c, straight in self._wrist.angles(k, m, n, o, r, s, t, keep)]
        angles: tuple[float, ...] = ()
        left = wanted
        if len(axes) == 2:
            angles = (angle_about(axes[0], axes[1], wanted @ axes[1]),)
            left = rotation(axes[0], -angles[0]) @ wanted
        if axes:
            flat = across(axes[-1])
            angles = (*angles, angle_about(axes[-1], flat, left @ flat))
            left = rotation(axes[-1], -angles[-1]) @ left
        tilt = turn_size(left)
        if tilt > _TURN_TOLERANCE:
            found.miss("orientation", tilt)
            return []
        return [(angles, False)]


class Scara:
    """A SCARA: three rotary axes and a linear one, all parallel. Two bars in a plane, the height, and the hand."""

    names: Names = (("elbow", ("left", "right")),)

    def __init__(self, screws: Screws) -> None:
        self.screws = screws
        self._slide = screws.kinds.index("P")
        first, second, last = (k for k, kind in enumerate(screws.kinds) if kind == "R")
        self._turns = (first, second, last)
        self._axis = screws.axes[first]
        p = screws.points
        self._upper, self._fore = p[second] - p[first], p[last] - p[second]
        self._straight = angle_about(self._axis, self._upper, self._fore)
        # Directions in the plane of the bars: any x, and y a quarter turn from it.
        self._x = across(self._axis)
        self._y = np.cross(self._axis, self._x)
        self._upper_length, self._fore_length = (math.hypot(*self._flat(bar)) for bar in (self._upper, self._fore))
        self._ahead = math.atan2(*self._flat(self._upper)[::-1])
        self._sense = [math.copysign(1.0, float(self._axis @ axis)) for axis in screws.axes]

    @staticmethod
    def fits(screws: Screws) -> bool:
        """Whether the axes are of this kind."""
        if sorted(screws.kinds) != list("PRRR") or not all(screws.parallel(0, k) for k in range(1, 4)):
            return False
        turns = [k for k, kind in enumerate(screws.kinds) if kind == "R"]
        bars = (screws.points[b] - screws.points[a] for a, b in pairwise(turns))
        axis = screws.axes[turns[0]]
        return all(float(np.linalg.norm(np.cross(axis, bar))) > EXACT for bar in bars)

    def _flat(self, vector: Array) -> tuple[float, float]:
        return float(self._x @ vector), float(self._y @ vector)

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        second = self._turns[1]
        bend = math.sin(joints[self.screws.joints[second]] * self._sense[second] + self._straight)
        return (bend if self._axis[2] >= 0.0 else -bend,)

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        screws, axis = self.screws, self._axis
        motion = pose @ screws.flange.inverse()
        yaw = angle_about(axis, self._x, motion.rotation @ self._x)
        tilt = turn_size(rotation(axis, -yaw) @ motion.rotation)
        if tilt > _TURN_TOLERANCE:
            found.miss("orientation", tilt)
            return found
        first, second, last = self._turns
        hand = np.array(motion.point(screws.points[last].tolist())) - screws.points[first]
        angles = elbow_angles(self._upper_length, self._fore_length, *self._flat(hand))
        if isinstance(angles, Miss):
            found.miss("too far" if angles.amount > 0.0 else "too near", abs(angles.amount))
            return found
        lift = float(screws.axes[self._slide] @ (hand - self._upper - self._fore))
        for direction, bend, stretched in angles:
            shoulder, elbow = direction - self._ahead, bend - self._straight
            row = list(near)
            row[screws.joints[self._slide]] = lift
            for k, angle in ((first, shoulder), (second, elbow), (last, yaw - shoulder - elbow)):
                row[screws.joints[k]] = angle * self._sense[k]
            found.add(row, 1 if stretched else 0)
        return found


def turn_size(matrix: Array) -> float:
    """The angle of a rotation, also exact for small angles."""
    skew = (matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1])
    return math.atan2(math.hypot(*skew) / 2.0, (float(np.trace(matrix)) - 1.0) / 2.0)
