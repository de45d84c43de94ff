"""Moves: what became of a command, and the lines of the table by which cycle times are read."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from drycell.kernel.clock import seconds
from drycell.robots.arm import Arm
from drycell.robots.plan import MoveKind
from drycell.spatial import Array, Pose

if TYPE_CHECKING:
    from drycell.world import Linkage, World

# Distance and top speed of the tool are measured on this many chords of its path.
_CHORDS = 256


@dataclass(eq=False)
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
        return float(self._chords[0].sum())

    @property
    def top_speed(self) -> float:
        """The greatest speed of the tool, in m/s, seen from the robot's base."""
        lengths, spans = self._chords
        return float((lengths / spans).max()) if len(lengths) else 0.0

    @property
    def _over(self) -> int:
        return self.world.now if self.end is None else self.end

    @property
    def _moment(self) -> int:
        return self._over if self.event is None else self.event

    def _tool_pose(self, t: int) -> Pose:
        return self.world.pose(self.linkage.base, t) @ self.arm.tcp(self.linkage.joints(t))

    @property
    def _chords(self) -> tuple[Array, Array]:
        return self._measured if self.done else self._measure()

    @cached_property
    def _measured(self) -> tuple[Array, Array]:
        return self._measure()

    def _measure(self) -> tuple[Array, Array]:
        """The lengths of many chords of the tool's path, and the seconds each took."""
        times = np.unique(np.linspace(self.start, self._over, _CHORDS + 1).round().astype(int)).tolist()
        points = np.array([self.arm.tcp(self.linkage.joints(t)).position for t in times])
        return np.linalg.norm(np.diff(points, axis=0), axis=1), np.diff(times) * 1e-6
