"""Machine tools: they work on the parts on their fixture for a time, with moving axes.

A rising edge of ``start`` starts a cycle: ``ready`` turns off and ``running`` turns on. At the end of the cycle,
``running`` turns off and ``ready`` turns on at the same instant. ``ready`` stays on until the next start, even if the
part is removed. A start while the machine runs or is broken is ignored.

The motion of the axes is the same in every cycle and takes as long as the shortest cycle; for the rest of a longer
cycle the axes stay at home. The motion therefore needs only one collision check.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, Final, cast

import numpy as np

from drycell.base import (
    Array,
    CellFileError,
    Describer,
    Duration,
    FieldError,
    Many,
    Naming,
    Pose,
    Problem,
    Quantity,
    WorldError,
    deg,
    did_you_mean,
    mm,
    s,
)
from drycell.cell import Cell, Device, Live
from drycell.geometry import Box, Compound, Shape
from drycell.handling import MotionLimits, time_law
from drycell.kernel import Condition, DeviceOutput, Kernel, Rank, Signal, Timer, ticks
from drycell.looks import (
    OWN,
    QUARTER,
    Channel,
    InState,
    Look,
    LookPart,
    TimeInState,
    bolt,
    box,
    cylinder,
    extrude,
    glow,
    ink,
    panel,
    piece,
    placed,
    plain_solids,
    revolve,
    rounded,
    stack,
    sweep,
)
from drycell.robots import Mechanism, load_robot, robot_names
from drycell.world import FOREVER, SECOND, JointTrajectory, Linkage, LiveBody, Rest, Travel, World

_DOOR_SPEED: Final = 300 * mm / s
_DOOR_THICKNESS: Final = 10 * mm
_DOOR_GAP: Final = 5 * mm


class Door:
    """A sliding door in front (−y) of a body, from a height up. It opens along +x.

    ``arrived`` is called at either end; ``writes`` returns the signals that may be set then.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        name: str,
        body: LiveBody,
        lower: float,
        arrived: Callable[[], None],
        writes: Callable[[], Sequence[Signal[Any]]],
    ) -> None:
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape, so it cannot have a door")
        (left, front, _), (right, _, top) = body.shape.bounds
        self.name = name
        self.width = right - left
        self._kernel, self._world, self._writes, self._machine = kernel, world, writes, body
        self._shut = Pose(0.5 * (left + right), front - _DOOR_GAP - 0.5 * _DOOR_THICKNESS, 0.5 * (lower + top))
        self._travel = self.width + _DOOR_GAP
        sheet = Box(self.width, _DOOR_THICKNESS, top - lower)
        plate = LiveBody(f"{body.name}/door", sheet, material="glass", look=partial(_door_look, sheet))
        self.plate = world.add(plate, body, self._shut.moved(self._travel))
        self.is_open = DeviceOutput(kernel, name, f"{name}.door_open", True)
        self.is_closed = DeviceOutput(kernel, name, f"{name}.door_closed", False)
        self._arrived = arrived
        self._timer: Timer | None = None

    def open(self) -> None:
        """Open the door from its current position."""
        self._slide(self._travel)

    def close(self) -> None:
        """Close the door from its current position."""
        self._slide(0.0)

    def _slide(self, goal: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        now, world = self._kernel.now, self._world
        here = world.relative(self._machine, self.plate)
        distance = goal - (here.x - self._shut.x)
        self.is_open.publish(False, self.name)
        self.is_closed.publish(False, self.name)
        end = now + max(ticks(abs(distance) / _DOOR_SPEED), 1)
        world.move(self.plate, Travel(now, end, here, (distance / ((end - now) * 1e-6), 0.0, 0.0)), self._machine)
        self._timer = self._kernel.at(end, lambda: self._stop(goal), Rank.MOTION, self.name, writes=self._writes())

    def _stop(self, goal: float) -> None:
        self._timer = None
        self._world.move(self.plate, Rest(self._shut.moved(goal)), self._machine)
        (self.is_open if goal else self.is_closed).publish(True, self.name)
        self._arrived()


# The corners of a pass, as fractions of the range of each axis: two axes move around a rectangle, the third rotates.
_CORNERS: Final = ((1.0, -1.0, 0.0), (1.0, 1.0, 0.5), (-1.0, 1.0, 1.0), (-1.0, -1.0, 0.5))
_REACH: Final = 0.4  # fraction of half the range of an axis, around its middle
_TURN: Final = 90 * deg  # the largest rotation of a part from home
_LONGEST: Final = 60_000_000  # ticks of a pass: longer cycles have several


class MachiningCycle:
    """The motion of a machine's axes for a number of ticks: passes of jerk-limited strokes that fill the time.

    If the time is too short, the strokes become smaller, so that no axis exceeds its limits.
    """

    def __init__(self, mechanism: Mechanism, span: int) -> None:
        home = np.array(mechanism.home)
        corners = [home, *(_corner(fractions, mechanism) for fractions in _CORNERS), home]
        breaks, pieces = [0.0], []
        for start, end in pairwise(corners):
            law, before = time_law(1.0, _axis_limits(mechanism, end - start)), breaks[-1]
            strokes = np.array([np.outer(piece, end - start) for piece in law.pieces])
            strokes[:, 0] += start - home
            pieces.append(strokes)
            breaks += [before + until for until in law.breaks[1:]]
        passes = math.ceil(span / _LONGEST)
        slower = span * SECOND / (passes * breaks[-1])
        # Jerk grows with the cube of the speed factor. Strokes reduced by that cube keep every limit.
        scale = (min(1.0, slower**3) * slower ** -np.arange(4.0))[:, None]
        one, curve = np.array(breaks[1:]) * slower, np.concatenate(pieces) * scale
        curve[:, 0] += home
        self._breaks = np.concatenate([[0.0], *(one + number * one[-1] for number in range(passes))])
        self._breaks[-1] = span * SECOND
        self._pieces = np.concatenate([curve] * passes)
        self.span = span

    def trajectory(self, start: int, done: int = 0) -> JointTrajectory:
        """The motion starting at an instant, or its rest after ``done`` ticks."""
        if done <= 0:
            return JointTrajectory(start, self._breaks, self._pieces)
        u = done * SECOND
        first = min(int(np.searchsorted(self._breaks, u, side="right")) - 1, len(self._pieces) - 1)
        v = u - self._breaks[first]
        c0, c1, c2, c3 = self._pieces[first]
        here = np.array([((c3 * v + c2) * v + c1) * v + c0, (3 * c3 * v + 2 * c2) * v + c1, 3 * c3 * v + c2, c3])
        breaks = np.concatenate([[0.0], self._breaks[first + 1 :] - u])
        return JointTrajectory(start, breaks, np.concatenate([here[None], self._pieces[first + 1 :]]))


def _corner(fractions: tuple[float, ...], mechanism: Mechanism) -> Array:
    found = []
    for number, (joint, home) in enumerate(zip(mechanism.joints, mechanism.home, strict=True)):
        fraction = fractions[min(number, 2)]
        if joint.revolute:
            found.append(home + fraction * min(_TURN, max(joint.upper - home, 0.0)))
        else:
            found.append(0.5 * (joint.lower + joint.upper) + fraction * _REACH * 0.5 * (joint.upper - joint.lower))
    return np.array(found)


def _axis_limits(mechanism: Mechanism, stroke: Array) -> MotionLimits:
    """The limits of a stroke in fractions of the stroke, from the axis with the tightest limits."""
    moving = [(joint, abs(float(part))) for joint, part in zip(mechanism.joints, stroke, strict=True) if part]
    return MotionLimits(
        min(joint.speed / part for joint, part in moving),
        min(joint.acceleration / part for joint, part in moving),
        min(joint.jerk / part for joint, part in moving),
    )


Times = Annotated[float | Sequence[float], Many(Quantity("time", above=0.0), single=True)]


@dataclass(frozen=True)
class _Mechanism(Naming):
    """The name of a mechanism of the library, or in Python a mechanism."""

    def check(self, value: Any) -> Any:
        """A mechanism, or a name in the library."""
        if isinstance(value, Mechanism):
            return value
        known = robot_names()
        if super().check(value) not in known:
            raise FieldError(f"the library has no machine {value!r}", hint=did_you_mean(value, known))
        return value

    def write(self, value: Any) -> Any:
        """The name of the mechanism."""
        name = value.name if isinstance(value, Mechanism) else value
        if name not in robot_names():
            raise CellFileError(
                f"a machine uses the mechanism {name!r}, which is not in the library and cannot be written to a file",
                hint="use the name of a mechanism of the library",
            )
        return name

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A string; forms offer the names of the library."""
        return {**super().schema(describer), "x-library": "robots"}


class Machine(Device, kind="machine", icon="precision_manufacturing", example={"duration": "20 s"}):
    """A machine tool that works on the part on its fixture.

    With a door, work starts when the door is closed, and the cycle ends when it is open again. While the signal
    ``interlock`` is on (the robot is inside), the door does not close.

    >>> from drycell import Cell, Machine, s
    >>> cell = Cell("machining")
    >>> machine = cell.add("mill", Machine(duration=20*s))
    >>> machine.start.set(True)
    >>> result = cell.run(until=19*s)
    >>> machine.running.value, machine.ready.value
    (True, False)
    """

    duration: Times
    """Time of a cycle: one value, or two limits."""
    model: Annotated[str | Mechanism, _Mechanism()] = "machine-tool"
    """Its mechanism, from the library."""
    door: bool = False
    """Whether it has a sliding door."""
    needs_part: bool = False
    """Whether a start without a part on the fixture is ignored."""
    breaks: Duration | None = None
    """Mean working time between failures; by default it never fails."""
    repair: Times | None = None
    """Time of a repair: one value, or two limits."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: limits must be in order, and a machine that breaks needs a repair time."""
        yield from super().problems()
        for field, times in (("duration", _limits(self.duration)), ("repair", _limits(self.repair))):
            if times is not None and (not 1 <= len(times) <= 2 or times[0] > times[-1]):
                what = "expected one time, or two with the lower one first"
                yield Problem((field,), what, "write 25 s, or [20 s, 30 s]")
        if (self.breaks is None) != (self.repair is None):
            missing = "repair" if self.repair is None else "breaks"
            yield Problem((), "'breaks' and 'repair' need each other", f"add '{missing}: …'")

    def signals(self) -> Iterable[str]:
        """Input ``start``; outputs ``running``, ``ready`` and ``broken``. A door adds two outputs and ``interlock``."""
        doors = ("door_open", "door_closed", "interlock") if self.door else ()
        return ("start", "running", "ready", "broken", *doors)

    def look(self) -> Look | None:
        """A painted machine with lamps, a panel and a spindle. The lamps and the spindle follow the run."""
        return _machine_look(load_robot(self.model) if isinstance(self.model, str) else self.model)

    def build(self, cell: Cell, name: str) -> "LiveMachine":
        """Add the machine to a cell."""
        return LiveMachine(cell, name, self)


_BUSY: Final = ("closing", "working", "opening")
_TURNS: Final = 8.0  # of a spindle a second: fast enough to be seen, slow enough to be followed


def _door_look(sheet: Box) -> Look:
    """A window in a frame, with a handle."""
    rim = min(0.035, 0.2 * sheet.x, 0.2 * sheet.z)
    frame = extrude((rounded(sheet.x, sheet.z, 0.008), rounded(sheet.x - 2 * rim, sheet.z - 2 * rim, 0.015)), sheet.y)
    upright = (QUARTER, 0.0, 0.0)
    x, y, reach = -sheet.x / 2 + rim / 2, -sheet.y / 2, 0.13 * sheet.z
    grip = ((x, y, -reach), (x, y - 0.020, -0.9 * reach), (x, y - 0.022, 0), (x, y - 0.020, 0.9 * reach), (x, y, reach))
    parts = (
        piece(frame, "paint", (0.0, sheet.y / 2, 0.0), upright, tint="slate"),
        piece(box(sheet.x - 2 * rim, 0.004, sheet.z - 2 * rim, 0.001), "glass"),
        piece(sweep(grip, 0.004, 12), "steel"),
    )
    return Look(parts)


def _axis_look(shape: Shape | None) -> Look | None:
    """A slide of a machine: ground steel, with slots in its top if it is wide."""
    if shape is None:
        return None
    parts = [piece(OWN, "cast iron", tint="#868c91")]
    (left, front, _), (right, back, top) = shape.bounds
    whole = shape.parts[0][1] if isinstance(shape, Compound) and len(shape.parts) == 1 else shape
    if isinstance(whole, Box) and right - left > 1.5 * (back - front):
        x = 0.5 * (left + right)
        for k in (-1, 0, 1):
            y = 0.5 * (front + back) + 0.28 * k * (back - front)
            parts.append(piece(box(right - left - 0.002, 0.012, 0.001, 0.0003), "black steel", (x, y, top), shade=0.5))
    return Look(tuple(parts))


def _machine_look(mechanism: Mechanism) -> Look | None:
    """The base of a machine: the lowest piece is its bed, with panel and lamps; round pieces are steel."""
    base = mechanism.base
    if base is None:
        return None
    pieces = base.parts if isinstance(base, Compound) else ((Pose(), base),)
    boxes = [(pose, shape) for pose, shape in pieces if isinstance(shape, Box)]
    if not boxes:
        return Look((piece(OWN, "paint", tint="white"),))
    _, bed = min(boxes, key=lambda each: each[0].z)
    high_pose, high = max(boxes, key=lambda each: each[0].z + each[1].z / 2)
    parts: list[LookPart] = []
    for pose, shape in pieces:
        if not isinstance(shape, Box):
            solid = [LookPart(solid, where, "steel") for where, solid in plain_solids(shape, pose)]
            parts += solid
        elif shape is bed:
            parts += placed(_bed(bed), pose)
        else:
            parts.append(LookPart(box(shape.x, shape.y, shape.z, 0.010), pose, "paint", ink("white")))
            band = box(shape.x + 0.003, shape.y + 0.003, 0.22 * shape.z, 0.008)
            parts.append(LookPart(band, pose.moved(0.0, 0.0, 0.30 * shape.z), "paint", ink("slate")))
            stripe = box(shape.x + 0.004, shape.y + 0.004, 0.014, 0.003)
            parts.append(LookPart(stripe, pose.moved(0.0, 0.0, 0.17 * shape.z), "paint", ink("blue")))
    top = high_pose.z + high.z / 2
    parts += placed(stack(0.020, 0.0072), (high_pose.x, high_pose.y, top))
    channels = {
        "green": glow("green", InState(_BUSY)),
        "amber": glow("amber", InState(("idle",))),
        "red": glow("red", InState(("broken",))),
    }
    mark = dict(mechanism.frames).get("spindle")
    if mark is not None and mark.link < 0:
        x, y, z = mark.pose.position
        holder = revolve(((0, 0), (0.008, 0), (0.020, 0.012), (0.024, 0.026), (0.024, 0.034), (0.0, 0.034)))
        parts.append(piece(holder, "black steel", (x, y, z - 0.004), on="spindle"))
        for turn in (0.0, math.pi / 2):
            parts.append(
                piece(box(0.013, 0.003, 0.022, 0.0005), "brass", (x, y, z - 0.004), (0, 0, turn), on="spindle")
            )
        source = TimeInState(("working",), _TURNS)
        channels["spindle"] = Channel("turn", source, pivot=(x, y, z), scale=2 * math.pi)
    return Look(tuple(parts), channels)


def _bed(bed: Box) -> list[LookPart]:
    """The bed of a machine about its middle, with a panel on its front."""
    front, side = -bed.y / 2, min(bed.x, bed.z)
    parts = [
        piece(box(bed.x, bed.y, 0.86 * bed.z, 0.010), "paint", (0, 0, 0.07 * bed.z), tint="light"),
        piece(box(bed.x - 0.03, bed.y - 0.03, 0.14 * bed.z, 0.002), "powder coat", (0, 0, -0.43 * bed.z), tint="night"),
        piece(box(bed.x + 0.002, bed.y + 0.002, 0.06 * bed.z, 0.004), "paint", (0, 0, 0.40 * bed.z), tint="slate"),
        piece(box(bed.x - 0.04, bed.y - 0.04, 0.002, 0.0005), "steel", (0, 0, bed.z / 2), shade=0.7),
        piece(box(0.30 * bed.x, 0.016, 0.62 * bed.z, 0.004), "plastic", (0.28 * bed.x, front - 0.004, 0), tint="dark"),
        piece(panel(0.24 * bed.x, 0.26 * bed.z, True), "screen", (0.28 * bed.x, front - 0.0125, 0.13 * bed.z)),
        piece(
            cylinder(0.075 * side, 0.008),
            "plastic",
            (0.37 * bed.x, front - 0.010, -0.19 * bed.z),
            (QUARTER, 0, 0),
            tint="yellow",
        ),
        piece(
            cylinder(0.05 * side, 0.018, 0.004),
            "plastic",
            (0.37 * bed.x, front - 0.010, -0.19 * bed.z),
            (QUARTER, 0, 0),
            tint="red",
        ),
    ]
    for k in range(4):
        at = (0.20 * bed.x + 0.035 * bed.x * k, front - 0.012, -0.15 * bed.z)
        parts.append(
            piece(box(0.025 * bed.x, 0.006, 0.07 * bed.z, 0.001), "plastic", at, tint="green" if k == 3 else "grey")
        )
    for k in range(6):
        at = (-0.24 * bed.x, front, 0.18 * bed.z - 0.075 * bed.z * k)
        parts.append(piece(box(0.34 * bed.x, 0.003, 0.025 * bed.z, 0.0008), "powder coat", at, tint="slate"))
    for sx in (-1, 1):
        cover = box(0.003, 0.6 * bed.y, 0.5 * bed.z, 0.001)
        parts.append(piece(cover, "paint", (sx * bed.x / 2, 0, 0), tint="white"))
        for sy in (-1, 1):
            for sz in (-1, 1):
                at = (sx * (bed.x / 2 + 0.001), 0.27 * sy * bed.y, 0.2 * sz * bed.z)
                parts += placed(bolt(0.005), at, (0, sx * QUARTER, 0))
    return parts


class LiveMachine(Live[Machine]):
    """A machine in a running cell. Parts lie on its ``fixture``.

    When it breaks, it stops, with ``broken`` on, for the time of a repair, and then continues its cycle.
    """

    def __init__(self, cell: Cell, name: str, model: Machine) -> None:
        super().__init__(cell, name, model)
        kernel, world, tracking = cell.kernel, cell.world, cell.part_tracking
        self.mechanism = mechanism = load_robot(model.model) if isinstance(model.model, str) else model.model
        self._duration, self._repair = _interval(model.duration), _interval(model.repair)
        self._kernel, self._world, self._tracking = kernel, world, tracking
        body = LiveBody(name, mechanism.base, material="steel")
        self.body: LiveBody = world.add(body, *cell.standing(model, body))
        links = [
            LiveBody(f"{name}/{link.name}", link.shape, material="steel", look=partial(_axis_look, link.shape))
            for link in mechanism.links
        ]
        self.linkage = Linkage(world, name, mechanism, self.body, links, mechanism.home)
        world.add_linkage(self.linkage)
        mark = dict(mechanism.frames).get("fixture", mechanism.flange)
        self.fixture: LiveBody = links[mark.link] if mark.link >= 0 else self.body
        self.points: tuple[str, ...] = (f"{name}.fixture",)
        world.add_workpoint(self.points[0], self.fixture, mark.pose @ Pose.turn_x(math.pi))
        self.start: Signal[bool] = self.signal("start", False)
        self.running = DeviceOutput(kernel, name, f"{name}.running", False)
        self.ready = DeviceOutput(kernel, name, f"{name}.ready", False)
        self.broken = DeviceOutput(kernel, name, f"{name}.broken", False)
        self.door: Door | None = None
        self.interlock: Signal[bool] | None = None
        if model.door:
            bed = mechanism.links[0].origin.z
            self.door = Door(kernel, world, name, self.body, bed, self._door_arrived, self._may_write)
            self.interlock = self.signal("interlock", False)
            self.interlock.subscribe(self._interlocked, self._may_write)
        self._cycle = MachiningCycle(mechanism, ticks(self._duration[0]))
        self.enter("idle")
        self._inside: tuple[LiveBody, ...] = ()
        self._since = 0  # when the cycle began
        self._span = self._worked = self._began = 0  # total ticks of work, ticks done, and the time of the last start
        self._until_failure: int | None = None  # ticks of work
        self.start.subscribe(self._started, self._may_write)

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """The parts on the fixture."""
        return tuple(body for body in self.fixture.children if body.part)

    @property
    def idle(self) -> Condition:
        """The condition that it is neither running nor broken, so that it can be started."""
        return (self.running.is_off & self.broken.is_off).named(f"{self.name}.idle")

    # ---------------------------------------------------------------- a cycle

    def _started(self, on: bool) -> None:
        if not on:
            return
        if self.state != "idle":
            self.note("ignored", signal=self.start.name, because="broken" if self.state == "broken" else "running")
            return
        self._inside, self._since = self.parts, self._kernel.now
        if not self._inside:
            if self.model.needs_part:
                self.note("ignored", signal=self.start.name, because="no part")
                return
            self.note("idles")
        self.enter("working" if self.door is None else "closing")
        self.ready.publish(False, self.name)
        self.running.publish(True, self.name)
        if self.door is None:
            self._work()
            return
        if self.interlock is not None and self.interlock.peek():
            self.note("waits", signal=self.interlock.name)
        else:
            self.door.close()

    def _work(self) -> None:
        self.enter("working")
        low, high = self._duration
        drawn = low if low == high else self._kernel.interval(f"{self.name} cycle", low, high)
        # The value is only converted to ticks, so a search does not need to branch on it.
        self._span, self._worked = ticks(drawn), 0
        self._continue()

    def _continue(self) -> None:
        now = self._began = self._kernel.now
        left = self._span - self._worked
        if self._worked < self._cycle.span:
            self.linkage.follow(self._cycle.trajectory(now, self._worked))
        breaks = self.model.breaks
        if breaks is not None and self._until_failure is None:
            self._until_failure = max(ticks(self._kernel.random(f"{self.name} breaks").expovariate(1.0 / breaks)), 1)
        if self._until_failure is not None and self._until_failure < left:
            self._after(now + self._until_failure, self._break)
        else:
            self._after(now + left, self._done)

    def _done(self) -> None:
        if self._until_failure is not None:
            self._until_failure -= self._kernel.now - self._began
        for part in self._inside:
            if self._stayed(part):
                self.note("machined", part=part.name)
                self._tracking.machined(part, self.name)
        if self.door is None:
            self._end()
        else:
            self.enter("opening")
            self.door.open()

    def _stayed(self, part: LiveBody) -> bool:
        """Whether a part has been on the fixture since the start of the cycle."""
        if part.gone != FOREVER:
            return False
        for segment in reversed(part.history.values):
            if segment.parent is not self.fixture:
                return False
            if segment.start <= self._since:
                break
        return True

    def _end(self) -> None:
        self._inside = ()
        self.enter("idle")
        self.running.publish(False, self.name)
        self.ready.publish(True, self.name)

    # ---------------------------------------------------------------- failures

    def _break(self) -> None:
        self._until_failure = None
        self.enter("broken")
        self.linkage.cut(self._kernel.now)
        self._worked += self._kernel.now - self._began
        self.running.publish(False, self.name)
        self.broken.publish(True, self.name)
        low, high = self._repair
        drawn = low if low == high else self._kernel.interval(f"{self.name} repair", low, high)
        self._after(self._kernel.now + ticks(drawn), self._repaired)

    def _repaired(self) -> None:
        self.enter("working")
        self.broken.publish(False, self.name)
        self.running.publish(True, self.name)
        self._continue()

    # ---------------------------------------------------------------- the door

    def _interlocked(self, on: bool) -> None:
        if self.state == "closing" and self.door is not None:
            if not on:
                self.door.close()
            elif not self.door.is_open.peek():
                self.door.open()

    def _door_arrived(self) -> None:
        if self.door is None:
            return
        if self.state == "closing" and self.door.is_closed.peek():
            self._work()
        elif self.state == "opening" and self.door.is_open.peek():
            self._end()

    # ---------------------------------------------------------------- inside

    def _after(self, when: int, action: Callable[[], None]) -> None:
        self._kernel.at(when, action, Rank.DEVICE, self.name, writes=self._may_write())

    def _may_write(self) -> list[Signal[Any]]:
        doors = () if self.door is None else (self.door.is_open, self.door.is_closed)
        return self._tracking.may_change(self.running, self.ready, self.broken, *doors)


def _limits(times: float | Sequence[float] | None) -> tuple[float, ...] | None:
    return cast(tuple[float, ...] | None, times)


def _interval(times: float | Sequence[float] | None) -> tuple[float, float]:
    """One or two times as the limits of an interval."""
    limits = _limits(times) or (0.0,)
    return limits[0], limits[-1]
