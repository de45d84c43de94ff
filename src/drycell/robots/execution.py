"""Execution: who may command an arm, when a plan takes over from another, and what a guard does."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drycell.base import MotionError, Pose, mm
from drycell.kernel import Cancelled, Condition, Kernel, Process, Track, current_process, seconds, work
from drycell.robots.actuation import Actuation
from drycell.robots.arm import Arm
from drycell.robots.controller import MotionController
from drycell.robots.move import Move
from drycell.robots.plan import MoveKind, Plan
from drycell.world import Linkage, World

Planner = Callable[[Sequence[float]], Plan]


@dataclass(frozen=True)
class Command:
    """What a program wants: ``planner`` makes the plan from the joints at which the move will begin."""

    kind: MoveKind
    target: str
    arm: Arm
    planner: Planner
    zone: float
    guard: Condition | None
    waits: bool
    place: Pose | None  # in the world, for the journal

    def check(self) -> None:
        """Raises MotionError if the command contradicts itself."""
        if not self.zone >= 0.0:
            raise MotionError(f"a zone cannot be {self.zone / mm:.1f} mm wide", hint="give 0 to stop at the point")
        if self.guard is not None and (self.zone or not self.waits):
            raise MotionError(
                f"a guarded move of {self.arm.name} begins and ends at rest and is waited for",
                hint="leave out zone and wait, or leave out until",
            )


class Execution(Actuation):
    """Carries out the commands of one robot, one program at a time."""

    def __init__(self, kernel: Kernel, world: World, linkage: Linkage) -> None:
        super().__init__(kernel, linkage)
        self.moves: Track[Move] = kernel.tracks.track("moves", linkage.name)
        self._world = world
        self._owner: Process | None = None

    def carry_out(self, command: Command, controller: MotionController) -> Move:
        """Moves as commanded and returns when the program may go on; errors come before anything moves."""
        self._claim()
        command.check()
        plan, takes_over = self._next(command, controller)
        guard = command.guard
        move = Move(
            command.kind,
            sys.intern(command.target),  # a program that loops goes to the same places again and again
            command.arm,
            self._kernel.now,
            plan.slowed,
            None if guard is None else guard.text,
            world=self._world,
            linkage=self._linkage,
        )
        self.moves.append(move.start, move)
        self._note(command, plan)
        if guard is not None and guard.holds():
            move.end = self._kernel.now
            self._fire(move)
        elif plan.duration == 0.0 and not takes_over:
            move.end = self._kernel.now
        else:
            entry = controller.zone_entry(plan, command.zone) if command.zone else None
            self.follow(plan, move, entry, command.zone)
            if command.waits:
                self._see_through(move, plan, guard, controller)
        return move

    def stop(self, controller: MotionController) -> None:
        """Brings the arm to rest from now on, the way its controller does."""
        if self.plan is not None:
            slowed = controller.stop(self.plan, self.elapsed)
            self._kernel.journal.write("stop", self._linkage.name, duration_s=slowed.duration)
            self.give_way(slowed)

    def _claim(self) -> None:
        """Makes the running program the one that commands the arm, unless another one's move is under way."""
        me, owner, name = current_process(), self._owner, self._linkage.name
        if self.moving and owner is not None and owner is not me and owner.alive:
            raise MotionError(
                f"program {me.name!r} cannot command {name}, which moves for program {owner.name!r}",
                hint=f"let one program command {name}, or wait for {name}.still first",
            )
        self._owner = me

    def _next(self, command: Command, controller: MotionController) -> tuple[Plan, bool]:
        """The plan of a command, and whether it takes over from one that runs; else it begins at rest."""
        if self.moving and command.guard is None:
            work(self.free)
            if self.plan is not None and self.blends:
                following = command.planner(self.plan.end)
                blended = controller.blend(self.plan, self.elapsed, following, self.zone)
                if blended is not None:
                    return blended, True
        work(self.still)
        return command.planner(self.joints), False

    def _see_through(self, move: Move, plan: Plan, guard: Condition | None, controller: MotionController) -> None:
        """Waits until a move returns; a program cancelled meanwhile stops the arm."""
        try:
            if guard is None:
                work(self.free)
            else:
                self._watch(move, plan, guard, controller)
        except Cancelled:
            if self._kernel.running:
                self.stop(controller)
            raise

    def _watch(self, move: Move, plan: Plan, guard: Condition, controller: MotionController) -> None:
        came = work(guard, self.still)
        # What comes at the very instant of arrival counts: the controller looks at its inputs once more.
        if came == 1 and not guard.holds():
            return
        self._fire(move)
        ahead = controller.notices(move.start, self._kernel.now) - self._kernel.now
        if ahead > 0 and self.moving:
            work(self.still, timeout=seconds(ahead))
        if self.plan is plan:
            self.stop(controller)
        work(self.still)

    def _fire(self, move: Move) -> None:
        move.event = self._kernel.now
        at = [v / mm for v in move.pose.position]
        self._kernel.journal.write("guard", self._linkage.name, condition=move.guard, at_mm=at)

    def _note(self, command: Command, plan: Plan) -> None:
        fields: dict[str, object] = {"move": command.kind, "to": command.target}
        if command.place is not None:
            fields["at_mm"] = [v / mm for v in command.place.position]
        if plan.slowed > 1.0:
            fields["slowed"] = round(plan.slowed, 3)
        if command.guard is not None:
            fields["until"] = command.guard.text
        self._kernel.journal.write("move", self._linkage.name, **fields, duration_s=plan.duration)
