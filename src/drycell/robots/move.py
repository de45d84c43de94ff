"""Moves: what became of a command, and the lines of the table by which cycle times are read."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Pose
from drycell.kernel import seconds
from drycell.robots.arm import Arm
from drycell.robots.plan import MoveKind

if TYPE_CHECKING:
    from drycell.world import Linkage, World

# Distance and top speed of the tool are measured on this many chords of its path.
_CHORDS: Final = 256
_REMEMBERED: Final = 1024
_measured: dict[object, tuple[float, float]] = {}
"""What was measured, by arm and motion: a program that loops moves the same way every time."""


@dataclass(eq=False, slots=True)
class Move:
    """One move of a robot. ``if move:`` asks whether its guard has fired.

    ``time``, ``pose`` and ``joints`` are those of the event if a guard fired, else of the arrival; ``rest_time`` and so
    on are those of the rest that followed. Poses are of the tool centre point, in the world. A move that was blended
    into the next one ends at the instant of the blend, still moving.
    """

    kind: MoveKind
    target: str
    arm: Arm = field(repr=False)
    start: int  # ticks
    slowed: float = 1.0  # how many times longer it takes than commanded, to spare a joint
    guard: str | None = None
    event: int | None = None  # ticks, when the guard fired
    end: int | None = None  # ticks, when it came to rest or was blended into the next
    stopped: bool = False  # whether it was cut short, by its guard or by a stop
    blended: bool = False
    world: "World" = field(kw_only=True, repr=False)
    linkage: "Linkage" = field(kw_only=True, repr=False)
    _tool: tuple[float, float] | None = field(default=None, init=False, repr=False)  # distance, top speed

    @property
    def fired(self) -> bool:
        """Whether the guard's event came."""
        return self.event is not None

    def __bool__(self) -> bool:
        return self.fired

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self.end is not None

    @property
    def start_time(self) -> float:
        """When it began, in seconds of cell time."""
        return seconds(self.start)

    @property
    def time(self) -> float:
        """When the guard's event came, or else when it arrived; now, if it is still under way."""
        return seconds(self._moment)

    @property
    def joints(self) -> tuple[float, ...]:
        """The joint values at that instant."""
        return tuple(self.linkage.joints(self._moment))

    @property
    def pose(self) -> Pose:
        """Where the tool was in the world at that instant."""
        return self._tool_pose(self._moment)

    @property
    def rest_time(self) -> float:
        """When the arm had come to rest."""
        return seconds(self._over)

    @property
    def rest_joints(self) -> tuple[float, ...]:
        """The joint values at rest."""
        return tuple(self.linkage.joints(self._over))

    @property
    def rest_pose(self) -> Pose:
        """Where the tool came to rest."""
        return self._tool_pose(self._over)

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return seconds(self._over - self.start)

    @property
    def distance(self) -> float:
        """Metres the tool travelled, seen from the robot's base."""
        return self.measure()[0]

    @property
    def top_speed(self) -> float:
        """The greatest speed of the tool, in m/s, seen from the robot's base."""
        return self.measure()[1]

    def measure(self) -> tuple[float, float]:
        """Distance and top speed. Of a move that is over they are known from then on, whatever the world forgets."""
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
        """The length of the tool's path, and the greatest speed on it, by its chords."""
        times = start + np.unique(np.linspace(0, end - start, _CHORDS + 1).round().astype(np.int64))
        points = self.arm.tcp_positions(self.linkage.joints_batch(times))
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if not len(lengths):
            return 0.0, 0.0
        return float(lengths.sum()), float((lengths / (np.diff(times) * 1e-6)).max())
