"""Arms with a waist, a shoulder and an elbow, solved in closed form with their singularities.

Three kinds, recognised by their axes at joint zero (1 is the waist, perpendicular to 2; 2 and 3 are parallel):

* :class:`WristArm`: axes 4, 5, 6 meet in the wrist's centre, each upright to the next (PUMA 560, most industrial arms);
* :class:`OffsetArm`: axes 2, 3, 4 are parallel, 5 is upright to 4 and 6 to 5, 5 and 6 meet (Universal Robots);
* :class:`PitchRollArm`: axes 2, 3, 4 are parallel, 5 is upright to 4 and is the last (SCORBOT): position, pitch, roll.

Rules at singularities. Wrist: joint 4 keeps its value and joint 6 takes the rest (on an OffsetArm 6 keeps its value, as
4 is needed with 2 and 3). Shoulder (the wrist on the waist's axis): the waist keeps its angle. Elbow: the two ways meet
in one, the stretched or the folded arm.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector, mm
from drycell.robots.inverse.screws import Miss, Screws, angle_about, elbow_angles, rotation, waist_angles, wrist_angles
from drycell.robots.inverse.solver import Candidates
from drycell.robots.solution import Names, OutOfReach, Reach, Reason

# A 5-axis arm takes a full pose if its roll axis misses the arm's plane by no more than this.
_YAW_TOLERANCE = 1e-7

_SHOULDER, _ELBOW, _WRIST, _ALL = 1, 2, 4, 7  # bits of the questions


# For joints and a mask of questions: the number of their configuration, and how far any other way is at least.
Judge = Callable[[Sequence[float], int], tuple[int, float]]


class ElbowArm:
    """What the three kinds share: the waist, the two bars, and the signs that distinguish the configurations."""

    lean: float | None = None  # the angle of joint 5 at which axes 4 and 6 fall into line is minus this

    def __init__(self, screws: Screws, centre: Array, bars: Sequence[Array]) -> None:
        self.screws, self.centre = screws, centre
        self.axis, self.side = screws.axes[0], screws.axes[1]
        self.offset = float(self.side @ (centre - screws.points[0]))
        # Axes 3 and 4 may point the other way than 2; all angles here are about 2's direction.
        self._sense = [1.0] * len(screws.axes)
        for k in range(2, 2 + len(bars) - 1):
            self._sense[k] = math.copysign(1.0, float(self.side @ screws.axes[k]))
        forward = np.cross(self.side, self.axis)
        # How far the centre is in front, as a sum over bars of length · cos(angle − phase): see `signs`.
        self._start = float(forward @ (screws.points[1] - screws.points[0]))
        self._bars = []
        for bar in bars:
            f, a = float(forward @ bar), float(self.axis @ bar)
            self._bars.append((math.hypot(f, a), math.atan2(a, f)))
        self._straight = angle_about(self.side, bars[0], bars[1])
        if abs(self.offset) > 1e-9:
            # The arm is to the right of its shoulder as it faces the wrist, or to the left.
            self.facing = -math.copysign(1.0, self.offset)
            shoulder = ("right", "left")
        else:
            # It faces the wrist with the waist turned to it, or reaches over backwards; +x is the front at waist zero.
            lead = float(forward[0]) if abs(forward[0]) > 1e-6 else float(forward[1])
            self.facing = math.copysign(1.0, lead)
            shoulder = ("front", "back")
        self.names: Names = (("shoulder", shoulder), ("elbow", ("up", "down")))

    def judge(self, speeds: Sequence[float], margin: float) -> Judge:
        """A quick function of joints and a mask: the number of their configuration, and how far other ways are.

        The number is −1 within ``margin`` of a singularity. The distance, in seconds of joint travel, is a lower bound
        that follows from this solution alone: the other shoulder turns the waist by twice the angle of (front, offset);
        the other elbow bends by twice its sine at least, and swings the shoulder by twice the sine of the angle beside
        it in the triangle of the bars; the other wrist turns joint 6 half round. Questions in the mask are taken as
        answered and left out.
        """
        cos, sin, atan2, inf = math.cos, math.sin, math.atan2, math.inf
        second, third, fourth = self.screws.joints[1:4]
        sense_3, sense_4 = self._sense[2:4]
        (upper, phase_2), (fore, phase_3), (hand, phase_4) = (*self._bars, (0.0, 0.0))[:3]
        start, facing, straight, offset = self._start, self.facing, self._straight, abs(self.offset)
        lean, fifth = self.lean, self.screws.joints[-2]
        slow_1, slow_6 = 2.0 / speeds[self.screws.joints[0]], math.pi / speeds[self.screws.joints[-1]]
        slow_3 = 2.0 / speeds[third] + 2.0 * fore / (upper + fore) / speeds[second]

        def judge(joints: Sequence[float], mask: int) -> tuple[int, float]:
            bent, angle = sense_3 * joints[third], joints[second]
            front = start + upper * cos(angle - phase_2) + fore * cos(angle + bent - phase_3)
            if hand:
                front += hand * cos(angle + bent + sense_4 * joints[fourth] - phase_4)
            bend = sin(bent + straight)
            flip = 1.0 if lean is None else sin(joints[fifth] + lean)
            if -margin < front < margin or -margin < bend < margin or -margin < flip < margin:
                return -1, 0.0
            bits = (front * facing < 0.0) | (front * bend < 0.0) << 1 | (flip < 0.0) << 2
            if mask == _ALL:
                return bits, inf
            gap = inf if lean is None or mask & _WRIST else slow_6
            if not mask & _SHOULDER:
                gap = min(gap, slow_1 * atan2(abs(front), offset))
            if not mask & _ELBOW:
                gap = min(gap, slow_3 * abs(bend))
            return bits, gap

        return judge

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        """Shoulder, elbow and wrist, as a signed length and sines (see configuration.py)."""
        places = self.screws.joints
        angle, front = 0.0, self._start
        for k, (length, phase) in enumerate(self._bars, 1):
            angle += self._sense[k] * joints[places[k]]
            front += length * math.cos(angle - phase)
        bend = math.sin(self._sense[2] * joints[places[2]] + self._straight)
        shoulder, elbow = front * self.facing, bend if front >= 0.0 else -bend
        return (shoulder, elbow) if self.lean is None else (shoulder, elbow, math.sin(joints[places[4]] + self.lean))

    def _waist(self, found: Candidates, point: Array, near: Sequence[float]) -> list[tuple[float, bool]]:
        """The waist angles for the target of the arm's centre."""
        arm = point - self.screws.points[0]
        angles = waist_angles(self.axis, self.side, arm, self.offset, near[self.screws.joints[0]])
        if isinstance(angles, Miss):
            found.miss("too near", -angles.amount)
            return []
        return angles

    def _elbow(self, found: Candidates, end: Array, target: Array) -> list[tuple[float, float, bool]]:
        """The shoulder and elbow angles that bring a point (at joint zero) to a target, the waist taken off."""
        _, shoulder, elbow = self.screws.points[:3]
        angles = elbow_angles(self.side, elbow - shoulder, end - elbow, target - shoulder)
        if isinstance(angles, Miss):
            reason: Reason = "too far" if angles.amount > 0.0 else "too near"
            found.miss(reason, abs(angles.amount))
            return []
        return angles

    def _unturned(self, angle: float, point: Array) -> Array:
        base = self.screws.points[0]
        turned: Array = base + rotation(self.axis, -angle) @ (point - base)
        return turned

    def _row(self, near: Sequence[float], angles: Sequence[float]) -> list[float]:
        row = list(near)
        for place, angle, sense in zip(self.screws.joints, angles, self._sense, strict=True):
            row[place] = sense * angle
        return row


class WristArm(ElbowArm):
    """Six axes, the last three meeting in the wrist's centre."""

    def __init__(self, screws: Screws, centre: Array) -> None:
        super().__init__(screws, centre, (screws.points[2] - screws.points[1], centre - screws.points[2]))
        self.names = (*self.names, ("wrist", ("noflip", "flip")))
        self._wrist = (screws.axes[3], screws.axes[4], screws.axes[5])
        self.lean = angle_about(screws.axes[4], screws.axes[3], screws.axes[5])

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        motion = pose @ self.screws.flange.inverse()
        point, turned = np.array(motion.point(self.centre.tolist())), motion.rotation
        for waist, on_axis in self._waist(found, point, near):
            target = self._unturned(waist, point)
            for shoulder, elbow, stretched in self._elbow(found, self.centre, target):
                wanted = rotation(self.side, -shoulder - elbow) @ rotation(self.axis, -waist) @ turned
                for q4, q5, q6, straight in wrist_angles(self._wrist, wanted, near[self.screws.joints[3]]):
                    found.free = self.screws.joints[3] if straight else found.free
                    loose = _SHOULDER * on_axis | _ELBOW * stretched | _WRIST * straight
                    found.add(self._row(near, (waist, shoulder, elbow, q4, q5, q6)), loose)
        return found


class OffsetArm(ElbowArm):
    """Six axes, 2, 3 and 4 parallel, 5 and 6 meeting."""

    def __init__(self, screws: Screws, centre: Array) -> None:
        p = screws.points
        super().__init__(screws, centre, (p[2] - p[1], p[3] - p[2], centre - p[3]))
        self.names = (*self.names, ("wrist", ("noflip", "flip")))
        self._wrist = (screws.axes[1], screws.axes[4], screws.axes[5])
        self.lean = angle_about(screws.axes[4], screws.axes[1], screws.axes[5])

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        motion = pose @ self.screws.flange.inverse()
        point, turned = np.array(motion.point(self.centre.tolist())), motion.rotation
        end = self.screws.points[3]
        for waist, on_axis in self._waist(found, point, near):
            wanted = rotation(self.axis, -waist) @ turned
            place = self._unturned(waist, point)
            keep = near[self.screws.joints[5]]
            for pitch, q5, q6, straight in wrist_angles(self._wrist, wanted, keep, keep_first=False):
                found.free = self.screws.joints[5] if straight else found.free
                # The centre is turned about joint 4 by the sum of 2, 3 and 4 alone, as 5 and 6 pass through it.
                target = place - rotation(self.side, pitch) @ (self.centre - end)
                for shoulder, elbow, stretched in self._elbow(found, end, target):
                    q4 = pitch - shoulder - elbow
                    loose = _SHOULDER * on_axis | _ELBOW * stretched | _WRIST * straight
                    found.add(self._row(near, (waist, shoulder, elbow, q4, q5, q6)), loose)
        return found


class PitchRollArm(ElbowArm):
    """Five axes: a full pose fits only if its roll axis lies in the arm's plane."""

    def __init__(self, screws: Screws) -> None:
        p = screws.points
        # Any point of the roll axis will do as the centre; the one abreast of the flange makes pitch moves read well.
        roll = screws.axes[4]
        centre = p[4] + roll * float(roll @ (screws.flange.translation - p[4]))
        super().__init__(screws, centre, (p[2] - p[1], p[3] - p[2], centre - p[3]))
        self.roll = roll

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        motion = pose @ self.screws.flange.inverse()
        point, turned = np.array(motion.point(self.centre.tolist())), motion.rotation
        end = self.screws.points[3]
        for waist, on_axis in self._waist(found, point, near):
            wanted = rotation(self.axis, -waist) @ turned
            out = wanted @ self.roll
            yaw = abs(math.asin(min(max(float(self.side @ out), -1.0), 1.0)))
            if yaw > _YAW_TOLERANCE:
                found.miss("orientation", yaw)
                continue
            pitch = angle_about(self.side, self.roll, out)
            left = rotation(self.side, -pitch) @ wanted
            q5 = angle_about(self.roll, self.side, left @ self.side)
            target = self._unturned(waist, point) - rotation(self.side, pitch) @ (self.centre - end)
            for shoulder, elbow, stretched in self._elbow(found, end, target):
                loose = _SHOULDER * on_axis | _ELBOW * stretched
                found.add(self._row(near, (waist, shoulder, elbow, pitch - shoulder - elbow, q5)), loose)
        return found


def pose_at(robot: str, arm: PitchRollArm, position: Vector, pitch: float, roll: float, tool: Pose | None) -> Pose:
    """The flange pose, of an arm that faces the position, which puts the tool there with a pitch and a roll."""
    tool = IDENTITY if tool is None else tool
    screws = arm.screws
    # At joint zero the roll axis points out at some pitch; turned about the side axis by `tilt` it has the wanted one.
    forward = np.cross(arm.side, arm.axis) * arm.facing
    at_zero = math.atan2(float(arm.axis @ arm.roll), float(forward @ arm.roll))
    tilt = -(pitch - at_zero) * arm.facing
    turned = rotation(arm.side, tilt) @ rotation(arm.roll, roll) @ screws.flange.rotation
    # A tool beside the roll axis stands beside the arm's plane; the waist turns the arm so that the tool is in place.
    centre = screws.flange.inverse().point(arm.centre.tolist())  # a point of the arm's plane, in the flange frame
    beside = np.array(tool.position) - np.array(centre)
    offset = arm.offset + float(arm.side @ (turned @ beside))
    away = np.array(position) - screws.points[0]
    angles = waist_angles(arm.axis, arm.side, away, offset, 0.0)
    if isinstance(angles, Miss):
        by = -angles.amount
        text = f"the tool is {abs(offset) / mm:.1f} mm beside the arm, too close to the base by {by / mm:.1f} mm"
        raise OutOfReach(robot, None, Reach("too near", text, by, hint="move the target away from the base"))
    waist = angles[0 if arm.facing > 0.0 else -1][0]
    flange = rotation(arm.axis, waist) @ turned
    at = np.array(position) - flange @ np.array(tool.position)
    return Pose.of(flange, at)
