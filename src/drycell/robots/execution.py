"""Execution: which program may command an arm, how plans run in cell time and replace each other, and guards."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import MotionError, Pose, mm
from drycell.kernel import Cancelled, Condition, Kernel, Process, Rank, Timer, Track, current_process, seconds, work
from drycell.robots.ahead import carriers
from drycell.robots.arm import Arm
from drycell.robots.controller import MotionController
from drycell.robots.move import Move
from drycell.robots.plan import MoveKind, Plan
from drycell.world import Linkage, World

STILL: Final = "still"
MOVING: Final = "moving"
PASSING: Final = "passing"


Planner = Callable[[Sequence[float]], Plan]


@dataclass(frozen=True, eq=False)
class Follower:
    """A robot that moves with the one that is commanded: the external axis of a coordinated move."""

    execution: "Execution"
    arm: Arm
    target: str
    joints: slice  # in the plan


@dataclass(frozen=True)
class MoveCommand:
    """A move that a program commands. ``planner`` makes the plan from the joints at which the move begins."""

    kind: MoveKind
    target: str
    arm: Arm
    planner: Planner
    zone: float
    guard: Condition | None
    waits: bool
    place: Pose | None  # in the world, for the journal
    asked: dict[str, object]  # motion data that the program gives, for the journal
    followers: tuple[Follower, ...] = ()

    def check(self) -> None:
        """Raise MotionError if the options of the command exclude each other."""
        if not self.zone >= 0.0:
            raise MotionError(f"a zone cannot be {self.zone / mm:.1f} mm wide", hint="give 0 to stop at the point")
        if self.guard is not None and (self.zone or not self.waits):
            raise MotionError(
                f"a guarded move of {self.arm.name} begins and ends at rest and cannot have a zone or wait=False",
                hint="remove zone and wait, or remove until",
            )


class Execution:
    """Executes the commands of one robot, from one program at a time.

    The signal ``<robot>.motion`` is still, moving, or passing (inside a zone, where the next move may be blended in).
    """

    def __init__(self, kernel: Kernel, world: World, linkage: Linkage) -> None:
        self._kernel, self._linkage = kernel, linkage
        self.motion = kernel.signal(f"{linkage.name}.motion", STILL, quiet=True)
        self.still = (self.motion == STILL).named(f"{linkage.name}.still")  # at rest
        self.free = (self.motion != MOVING).named(
            f"{linkage.name} free"
        )  # at rest or in a zone: the next move can begin
        self.joints: tuple[float, ...] = tuple(
            linkage.joints()
        )  # at rest: the commanded values, without rounding errors
        self.plan: Plan | None = None
        self.move: Move | None = None
        self.zone = 0.0
        self._followers: tuple[Follower, ...] = ()  # in the current plan
        self._leader: Execution | None = None  # whose plan moves this robot
        self._start = self._entry = 0
        self._timers: list[Timer] = []
        self.moves: Track[Move] = kernel.tracks.track("moves", linkage.name)
        self._world = world
        self._owner: Process | None = None

    @property
    def moving(self) -> bool:
        """Whether the arm is moving now."""
        return self.plan is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the start of the current plan."""
        return (self._kernel.now - self._start) * 1e-6

    @property
    def blends(self) -> bool:
        """Whether the arm enters its zone at exactly this instant, so that the next move can be blended in."""
        return self.plan is not None and self.motion.value == PASSING and self._kernel.now == self._entry

    # ---------------------------------------------------------------- commands

    def carry_out(self, command: MoveCommand, controller: MotionController) -> Move:
        """Execute a command and return when the program may continue. Errors are raised before anything moves."""
        self._claim()
        for each in command.followers:
            each.execution._claim()
        command.check()
        plan, takes_over = self._next(command, controller)
        guard = command.guard
        move = Move(
            command.kind,
            sys.intern(command.target),  # a program in a loop moves to the same targets repeatedly
            command.arm,
            self._kernel.now,
            plan.slowed,
            plan.slowed_by,
            None if guard is None else guard.text,
            world=self._world,
            linkage=self._linkage,
            to_place=command.place is not None,
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
            self.follow(plan, move, command.followers, entry, command.zone)
            if command.waits:
                self._see_through(move, plan, guard, controller)
        return move

    def stop(self, controller: MotionController) -> None:
        """Stop the arm, and what moves with it, with the deceleration of its controller, beginning now."""
        if self._leader is not None:
            self._leader.stop(controller)
        elif self.plan is not None:
            slowed = controller.stop(self.plan, self.elapsed)
            self._kernel.journal.write("stop", self._linkage.name, duration_s=slowed.duration)
            self.give_way(slowed)

    def _claim(self) -> None:
        """Give the running program control of the arm. Raises MotionError while the arm moves for another program."""
        me, owner, name = current_process(), self._owner, self._linkage.name
        if self.moving and owner is not None and owner is not me and owner.alive:
            raise MotionError(
                f"program {me.name!r} cannot command {name} while it moves for program {owner.name!r}",
                hint=f"let one program command {name}, or wait for {name}.still first",
            )
        self._owner = me

    def _next(self, command: MoveCommand, controller: MotionController) -> tuple[Plan, bool]:
        """The plan of a command, and whether it is blended into the current plan; otherwise it begins at rest."""
        if self.moving and command.guard is None:
            work(self.free)
            if self.plan is not None and self.blends and self._moves_with(command.followers):
                self._check_carriers(command)
                following = command.planner(self.plan.end)
                blended = controller.blend(self.plan, self.elapsed, following, self.zone)
                if blended is not None:
                    return blended, True
        work(self.still)
        while busy := next((each.execution for each in command.followers if each.execution.moving), None):
            work(busy.still)
            busy._claim()  # another program may have commanded it in the meantime
        self._check_carriers(command)
        start = self.joints
        for each in command.followers:
            start += each.execution.joints
        return command.planner(start), False

    def _moves_with(self, followers: Sequence[Follower]) -> bool:
        """Whether the current plan moves exactly these followers."""
        return [each.execution for each in self._followers] == [each.execution for each in followers]

    def _check_carriers(self, command: MoveCommand) -> None:
        """Raise MotionError if a robot moves to a place in the world while its base moves independently."""
        moved = [self._linkage, *(each.execution._linkage for each in command.followers)]
        if command.place is not None:
            for carrier, _ in carriers(self._linkage.base):
                if carrier not in moved and carrier.trajectory(self._kernel.now).end > self._kernel.now:
                    raise self._base_moves(self._linkage.name, command.target, carrier.name)
        moves = self._kernel.tracks.named("moves")
        for other in self._world.linkages.values():
            if other.base.parent is None or other in moved or not moves.get(other.name):
                continue
            last: Move = moves[other.name].values[-1]
            below = [each for each, _ in carriers(other.base) if each in moved]
            if below and last.to_place and not last.done:
                raise self._base_moves(other.name, last.target, below[0].name)

    def _base_moves(self, name: str, target: str, carrier: str) -> MotionError:
        return MotionError(
            f"{name} cannot move to {target!r} while {carrier}, which carries it, moves by itself",
            hint=f"move both together with {name}.move(…, axes={{{carrier}: …}}), or wait until the other is still; "
            "lines and arcs need a base at rest",
        )

    def _see_through(self, move: Move, plan: Plan, guard: Condition | None, controller: MotionController) -> None:
        """Wait until a move returns. The arm stops if the program is cancelled."""
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
        # An event at the instant of arrival counts: the controller scans its inputs once more.
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

    def _note(self, command: MoveCommand, plan: Plan) -> None:
        fields: dict[str, object] = {"move": command.kind, "to": command.target}
        if command.place is not None:
            fields["at_mm"] = [v / mm for v in command.place.position]
        fields.update(command.asked)
        if plan.slowed > 1.0:
            fields["slowed"], fields["slowed_by"] = round(plan.slowed, 3), plan.slowed_by
        if command.guard is not None:
            fields["until"] = command.guard.text
        if command.followers:
            fields["with"] = [each.execution._linkage.name for each in command.followers]
        self._kernel.journal.write("move", self._linkage.name, **fields, duration_s=plan.duration)
        for each in command.followers:
            fields = {"move": "joint", "to": each.target, "with": self._linkage.name}
            self._kernel.journal.write("move", each.execution._linkage.name, **fields, duration_s=plan.duration)

    # ---------------------------------------------------------------- plans on the clock

    def follow(
        self,
        plan: Plan,
        move: Move,
        followers: tuple[Follower, ...],
        entry: float | None = None,
        zone: float = 0.0,
    ) -> None:
        """Replace the current plan by another, beginning now; the tool enters its zone after ``entry`` seconds."""
        now = self._kernel.now
        own = plan.spline if not followers else plan.spline.of_joints(0, len(self.joints))
        trajectory = own.trajectory(now)
        self._linkage.follow(trajectory)
        if self.move is not None and self.move is not move:
            self.move.end, self.move.blended = now, True
        self._cancel()
        for each in followers:
            each.execution._be_led(self, plan, each, starts=self.move is not move)
        self.plan, self.move, self.zone, self._followers = plan, move, zone, followers
        self._start = now
        name, writes = self._linkage.name, (self.motion, *(each.execution.motion for each in followers))
        self.motion.set(MOVING, name)
        self._timers.append(self._kernel.at(trajectory.end, self._arrive, Rank.MOTION, name, writes=writes))
        if entry is not None:
            # The first whole tick inside the zone; a rounding error must not add a tick.
            self._entry = self._start + math.ceil(entry * 1e6 - 1e-6)
            if self._entry < trajectory.end:
                self._timers.append(self._kernel.at(self._entry, self._enter, Rank.MOTION, name, writes=writes))

    def give_way(self, plan: Plan) -> None:
        """End the current move early with a plan that stops the arm."""
        if self.move is not None:
            self.move.stopped = True
            for each in self._followers:
                if each.execution.move is not None:
                    each.execution.move.stopped = True
            self.follow(plan, self.move, self._followers)

    def _be_led(self, leader: "Execution", plan: Plan, part: Follower, *, starts: bool) -> None:
        """Follow a part of the plan of another robot, beginning now."""
        now = self._kernel.now
        self._linkage.follow(plan.spline.of_joints(part.joints.start, part.joints.stop).trajectory(now))
        if starts:
            if self.move is not None:
                self.move.end, self.move.blended = now, True
            self.move = Move("joint", part.target, part.arm, now, world=self._world, linkage=self._linkage)
            self.moves.append(now, self.move)
        self.plan, self._leader = plan, leader
        self.motion.set(MOVING, self._linkage.name)

    def _be_free(self, joints: Sequence[float]) -> None:
        """End a motion that another robot leads."""
        if self.move is not None:
            self.move.end = self._kernel.now
        self.joints, self.plan, self.move, self._leader = tuple(joints), None, None, None
        self.motion.set(STILL, self._linkage.name)

    def place(self, joints: Sequence[float]) -> None:
        """Set the joints at once; the arm must be at rest."""
        self._linkage.jump(joints)
        self.joints = tuple(joints)

    def _enter(self) -> None:
        self.motion.set(PASSING, self._linkage.name)

    def _arrive(self) -> None:
        if self.plan is not None:
            self.joints = self.plan.end[: len(self.joints)]
            for each in self._followers:
                each.execution._be_free(self.plan.end[each.joints])
        if self.move is not None:
            self.move.end = self._kernel.now
        self.plan = self.move = None
        self._followers = ()
        self._cancel()
        self.motion.set(STILL, self._linkage.name)

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
