"""The parallel-jaw end effector. It queues moves and initialise, and answers all other commands at once.

Its fingers have proximity detectors and a light beam between them. Each detector looks from its finger to the other
finger, and sees nothing beyond it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, cast

from drycell.base import (
    CellFileError,
    FieldError,
    Pose,
    Problem,
    Quantity,
    Several,
    Size,
    Type,
    did_you_mean,
    format_length,
    mm,
    ms,
)
from drycell.cell import Cell
from drycell.effector.device import AT_ONCE, Job, LiveMessageDevice, MessageDevice, Times, Values
from drycell.effector.jaw import REACHED, Jaw
from drycell.effector.messages import GRIPPER, Code, CommandEntry, LinkTrouble, pack_proximity
from drycell.effector.messages.mailboxes import ArrivedCommand
from drycell.effector.messages.vocabulary import AT_BEAM, AT_FORCE, AT_GAP, AT_PROXIMITY, AT_TIME
from drycell.effector.servo import Servo
from drycell.kernel import Signal, Timer, ticks
from drycell.robots import Mechanism, load_tool, tool_names
from drycell.sensors import LiveSensor, Output, Reading, SensorModel, TraceLines, load_sensor
from drycell.world import LiveBody

_NOTHING: Final = 1.0  # metres: the value of a detector that sees nothing
_EVERY: Final = 5 * ms  # sampling period of the distances while a move ends by proximity
_TIP: Final = 5 * mm  # distance of the beam from the TCP towards the finger tips


class FingerSensor(LiveSensor[Any]):
    """A sensor on one finger with the other finger as its range."""

    def __init__(self, cell: Cell, name: str, model: SensorModel, body: LiveBody, jaw: Jaw) -> None:
        self._jaw = jaw
        ignored = [each.name for each in (jaw.palm, *jaw.fingers)]
        super().__init__(cell, name, model, body, ignore=ignored, active=model.type != "range")
        cell.kernel.signals[name] = self

    def look(self, t: int | None = None) -> Reading:
        """Return the reading now, or at an instant of the run."""
        reading = super().look(t)
        if reading.distance is not None and reading.distance > self._jaw.gap_at(t):
            return Reading(self.model, self.initial, on=False)
        return reading

    def publish_reading(self) -> None:
        """Publish the current reading, unless the sensor samples by itself."""
        if not self.active:
            self.set(self.look().value, self.name)

    def current(self) -> Any:
        """Return the value of the last sample or, if the sensor is not sampling, the current reading."""
        return self.peek() if self.active or self.filter is not None else self.look().value


class Detectors:
    """The proximity detectors of both fingers, NAME.left and NAME.right, and the cross-fire beam, NAME.beam.

    The beam is a signal that programs may wait for. The distances are read on request, and sampled only while a move
    ends by proximity.
    """

    def __init__(self, cell: Cell, jaw: Jaw, near: float) -> None:
        reach = jaw.opening[1]
        beam = replace(load_sensor("finger-beam"), trace_lines=TraceLines(count=1, reach=reach))
        sight = SensorModel(
            type="range",
            senses="light",
            trace_lines=TraceLines(count=1, reach=reach),
            every=_EVERY,
            quantum=0.1 * mm,
            output=Output(default=_NOTHING, unit="m"),
        )
        made: dict[str, FingerSensor] = {}
        for name, finger, model, ahead in (("left", 0, sight, 0.0), ("right", 1, sight, 0.0), ("beam", 0, beam, _TIP)):
            # A finger's frame is on its inner face. Finger 1 is at +x and looks along −x, finger 2 along +x.
            look_along = Pose.turn_y(-math.pi / 2 if finger == 0 else math.pi / 2)
            place = Pose(0.0, jaw.tcp.y, jaw.tcp.z + ahead) @ look_along
            called = f"{jaw.name}.{name}"
            body = cell.world.add(LiveBody(called), jaw.fingers[finger], place)
            made[name] = FingerSensor(cell, called, model, body, jaw)
        self.sensors: dict[str, FingerSensor] = made
        """All three, by left, right and beam."""
        self.left: Signal[float] = made["left"]
        self.right: Signal[float] = made["right"]
        self.beam: Signal[bool] = made["beam"]
        self.left.quiet = self.right.quiet = True  # they change constantly, so programs request the status instead
        self.near = near
        """Distance in metres at which a move by proximity ends."""

    @property
    def distances(self) -> tuple[float | None, float | None]:
        """Free distance in front of the left and the right finger, in metres; None if nothing is between them."""
        left, right = (self.sensors[side].current() for side in ("left", "right"))
        return None if left >= _NOTHING else left, None if right >= _NOTHING else right

    @property
    def packed(self) -> float:
        """Both distances in one real: tenths of a millimetre, 1000 · left + right, 999 for nothing."""
        return pack_proximity(*self.distances)

    @property
    def near_now(self) -> bool:
        """Whether something is closer to a finger than ``near``."""
        return min(each for each in (*self.distances, _NOTHING) if each is not None) <= self.near

    def publish(self) -> None:
        """Publish the current distances."""
        for side in ("left", "right"):
            self.sensors[side].publish_reading()

    def sample(self, on: bool) -> None:
        """Start or stop sampling the distances."""
        self.publish()
        for side in ("left", "right"):
            if on:
                self.sensors[side].activate()
            else:
                self.sensors[side].deactivate()


POSITION: Final = 0
RATE: Final = 1
RATCHET: Final = 2
FORCE: Final = 3
AT_REST: Final = 0
"""Not a condition, but the timer for the moment when the drive comes to rest."""

_USUAL: Final = {POSITION: AT_GAP, RATE: AT_FORCE, RATCHET: AT_GAP | AT_FORCE, FORCE: AT_GAP | AT_FORCE}
After = Callable[[int, Callable[[], None]], Timer]


def ends_of(kind: int, ends: int, time: float) -> int:
    """Return the end conditions of a move: those given or the default of its kind, and its time limit, if any."""
    return (ends or _USUAL[kind]) | (AT_TIME if time > 0.0 else 0)


class EndConditions:
    """Watches the end conditions of a move. Calls ``ended(which)`` once, with the first condition that is met."""

    def __init__(self, ends: int, ended: Callable[[int], None], detectors: Detectors, after: After) -> None:
        self.ends = ends
        self._ended, self._after, self._detectors = ended, after, detectors
        self._timers: dict[int, Timer] = {}
        self._unsubscribe: list[Callable[[], None]] = []

    def watch(self, time_over: int | None) -> None:
        """Start to watch; a condition that is already met ends the move. ``time_over`` is the tick of AT_TIME."""
        seen = self._detectors
        if self.ends & AT_BEAM:
            self._unsubscribe.append(seen.beam.subscribe(lambda _: self._look()))
        if self.ends & AT_PROXIMITY:
            seen.sample(True)
            self._unsubscribe.append(lambda: seen.sample(False))
            self._unsubscribe += [each.subscribe(lambda _: self._look()) for each in (seen.left, seen.right)]
        if self.ends & AT_TIME and time_over is not None:
            self.expect(AT_TIME, time_over)
        self._look()

    def expect(self, which: int, when: int | None) -> None:
        """Schedule the tick at which a condition will be met if no motion changes; None if it will not be met."""
        if self.ends & which:
            self.ask(which, when, lambda: self.end(which))

    def ask(self, which: int, when: int | None, action: Callable[[], None]) -> None:
        """Schedule an action for a condition in place of an earlier one, until the move is over."""
        timer = self._timers.pop(which, None)
        if timer is not None:
            timer.cancel()
        if when is not None:
            self._timers[which] = self._after(when, action)

    def end(self, which: int) -> None:
        """End the move, because a condition is met."""
        self.stop()
        self._ended(which)

    def stop(self) -> None:
        """Stop watching."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for each in self._unsubscribe:
            each()
        self._unsubscribe.clear()

    def _look(self) -> None:
        if self.ends & AT_BEAM and self._detectors.beam.peek():
            self.end(AT_BEAM)
        elif self.ends & AT_PROXIMITY and self._detectors.near_now:
            self.end(AT_PROXIMITY)


HOMING_FORCE: Final = 5.0
"""Force in N at which the jaw detects the end of its stroke during initialisation."""


@dataclass(frozen=True)
class _GripperModel(Type):
    """The name of a gripper of the library. Python programs may pass a mechanism instead."""

    def check(self, value: Any) -> str | Mechanism:
        """Return the name of a gripper of the library, or the mechanism."""
        if isinstance(value, Mechanism):
            return value
        if not isinstance(value, str) or value not in tool_names():
            raise FieldError(f"there is no gripper {value!r}", hint=did_you_mean(str(value), tool_names()))
        if load_tool(value).fingers is None:
            raise FieldError(f"{value!r} has no fingers", hint="name a gripper with two fingers, such as 'two-finger'")
        return value

    def write(self, value: str | Mechanism) -> str:
        """Return the name; a mechanism has one only if it is in the library."""
        if isinstance(value, str):
            return value
        if value.name in tool_names() and load_tool(value.name).fingers == value:
            return value.name
        raise CellFileError(
            f"the mechanism {value.name!r} is not in the library, so a cell file cannot name it",
            hint="give the end effector the name of a gripper of the library",
        )

    def schema(self, describer: Any) -> dict[str, Any]:
        """The schema of a text."""
        return {"type": "string", "examples": ["two-finger"], "x-widget": "name"}


class Effector(MessageDevice, kind="effector", icon="back_hand"):
    """A parallel jaw commanded by messages, on a flange (``parent="arm/flange"``) or by itself.

    A program of the cell connects to it by its name (``cell:hand``) and moves it. Gaps are in metres.

    >>> from drycell import Cell, Effector, mm
    >>> from drycell.effector.link import connect
    >>> cell = Cell("bench")
    >>> hand = cell.add("hand", Effector(at=(0, 0, 200 * mm)))
    >>> @cell.program
    ... def planner():
    ...     with connect("cell:hand") as gripper:
    ...         gripper.initialise()
    ...         print(f"{gripper.move_to(20 * mm).wait().gap / mm:.1f} mm")
    >>> result = cell.run()
    20.0 mm
    """

    model: Annotated[str | Mechanism, _GripperModel()] = "two-finger"
    """The gripper it is made of, by its name in the library."""
    gains: Annotated[tuple[float, float], Several((Quantity("ratio"),) * 2, "[400, 40]")] = (400.0, 40.0)
    """Gains of its servo: position in 1/s², rate in 1/s."""
    stiffness: Annotated[float, Quantity("stiffness", above=0.0)] = 10e3
    """Stiffness of its pads."""
    strength: Annotated[float, Quantity("force", above=0.0)] = 60.0
    """Maximum force between the jaws."""
    near: Size = 5 * mm
    """Distance from a finger at which an object ends a move by proximity."""
    hesitates: Times = AT_ONCE
    """How long it waits before it begins a queued command: a declared interval, drawn again each time."""
    carries: Times = AT_ONCE
    """Delay of a reply, a declared interval: replies may overtake each other."""
    trouble: LinkTrouble = LinkTrouble()
    """Rates at which messages and commands fail."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if the gains do not give enough damping."""
        yield from super().problems()
        try:
            Servo(*self.gains, speed=1.0, acceleration=1.0)
        except FieldError as error:
            yield Problem(("gains",), error.what, error.hint)

    def signals(self) -> Iterable[str]:
        """The signals of the jaw, its detectors and its mailboxes."""
        return ("holding", "moving", "left", "right", "beam", *super().signals())

    def build(self, cell: Cell, name: str) -> "LiveEffector":
        """Build the palm, the fingers, the detectors and the mailboxes."""
        return LiveEffector(cell, name, self)


class LiveEffector(LiveMessageDevice[Effector]):
    """A running end effector. Initialise it first: it opens and finds its zero.

    A gap is the distance between the fingers; the force is the force with which they press. A move that stalls on a
    part is done if the force is one of its end conditions, or if it is a rate move without a gap. Otherwise it fails as
    blocked. A move that comes to rest while pressing, without reaching its gap or force, is also blocked. A move that
    ends by force alone and comes to rest without pressing fails as missed.
    """

    def __init__(self, cell: Cell, name: str, model: Effector) -> None:
        mechanism = (
            model.model if isinstance(model.model, Mechanism) else cast(Mechanism, load_tool(model.model).fingers)
        )
        carrier, pose = cell.standing(model, LiveBody(name, mechanism.base))
        kernel, world, joint = cell.kernel, cell.world, mechanism.joints[0]
        self.jaw = Jaw(
            kernel,
            world,
            cell.gravity,
            name,
            mechanism,
            carrier,
            pose,
            servo=Servo(*model.gains, joint.speed, joint.acceleration),
            stiffness=model.stiffness,
            strength=model.strength,
        )
        self.detectors = Detectors(cell, self.jaw, model.near)
        super().__init__(
            cell,
            name,
            model,
            GRIPPER,
            self.jaw.palm,
            trouble=model.trouble,
            hesitates=model.hesitates,
            carries=model.carries,
        )
        self.initialised = False
        self._conditions: EndConditions | None = None
        self.jaw.stalled, self.jaw.lost = self._stalled, self._lost
        self.jaw.may_write = lambda: (*self.pair.replies, *self.may_write())

    def may_write(self) -> Sequence[Signal[Any]]:
        """The signals that change when the jaw moves."""
        return (self.jaw.holding, self.jaw.moving)

    def problem(self, command: CommandEntry, values: Values) -> str | None:
        """Return an error for a gap beyond the stroke, a force beyond the strength, or a missing time."""
        low, high = self.jaw.opening
        if command.name == "move" and values["force"] > self.jaw.strength:
            return f"{self.name} cannot press with {values['force']:g} N: its maximum force is {self.jaw.strength:g} N"
        if command.name == "move" and int(values["ends"]) & AT_TIME and values["time"] <= 0.0:
            return f"{self.name} ends a move after a time (ends {values['ends']:g}), but the time is 0 s"
        if command.name != "move" or values["kind"] == RATE or low <= values["gap"] <= high:
            return None
        gap, least, most = (format_length(each) for each in (values["gap"], low, high))
        return f"{self.name} cannot move to {gap}: {gap} is not between {least} and {most}"

    # ---------------------------------------------------------------- queued

    def begin(self, job: Job) -> None:
        """Start to initialise, or start a move."""
        if job.command.name == "move":
            self._move(job)
            return
        self._conditions = EndConditions(AT_FORCE, self._ended, self.detectors, self.after)
        self._steer(job)

    def _move(self, job: Job) -> None:
        values = job.values
        if not self.initialised:
            self.failed("not initialised")
            return
        ends = ends_of(int(values["kind"]), int(values["ends"]), values["time"])
        self._conditions = EndConditions(ends, self._ended, self.detectors, self.after)
        self._steer(job)
        over = self.kernel.now + ticks(values["time"]) if values["time"] > 0.0 else None
        self._conditions.watch(over)

    def _steer(self, job: Job) -> None:
        """Start the motion of the jaw from its current state, and schedule the conditions that follow from it."""
        jaw, values, conditions = self.jaw, job.values, self._conditions
        if conditions is None:
            return
        if job.command.name != "move":
            jaw.run(jaw.servo.speed, force=min(HOMING_FORCE, jaw.strength))
            return
        kind, gap, speed = int(values["kind"]), values["gap"], values["speed"]
        force = values["force"] or jaw.strength
        if kind == RATE:
            jaw.run(speed or -jaw.servo.speed, force=force)
            if conditions.ends & AT_GAP:
                conditions.ask(AT_GAP, jaw.passing(gap, rising=jaw.target > jaw.opening[0]), self._passed)
        else:
            way = 0 if kind != RATCHET else (1 if speed > 0.0 else -1)
            jaw.go(gap, speed=abs(speed) or jaw.servo.speed, force=force, ratchet=way)
            if conditions.ends & AT_GAP:
                conditions.ask(AT_GAP, jaw.reaches(gap), self._reached)
            conditions.ask(AT_REST, jaw.settles, self._settled)
        self.debugging.note(
            "graphics", "fingers move", from_mm=jaw.gap * 1e3, to_mm=jaw.target * 1e3, pieces=jaw.pieces
        )

    def _ended(self, by: int) -> None:
        job, self._conditions = self.job, None
        if job is None:
            return
        if job.command.name != "move":
            self.initialised = True
            self.jaw.go(self.jaw.opening[1], speed=self.jaw.servo.speed, force=self.jaw.strength)
            self.done()
            return
        if by not in (AT_GAP, AT_FORCE) or int(job.values["kind"]) == RATE:
            self.jaw.brake()
        self.done(ended_by=float(by))

    def _passed(self) -> None:
        """End a rate move that passes its gap. If a part stops the fingers earlier, it continues until it stalls."""
        if self._conditions is not None and not self._held_off:
            self._conditions.end(AT_GAP)

    def _reached(self) -> None:
        """End the move if the drive is at its gap, as expected."""
        conditions, job = self._conditions, self.job
        if conditions is None or job is None:
            return
        when = self.jaw.reaches(job.values["gap"])
        if when > self.kernel.now:
            conditions.ask(AT_GAP, when, self._reached)  # something delayed it
        elif not self._held_off:
            conditions.end(AT_GAP)

    def _settled(self) -> None:
        """The drive is at rest, as expected: fail the move if it can no longer reach its end."""
        conditions = self._conditions
        if conditions is None:
            return
        if self.jaw.settles > self.kernel.now:
            conditions.ask(AT_REST, self.jaw.settles, self._settled)
            return
        reason = None
        if self._held_off and conditions.ends & (AT_GAP | AT_FORCE):
            reason = "blocked"
        elif conditions.ends == AT_FORCE:
            reason = "missed"
        if reason is not None:
            conditions.stop()
            self._conditions = None
            self.failed(reason)

    @property
    def _held_off(self) -> bool:
        """Whether a part keeps the fingers from the target gap."""
        job, jaw = self.job, self.jaw
        if job is None or (int(job.values["kind"]) == RATCHET and job.values["speed"] > 0.0):
            return False
        return jaw.force > 0.0 and jaw.gap - job.values["gap"] > REACHED

    def _stalled(self) -> None:
        conditions, job = self._conditions, self.job
        if conditions is None or job is None:
            return
        conditions.stop()
        if conditions.ends & AT_FORCE or (int(job.values["kind"]) == RATE and not conditions.ends & AT_GAP):
            self._ended(AT_FORCE)
        else:
            self._conditions = None
            self.failed("blocked")

    def _lost(self) -> None:
        if self._conditions is not None:
            self._conditions.stop()
            self._conditions = None
            self.failed("lost hold")

    # ---------------------------------------------------------------- at once

    def on_status(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Return the state of the jaw and its detectors."""
        servo = self.jaw.servo
        self.detectors.publish()
        return {
            "gap": max(self.jaw.gap, 0.0),
            "target": max(self.jaw.target, 0.0),
            "position_gain": servo.position_gain,
            "rate_gain": servo.rate_gain,
            "proximity": self.detectors.packed,
            "crossfire": float(self.detectors.beam.value),
        }

    def on_gains(self, envelope: ArrivedCommand, values: Values) -> dict[str, float] | None:
        """Set both gains. The current move continues with them."""
        try:
            servo = replace(self.jaw.servo, **values)
        except FieldError as error:
            self.refuse(envelope, Code.LIMIT, f"{error.what}; try {error.hint}" if error.hint else error.what)
            return None
        self.jaw.servo = servo
        if self.job is not None and self._conditions is not None:
            self._steer(self.job)
        return dict(values)

    def on_abort(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Stop, and fail the current and all queued commands. The gap in the reply is where the jaws will stop."""
        self.halt()
        dropped = self.drop("aborted")
        self.debugging.note("control", "aborts", dropped=dropped)
        return {"gap": max(self.jaw.rest, 0.0), "dropped": float(dropped)}

    def halt(self) -> None:
        """Stop the jaw."""
        if self._conditions is not None:
            self._conditions.stop()
            self._conditions = None
            self.jaw.brake()

    def report(self) -> dict[str, float]:
        """Return gap and force."""
        return {"gap": max(self.jaw.gap, 0.0), "force": self.jaw.force}
