"""Linkages: a mechanism in the world, its joint history and the bodies of its links."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from drycell.base import Array, Pose, WorldError
from drycell.kernel import Track
from drycell.world.body import LiveBody
from drycell.world.motion import ALWAYS, FOREVER, Motion, Ticks
from drycell.world.trajectory import JointTrajectory, hold

if TYPE_CHECKING:
    from drycell.world.world import World

# Joints of consecutive trajectories may differ by rounding; a larger difference is a jump, which must be explicit.
_SAME_JOINTS = 1e-6


class LinkKinematics(Protocol):
    """The interface between the world and a mechanism: link poses for given joints, and bounds on link motion."""

    @property
    def dof(self) -> int:
        """The number of joints."""

    @property
    def link_names(self) -> Sequence[str]:
        """The moving links, in the order of every list below."""

    def link_poses(self, joints: Sequence[float]) -> list[Pose]:
        """The poses of the links relative to the base. This is the only function that computes them."""

    def link_positions(self, joints: Array) -> tuple[Array, Array]:
        """Positions (n, links, 3) and rotations (n, links, 3, 3) for joints (n, dof): for culling."""

    def levers(self) -> Array:
        """(dof, links): upper bounds of the motion of a link's origin per unit of joint motion: for a revolute joint
        the distance from the axis, for a prismatic joint 1, and 0 if the joint does not move it."""

    def turns(self) -> Array:
        """(dof, links): upper bounds of the rotation of a link per unit of joint motion; 0 for a prismatic joint."""

    def between(self, one: int, other: int) -> tuple[Array, Array]:
        """(dof, 2) each: levers and turns of two links relative to the last link that carries both (or the base)."""


class Linkage:
    """A mechanism in the world: a base body, a body for each link, and all joint motions so far."""

    def __init__(
        self,
        world: "World",
        name: str,
        kinematics: LinkKinematics,
        base: LiveBody,
        links: Sequence[LiveBody],
        joints: Sequence[float],
    ) -> None:
        if len(links) != len(kinematics.link_names) or len(joints) != kinematics.dof:
            raise WorldError(
                f"{name} has {len(kinematics.link_names)} links and {kinematics.dof} joints, "
                f"but {len(links)} bodies and {len(joints)} joint values were given"
            )
        self.name, self.kinematics, self.base, self.links = name, kinematics, base, tuple(links)
        self._world = world
        self._levers = kinematics.levers()
        self._turns = kinematics.turns()
        self.history: Track[JointTrajectory] = Track()
        self.history.append(ALWAYS, hold(world.now, list(joints)))
        self._placed: tuple[int, list[Pose]] | None = None
        for index, link in enumerate(links):
            world.add(link, base, motion=LinkMotion(self, index))

    def neighbours(self, body: LiveBody) -> list[LiveBody]:
        """The links (or base) that are at most one joint away from a link, and therefore touch by construction."""
        return self._neighbours.get(body, [])

    @cached_property
    def _neighbours(self) -> dict[LiveBody, list[LiveBody]]:
        moved = (self._levers > 0) | (self._turns > 0)
        driven = {self.base: frozenset[int]()}
        for index, link in enumerate(self.links):
            driven[link] = frozenset(np.flatnonzero(moved[:, index]).tolist())
        return {
            body: [each for each in driven if each is not body and len(driven[each] ^ joints) <= 1]
            for body, joints in driven.items()
        }

    def trajectory(self, t: int) -> JointTrajectory:
        """The trajectory at an instant; after its end, the joints stay at its last values."""
        history = self.history
        if t >= history.times[-1]:
            return history.values[-1]
        return history.values[max(history.count(t) - 1, 0)]

    def trajectories(self, t0: int, t1: int) -> Sequence[JointTrajectory]:
        """Return the trajectories active between ``t0`` and ``t1``, in order."""
        history = self.history
        first = max(history.count(t0) - 1, 0)
        return history.values[first : max(history.count(t1), first + 1)]

    def next_start(self, t: int) -> int:
        """The start of the next trajectory after an instant; FOREVER if it is not known yet."""
        place = self.history.count(t)
        return self.history.times[place] if place < len(self.history) else FOREVER

    def joints(self, t: int | None = None) -> list[float]:
        """The joint values, now or at any instant of the run."""
        t = self._world.now if t is None else t
        return self.trajectory(t).joints(t)

    def velocity(self, t: int | None = None) -> list[float]:
        """The joint speeds, now or at any instant of the run."""
        t = self._world.now if t is None else t
        return self.trajectory(t).velocity(t)

    def follow(self, trajectory: JointTrajectory) -> None:
        """Follow a trajectory. Anything planned after its start is dropped."""
        start, last = trajectory.start, self.history.values[-1]
        if start < self._world.now:
            raise WorldError(f"{self.name} cannot be moved in the past: {start} µs, now {self._world.now} µs")
        if start < self.history.times[-1]:
            raise WorldError(f"{self.name} has a motion from {self.history.times[-1]} µs on; {start} µs is before it")
        gap = max(abs(a - b) for a, b in zip(last.joints(start), trajectory.joints(start), strict=True))
        if gap > _SAME_JOINTS:
            raise WorldError(
                f"{self.name} would jump by {gap:.6f} rad or m at {start} µs", hint="use jump() to do that on purpose"
            )
        self._append(trajectory)

    def cut(self, t: int) -> None:
        """Stop at an instant. Anything planned after it is dropped."""
        if t < self._world.now:
            raise WorldError(f"{self.name} cannot be stopped in the past: {t} µs, now {self._world.now} µs")
        last = self.history.values[-1]
        if t < last.end:
            self.history.values[-1] = last.cut(t)  # only this entry is ever rewritten: its future has not happened yet
            self._changed()

    def jump(self, joints: Sequence[float]) -> None:
        """Set the joints at once."""
        self._append(hold(self._world.now, list(joints)))

    def _append(self, trajectory: JointTrajectory) -> None:
        self.history.values[-1] = self.history.values[-1].cut(trajectory.start)
        self.history.append(trajectory.start, trajectory)
        self._changed()

    def _changed(self) -> None:
        self._placed = None
        self._world.linkage_changed(self)

    def link_poses(self, t: int) -> list[Pose]:
        """The poses of all links relative to the base at an instant."""
        if self._placed is None or self._placed[0] != t:
            self._placed = (t, self.kinematics.link_poses(self.joints(t)))
        return self._placed[1]

    def link_batch(self, times: Ticks) -> tuple[Array, Array]:
        """Link rotations (n, links, 3, 3) and positions (n, links, 3) at many instants, for culling."""
        positions, rotations = self.kinematics.link_positions(self.joints_batch(times))
        return rotations, positions

    def joints_batch(self, times: Ticks) -> Array:
        """The joint values (n, joints) at many increasing instants, for culling."""
        joints = np.empty((len(times), self.kinematics.dof))
        pieces = self.trajectories(int(times[0]), int(times[-1]))
        first = 0
        for this, following in zip(pieces, [*pieces[1:], None], strict=True):
            last = len(times) if following is None else int(np.searchsorted(times, following.start, side="left"))
            if last > first:
                joints[first:last] = this.joints_batch(times[first:last])
                first = last
        return joints

    def link_bounds(self, t0: int, t1: int) -> tuple[Array, Array]:
        """Rigorous bounds over an interval, in the base frame: origin speeds and angular speeds of each link."""
        top = np.zeros(self.kinematics.dof)
        for trajectory in self.trajectories(t0, t1):
            np.maximum(top, trajectory.speed_bound(t0, t1), out=top)
        return self.link_speeds(top)

    def link_speeds(self, joint_speeds: Array) -> tuple[Array, Array]:
        """Bounds of the origin speeds and angular speeds of the links (…, links) for joint speeds (…, dof)."""
        return joint_speeds @ self._levers, joint_speeds @ self._turns

    def closing(self, one: int, reach: float, other: int, other_reach: float, t0: int, t1: int) -> float:
        """An upper bound on the closing speed of points of two links, each within a reach of its link's origin."""
        levers, turns = self.kinematics.between(one, other)
        top = np.zeros(self.kinematics.dof)
        for trajectory in self.trajectories(t0, t1):
            np.maximum(top, trajectory.speed_bound(t0, t1), out=top)
        return float(top @ (levers[:, 0] + levers[:, 1] + turns[:, 0] * reach + turns[:, 1] * other_reach))


class LinkMotion(Motion):
    """The motion of a link relative to the base, given by the joints of the linkage."""

    def __init__(self, linkage: Linkage, index: int) -> None:
        self.linkage, self.index = linkage, index

    def pose(self, t: int) -> Pose:
        return self.linkage.link_poses(t)[self.index]

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        speeds, turns = self.linkage.link_bounds(t0, t1)
        return float(speeds[self.index]), float(turns[self.index])

    def batch(self, times: Ticks) -> tuple[Array, Array]:
        rotations, positions = self.linkage.link_batch(times)
        return rotations[:, self.index], positions[:, self.index]
