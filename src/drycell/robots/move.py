"""Moves: the results of move commands, which are also the rows of the table of cycle times."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Pose
from drycell.kernel import seconds
from drycell.robots.arm import Arm
from drycell.robots.plan import MoveKind

if TYPE_CHECKING:
    from drycell.robots.solution import Configuration
    from drycell.world import Linkage, World

# Distance and top speed of the tool are measured on this many chords of its path.
_CHORDS: Final = 256
_REMEMBERED: Final = 1024
_measured: dict[object, tuple[float, float]] = {}
"""Measured values by arm and motion: a program in a loop repeats its motions."""


@dataclass(eq=False, slots=True)
class Move:
    """One move of a robot. Its truth value is whether its guard has fired: ``if move:``.

    ``time``, ``pose`` and ``joints`` belong to the event if a guard fired, otherwise to the arrival. ``rest_time``,
    ``rest_pose`` and ``rest_joints`` belong to the instant at which the arm is at rest. Poses are TCP poses in the
    world. A move that is blended into the next one ends at the instant of the blend, without coming to rest.
    """

    kind: MoveKind
    target: str
    arm: Arm = field(repr=False)
    start: int  # ticks
    slowed: float = 1.0  # factor by which it is longer than commanded, because of joint limits
    slowed_by: str = ""  # the joint that the command overloads most, by how much, and where
    guard: str | None = None
    event: int | None = None  # ticks, when the guard fired
    end: int | None = None  # ticks, when it was at rest or blended into the next
    stopped: bool = False  # whether its guard or a stop ended it early
    blended: bool = False
    to_place: bool = field(default=False, kw_only=True, repr=False)  # whether the target is a place in the world
    world: "World" = field(kw_only=True, repr=False)
    linkage: "Linkage" = field(kw_only=True, repr=False)
    _tool: tuple[float, float] | None = field(default=None, init=False, repr=False)  # distance, top speed

    @property
    def fired(self) -> bool:
        """Whether the guard has fired."""
        return self.event is not None

    def __bool__(self) -> bool:
        return self.fired

    @property
    def done(self) -> bool:
        """Whether the move has ended."""
        return self.end is not None

    @property
    def start_time(self) -> float:
        """The start, in seconds of cell time."""
        return seconds(self.start)

    @property
    def time(self) -> float:
        """When the guard fired, or otherwise when the move ended, in seconds; the current time if it has not ended."""
        return seconds(self._moment)

    @property
    def joints(self) -> tuple[float, ...]:
        """The joint values at ``time``."""
        return tuple(self.linkage.joints(self._moment))

    @property
    def configuration(self) -> "Configuration":
        """The configuration of the arm at ``time``, such as ``elbow=up``; empty if it has no names."""
        return self.arm.mechanism.configuration(self.joints)

    @property
    def pose(self) -> Pose:
        """The TCP pose in the world at ``time``."""
        return self._tool_pose(self._moment)

    @property
    def rest_time(self) -> float:
        """When the arm was at rest, in seconds."""
        return seconds(self._over)

    @property
    def rest_joints(self) -> tuple[float, ...]:
        """The joint values at rest."""
        return tuple(self.linkage.joints(self._over))

    @property
    def rest_pose(self) -> Pose:
        """The TCP pose in the world at rest."""
        return self._tool_pose(self._over)

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return seconds(self._over - self.start)

    @property
    def distance(self) -> float:
        """The distance the TCP travelled, in metres, relative to the robot's base."""
        return self.measure()[0]

    @property
    def top_speed(self) -> float:
        """The maximum TCP speed, in m/s, relative to the robot's base."""
        return self.measure()[1]

    def measure(self) -> tuple[float, float]:
        """Distance and top speed. They are stored once the move has ended, as the world may drop old motions."""
        if self._tool is not None:
            return self._tool
        found = self._measure()
        if self.done:
            self._tool = found
        return found

    @property
    def _over(self) -> int:
        return self.world.now if self.end is None else self.end

    @property
    def _moment(self) -> int:
        return self._over if self.event is None else self.event

    def _tool_pose(self, t: int) -> Pose:
        return self.world.pose(self.linkage.base, t) @ self.arm.tcp(self.linkage.joints(t))

    def _measure(self) -> tuple[float, float]:
        over, followed = self._over, self.linkage.trajectories(self.start, self._over)
        key = (self.arm, over - self.start, *((each.content, each.start - self.start) for each in followed))
        found = _measured.get(key)
        if found is None:
            if len(_measured) >= _REMEMBERED:
                _measured.clear()
            found = _measured[key] = self._along(self.start, over)
        return found

    def _along(self, start: int, end: int) -> tuple[float, float]:
        """The length of the TCP's path and the maximum speed on it, measured on chords."""
        times = start + np.unique(np.linspace(0, end - start, _CHORDS + 1).round().astype(np.int64))
        points = self.arm.tcp_positions(self.linkage.joints_batch(times))
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if not len(lengths):
            return 0.0, 0.0
        return float(lengths.sum()), float((lengths / (np.diff(times) * 1e-6)).max())
