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
from drycell.geometry import Box
from drycell.handling import MotionLimits, time_law
from drycell.kernel import Condition, DeviceOutput, Kernel, Rank, Signal, Timer, ticks
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
        plate = LiveBody(f"{body.name}/door", Box(self.width, _DOOR_THICKNESS, top - lower), material="glass")
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

    def build(self, cell: Cell, name: str) -> "LiveMachine":
        """Add the machine to a cell."""
        return LiveMachine(cell, name, self)


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
        links = [LiveBody(f"{name}/{link.name}", link.shape, material="steel") for link in mechanism.links]
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
