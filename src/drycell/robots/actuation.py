"""Actuation: an arm in motion. Plans are carried out on the clock, and the arm says when it passes a zone or rests."""

import math
from collections.abc import Sequence
from typing import Final

from drycell.kernel import Kernel, Rank, Timer
from drycell.robots.move import Move
from drycell.robots.plan import Plan
from drycell.world import Linkage

STILL: Final = "still"
MOVING: Final = "moving"
PASSING: Final = "passing"


class Actuation:
    """Follows one plan after another. The signal ``<robot>.motion`` is still, moving, or passing (inside a zone, where
    the next move may be blended in)."""

    def __init__(self, kernel: Kernel, linkage: Linkage) -> None:
        self._kernel, self._linkage = kernel, linkage
        self.motion = kernel.signal(f"{linkage.name}.motion", STILL, quiet=True)
        self.still = (self.motion == STILL).named(f"{linkage.name}.still")  # at rest
        self.free = (self.motion != MOVING).named(f"{linkage.name} free")  # at rest or in a zone: ready for a move
        self.joints: tuple[float, ...] = tuple(linkage.joints())  # at rest: what was commanded, not what rounding made
        self.plan: Plan | None = None
        self.move: Move | None = None
        self.zone = 0.0
        self._start = self._entry = 0
        self._timers: list[Timer] = []

    @property
    def moving(self) -> bool:
        """Whether the arm moves now."""
        return self.plan is not None

    @property
    def elapsed(self) -> float:
        """Seconds into the plan that runs."""
        return (self._kernel.now - self._start) * 1e-6

    @property
    def blends(self) -> bool:
        """Whether this is the very instant at which the arm enters its zone: the next move can be blended in."""
        return self.plan is not None and self.motion.value == PASSING and self._kernel.now == self._entry

    def follow(self, plan: Plan, move: Move, entry: float | None = None, zone: float = 0.0) -> None:
        """Moves by a plan from now on, in place of what was to come; ``entry`` seconds later it is in its zone."""
        trajectory = plan.spline.trajectory(self._kernel.now)
        self._linkage.follow(trajectory)
        if self.move is not None and self.move is not move:
            self.move.end, self.move.blended = self._kernel.now, True
        self._cancel()
        self.plan, self.move, self.zone = plan, move, zone
        self._start = self._kernel.now
        name, writes = self._linkage.name, (self.motion,)
        self.motion.set(MOVING, name)
        self._timers.append(self._kernel.at(trajectory.end, self._arrive, Rank.MOTION, name, writes=writes))
        if entry is not None:
            # The first whole tick inside the zone; rounding alone does not cost another one.
            self._entry = self._start + math.ceil(entry * 1e6 - 1e-6)
            if self._entry < trajectory.end:
                self._timers.append(self._kernel.at(self._entry, self._enter, Rank.MOTION, name, writes=writes))

    def give_way(self, plan: Plan) -> None:
        """Cuts the move short: a plan that brings the arm to rest takes over now."""
        if self.move is not None:
            self.move.stopped = True
            self.follow(plan, self.move)

    def place(self, joints: Sequence[float]) -> None:
        """Puts the joints somewhere at once; the arm must be at rest."""
        self._linkage.jump(joints)
        self.joints = tuple(joints)

    def _enter(self) -> None:
        self.motion.set(PASSING, self._linkage.name)

    def _arrive(self) -> None:
        if self.plan is not None:
            self.joints = self.plan.end
        if self.move is not None:
            self.move.end = self._kernel.now
        self.plan = self.move = None
        self._cancel()
        self.motion.set(STILL, self._linkage.name)

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
