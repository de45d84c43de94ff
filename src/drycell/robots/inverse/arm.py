"""Arms with a waist, a shoulder and an elbow, solved in closed form with their singularities.

Three kinds, recognised by their axes at joint zero (1 is the waist, perpendicular to 2; 2 and 3 are parallel):

* :class:`WristArm`: axes 4, 5, 6 meet in the wrist's centre, each perpendicular to the next (PUMA 560 and most
  industrial arms);
* :class:`OffsetArm`: axes 2, 3, 4 are parallel, 5 is perpendicular to 4 and 6 to 5, 5 and 6 meet (Universal Robots);
* :class:`PitchRollArm`: axes 2, 3, 4 are parallel, 5 is perpendicular to 4 and is the last (SCORBOT): position,
  pitch and roll.

Rules at singularities. Wrist: joint 4 keeps its value and joint 6 makes the rest of the turn (on an OffsetArm, 6 keeps
its value, as 4 is needed with 2 and 3). Shoulder (the wrist is on the waist's axis): the waist keeps its angle. Elbow:
both solutions are the same, the stretched or the folded arm.

All computations use plain floats in the frame of the arm at joint zero: x ahead, y along the shoulder's axis, z along
the waist's axis, with the origin on the waist's axis.
"""

import math
from collections.abc import Callable, Sequence
from math import atan2, cos, hypot, pi, sin

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector, mm
from drycell.robots.inverse.screws import Miss, Screws, WristAxes, angle_about, elbow_angles, rotation, waist_angles
from drycell.robots.inverse.solver import Candidates
from drycell.robots.kinematics import between
from drycell.robots.solution import Names, OutOfReach, Reach, Reason

# A 5-axis arm accepts a full pose if the roll axis misses the arm's plane by at most this.
_YAW_TOLERANCE = 1e-7

_SHOULDER, _ELBOW, _WRIST, _ALL = 1, 2, 4, 7  # bits of the configuration questions


# From joints and a mask of fixed questions to the number of the configuration, and the least travel to any other
# solution.
Judge = Callable[[Sequence[float], int], tuple[int, float]]


class ElbowArm:
    """The common part of the three kinds: the waist, the two bars, and the signs that give the configuration."""

    lean: float | None = None  # axes 4 and 6 are collinear at minus this angle of joint 5

    def __init__(self, screws: Screws, dof: int, centre: Array, bars: Sequence[Array], outer: Array) -> None:
        self._plain = screws.joints == tuple(range(dof))
        self.screws, self.centre = screws, centre
        self.axis, self.side = screws.axes[0], screws.axes[1]
        self.offset = float(self.side @ (centre - screws.points[0]))
        # Axes 3 and 4 may be opposite to 2; all angles here are about the direction of 2.
        self._sense = [1.0] * len(screws.axes)
        for k in range(2, 2 + len(bars) - 1):
            self._sense[k] = math.copysign(1.0, float(self.side @ screws.axes[k]))
        forward = np.cross(self.side, self.axis)
        self.frame = np.stack((forward, self.side, self.axis))
        # From a pose of the flange to three directions fixed on the last link, as columns, and the centre.
        self._seen = between(
            Pose.of(self.frame, -self.frame @ screws.points[0]),
            Pose.of(screws.flange.rotation.T @ outer, np.array(screws.flange.inverse().point(centre.tolist()))),
        )
        # How far the centre is in front, as a sum over bars of length · cos(angle − phase): see `signs`.
        self._start, _, self._height = (self.frame @ (screws.points[1] - screws.points[0])).tolist()
        self._bars = []
        for bar in bars:
            f, a = float(forward @ bar), float(self.axis @ bar)
            self._bars.append((hypot(f, a), atan2(a, f)))
        self._lengths = (self._bars[0][0], self._bars[1][0])
        self._phase, self._straight = self._bars[0][1], angle_about(self.side, bars[0], bars[1])
        if abs(self.offset) > 1e-9:
            # The arm is to the right of its shoulder as it faces the wrist, or to the left.
            self.facing = -math.copysign(1.0, self.offset)
            shoulder = ("right", "left")
        else:
            # The waist faces the wrist, or the arm reaches over backwards; +x is the front at waist zero.
            lead = float(forward[0]) if abs(forward[0]) > 1e-6 else float(forward[1])
            self.facing = math.copysign(1.0, lead)
            shoulder = ("front", "back")
        self.names: Names = (("shoulder", shoulder), ("elbow", ("up", "down")))

    def judge(self, speeds: Sequence[float], margin: float) -> Judge:
        """Make a fast function of joints and a mask that returns their configuration and the least travel to others.

        The number of the configuration is −1 within ``margin`` of a singularity. The distance, in seconds of joint
        travel, is a lower bound that follows from this solution alone: the other shoulder turns the waist by twice the
        angle of (front, offset); the other elbow bends by twice its sine at least, and swings the shoulder by twice the
        sine of the angle beside it in the triangle of the bars; the other wrist turns joint 6 by half a turn.
        Configuration questions in the mask are fixed and not considered.
        """
        inf = math.inf
        second, third, fourth = self.screws.joints[1:4]
        sense_3, sense_4 = self._sense[2:4]
        (upper, phase_2), (fore, phase_3), (hand, phase_4) = (*self._bars, (0.0, 0.0))[:3]
        start, facing, straight, offset = self._start, self.facing, self._straight, abs(self.offset)
        lean, fifth = self.lean, self.screws.joints[-2]
        slow_1, slow_6 = 2.0 / speeds[self.screws.joints[0]], pi / speeds[self.screws.joints[-1]]
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

    def candidates(self, pose: Pose, near: Sequence[float], only: int | None = None) -> Candidates:
        """All solutions for a pose, or ``only`` that of one configuration, by its number."""
        raise NotImplementedError

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        """Shoulder, elbow and wrist, as a signed length and sines (see solution.py)."""
        places = self.screws.joints
        angle, front = 0.0, self._start
        for k, (length, phase) in enumerate(self._bars, 1):
            angle += self._sense[k] * joints[places[k]]
            front += length * cos(angle - phase)
        bend = sin(self._sense[2] * joints[places[2]] + self._straight)
        shoulder, elbow = front * self.facing, bend if front >= 0.0 else -bend
        return (shoulder, elbow) if self.lean is None else (shoulder, elbow, sin(joints[places[4]] + self.lean))

    def _waist(
        self, found: Candidates, x: float, y: float, near: Sequence[float], only: int | None
    ) -> list[tuple[float, float, bool]]:
        """The waist angles for a position of the arm's centre, each with how far the centre is ahead of the arm."""
        angles = waist_angles(x, y, self.offset, near[self.screws.joints[0]])
        if isinstance(angles, Miss):
            found.miss("too near", -angles.amount)
            return []
        if only is None:
            return angles
        index = (only & _SHOULDER) ^ (self.facing < 0.0)
        return angles[index : index + 1]

    def _elbow(
        self, found: Candidates, front: float, x: float, z: float, only: int | None
    ) -> list[tuple[float, float, bool]]:
        """The direction of the first bar and the bend for which the second bar ends at a target, without the waist."""
        angles = elbow_angles(*self._lengths, x - self._start, self._height - z)
        if isinstance(angles, Miss):
            reason: Reason = "too far" if angles.amount > 0.0 else "too near"
            found.miss(reason, abs(angles.amount))
            return []
        if only is not None:
            index = (only >> 1 & 1) ^ (front < 0.0)
            return angles[index : index + 1]
        return angles

    def _placed(self, near: Sequence[float], angles: Sequence[float]) -> list[float]:
        """The joint values with these angles in their places; other joints keep their values."""
        row = list(near)
        for place, angle in zip(self.screws.joints, angles, strict=True):
            row[place] = angle
        return row


class WristArm(ElbowArm):
    """Six axes, the last three meeting in the wrist's centre."""

    def __init__(self, screws: Screws, dof: int, centre: Array) -> None:
        self._wrist = WristAxes(*screws.axes[3:])
        bars = (screws.points[2] - screws.points[1], centre - screws.points[2])
        super().__init__(screws, dof, centre, bars, self._wrist.outer)
        self.names = (*self.names, ("wrist", ("noflip", "flip")))
        self.lean = self._wrist.lean
        self._inner = between(Pose.of(self._wrist.inner @ self.frame.T, np.zeros(3)), IDENTITY)

    def candidates(self, pose: Pose, near: Sequence[float], only: int | None = None) -> Candidates:
        found = Candidates()
        ax, bx, cx, x, ay, by, cy, y, az, bz, cz, z = self._seen(pose.rows)
        inner = self._inner
        fourth = self.screws.joints[3]
        for waist, front, on_axis in self._waist(found, x, y, near, only):
            c, s = cos(waist), sin(waist)
            # The three directions without the waist rotation …
            ad, bd, cd = c * ax + s * ay, c * bx + s * by, c * cx + s * cy
            ae, be, ce = c * ay - s * ax, c * by - s * bx, c * cy - s * cx
            for direction, bend, stretched in self._elbow(found, front, front, z, only):
                shoulder, elbow = direction + self._phase, bend - self._straight
                c, s = cos(shoulder + elbow), sin(shoulder + elbow)
                # … and without those of shoulder and elbow.
                af, bf, cf = c * ad - s * az, c * bd - s * bz, c * cd - s * cz
                ag, bg, cg = c * az + s * ad, c * bz + s * bd, c * cz + s * cd
                k, _, _, _, m, n, o, _, r, s, t, _ = inner((af, bf, cf, 0.0, ae, be, ce, 0.0, ag, bg, cg, 0.0))
                angles = self._wrist.angles(k, m, n, o, r, s, t, near[fourth])
                for q4, q5, q6, straight in angles if only is None else angles[only >> 2 : (only >> 2) + 1]:
                    if straight:
                        found.free = fourth
                    loose = on_axis | stretched << 1 | straight << 2
                    row = [waist, shoulder, self._sense[2] * elbow, self._sense[3] * q4, q5, q6]
                    found.add(row if self._plain else self._placed(near, row), loose)
        return found


class OffsetArm(ElbowArm):
    """Six axes, 2, 3 and 4 parallel, 5 and 6 meeting."""

    def __init__(self, screws: Screws, dof: int, centre: Array) -> None:
        p = screws.points
        self._wrist = WristAxes(screws.axes[1], screws.axes[4], screws.axes[5])
        super().__init__(screws, dof, centre, (p[2] - p[1], p[3] - p[2], centre - p[3]), self._wrist.outer)
        self.names = (*self.names, ("wrist", ("noflip", "flip")))
        self.lean = self._wrist.lean
        self._inner = (self._wrist.inner @ self.frame.T).ravel().tolist()

    def candidates(self, pose: Pose, near: Sequence[float], only: int | None = None) -> Candidates:
        found = Candidates()
        ax, bx, cx, x, ay, by, cy, y, az, bz, cz, z = self._seen(pose.rows)
        _, _, _, rest_x, _, rest_z, up_x, _, up_z = self._inner  # the first axis is y
        length, phase = self._bars[2]
        sixth = self.screws.joints[5]
        for waist, front, on_axis in self._waist(found, x, y, near, only):
            c, s = cos(waist), sin(waist)
            # The three directions without the waist rotation.
            ad, bd, cd = c * ax + s * ay, c * bx + s * by, c * cx + s * cy
            angles = self._wrist.angles(
                c * ay - s * ax,
                rest_x * ad + rest_z * az,
                rest_x * bd + rest_z * bz,
                rest_x * cd + rest_z * cz,
                up_x * ad + up_z * az,
                up_x * bd + up_z * bz,
                up_x * cd + up_z * cz,
                near[sixth],
                keep_first=False,
            )
            for pitch, q5, q6, straight in angles if only is None else angles[only >> 2 : (only >> 2) + 1]:
                if straight:
                    found.free = sixth
                # Only the sum of joints 2, 3 and 4 turns the centre about joint 4, as axes 5 and 6 pass through it.
                end_x, end_z = front - length * cos(pitch - phase), z + length * sin(pitch - phase)
                for direction, bend, stretched in self._elbow(found, front, end_x, end_z, only):
                    shoulder, elbow = direction + self._phase, bend - self._straight
                    q4 = pitch - shoulder - elbow
                    loose = on_axis | stretched << 1 | straight << 2
                    row = [waist, shoulder, self._sense[2] * elbow, self._sense[3] * q4, q5, q6]
                    found.add(row if self._plain else self._placed(near, row), loose)
        return found


class PitchRollArm(ElbowArm):
    """Five axes: a full pose fits only if its roll axis lies in the arm's plane."""

    def __init__(self, screws: Screws, dof: int) -> None:
        p = screws.points
        # Any point of the roll axis can be the centre; the point nearest to the flange gives clear messages for pitch.
        roll = screws.axes[4]
        centre = p[4] + roll * float(roll @ (screws.flange.translation - p[4]))
        beyond = np.cross(roll, screws.axes[1])
        outer = np.stack((roll, screws.axes[1], beyond), axis=1)
        super().__init__(screws, dof, centre, (p[2] - p[1], p[3] - p[2], centre - p[3]), outer)
        self.roll = roll
        out, _, up = (self.frame @ roll).tolist()
        self._pitch = atan2(-up, out)

    def candidates(self, pose: Pose, near: Sequence[float], only: int | None = None) -> Candidates:
        found = Candidates()
        ax, bx, cx, x, ay, by, cy, y, az, _, _, z = self._seen(pose.rows)
        length, phase = self._bars[2]
        for waist, front, on_axis in self._waist(found, x, y, near, only):
            c, s = cos(waist), sin(waist)
            yaw = abs(math.asin(min(max(c * ay - s * ax, -1.0), 1.0)))
            if yaw > _YAW_TOLERANCE:
                found.miss("orientation", yaw)
                continue
            pitch = atan2(-az, c * ax + s * ay) - self._pitch
            # The side axis turns only about the roll axis: the outer directions' components along it give the angle.
            q5 = atan2(s * cx - c * cy, c * by - s * bx)
            end_x, end_z = front - length * cos(pitch - phase), z + length * sin(pitch - phase)
            for direction, bend, stretched in self._elbow(found, front, end_x, end_z, only):
                shoulder, elbow = direction + self._phase, bend - self._straight
                loose = on_axis | stretched << 1
                row = [waist, shoulder, self._sense[2] * elbow, self._sense[3] * (pitch - shoulder - elbow), q5]
                found.add(row if self._plain else self._placed(near, row), loose)
        return found


def pose_at(robot: str, arm: PitchRollArm, position: Vector, pitch: float, roll: float, tool: Pose | None) -> Pose:
    """The flange pose for a tool position, a pitch and a roll, of an arm that faces the position."""
    tool = IDENTITY if tool is None else tool
    screws = arm.screws
    # At joint zero the roll axis has some pitch; a turn about the side axis by `tilt` gives the required pitch.
    forward = arm.frame[0] * arm.facing
    at_zero = atan2(float(arm.axis @ arm.roll), float(forward @ arm.roll))
    tilt = -(pitch - at_zero) * arm.facing
    turned = rotation(arm.side, tilt) @ rotation(arm.roll, roll) @ screws.flange.rotation
    # A tool beside the roll axis is beside the arm's plane; the waist turns the arm to bring the tool to its position.
    centre = screws.flange.inverse().point(arm.centre.tolist())  # a point of the arm's plane, in the flange frame
    beside = np.array(tool.position) - np.array(centre)
    offset = arm.offset + float(arm.side @ (turned @ beside))
    ahead, aside, _ = (arm.frame @ (np.array(position) - screws.points[0])).tolist()
    angles = waist_angles(ahead, aside, offset, 0.0)
    if isinstance(angles, Miss):
        by = -angles.amount
        text = f"the tool is {abs(offset) / mm:.1f} mm beside the arm, too close to the base by {by / mm:.1f} mm"
        raise OutOfReach(robot, None, Reach("too near", text, by, hint="move the target away from the base"))
    waist = angles[0 if arm.facing > 0.0 else -1][0]
    flange = rotation(arm.axis, waist) @ turned
    at = np.array(position) - flange @ np.array(tool.position)
    return Pose.of(flange, at)
