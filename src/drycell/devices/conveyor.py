"""Conveyors: parts on a belt move with it, queue at stops and behind other parts, and can be taken off.

Nothing is stepped or sampled. Whenever something changes (the belt, a stop, a part), the goals of the parts behind the
change are recomputed, and an event fires when a part reaches its goal. New parts from a source wait at the entrance of
the belt until there is space.

At an open end, a part leaves the belt when its centre of mass passes the end. If there is a level surface directly
below it, such as the next belt, the part continues on that surface. Otherwise it keeps sliding horizontally until it is
clear of the end, and then falls. Tipping over the edge is not modelled.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from drycell.base import Name, Pose, Problem, Quantity, Shortened, Size, Speed, Thing, WorldError, format_length, mm, s
from drycell.cell import Cell, Device, Live, Material, stand_on_legs
from drycell.devices.belt import (
    EXACT,
    TOUCHING,
    Belt,
    BeltDrive,
    BeltLine,
    BeltPart,
    BeltSection,
    Footprint,
    Leader,
    PartAhead,
    blocked_from_behind,
    follow,
    footprint_of,
    measured,
    obstacles_ahead,
    ramped,
)
from drycell.geometry import Box
from drycell.kernel import DeviceOutput, Kernel, Rank, Signal, Timer, Writes
from drycell.looks import (
    COURSES,
    QUARTER,
    Channel,
    Course,
    Look,
    belt,
    box,
    cylinder,
    extrude,
    legs,
    piece,
    placed,
)
from drycell.world import FOREVER, SECOND, Gravity, LiveBody, PartTracking, Rest, Scene, Travel

_Room = Callable[[Footprint], int | None]


class Entrance:
    """The queue of parts that wait for space on a belt. ``room`` returns the time when there is space.

    A part never takes space for which another part has waited longer; otherwise small parts could block a large one
    indefinitely.
    """

    def __init__(self, kernel: Kernel, tracking: PartTracking, room: _Room) -> None:
        self._kernel, self._tracking = kernel, tracking
        self.room = room
        self._waiting: list[tuple[str, Footprint, Callable[[], None]]] = []
        self._timer: Timer | None = None

    def admit(self, owner: str, foot: Footprint, action: Callable[[], None]) -> bool:
        """Run an action as soon as there is space for a part.

        Args:
            owner: the name under which the action runs.
            foot: the space that the part needs, in the frame of the belt's body.
            action: puts the part on the belt.

        Returns:
            Whether the action was run at once.
        """
        if self._in_turn(foot, len(self._waiting)) and self.room(foot) == self._kernel.now:
            action()
            return True
        self._waiting.append((owner, foot, action))
        self.look()
        return False

    def look(self) -> None:
        """Recompute when a waiting part can enter. Call it when something on the belt has changed."""
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
            writes = self._tracking.may_change()
            owner = self._waiting[number][0]
            self._timer = self._kernel.at(when, lambda: self._enter(number), Rank.DEVICE, owner, writes=writes)

    def _in_turn(self, foot: Footprint, number: int) -> bool:
        """Whether none of the first ``number`` parts in the queue waits for the same space."""
        return not any(other.overlaps(foot) for _, other, _ in self._waiting[:number])

    def _enter(self, number: int) -> None:
        self._timer = None
        _, foot, action = self._waiting[number]
        if self.room(foot) == self._kernel.now:
            del self._waiting[number]
            action()
        self.look()


_CLEAR: Final = 5e-7  # metres past the end: the edges still touch, but do not support the part
_NEAR: Final = 1e-6  # metres: a body this close below a part supports it
_SLOWEST: Final = 1 * mm / s  # a part past its balance point leaves the edge, even if the belt is slow
_FLUSH: Final = 0.99  # cosine of the largest angle between belt and face at which the face takes over a part


@dataclass(frozen=True, slots=True)
class _Sliding:
    """A part that slides off: its motion relative to the belt, where it clears it, and a timer for that."""

    motion: Travel
    clear: float
    timer: Timer


class RunOff:
    """Transfers parts from the end of a belt to the next body, or lets them fall."""

    def __init__(
        self, kernel: Kernel, scene: Scene, gravity: Gravity, belt: LiveBody, end: float, writes: Writes
    ) -> None:
        self._kernel, self._scene, self._gravity, self._belt, self._end = kernel, scene, gravity, belt, end
        self._writes = writes
        self._sliding: dict[LiveBody, _Sliding] = {}

    def has(self, part: LiveBody) -> bool:
        """Whether a part is sliding off the belt, unless something else has moved it in the meantime."""
        sliding = self._sliding.get(part)
        if sliding is None:
            return False
        if part.history.values[-1].motion is sliding.motion:
            return True
        del self._sliding[part]
        sliding.timer.cancel()
        return False

    def take(self, belt_part: BeltPart, now: int, speed: float) -> None:
        """Let a part leave the belt now, at a speed in m/s."""
        part, world = belt_part.part, self._scene.world
        self._kernel.journal.write("leaves", part.name, belt=self._belt.name)
        onto = self._flush(part)
        if onto is not None:
            world.attach(part, onto)
            return
        pose = belt_part.motion.pose(now)
        clear = max(self._end + _CLEAR - belt_part.foot.rear, pose.x)
        self._slide(part, Travel(now, FOREVER, pose, (max(speed, _SLOWEST), 0.0, 0.0)), clear)

    def accelerate(self, now: int, speed: float) -> None:
        """Make sliding parts at least as fast as the belt: their rear is still on it."""
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
            # It falls from the exact position at which it clears the belt, which is within this tick.
            pose = sliding.motion.pose(self._kernel.now)
            pose = self._belt.pose @ pose.moved(sliding.clear - pose.x)
            self._scene.world.place(part, pose)
            self._gravity.release(part)

    def _flush(self, part: LiveBody) -> LiveBody | None:
        """The (first) body directly below a part that is level with the belt and extends beyond it."""
        scene, own = self._scene, list(self._scene.world.subtree(part))
        down = self._belt.pose.direction((0.0, 0.0, -1.0))
        found: list[tuple[float, LiveBody]] = []
        for touch in scene.touching(part, margin=_NEAR, ignore=[*own, self._belt]):
            normal = scene.closest(part, touch.body).normal
            if sum(n * d for n, d in zip(normal, down, strict=True)) > _FLUSH and touch.body.shape is not None:
                local = scene.world.relative(self._belt, touch.body)
                room = footprint_of(touch.body.shape, local)
                # A long part may still lie on the previous belt as well.
                if local.x + room.front > self._end + _NEAR:
                    found.append((local.x + room.rear, touch.body))
        return min(found, key=lambda each: each[0])[1] if found else None


class Stop(Thing, compact=True, kw_only=False):
    """A stop across a belt. Parts queue at it while it is closed.

    >>> from drycell import Stop, mm
    >>> Stop(300*mm).open
    False
    """

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
    """Raise WorldError if a belt cannot have a speed."""
    if not 0.0 <= speed < math.inf:
        raise WorldError(
            f"{name} cannot run at {speed / mm:g} mm/s: a speed cannot be below 0 mm/s",
            hint="to reverse it, rotate the conveyor: rpy=(0, 0, 180 deg)",
        )


_NONE: Final = 1 << 30  # larger than any index of a part
_ENDS: Final = ("entry", "end")  # the belt's own workpoints


class Conveyor(
    Device,
    kind="conveyor",
    icon="conveyor_belt",
    example={"length": "800 mm", "width": "200 mm", "speed": "100 mm/s"},
):
    """A conveyor belt that runs along its x axis and carries everything placed on it.

    Its body is a box, centred at its pose. Parts queue at stops, behind other parts and at its end, or fall off it.

    >>> from drycell import Box, Cell, Conveyor, Sink, Source, Stop, mm, s
    >>> cell = Cell("line")
    >>> belt = cell.add("belt", Conveyor(length=800*mm, width=200*mm, speed=100*mm/s, stops={"gate": Stop(500*mm)}))
    >>> source = cell.add("source", Source(Box(60*mm, 40*mm, 20*mm), every=5*s, on="belt"))
    >>> result = cell.run(until=10*s)
    >>> part = belt.parts[0]
    >>> round(belt.place(part) / mm)  # its front is at the stop
    470
    """

    length: Size
    """Length along x, its direction."""
    width: Size
    """Width along y."""
    height: Size = 100 * mm
    """Height along z."""
    speed: Speed
    """Speed of the belt."""
    acceleration: Annotated[float, Quantity("acceleration", least=0.0)] = 0.0
    """Acceleration when it starts and stops; 0 means at once."""
    run: bool = True
    """Whether it runs when the simulation starts."""
    end: Literal["stop", "fall"] = "stop"
    """Whether parts stop at its end or fall off."""
    stops: Mapping[Name, Annotated[Stop | float, Shortened(Stop)]] | None = None
    """Stops across the belt, by name. Each has a signal that opens it."""
    legs: Size | None = None
    """Height of the legs below it. They are a separate body, which is checked for collisions."""
    material: Material = "rubber"
    """Material of the belt."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: stops must be on the belt and must not have the name of an end of the belt."""
        yield from super().problems()
        for name, stop in self.stops_by_name.items():
            if name in _ENDS:
                what = f"a stop cannot be called {name!r}: this is the name of a point of the belt"
                yield Problem(("stops", name), what, "rename it")
            elif stop.at > self.length:
                reach = f"{format_length(stop.at)} is not between 0 and {format_length(self.length)}"
                hint = "the position of a stop is measured along the belt, from its start"
                yield Problem(("stops", name, "at"), f"the stop {name!r} is not on the belt: {reach}", hint)

    @property
    def stops_by_name(self) -> dict[str, Stop]:
        """Its stops."""
        return {name: stop for name, stop in (self.stops or {}).items() if isinstance(stop, Stop)}

    def signals(self) -> Iterable[str]:
        """Inputs ``run``, ``speed`` and one for each stop; output ``running``, which is on while the belt moves."""
        return ("run", "speed", "running", *(f"{name}.open" for name in self.stops or ()))

    def look(self) -> Look:
        """A belt in a frame with a motor; the belt travels as in the run."""
        return _conveyor_look(self.length, self.width, self.height)

    def build(self, cell: Cell, name: str) -> "LiveConveyor":
        """Add the conveyor to a cell."""
        return LiveConveyor(cell, name, self)


def _conveyor_look(length: float, width: float, height: float) -> Look:
    """A belt about two drums in a frame, within the box of the conveyor; on legs if the box is high enough."""
    top, frame = height / 2, min(height, 0.075)
    side = min(0.018, 0.12 * width)
    radius = min(0.030, 0.42 * frame)
    nose = min(0.045, 0.2 * length)
    middle = top - frame / 2
    inner = width - 2 * side
    reach = length / 2 - radius - 0.002  # where the drums are
    parts = [
        piece(belt(length - 0.004, inner - 0.004, radius), "belt", (0, 0, top), on="travel"),
        piece(box(length - 2.6 * radius, inner - 0.008, 1.2 * radius), "anodised", (0, 0, top - radius), shade=0.55),
    ]
    for sy in (-1, 1):
        y = sy * (width / 2 - side / 2)
        along = length - 2 * nose
        parts += [
            piece(box(along, side, frame - 0.004, 0.003), "aluminium", (0, y, middle - 0.001)),
            piece(
                box(along, 0.003, 0.16 * frame, 0.0008), "black steel", (0, y + sy * side / 2, middle + 0.12 * frame)
            ),
            piece(box(along, 0.004, 0.06 * frame, 0.0008), "aluminium", (0, y + sy * side / 2, middle + 0.40 * frame)),
            piece(box(along, 0.004, 0.06 * frame, 0.0008), "aluminium", (0, y + sy * side / 2, middle - 0.42 * frame)),
        ]
        for sx in (-1, 1):
            half = frame / 2 - 0.002
            rim = (
                (-nose, -half),
                (-0.35 * nose, -half),
                (-0.010, -0.6 * half),
                (0, 0.1 * half),
                (-0.012, half),
                (-nose, half),
            )
            outline = [(sx * x, z) for x, z in rim]
            cap = extrude((outline,), side + 0.004, 0.002)
            parts.append(
                piece(cap, "plastic", (sx * length / 2, y + side / 2 + 0.002, middle), (QUARTER, 0, 0), tint="dark")
            )
            bearing, turn = cylinder(0.5 * radius, 0.005, 0.0012, 24), (-QUARTER * sy, 0, 0)
            parts.append(piece(bearing, "steel", (sx * reach, y + sy * (side / 2 + 0.001), top - radius), turn))
        for k in range(3):  # chevrons show the direction
            arrow = [(-0.010, -0.011), (0.001, -0.011), (0.011, 0), (0.001, 0.011), (-0.010, 0.011), (0, 0)]
            turned = arrow if sy < 0 else [(x, -z) for x, z in arrow]
            scaled = [(0.3 * frame / 0.022 * x, 0.3 * frame / 0.022 * z) for x, z in turned]
            x = 0.22 * length + 0.30 * frame * k
            parts.append(
                piece(
                    extrude((scaled,), 0.0012, 0.0002),
                    "label",
                    (x, y + sy * (side / 2 + 0.0015), middle - 0.16 * frame),
                    (-QUARTER * sy, 0, 0),
                    tint="blue",
                )
            )
    # A slim gear motor beside the frame at the driven end.
    slim = min(0.0145, 0.3 * frame)
    x, y, z = length / 2 - nose - 0.045, -(width / 2 + slim), middle - 0.06 * frame
    parts.append(piece(box(0.045, 2 * slim, min(0.045, 0.8 * frame), 0.004), "paint", (x, y, z), tint="slate"))
    case = min(0.12, 0.35 * length)
    parts.append(
        piece(cylinder(0.86 * slim, case, 0.004, 28), "paint", (x - 0.02, y, z), (0, -QUARTER, 0), tint="slate")
    )
    for k in range(int(case / 0.012) - 1):
        fin = cylinder(slim, 0.004, 0.001, 28)
        parts.append(piece(fin, "paint", (x - 0.036 - 0.012 * k, y, z), (0, -QUARTER, 0), tint="slate"))
    gap = height - frame
    if gap > 0.15:
        parts += placed(legs(length - 0.2, width, gap), (0, 0, -top))
    elif gap > 0.005:
        for sx in (-1, 1):
            foot = box(0.05, width, gap, 0.002)
            parts.append(piece(foot, "black steel", (sx * (length / 2 - 0.10), 0, -top + gap / 2)))
    return Look(tuple(parts), {"travel": Channel("scroll", Course("travel"))})


class LiveConveyor(Live[Conveyor]):
    """A conveyor in a running cell.

    Set the signals ``run`` and ``speed`` (in m/s) to control it; the output ``running`` is on while the belt moves.
    """

    def __init__(self, cell: Cell, name: str, model: Conveyor) -> None:
        super().__init__(cell, name, model)
        length, given = model.length, model.stops_by_name
        self.length, self._acceleration = length, model.acceleration
        kernel, scene, tracking = cell.kernel, cell.scene, cell.part_tracking
        self._kernel, self._world, self._tracking = kernel, cell.world, tracking
        body = LiveBody(name, Box(length, model.width, model.height), material=model.material, conveys=True)
        carrier, pose = cell.standing(model, body)
        if model.legs is not None and model.on is not None:
            pose = pose @ Pose(z=model.legs)
        self.body: LiveBody = cell.world.add(body, carrier, pose)
        if model.legs is not None:
            stand_on_legs(cell, body, model.legs)
        top = model.height / 2
        self.points: tuple[str, ...] = tuple(f"{name}.{each}" for each in (*_ENDS, *given))
        for point, x in zip(self.points, (0.0, length, *(each.at for each in given.values())), strict=True):
            self._world.add_workpoint(point, self.body, Pose(x - length / 2, 0.0, top) @ Pose.turn_x(math.pi))
        self.run: Signal[bool] = self.signal("run", model.run)
        self.speed: Signal[float] = self.signal("speed", model.speed, unit="m/s")
        self.running = DeviceOutput(kernel, name, f"{name}.running", model.run and model.speed > 0.0)
        self.gates = {each: Gate(stop.at, self.signal(f"{each}.open", stop.open)) for each, stop in given.items()}
        self._belt = Belt(-length / 2, length / 2, falls=model.end == "fall")
        self._on_belt: dict[LiveBody, BeltPart] = {}
        self._drive = BeltDrive(kernel.now, self._wanted())
        self._travel = kernel.tracks.track(COURSES, f"{name}.travel")
        self._travel.append(kernel.now, (0.0, self._drive.speed, self._drive.ramp))
        self._first = _NONE  # index of the foremost part whose goal must be recomputed
        self._anew = False  # whether the motion of the belt has changed
        self._settling: Timer | None = None
        self._arrival: Timer | None = None
        self._ramp: Timer | None = None
        self._entrance = Entrance(kernel, tracking, self._room)
        self._run_off = RunOff(kernel, scene, cell.gravity, self.body, length / 2, self._may_write)
        self._section = BeltSection(
            self.body, self._belt, top, self._closed, self._settle_now, self._changed_ahead, self._entrance.look
        )
        self._line = cell.shared(BeltLine, BeltLine)
        self._line.join(self._section)
        self._busy = False  # settling
        self._rearmost = math.inf  # rear end of the last part whose motion has changed since belts behind were notified
        self.run.subscribe(self._driven, self._may_write)
        self.speed.subscribe(self._driven, self._may_write)
        for gate in self.gates.values():
            gate.open.subscribe(self._gated, self._may_write)
        self._world.subscribe(self._changed)

    def _may_write(self) -> list[Signal[Any]]:
        return self._tracking.may_change(self.running)

    def start(self) -> None:
        """Start the belt."""
        self.run.set(True)

    def stop(self) -> None:
        """Stop the belt. Parts stay where they are."""
        self.run.set(False)

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """The parts on the belt now, the foremost first."""
        return tuple(belt_part.part for belt_part in self._belt)

    def place(self, part: LiveBody) -> float:
        """Return the distance of a part's origin from the start of the belt, in metres.

        Args:
            part: A part on the belt.

        Raises:
            WorldError: The part is not on the belt.
        """
        if part not in self._on_belt:
            raise WorldError(f"{part.name!r} is not on {self.name!r}", hint=f"see {self.name}.parts")
        return self._on_belt[part].place(self._kernel.now) + self.length / 2

    @property
    def entrance(self) -> Entrance:
        """The queue of parts that wait for space on the belt."""
        return self._entrance

    # ---------------------------------------------------------------- changes

    def _wanted(self) -> float:
        check_speed(self.name, self.speed.peek())
        return self.speed.peek() if self.run.peek() else 0.0

    def _driven(self, _: object) -> None:
        """React to a change of the signal ``run`` or ``speed``."""
        now = self._kernel.now
        self._turn(ramped(now, self._drive.speed_at(now), self._wanted(), self._acceleration))

    def _turn(self, drive: BeltDrive) -> None:
        if self._ramp is not None:
            self._ramp.cancel()
            self._ramp = None
        travelled = self._travel.values[-1][0] + self._drive.distance(drive.start)
        self._travel.append(drive.start, (travelled, drive.speed, drive.ramp))
        self._drive = drive
        if drive.end < FOREVER:
            writes = self._tracking.may_change(self.running)
            self._ramp = self._kernel.at(drive.end, self._ramp_over, Rank.MOTION, self.name, writes=writes)
        self.running.publish(drive.moves)
        self._anew = True
        self._settle_soon(0)

    def _ramp_over(self) -> None:
        self._turn(BeltDrive(self._kernel.now, self._wanted()))
        self._settle()

    def _gated(self, _: bool) -> None:
        self._rearmost = min(self._rearmost, *(gate.at - self.length / 2 for gate in self.gates.values()))
        self._settle_soon(0)

    def _changed(self, body: LiveBody) -> None:
        """React to a part that was placed on the belt or taken off."""
        belt_part = self._on_belt.get(body)
        if belt_part is None:
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
            self._go(belt_part)
        elif segment.motion is not belt_part.motion:  # something else has moved it
            self._go(belt_part)
            self._come(body)

    def _come(self, part: LiveBody) -> None:
        belt_part = BeltPart(part, measured(self._world, self.body, part), part.history.values[-1].motion)
        self._on_belt[part] = belt_part
        self._rearmost = min(self._rearmost, belt_part.rear(self._kernel.now))
        self._settle_soon(self._belt.insert(belt_part, self._kernel.now))

    def _go(self, belt_part: BeltPart) -> None:
        del self._on_belt[belt_part.part]
        self._rearmost = min(self._rearmost, belt_part.rear(self._kernel.now))
        self._settle_soon(self._belt.remove(belt_part))

    def _measure(self, carrier: LiveBody | None) -> None:
        """Measure a part again, because something was placed on it or taken off it."""
        while carrier is not None and carrier.part and carrier not in self._on_belt:
            carrier = carrier.parent
        if carrier is not None and carrier in self._on_belt:
            belt_part = self._on_belt[carrier]
            belt_part.foot = measured(self._world, self.body, carrier)
            self._rearmost = min(self._rearmost, belt_part.rear(self._kernel.now))
            self._settle_soon(self._belt.parts.index(belt_part))

    # ---------------------------------------------------------------- goals and motions

    def _settle_soon(self, first: int) -> None:
        """Plan once for all changes of this instant, after all subscribers were notified."""
        self._first = min(self._first, first)
        if self._settling is None:
            writes = self._tracking.may_change(self.running)
            self._settling = self._kernel.at(self._kernel.now, self._settle, Rank.MOTION, self.name, writes=writes)

    def _settle(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        now = self._kernel.now
        self._busy = True
        beyond, stops = obstacles_ahead(self._line, self._section, self._world, now)
        if self._arrive(now, beyond):
            beyond, stops = obstacles_ahead(self._line, self._section, self._world, now)
        first, self._first = self._first, _NONE
        anew, self._anew = self._anew, False
        if anew:
            self._run_off.accelerate(now, max(self._drive.speed_at(now), self._wanted()))
        goals = [(belt_part.goal, belt_part.leaves) for belt_part in self._belt.parts[first:]]
        self._belt.plan(first, now, [*self._gates_closed(), *stops], beyond)
        for number, (goal, left) in enumerate(goals, first):
            belt_part = self._belt.parts[number]
            if goal == -math.inf:
                self._check_space(belt_part, now)
            leaders = self._leaders(number, now, beyond)
            if anew or abs(belt_part.goal - goal) > EXACT or belt_part.leaves != left or leaders or belt_part.follows:
                self._carry(belt_part, now, leaders, anew)
        self._busy = False
        self._schedule()
        self._notify()

    def _settle_now(self) -> None:
        """Execute everything planned for this instant."""
        arrives = self._arrival is not None and self._arrival.time <= self._kernel.now
        if (self._settling is not None or arrives) and not self._busy:
            self._settle()

    def _changed_ahead(self) -> None:
        """React to a change on a belt ahead."""
        if not self._busy:
            self._settle_soon(0)

    def _notify(self) -> None:
        """Notify the belts behind of changes that their parts can reach, and the belts ahead."""
        rearmost, self._rearmost = self._rearmost, math.inf
        if rearmost < math.inf:
            for other, x, _ in self._line.behind(self._section, self._world):
                if other.belt.parts and rearmost + x < other.reach:
                    other.changed_ahead()
            for other, _, _ in self._line.ahead(self._section, self._world):
                other.changed_behind()

    def _gates_closed(self) -> list[float]:
        return [gate.at - self.length / 2 for gate in self.gates.values() if not gate.open.peek()]

    def _closed(self) -> list[float]:
        return self._gates_closed() if self._belt.falls else [*self._gates_closed(), self._belt.end]

    def _leaders(self, number: int, now: int, beyond: list[PartAhead]) -> list[Leader]:
        """The parts ahead of a part that do not move with this belt."""
        if not beyond:
            return []
        belt_part = self._belt.parts[number]
        found = [
            Leader(other.place(now) + other.foot.rear, other.part.going(now))
            for other in beyond
            if other.blocks(belt_part, now)
        ]
        for ahead in self._belt.parts[:number]:
            if ahead.held and not ahead.foot.beside(belt_part.foot):
                found.append(Leader(ahead.rear(now), ahead.going(now)))
        return found

    def _check_space(self, belt_part: BeltPart, now: int) -> None:
        """Write to the journal if a part was placed without enough space."""
        here = belt_part.foot.shifted(belt_part.place(now), 0.0)
        others = [other.part.name for other in self._belt.blocking(here, now) if other is not belt_part]
        if others:
            self._kernel.journal.write("crowds", self.name, part=belt_part.part.name, among=others)

    def _carry(self, belt_part: BeltPart, now: int, leaders: list[Leader], anew: bool) -> None:
        """Move a part to its goal, with the belt or behind the part ahead."""
        pose = self._pose_behind(belt_part, now, leaders)
        left = belt_part.goal - pose.x
        drive = self._drive.since(now)
        pace, until = follow(pose.x + belt_part.foot.front, drive, leaders) if leaders else (drive, FOREVER)
        before = belt_part.going(now)
        belt_part.follows, belt_part.held = bool(leaders), pace is not drive
        if pace.moves and (left > EXACT or belt_part.leaves):
            reached = pace.reaches(left)
            arrival = min(pace.end if reached is None else reached, until)
            same = (arrival, pace.speed, pace.ramp) == (belt_part.arrival, before.speed, before.ramp)
            if same and belt_part.follows and not anew and pose.x == belt_part.place(now):
                return
            belt_part.arrival, belt_part.drive = arrival, pace
            belt_part.motion = pace.motion(pose, arrival)
        elif isinstance(belt_part.motion, Rest) and pose.x == belt_part.place(now):
            belt_part.arrival = None
            return
        else:
            belt_part.arrival = None
            belt_part.motion = Rest(pose)
        self._move(belt_part, now)

    def _move(self, belt_part: BeltPart, now: int) -> None:
        self._world.move(belt_part.part, belt_part.motion, self.body)
        self._rearmost = min(self._rearmost, belt_part.rear(now))

    def _pose_behind(self, belt_part: BeltPart, now: int, leaders: list[Leader]) -> Pose:
        """The current pose of a part, corrected by the fraction of a tick by which it would overlap the part ahead."""
        pose = belt_part.motion.pose(now)
        if leaders:
            too_far = pose.x + belt_part.foot.front - min(leader.rear for leader in leaders)
            tick = max(belt_part.drive.speed_at(now), belt_part.drive.speed, self._drive.speed_at(now)) * 2.0 * SECOND
            if 0.0 < too_far <= tick:
                return pose.moved(-too_far)
        return pose

    def _arrive(self, now: int, beyond: list[PartAhead]) -> bool:
        """Stop the parts that have reached their goals, or let them leave the belt. Returns whether one left."""
        left = False
        for belt_part in [
            belt_part for belt_part in self._belt if belt_part.arrival is not None and belt_part.arrival <= now
        ]:
            number = self._belt.parts.index(belt_part) if belt_part.follows else 0
            pose = self._pose_behind(belt_part, now, self._leaders(number, now, beyond) if belt_part.follows else [])
            belt_part.arrival = None
            short = belt_part.goal - pose.x
            if belt_part.leaves and short <= TOUCHING:
                if pose.x != belt_part.place(now):
                    belt_part.motion = Rest(pose)
                    self._world.move(belt_part.part, belt_part.motion, self.body)
                self._rearmost = min(self._rearmost, belt_part.rear(now))
                del self._on_belt[belt_part.part]
                self._first = min(self._first, self._belt.remove(belt_part))
                self._run_off.take(belt_part, now, max(self._drive.speed_at(now), self._wanted()))
                left = True
            elif short <= TOUCHING:
                belt_part.motion = Rest(pose.moved(short))
                self._move(belt_part, now)
            elif belt_part.follows:
                self._first = min(self._first, number)
        return left

    def _schedule(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None
        arrivals = [belt_part.arrival for belt_part in self._belt if belt_part.arrival is not None]
        if arrivals:
            writes = self._tracking.may_change(self.running)
            self._arrival = self._kernel.at(min(arrivals), self._settle, Rank.MOTION, self.name, writes=writes)
        self._entrance.look()

    def _room(self, foot: Footprint) -> int | None:
        """The time at which there is space for a footprint; None if something must change first."""
        if self._settling is not None:
            self._settle()
        now = self._kernel.now
        drive, latest = self._drive.since(now), now
        for belt_part in self._belt.blocking(foot, now):
            distance = foot.front - belt_part.rear(now)
            free = belt_part.leaves or belt_part.goal + belt_part.foot.rear >= foot.front - TOUCHING
            when = drive.reaches(distance) if free and drive.moves else None
            if when is None:
                return None
            latest = max(latest, when)
        # A part that protrudes from a belt behind must first move onto this belt, which counts as a change.
        return None if blocked_from_behind(self._line, self._section, self._world, foot, now) else latest
