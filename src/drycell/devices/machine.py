"""A machine tool: works on what lies on its fixture for a time, with its axes moving, and says when it is ready.

A rising edge on ``start`` begins a cycle: ``ready`` goes off and ``running`` on, at once. At the end of the cycle
``running`` goes off and ``ready`` on, at the same instant; ``ready`` then stays on, whether or not the part is taken
out, until the machine is started again. A start while it runs or is broken is ignored.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from drycell.devices.door import Door
from drycell.world.ledger import Ledger
from drycell.devices.machine_cycle import Cycle
from drycell.errors import FieldError
from drycell.kernel import Condition, Kernel, Output, Rank, Signal, seconds, ticks
from drycell.robots import Mechanism
from drycell.spatial import IDENTITY, Pose
from drycell.units import format_time
from drycell.world import FOREVER, Body, Linkage, World

Times = float | Sequence[float]
Phase = Literal["idle", "closing", "working", "broken", "opening"]


@dataclass(frozen=True, slots=True)
class Usage:
    """How much a machine was used in a run: seconds, as a share of the run, and cycles completed."""

    time: float
    busy: float
    cycles: int


class MachineTool:
    """Two translations and a rotation, or what other mechanism it is made of; parts lie on its ``fixture``.

    ``duration`` is a time, or the two limits of a declared interval. ``breaks`` is how long it works, on the average,
    from one failure to the next; it then stands, with ``broken`` on, for the time of a ``repair``, and goes on with
    what was left. With a ``door`` the cycle begins when that is closed and ends when it is open again; while
    ``interlock`` is on (the robot is inside) the door does not close.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        ledger: Ledger,
        name: str,
        mechanism: Mechanism,
        *,
        duration: Times,
        door: bool = False,
        needs_part: bool = False,
        breaks: float | None = None,
        repair: Times = 0.0,
        parent: Body | None = None,
        at: Pose = IDENTITY,
    ) -> None:
        self.name, self.mechanism = name, mechanism
        self.duration = _limits(name, "duration", duration)
        self.needs_part, self.breaks = needs_part, breaks
        self.repair = None if breaks is None else _limits(name, "repair", repair)
        if breaks is not None and not 0.0 < breaks < math.inf:
            raise FieldError(f"{name}: the time between failures must be above 0 s, not {breaks:g} s")
        self._kernel, self._world, self._ledger = kernel, world, ledger
        self.body: Body = world.add(Body(name, mechanism.base, material="steel"), parent, at)
        links = [Body(f"{name}/{link.name}", link.shape, material="steel") for link in mechanism.links]
        self.linkage = Linkage(world, name, mechanism, self.body, links, mechanism.home)
        world.add_linkage(self.linkage)
        mark = dict(mechanism.frames).get("fixture", mechanism.flange)
        self.fixture: Body = links[mark.link] if mark.link >= 0 else self.body
        self.points: tuple[str, ...] = (f"{name}.fixture",)
        world.add_workpoint(self.points[0], self.fixture, mark.pose @ Pose.turn_x(math.pi))
        self.start = kernel.signal(f"{name}.start", False)
        self.running = Output(kernel, name, f"{name}.running", False)
        self.ready = Output(kernel, name, f"{name}.ready", False)
        self.broken = Output(kernel, name, f"{name}.broken", False)
        self.door: Door | None = None
        self.interlock: Signal[bool] | None = None
        if door:
            bed = mechanism.links[0].origin.z
            self.door = Door(kernel, world, name, self.body, bed, self._door_arrived, self._may_write)
            self.interlock = kernel.signal(f"{name}.interlock", False)
            self.interlock.subscribe(self._interlocked, self._may_write)
        self._cycle = Cycle(mechanism, ticks(self.duration[0]))
        self._phase: Phase = "idle"
        self._inside: tuple[Body, ...] = ()
        self._since = 0  # when the cycle began
        self._span = self._worked = self._began = 0  # of the work: its ticks, those done, and when it was last taken up
        self._sound: int | None = None  # ticks of work until the next failure
        self._busy, self._busy_since = 0, 0
        self.cycles = 0
        """How many it has completed."""
        self.start.subscribe(self._started, self._may_write)

    @property
    def parts(self) -> tuple[Body, ...]:
        """What lies on the fixture."""
        return tuple(body for body in self.fixture.children if body.part)

    @property
    def idle(self) -> Condition:
        """That it does nothing, and could be started."""
        return (self.running.is_off & self.broken.is_off).named(f"{self.name}.idle")

    @property
    def busy(self) -> float:
        """For how long it has been running, in seconds."""
        now = self._kernel.now
        return seconds(self._busy + (now - self._busy_since if self.running.peek() else 0))

    @property
    def usage(self) -> Usage:
        """How much it has been used so far."""
        now = seconds(self._kernel.now)
        return Usage(self.busy, self.busy / now if now else 0.0, self.cycles)

    # ---------------------------------------------------------------- a cycle

    def _started(self, on: bool) -> None:
        if not on:
            return
        if self._phase != "idle":
            self._note("ignored", signal=self.start.name, because="broken" if self._phase == "broken" else "running")
            return
        self._inside, self._since = self.parts, self._kernel.now
        if not self._inside:
            if self.needs_part:
                self._note("ignored", signal=self.start.name, because="no part")
                return
            self._note("idles")
        self.ready.tell(False, self.name)
        self._run(True)
        if self.door is None:
            self._work()
            return
        self._phase = "closing"
        if self.interlock is not None and self.interlock.peek():
            self._note("waits", signal=self.interlock.name)
        else:
            self.door.close()

    def _work(self) -> None:
        self._phase = "working"
        low, high = self.duration
        drawn = low if low == high else self._kernel.interval(f"{self.name} cycle", low, high)
        # A number that a search has drawn is only turned into ticks: then its length need not be searched by itself.
        self._span, self._worked = ticks(drawn), 0
        self._go_on()

    def _go_on(self) -> None:
        now = self._began = self._kernel.now
        left = self._span - self._worked
        if self._worked < self._cycle.span:
            self.linkage.follow(self._cycle.trajectory(now, self._worked))
        if self.breaks is not None and self._sound is None:
            self._sound = max(ticks(self._kernel.random(f"{self.name} breaks").expovariate(1.0 / self.breaks)), 1)
        if self._sound is not None and self._sound < left:
            self._after(now + self._sound, self._break)
        else:
            self._after(now + left, self._done)

    def _done(self) -> None:
        if self._sound is not None:
            self._sound -= self._kernel.now - self._began
        self.cycles += 1
        for part in self._inside:
            if self._stayed(part):
                self._note("machined", part=part.name)
                self._ledger.machined(part, self.name)
        if self.door is None:
            self._end()
        else:
            self._phase = "opening"
            self.door.open()

    def _stayed(self, part: Body) -> bool:
        """Whether a part has lain on the fixture ever since the cycle began."""
        if part.gone != FOREVER:
            return False
        for segment in reversed(part.history):
            if segment.parent is not self.fixture:
                return False
            if segment.start <= self._since:
                break
        return True

    def _end(self) -> None:
        self._phase, self._inside = "idle", ()
        self._run(False)
        self.ready.tell(True, self.name)

    # ---------------------------------------------------------------- failures

    def _break(self) -> None:
        self._phase, self._sound = "broken", None
        self.linkage.cut(self._kernel.now)
        self._worked += self._kernel.now - self._began
        self._run(False)
        self.broken.tell(True, self.name)
        low, high = self.repair or (0.0, 0.0)
        drawn = low if low == high else self._kernel.interval(f"{self.name} repair", low, high)
        self._after(self._kernel.now + ticks(drawn), self._repaired)

    def _repaired(self) -> None:
        self._phase = "working"
        self.broken.tell(False, self.name)
        self._run(True)
        self._go_on()

    # ---------------------------------------------------------------- the door

    def _interlocked(self, on: bool) -> None:
        if self._phase == "closing" and self.door is not None:
            if not on:
                self.door.close()
            elif not self.door.is_open.peek():
                self.door.open()

    def _door_arrived(self) -> None:
        if self.door is None:
            return
        if self._phase == "closing" and self.door.is_closed.peek():
            self._work()
        elif self._phase == "opening" and self.door.is_open.peek():
            self._end()

    # ---------------------------------------------------------------- inside

    def _run(self, on: bool) -> None:
        now = self._kernel.now
        if on:
            self._busy_since = now
        else:
            self._busy += now - self._busy_since
        self.running.tell(on, self.name)

    def _after(self, when: int, action: Callable[[], None]) -> None:
        self._kernel.at(when, action, Rank.DEVICE, self.name, writes=self._may_write())

    def _may_write(self) -> list[Signal[Any]]:
        doors = () if self.door is None else (self.door.is_open, self.door.is_closed)
        return self._ledger.may_change(self.running, self.ready, self.broken, *doors)

    def _note(self, kind: str, **fields: object) -> None:
        self._kernel.journal.write(kind, self.name, **fields)


def _limits(name: str, what: str, given: Times) -> tuple[float, float]:
    """A time, or two, as the limits of an interval."""
    times = tuple(given) if isinstance(given, Sequence) else (given, given)
    if len(times) != 2:
        raise FieldError(f"{name}: {what} is a time, or two, not {len(times)}", hint="write [20 s, 30 s]")
    low, high = (float(each) for each in times)
    if not 0.0 < low <= high < math.inf:
        told = format_time(low) if low == high else f"{format_time(low)} to {format_time(high)}"
        raise FieldError(f"{name}: {what} of {told}: not 0 s < lower ≤ upper", hint="write 25 s, or [20 s, 30 s]")
    return low, high
