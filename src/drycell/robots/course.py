"""Courses: where the tool is to be at each instant, as one path run by a law, or several that overlap in a blend."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from drycell.base import Pose, Vector
from drycell.handling import MotionLimits, TimeLaw, stop_law
from drycell.robots.path import Path

# Breaks closer than ten ticks are one: the accelerations of a piece between them would be rounding.
SAME_INSTANT = 1e-5
# A law that ends this near to the end of its path (as a share of it) ends there.
_SAME_PLACE = 1e-9


@dataclass(frozen=True)
class Leg:
    """One path run by one law, ``begins`` seconds after its course. The law's way is metres, or radians of turn."""

    path: Path
    law: TimeLaw
    limits: MotionLimits
    begins: float = 0.0

    @property
    def ends(self) -> float:
        """Seconds after the course's start."""
        return self.begins + self.law.duration

    def stopped(self, u: float, gentler: float) -> "Leg":
        """The same path from ``u`` seconds on, slowed to rest with its limits, or that many times more gently.

        Never past the end of the path: there the law itself was about to stop.
        """
        state = self.law.state(u - self.begins)
        limits = MotionLimits(self.limits.speed, self.limits.acceleration / gentler, self.limits.jerk / gentler)
        law = stop_law(limits, state)
        if law.end > self.path.span * (1 + _SAME_PLACE):
            law = stop_law(self.limits, state)
        return replace(self, law=law, begins=0.0)

    def after(self, u: float) -> "Leg":
        """What is left of it ``u`` seconds into the course."""
        if u <= self.begins:
            return replace(self, begins=self.begins - u)
        return replace(self, law=self.law.after(u - self.begins), begins=0.0)


@dataclass(frozen=True)
class Course:
    """The tool's pose as a function of time: the first leg, and on top of it what each later leg adds.

    Where legs overlap, the displacements add up and the turns follow each other: that is the blend of a zone. Where
    only one leg moves, the tool is exactly on its path.
    """

    legs: tuple[Leg, ...]

    @property
    def duration(self) -> float:
        """Seconds from start to rest."""
        return max(leg.ends for leg in self.legs)

    @cached_property
    def breaks(self) -> list[float]:
        """The instants between which all laws are single cubics, from 0 to the end."""
        instants = sorted({0.0, *(leg.begins + u for leg in self.legs for u in leg.law.breaks)})
        kept = [0.0]
        for u in instants:
            if u - kept[-1] > SAME_INSTANT:
                kept.append(u)
        if len(kept) > 1:
            kept[-1] = instants[-1]
        return kept

    def pose(self, u: float) -> Pose:
        """Where the tool is to be after ``u`` seconds."""
        first, *others = self.legs
        pose = first.path.pose(first.law.state(u - first.begins)[0] / first.path.span)
        for leg in others:
            if u >= leg.begins:
                there = leg.path.pose(leg.law.state(u - leg.begins)[0] / leg.path.span)
                pose = _added(pose, leg.path.start, there)
        return pose

    @property
    def end(self) -> Pose:
        """Where it comes to rest; exactly at the end of its last path, unless it stops short of it."""
        last = self.legs[-1]
        if abs(last.law.end - last.path.span) <= _SAME_PLACE * last.path.span:
            return last.path.end
        return self.pose(self.duration)

    def velocity(self, u: float) -> tuple[Vector, Vector]:
        """Velocity and angular velocity of the tool, along the axes the paths are given in, after ``u`` seconds."""
        vx = vy = vz = wx = wy = wz = 0.0
        turned: Pose | None = None
        for leg in self.legs:
            way, speed, _ = leg.law.state(u - leg.begins)
            share, rate = way / leg.path.span, speed / leg.path.span
            x, y, z = leg.path.tangent(share)
            vx, vy, vz = vx + rate * x, vy + rate * y, vz + rate * z
            x, y, z = leg.path.turning(share)
            if turned is not None:
                x, y, z = turned.direction(leg.path.start.inverse().direction((x, y, z)))
            wx, wy, wz = wx + rate * x, wy + rate * y, wz + rate * z
            if leg is self.legs[-1]:
                break
            there = leg.path.pose(share)
            turned = there if turned is None else _added(turned, leg.path.start, there)
        return (vx, vy, vz), (wx, wy, wz)

    def instants(self, travel: float, turn: float) -> list[float]:
        """The breaks, and between them as many instants as keep steps within a travel and a turn."""
        times = [0.0]
        for low, high in pairwise(self.breaks):
            steps = 1
            for leg in self.legs:
                way = leg.law.state(high - leg.begins)[0] - leg.law.state(low - leg.begins)[0]
                share = abs(way) / leg.path.span
                steps = max(
                    steps, math.ceil(share * leg.path.length / travel), math.ceil(share * leg.path.angle / turn)
                )
            times.extend(low + (high - low) * k / steps for k in range(1, steps))
            times.append(high)
        return times

    def stopped(self, u: float, gentler: float = 1.0) -> "Course":
        """From ``u`` seconds on, every leg that has begun slowed to rest on its own path."""
        return Course(tuple(leg.stopped(u, gentler) for leg in self.legs if leg is self.legs[0] or leg.begins < u))

    def after(self, u: float) -> "Course":
        """What is left after ``u`` seconds; legs that have ended are dropped, the last excepted."""
        left = [leg for leg in self.legs if leg.ends > u] or [self.legs[-1]]
        return Course(tuple(leg.after(u) for leg in left))

    def stretched(self, factor: float) -> "Course":
        """The same in ``factor`` times the time, with limits to match."""
        return Course(
            tuple(
                Leg(
                    leg.path,
                    leg.law.stretched(factor),
                    MotionLimits(
                        leg.limits.speed / factor, leg.limits.acceleration / factor**2, leg.limits.jerk / factor**3
                    ),
                    leg.begins * factor,
                )
                for leg in self.legs
            )
        )

    def place(self, u: float) -> str:
        """How far along it is after ``u`` seconds, as people read it: ``132.4 mm of 300.0 mm``."""
        leg = next((leg for leg in reversed(self.legs) if leg.begins <= u), self.legs[0])
        way = leg.law.state(u - leg.begins)[0]
        if leg.path.length <= 1e-9:
            return f"{math.degrees(way):.1f} deg of {math.degrees(leg.path.span):.1f} deg"
        return f"{way * 1e3:.1f} mm of {leg.path.span * 1e3:.1f} mm"


def _added(pose: Pose, start: Pose, there: Pose) -> Pose:
    """A pose with the way from start to there put on top: displacements add up, turns follow each other."""
    a, b, c, _, d, e, f, _, g, h, i, _ = (pose @ start.inverse() @ there).rows
    (x, y, z), (u, v, w), (p, q, r) = pose.position, start.position, there.position
    return Pose.of_rows((a, b, c, x + p - u, d, e, f, y + q - v, g, h, i, z + r - w))
