"""What controllers share that run lines and arcs by a time law and scan their inputs periodically."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from drycell.errors import MotionError
from drycell.kernel.clock import ticks
from drycell.robots.arm import Arm
from drycell.robots.cartesian import plan_path
from drycell.robots.memo import Memo
from drycell.robots.path import Line, Path, arc_through
from drycell.robots.pitchroll_path import for_arm
from drycell.robots.plan import MoveKind, Plan, standstill
from drycell.robots.timelaw import Limits
from drycell.spatial import Pose, Vector
from drycell.units import deg, mm, ms

# Less than this is no motion: a nanoradian or a nanometre.
NOWHERE = 1e-9


@dataclass(frozen=True, eq=False)
class PathController:
    """Lines and arcs by a law of the tool's travel and turn; inputs looked at every ``scan`` seconds.

    ``linear_speed`` is used where a command names none. Scans are counted from the start of the run; what changes in
    between is kept until the next. A jerk of ``math.inf`` makes the laws trapezoids.
    """

    name: str = "path"
    linear_speed: float = 250 * mm
    linear_acceleration: float = 2.0
    linear_jerk: float = math.inf
    turn_speed: float = 180 * deg
    turn_acceleration: float = 500 * deg
    turn_jerk: float = math.inf
    scan: float = 4 * ms
    _plans: Memo[Plan] = field(default_factory=Memo, repr=False)

    def __post_init__(self) -> None:
        if not self.scan >= 0.0:
            raise MotionError(f"controller {self.name!r} cannot scan its inputs every {self.scan:g} s")
        self._limits(self.linear_speed)

    def _limits(self, speed: float) -> tuple[Limits, Limits]:
        return (
            Limits(speed, self.linear_acceleration, self.linear_jerk),
            Limits(self.turn_speed, self.turn_acceleration, self.turn_jerk),
        )

    def linear_move(self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str) -> Plan:
        """The tool straight from where it is to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("linear", arm, here, end.rows, speed, target),
            lambda: self._path_plan(arm, "linear", Line(arm.tcp(here), end), here, speed, target),
        )

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """The tool round the arc from where it is over a point to a pose, at a speed in m/s."""
        here = tuple(start)
        return self._plans.get(
            ("circular", arm, here, via, end.rows, speed, target),
            lambda: self._path_plan(arm, "circular", arc_through(arm.tcp(here), via, end), here, speed, target),
        )

    def _path_plan(
        self, arm: Arm, kind: MoveKind, path: Path, start: tuple[float, ...], speed: float, target: str
    ) -> Plan:
        arm.mechanism.inverse(arm.flange(path.end), near=start, target=target)  # says why if it is out of reach
        if path.span <= NOWHERE:
            return standstill(arm, kind, start)
        linear, turning = self._limits(speed)
        return plan_path(arm, kind, for_arm(arm, path), start, linear, turning, target)

    def stop(self, plan: Plan, after: float) -> Plan:
        """How it comes to rest if it is to stop ``after`` seconds into a plan."""
        return plan.stopped(after)

    def notices(self, start: int, event: int) -> int:
        """The tick of the next input scan, ``event`` itself included."""
        period = ticks(self.scan)
        return event if period == 0 else -(-event // period) * period
