"""A conveyor: what is set down on it rides, queues against stops and against what is ahead of it, and can be taken off.

Nothing is stepped or sampled. Whenever something changes (the belt, a stop, a part more or less) the goals of the parts
behind the change are worked out anew, and each rides to its own; an event comes when one is there. Parts that are to be
put on it wait at its entrance, and are woken at the instant there is room.

At an open end, a part leaves the belt when its centre of mass passes the end. If something level is right below it by
then, such as the next belt, that takes it. Otherwise it slides on, level, until it is clear of the end, and falls from
there: how it would tip over the edge is not modelled.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from drycell.base import Name, Pose, Problem, Quantity, Shortened, Size, Speed, Thing, WorldError, format_length, mm, s
from drycell.cell import Cell, Device, Live, Material
from drycell.devices.belt import (
    EXACT,
    TOUCHING,
    Belt,
    BeltDrive,
    BeltLine,
    BeltSection,
    Footprint,
    Leader,
    PartAhead,
    Rider,
    follow,
    footprint_of,
    in_the_way,
    measured,
    poking_in,
    ramped,
)
from drycell.geometry import Box
from drycell.kernel import Kernel, Output, Rank, Signal, Timer, Writes
from drycell.world import FOREVER, SECOND, Gravity, LiveBody, PartTracking, Rest, Scene, Travel

_Room = Callable[[Footprint], int | None]


class Entrance:
    """Those that wait for room on a belt. ``room`` says when there will be some.

    Nobody takes the room that another one has waited for longer: a large part would wait for ever behind small ones.
    """

    def __init__(self, kernel: Kernel, ledger: PartTracking, room: _Room) -> None:
        self._kernel, self._ledger = kernel, ledger
        self.room = room
        self._waiting: list[tuple[str, Footprint, Callable[[], None]]] = []
        self._timer: Timer | None = None

    def admit(self, owner: str, foot: Footprint, action: Callable[[], None]) -> bool:
        """Does something in the owner's name once there is room for a part; says whether that was at once.

        The footprint is seen from the belt's body.
        """
        if self._in_turn(foot, len(self._waiting)) and self.room(foot) == self._kernel.now:
            action()
            return True
        self._waiting.append((owner, foot, action))
        self.look()
        return False

    def look(self) -> None:
        """Finds out anew when one of those that wait can come in: something on the belt has changed."""
        rooms = [
            (when, number)
            for number, (_, foot, _) in enumerate(self._waiting)
            if self._in_turn(foot, number) and (when := self.room(foot)) is not None
        ]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if rooms:
            when, number = min(rooms)
            writes = self._ledger.may_change()
            owner = self._waiting[number][0]
            self._timer = self._kernel.at(when, lambda: self._enter(number), Rank.DEVICE, owner, writes=writes)

    def _in_turn(self, foot: Footprint, number: int) -> bool:
        """Whether none of the first so many waits for the same room."""
        return not any(other.overlaps(foot) for _, other, _ in self._waiting[:number])

    def _enter(self, number: int) -> None:
        self._timer = None
        _, foot, action = self._waiting[number]
        if self.room(foot) == self._kernel.now:
            del self._waiting[number]
            action()
        self.look()


_CLEAR: Final = 5e-7  # metres past the end: near enough to count as touching, and an edge on an edge is no support
_NEAR: Final = 1e-6  # metres: what is this near below a part holds it up
_SLOWEST: Final = 1 * mm / s  # what is past its balance does not stay on the edge, however slow the belt is
_FLUSH: Final = 0.99  # the cosine between a face and level from which on it takes a part over


@dataclass(frozen=True, slots=True)
class _Sliding:
    """A part on its way off: how it moves, seen from the belt, where it is clear, and the timer for that."""

    motion: Travel
    clear: float
    timer: Timer


class RunOff:
    """Takes parts on from the end of a belt."""

    def __init__(
        self, kernel: Kernel, scene: Scene, gravity: Gravity, belt: LiveBody, end: float, writes: Writes
    ) -> None:
        self._kernel, self._scene, self._gravity, self._belt, self._end = kernel, scene, gravity, belt, end
        self._writes = writes
        self._sliding: dict[LiveBody, _Sliding] = {}

    def has(self, part: LiveBody) -> bool:
        """Whether a part that hangs on the belt is sliding off it; one that was taken meanwhile no longer is."""
        sliding = self._sliding.get(part)
        if sliding is None:
            return False
        if part.history.values[-1].motion is sliding.motion:
            return True
        del self._sliding[part]
        sliding.timer.cancel()
        return False

    def take(self, rider: Rider, now: int, speed: float) -> None:
        """A part leaves the belt now, at a speed."""
        part, world = rider.part, self._scene.world
        self._kernel.journal.write("leaves", part.name, belt=self._belt.name)
        onto = self._flush(part)
        if onto is not None:
            world.attach(part, onto)
            return
        pose = rider.motion.pose(now)
        clear = max(self._end + _CLEAR - rider.foot.rear, pose.x)
        self._slide(part, Travel(now, FOREVER, pose, (max(speed, _SLOWEST), 0.0, 0.0)), clear)

    def hasten(self, now: int, speed: float) -> None:
        """The belt goes at a speed from now on: what still lies on it with its rear is never slower."""
        for part, sliding in list(self._sliding.items()):
            if self.has(part) and speed > sliding.motion.velocity[0]:
                sliding.timer.cancel()
                self._slide(part, Travel(now, FOREVER, sliding.motion.pose(now), (speed, 0.0, 0.0)), sliding.clear)

    def _slide(self, part: LiveBody, motion: Travel, clear: float) -> None:
        now, pose, speed = motion.start, motion.pose(motion.start), motion.velocity[0]
        when = now + math.ceil((clear - pose.x) / speed / SECOND)
        timer = self._kernel.at(when, lambda: self._drop(part), Rank.MOTION, part.name, writes=tuple(self._writes()))
        self._sliding[part] = _Sliding(motion, clear, timer)
        self._scene.world.move(part, motion, self._belt)

    def _drop(self, part: LiveBody) -> None:
        if part.gone == FOREVER and self.has(part):
            sliding = self._sliding.pop(part)
            # It falls from where it is clear, whenever within this tick that was.
            pose = sliding.motion.pose(self._kernel.now)
            pose = self._belt.pose @ pose.moved(sliding.clear - pose.x)
            self._scene.world.place(part, pose)
            self._gravity.release(part)

    def _flush(self, part: LiveBody) -> LiveBody | None:
        """What is right below a part, level with the belt, and goes on from it: the first that does, if several do."""
        scene, own = self._scene, list(self._scene.world.subtree(part))
        down = self._belt.pose.direction((0.0, 0.0, -1.0))
        found: list[tuple[float, LiveBody]] = []
        for touch in scene.touching(part, margin=_NEAR, ignore=[*own, self._belt]):
            normal = scene.closest(part, touch.body).normal
            if sum(n * d for n, d in zip(normal, down, strict=True)) > _FLUSH and touch.body.shape is not None:
                local = scene.world.relative(self._belt, touch.body)
                room = footprint_of(touch.body.shape, local)
                # A long part may still lie on the belt before this one, too.
                if local.x + room.front > self._end + _NEAR:
                    found.append((local.x + room.rear, touch.body))
        return min(found, key=lambda each: each[0])[1] if found else None


class Stop(Thing, compact=True, kw_only=False):
    """A stop across a belt."""

    at: Size
    """Distance from the start of the belt."""
    open: bool = False
    """Whether it lets parts pass when the run starts."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A stop in a run, with the signal that opens it."""

    at: float
    open: Signal[bool]


def check_speed(name: str, speed: float) -> None:
    """Refuses a speed that a belt cannot have."""
    if not 0.0 <= speed < math.inf:
        raise WorldError(
            f"{name} cannot run at {speed / mm:g} mm/s: not 0 mm/s ≤ speed",
            hint="to run it the other way, turn the conveyor about: rpy=(0, 0, 180 deg)",
        )


_NONE: Final = 1 << 30  # no part's number
_ENDS: Final = ("entry", "end")  # the belt's own workpoints


class Conveyor(
    Device,
    kind="conveyor",
    icon="conveyor_belt",
    example={"length": "800 mm", "width": "200 mm", "speed": "100 mm/s"},
):
    """A belt that runs along its own x axis; what is set down on it rides.

    It is as large as a box, about its middle. Parts queue against its end, or fall off it, and against stops.
    """

    length: Size
    """Length along x, the direction in which it runs."""
    width: Size
    """Width along y."""
    height: Size = 100 * mm
    """Height along z."""
    speed: Speed
    """How fast it runs."""
    acceleration: Annotated[float, Quantity("acceleration", least=0.0)] = 0.0
    """How quickly it starts and stops; 0 means at once."""
    run: bool = True
    """Whether it runs from the start."""
    end: Literal["stop", "fall"] = "stop"
    """Whether parts stop at its end or fall off."""
    stops: Mapping[Name, Annotated[Stop | float, Shortened(Stop)]] | None = None
    """Stops across the belt, by name; each has a signal that opens it."""
    material: Material = "rubber"
    """What the belt is made of."""

    def problems(self) -> Iterable[Problem]:
        """Stops are on the belt, and not called as its own ends are."""
        yield from super().problems()
        for name, stop in self.stops_by_name.items():
            if name in _ENDS:
                what = f"a stop cannot be called {name!r}: that is the name of the belt's own {name}"
                yield Problem(("stops", name), what, "rename it")
            elif stop.at > self.length:
                reach = f"not 0 < {format_length(stop.at)} ≤ {format_length(self.length)}"
                hint = "stops are measured from the belt's start, along it"
                yield Problem(("stops", name, "at"), f"the stop {name!r} is not on the belt: {reach}", hint)

    @property
    def stops_by_name(self) -> dict[str, Stop]:
        """Its stops, of which each was checked to be one."""
        return {name: stop for name, stop in (self.stops or {}).items() if isinstance(stop, Stop)}

    def signals(self) -> Iterable[str]:
        """Inputs ``run``, ``speed`` and one for each stop; ``running`` says whether it moves."""
        return ("run", "speed", "running", *(f"{name}.open" for name in self.stops or ()))

    def build(self, cell: Cell, name: str) -> "LiveConveyor":
        """Sets it up."""
        return LiveConveyor(cell, name, self)


class LiveConveyor(Live[Conveyor]):
    """A belt along its body's x axis. ``run`` is its input; ``running`` says whether it moves, ``speed`` how fast it is
    to be, in m/s."""

    def __init__(self, cell: Cell, name: str, model: Conveyor) -> None:
        super().__init__(cell, name, model)
        length, given = model.length, model.stops_by_name
        self.length, self._acceleration = length, model.acceleration
        kernel, scene, ledger = cell.kernel, cell.scene, cell.part_tracking
        self._kernel, self._world, self._ledger = kernel, cell.world, ledger
        body = LiveBody(name, Box(length, model.width, model.height), material=model.material, conveys=True)
        self.body: LiveBody = cell.world.add(body, *cell.standing(model, body))
        top = model.height / 2
        self.points: tuple[str, ...] = tuple(f"{name}.{each}" for each in (*_ENDS, *given))
        for point, x in zip(self.points, (0.0, length, *(each.at for each in given.values())), strict=True):
            self._world.add_workpoint(point, self.body, Pose(x - length / 2, 0.0, top) @ Pose.turn_x(math.pi))
        self.run: Signal[bool] = self.signal("run", model.run)
        self.speed: Signal[float] = self.signal("speed", model.speed, unit="m/s")
        self.running = Output(kernel, name, f"{name}.running", model.run and model.speed > 0.0)
        self.gates = {each: Gate(stop.at, self.signal(f"{each}.open", stop.open)) for each, stop in given.items()}
        self._belt = Belt(-length / 2, length / 2, falls=model.end == "fall")
        self._riders: dict[LiveBody, Rider] = {}
        self._drive = BeltDrive(kernel.now, self._wanted())
        self._first = _NONE  # the foremost part whose goal is to be found anew
        self._anew = False  # whether the belt itself has changed
        self._settling: Timer | None = None
        self._arrival: Timer | None = None
        self._ramp: Timer | None = None
        self._entrance = Entrance(kernel, ledger, self._room)
        self._run_off = RunOff(kernel, scene, cell.gravity, self.body, length / 2, self._may_write)
        told = self._closed, self._settle_now, self._stirred, self._entrance.look
        self._stretch, self._row = BeltSection(self.body, self._belt, top, *told), cell.shared(BeltLine, BeltLine)
        self._row.join(self._stretch)
        self._busy = False  # settling
        self._rearmost = math.inf  # where the last part ends that goes on otherwise than belts behind know
        self.run.subscribe(self._driven, self._may_write)
        self.speed.subscribe(self._driven, self._may_write)
        for gate in self.gates.values():
            gate.open.subscribe(self._gated, self._may_write)
        self._world.subscribe(self._changed)

    def _may_write(self) -> list[Signal[Any]]:
        return self._ledger.may_change(self.running)

    def start(self) -> None:
        """Lets it run."""
        self.run.set(True)

    def stop(self) -> None:
        """Stops it; what lies on it stays where it is."""
        self.run.set(False)

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """What rides on it now, the foremost first."""
        return tuple(rider.part for rider in self._belt)

    def place(self, part: LiveBody) -> float:
        """How far a part's origin is from the belt's start, along it."""
        if part not in self._riders:
            raise WorldError(f"{part.name!r} does not ride on {self.name!r}", hint=f"see {self.name}.parts")
        return self._riders[part].place(self._kernel.now) + self.length / 2

    @property
    def entrance(self) -> Entrance:
        """Where parts that are to be put on the belt wait for room."""
        return self._entrance

    # ---------------------------------------------------------------- what changes

    def _wanted(self) -> float:
        check_speed(self.name, self.speed.peek())
        return self.speed.peek() if self.run.peek() else 0.0

    def _driven(self, _: object) -> None:
        """The belt is to run otherwise than it did."""
        now = self._kernel.now
        self._turn(ramped(now, self._drive.speed_at(now), self._wanted(), self._acceleration))

    def _turn(self, drive: BeltDrive) -> None:
        if self._ramp is not None:
            self._ramp.cancel()
            self._ramp = None
        self._drive = drive
        if drive.end < FOREVER:
            writes = self._ledger.may_change(self.running)
            self._ramp = self._kernel.at(drive.end, self._ramp_over, Rank.MOTION, self.name, writes=writes)
        self.running.tell(drive.moves)
        self._anew = True
        self._settle_soon(0)

    def _ramp_over(self) -> None:
        self._turn(BeltDrive(self._kernel.now, self._wanted()))
        self._settle()

    def _gated(self, _: bool) -> None:
        self._rearmost = min(self._rearmost, *(gate.at - self.length / 2 for gate in self.gates.values()))
        self._settle_soon(0)

    def _changed(self, body: LiveBody) -> None:
        """Something was put on the belt, or taken off."""
        rider = self._riders.get(body)
        if rider is None:
            if body.part and body.gone == FOREVER:
                carrier = body.parent
                if carrier is self.body:
                    if not self._run_off.has(body):
                        self._come(body)
                else:
                    self._measure(carrier)
                    if len(body.history) > 1:
                        self._measure(body.history.values[-2].parent)
            return
        segment = body.history.values[-1]
        if body.gone != FOREVER or segment.parent is not self.body:
            self._go(rider)
        elif segment.motion is not rider.motion:  # somebody else has put it elsewhere
            self._go(rider)
            self._come(body)

    def _come(self, part: LiveBody) -> None:
        rider = Rider(part, measured(self._world, self.body, part), part.history.values[-1].motion)
        self._riders[part] = rider
        self._rearmost = min(self._rearmost, rider.rear(self._kernel.now))
        self._settle_soon(self._belt.insert(rider, self._kernel.now))

    def _go(self, rider: Rider) -> None:
        del self._riders[rider.part]
        self._rearmost = min(self._rearmost, rider.rear(self._kernel.now))
        self._settle_soon(self._belt.remove(rider))

    def _measure(self, carrier: LiveBody | None) -> None:
        """Something was laid on a part, or taken off it: the one at the bottom, which rides, now takes other room."""
        while carrier is not None and carrier.part and carrier not in self._riders:
            carrier = carrier.parent
        if carrier is not None and carrier in self._riders:
            rider = self._riders[carrier]
            rider.foot = measured(self._world, self.body, carrier)
            self._rearmost = min(self._rearmost, rider.rear(self._kernel.now))
            self._settle_soon(self._belt.riders.index(rider))

    # ---------------------------------------------------------------- what follows from it

    def _settle_soon(self, first: int) -> None:
        """Once for all that changes at this instant, and not while others are still being told of it."""
        self._first = min(self._first, first)
        if self._settling is None:
            writes = self._ledger.may_change(self.running)
            self._settling = self._kernel.at(self._kernel.now, self._settle, Rank.MOTION, self.name, writes=writes)

    def _settle(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        now = self._kernel.now
        self._busy = True
        beyond, stops = in_the_way(self._row, self._stretch, self._world, now)
        if self._arrive(now, beyond):
            beyond, stops = in_the_way(self._row, self._stretch, self._world, now)
        first, self._first = self._first, _NONE
        anew, self._anew = self._anew, False
        if anew:
            self._run_off.hasten(now, max(self._drive.speed_at(now), self._wanted()))
        goals = [(rider.goal, rider.leaves) for rider in self._belt.riders[first:]]
        self._belt.plan(first, now, [*self._gates_closed(), *stops], beyond)
        for number, (goal, left) in enumerate(goals, first):
            rider = self._belt.riders[number]
            if goal == -math.inf:
                self._welcome(rider, now)
            leaders = self._leaders(number, now, beyond)
            if anew or abs(rider.goal - goal) > EXACT or rider.leaves != left or leaders or rider.minds:
                self._carry(rider, now, leaders, anew)
        self._busy = False
        self._look_ahead()
        self._tell(now)

    def _settle_now(self) -> None:
        """Does at once what is to be done at this instant."""
        arrives = self._arrival is not None and self._arrival.time <= self._kernel.now
        if (self._settling is not None or arrives) and not self._busy:
            self._settle()

    def _stirred(self) -> None:
        """On a belt ahead something is other than it was."""
        if not self._busy:
            self._settle_soon(0)

    def _tell(self, now: int) -> None:
        """Lets those behind know what has changed here, as far as they may come up to it, and those ahead look."""
        rearmost, self._rearmost = self._rearmost, math.inf
        if rearmost < math.inf:
            for other, x, _ in self._row.before(self._stretch, self._world):
                if other.belt.riders and rearmost + x < other.reach:
                    other.stir()
            for other, _, _ in self._row.beyond(self._stretch, self._world):
                other.look()

    def _gates_closed(self) -> list[float]:
        return [gate.at - self.length / 2 for gate in self.gates.values() if not gate.open.peek()]

    def _closed(self) -> list[float]:
        return self._gates_closed() if self._belt.falls else [*self._gates_closed(), self._belt.end]

    def _leaders(self, number: int, now: int, beyond: list[PartAhead]) -> list[Leader]:
        """What is ahead of a part and does not go with this belt."""
        if not beyond:
            return []
        rider = self._belt.riders[number]
        found = [
            Leader(other.place(now) + other.foot.rear, other.rider.going(now))
            for other in beyond
            if other.precedes(rider, now)
        ]
        for ahead in self._belt.riders[:number]:
            if ahead.held and not ahead.foot.beside(rider.foot):
                found.append(Leader(ahead.rear(now), ahead.going(now)))
        return found

    def _welcome(self, rider: Rider, now: int) -> None:
        """Says so where a part was set down among others without room for it."""
        here = rider.foot.shifted(rider.place(now), 0.0)
        others = [other.part.name for other in self._belt.in_the_way(here, now) if other is not rider]
        if others:
            self._kernel.journal.write("crowds", self.name, part=rider.part.name, among=others)

    def _carry(self, rider: Rider, now: int, leaders: list[Leader], anew: bool) -> None:
        """Lets a part ride to its goal as the belt goes now, or as what is ahead of it does."""
        pose = self._kept_back(rider, now, leaders)
        way = rider.goal - pose.x
        drive = self._drive.since(now)
        pace, until = follow(pose.x + rider.foot.front, drive, leaders) if leaders else (drive, FOREVER)
        before = rider.going(now)
        rider.minds, rider.held = bool(leaders), pace is not drive
        if pace.moves and (way > EXACT or rider.leaves):
            reached = pace.reaches(way)
            arrival = min(pace.end if reached is None else reached, until)
            same = (arrival, pace.speed, pace.ramp) == (rider.arrival, before.speed, before.ramp)
            if same and rider.minds and not anew and pose.x == rider.place(now):
                return
            rider.arrival, rider.drive = arrival, pace
            rider.motion = pace.motion(pose, arrival)
        elif isinstance(rider.motion, Rest) and pose.x == rider.place(now):
            rider.arrival = None
            return
        else:
            rider.arrival = None
            rider.motion = Rest(pose)
        self._move(rider, now)

    def _move(self, rider: Rider, now: int) -> None:
        self._world.move(rider.part, rider.motion, self.body)
        self._rearmost = min(self._rearmost, rider.rear(now))

    def _kept_back(self, rider: Rider, now: int, leaders: list[Leader]) -> Pose:
        """Where a part is now: of the tick in which it came up to something, it goes no farther than to that."""
        pose = rider.motion.pose(now)
        if leaders:
            too_far = pose.x + rider.foot.front - min(leader.rear for leader in leaders)
            tick = max(rider.drive.speed_at(now), rider.drive.speed, self._drive.speed_at(now)) * 2.0 * SECOND
            if 0.0 < too_far <= tick:
                return pose.moved(-too_far)
        return pose

    def _arrive(self, now: int, beyond: list[PartAhead]) -> bool:
        """Those that are at their goals stop there, exactly; or leave the belt. Says whether one has left."""
        left = False
        for rider in [rider for rider in self._belt if rider.arrival is not None and rider.arrival <= now]:
            number = self._belt.riders.index(rider) if rider.minds else 0
            pose = self._kept_back(rider, now, self._leaders(number, now, beyond) if rider.minds else [])
            rider.arrival = None
            short = rider.goal - pose.x
            if rider.leaves and short <= TOUCHING:
                if pose.x != rider.place(now):
                    rider.motion = Rest(pose)
                    self._world.move(rider.part, rider.motion, self.body)
                self._rearmost = min(self._rearmost, rider.rear(now))
                del self._riders[rider.part]
                self._first = min(self._first, self._belt.remove(rider))
                self._run_off.take(rider, now, max(self._drive.speed_at(now), self._wanted()))
                left = True
            elif short <= TOUCHING:
                rider.motion = Rest(pose.moved(short))
                self._move(rider, now)
            elif rider.minds:
                self._first = min(self._first, number)
        return left

    def _look_ahead(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None
        arrivals = [rider.arrival for rider in self._belt if rider.arrival is not None]
        if arrivals:
            writes = self._ledger.may_change(self.running)
            self._arrival = self._kernel.at(min(arrivals), self._settle, Rank.MOTION, self.name, writes=writes)
        self._entrance.look()

    def _room(self, foot: Footprint) -> int | None:
        """When there is room for a part as things go now: now, later, or (None) not before something changes."""
        if self._settling is not None:
            self._settle()
        now = self._kernel.now
        drive, latest = self._drive.since(now), now
        for rider in self._belt.in_the_way(foot, now):
            way = foot.front - rider.rear(now)
            free = rider.leaves or rider.goal + rider.foot.rear >= foot.front - TOUCHING
            when = drive.reaches(way) if free and drive.moves else None
            if when is None:
                return None
            latest = max(latest, when)
        # What pokes in from a belt behind gives the room free on this one only: that is a change.
        return None if poking_in(self._row, self._stretch, self._world, foot, now) else latest
