"""A machine tool: works on what lies on its fixture for a time, with its axes moving, and says when it is ready.

A rising edge on ``start`` begins a cycle: ``ready`` goes off and ``running`` on, at once. At the end of the cycle
``running`` goes off and ``ready`` on, at the same instant; ``ready`` then stays on, whether or not the part is taken
out, until the machine is started again. A start while it runs or is broken is ignored.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

from drycell.base import (
    CellFileError,
    Describer,
    Duration,
    FieldError,
    Many,
    Naming,
    Pose,
    Problem,
    Quantity,
    did_you_mean,
)
from drycell.cell import Cell, Device, Live
from drycell.devices.door import Door
from drycell.devices.machine_cycle import Cycle
from drycell.kernel import Condition, Output, Rank, Signal, ticks
from drycell.robots import Mechanism, load_robot, robot_names
from drycell.world import FOREVER, Linkage, LiveBody

Times = Annotated[float | Sequence[float], Many(Quantity("time", above=0.0), single=True)]


@dataclass(frozen=True)
class _Mechanism(Naming):
    """The name of a mechanism of the library; Python may give a mechanism instead."""

    def check(self, value: Any) -> Any:
        """A mechanism as it is, or a name that the library has."""
        if isinstance(value, Mechanism):
            return value
        known = robot_names()
        if super().check(value) not in known:
            raise FieldError(f"there is no machine {value!r}", hint=did_you_mean(value, known))
        return value

    def write(self, value: Any) -> Any:
        """Its name."""
        name = value.name if isinstance(value, Mechanism) else value
        if name not in robot_names():
            raise CellFileError(
                f"a machine uses the mechanism {name!r}, which the library does not have: no file can name it",
                hint="give the machine the name of a mechanism of the library",
            )
        return name

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A text; forms offer the library."""
        return {**super().schema(describer), "x-library": "robots"}


class Machine(Device, kind="machine", icon="precision_manufacturing", example={"duration": "20 s"}):
    """A machine that works on what lies on its fixture.

    With a door, the cycle begins when the door is closed and ends when it is open again; while the signal ``interlock``
    is on, because the robot is inside, the door does not close.
    """

    duration: Times
    """How long a cycle takes: one time, or two limits."""
    model: Annotated[str | Mechanism, _Mechanism()] = "machine-tool"
    """The mechanism it is made of, from the library."""
    door: bool = False
    """Whether it has a sliding door."""
    needs_part: bool = False
    """Whether a start is ignored if nothing lies on the fixture."""
    breaks: Duration | None = None
    """Mean working time from one failure to the next; by default it does not break."""
    repair: Times | None = None
    """How long a repair takes: one time, or two limits."""

    def problems(self) -> Iterable[Problem]:
        """Limits are in order, and what breaks is repaired."""
        yield from super().problems()
        for field, times in (("duration", _limits(self.duration)), ("repair", _limits(self.repair))):
            if times is not None and (not 1 <= len(times) <= 2 or times[0] > times[-1]):
                what = "a time is wanted, or two, the lower one first"
                yield Problem((field,), what, "write 25 s, or [20 s, 30 s]")
        if (self.breaks is None) != (self.repair is None):
            missing = "repair" if self.repair is None else "breaks"
            yield Problem((), "'breaks' and 'repair' go together", f"add '{missing}: …'")

    def signals(self) -> Iterable[str]:
        """``start`` begins a cycle; the others say what it does. A door adds its own and ``interlock``."""
        doors = ("door_open", "door_closed", "interlock") if self.door else ()
        return ("start", "running", "ready", "broken", *doors)

    def build(self, cell: Cell, name: str) -> "LiveMachine":
        """Sets it up."""
        return LiveMachine(cell, name, self)


class LiveMachine(Live[Machine]):
    """Two translations and a rotation, or what other mechanism it is made of; parts lie on its ``fixture``.

    When it breaks it stands, with ``broken`` on, for the time of a repair, and goes on with what was left.
    """

    def __init__(self, cell: Cell, name: str, model: Machine) -> None:
        super().__init__(cell, name, model)
        kernel, world, ledger = cell.kernel, cell.world, cell.part_tracking
        self.mechanism = mechanism = load_robot(model.model) if isinstance(model.model, str) else model.model
        self._duration, self._repair = _interval(model.duration), _interval(model.repair)
        self._kernel, self._world, self._ledger = kernel, world, ledger
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
        self.running = Output(kernel, name, f"{name}.running", False)
        self.ready = Output(kernel, name, f"{name}.ready", False)
        self.broken = Output(kernel, name, f"{name}.broken", False)
        self.door: Door | None = None
        self.interlock: Signal[bool] | None = None
        if model.door:
            bed = mechanism.links[0].origin.z
            self.door = Door(kernel, world, name, self.body, bed, self._door_arrived, self._may_write)
            self.interlock = self.signal("interlock", False)
            self.interlock.subscribe(self._interlocked, self._may_write)
        self._cycle = Cycle(mechanism, ticks(self._duration[0]))
        self.enter("idle")
        self._inside: tuple[LiveBody, ...] = ()
        self._since = 0  # when the cycle began
        self._span = self._worked = self._began = 0  # of the work: its ticks, those done, and when it was last taken up
        self._sound: int | None = None  # ticks of work until the next failure
        self.start.subscribe(self._started, self._may_write)

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """What lies on the fixture."""
        return tuple(body for body in self.fixture.children if body.part)

    @property
    def idle(self) -> Condition:
        """That it does nothing, and could be started."""
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
        self.ready.tell(False, self.name)
        self.running.tell(True, self.name)
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
        # A number that a search has drawn is only turned into ticks: then its length need not be searched by itself.
        self._span, self._worked = ticks(drawn), 0
        self._go_on()

    def _go_on(self) -> None:
        now = self._began = self._kernel.now
        left = self._span - self._worked
        if self._worked < self._cycle.span:
            self.linkage.follow(self._cycle.trajectory(now, self._worked))
        breaks = self.model.breaks
        if breaks is not None and self._sound is None:
            self._sound = max(ticks(self._kernel.random(f"{self.name} breaks").expovariate(1.0 / breaks)), 1)
        if self._sound is not None and self._sound < left:
            self._after(now + self._sound, self._break)
        else:
            self._after(now + left, self._done)

    def _done(self) -> None:
        if self._sound is not None:
            self._sound -= self._kernel.now - self._began
        for part in self._inside:
            if self._stayed(part):
                self.note("machined", part=part.name)
                self._ledger.machined(part, self.name)
        if self.door is None:
            self._end()
        else:
            self.enter("opening")
            self.door.open()

    def _stayed(self, part: LiveBody) -> bool:
        """Whether a part has lain on the fixture ever since the cycle began."""
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
        self.running.tell(False, self.name)
        self.ready.tell(True, self.name)

    # ---------------------------------------------------------------- failures

    def _break(self) -> None:
        self._sound = None
        self.enter("broken")
        self.linkage.cut(self._kernel.now)
        self._worked += self._kernel.now - self._began
        self.running.tell(False, self.name)
        self.broken.tell(True, self.name)
        low, high = self._repair
        drawn = low if low == high else self._kernel.interval(f"{self.name} repair", low, high)
        self._after(self._kernel.now + ticks(drawn), self._repaired)

    def _repaired(self) -> None:
        self.enter("working")
        self.broken.tell(False, self.name)
        self.running.tell(True, self.name)
        self._go_on()

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
        return self._ledger.may_change(self.running, self.ready, self.broken, *doors)


def _limits(times: float | Sequence[float] | None) -> tuple[float, ...] | None:
    return cast(tuple[float, ...] | None, times)


def _interval(times: float | Sequence[float] | None) -> tuple[float, float]:
    """A time, or two, as the limits of an interval."""
    limits = _limits(times) or (0.0,)
    return limits[0], limits[-1]
