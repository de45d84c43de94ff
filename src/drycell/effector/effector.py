"""The parallel-jaw end effector: moves and initialise queue; status, gains, abort, debug and quit answer at once.

Its fingers have detectors: how far it is to something before each of them, and whether the beam between them is broken.
Each looks from its finger to the other, however far that is at the instant; what is beyond it is not seen.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

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
from drycell.robots import Mechanism, load_robot, robot_names
from drycell.sensors import LiveSensor, Output, Reading, SensorModel, TraceLines, load_sensor
from drycell.world import LiveBody

_NOTHING: Final = 1.0  # metres: what a detector publishes that sees nothing
_EVERY: Final = 5 * ms  # from sample to sample of a distance, while a move ends by it
_TIP: Final = 5 * mm  # how much nearer to the finger tips the beam is than the tool centre point


class FingerSensor(LiveSensor[Any]):
    """A sensor on one finger that looks as far as the other."""

    def __init__(self, cell: Cell, name: str, model: SensorModel, body: LiveBody, jaw: Jaw) -> None:
        self._jaw = jaw
        ignored = [each.name for each in (jaw.palm, *jaw.fingers)]
        super().__init__(cell, name, model, body, ignore=ignored, active=model.type != "range")
        cell.kernel.signals[name] = self

    def look(self, t: int | None = None) -> Reading:
        """What it would read now, or at an instant of the run."""
        reading = super().look(t)
        if reading.distance is not None and reading.distance > self._jaw.gap_at(t):
            return Reading(self.model, self.initial, on=False)
        return reading

    def take(self) -> None:
        """Publish what is seen now, if it takes no samples by itself."""
        if not self.active:
            self.set(self.look().value, self.name)

    def seen(self) -> Any:
        """The value now: that of the last sample or, while it takes none, what it would be; changes nothing."""
        return self.peek() if self.active or self.filter is not None else self.look().value


class Detectors:
    """The proximity detectors of both fingers, NAME.left and NAME.right, and the cross-fire beam, NAME.beam.

    The beam is a signal that anybody may wait for. The distances are looked at when they are asked for, and sampled
    only while a move ends by them.
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
            # A finger's frame is at its inner face; finger 1 is at +x and looks along −x, finger 2 the other way.
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
        self.left.quiet = self.right.quiet = True  # they change all the time: status tells them to those who ask
        self.near = near
        """How near something has to be to end a move that ends by proximity."""

    @property
    def distances(self) -> tuple[float | None, float | None]:
        """How far it is to something before the left and the right finger; None: nothing is between them."""
        left, right = (self.sensors[side].seen() for side in ("left", "right"))
        return None if left >= _NOTHING else left, None if right >= _NOTHING else right

    @property
    def packed(self) -> float:
        """Both in one real: tenths of a millimetre, 1000 · left + right, 999 for nothing."""
        return pack_proximity(*self.distances)

    @property
    def near_now(self) -> bool:
        """Whether something is near one of the fingers."""
        return min(each for each in (*self.distances, _NOTHING) if each is not None) <= self.near

    def take(self) -> None:
        """Publish the distances of now."""
        for side in ("left", "right"):
            self.sensors[side].take()

    def sample(self, on: bool) -> None:
        """Take samples of the distances, or no longer."""
        self.take()
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
"""No condition: that the drive has come to rest."""

_USUAL: Final = {POSITION: AT_GAP, RATE: AT_FORCE, RATCHET: AT_GAP | AT_FORCE, FORCE: AT_GAP | AT_FORCE}
After = Callable[[int, Callable[[], None]], Timer]


def ends_of(kind: int, ends: int, time: float) -> int:
    """The conditions that end a move: those it names, or what its kind has by itself, and its time if it has one."""
    return (ends or _USUAL[kind]) | (AT_TIME if time > 0.0 else 0)


class EndConditions:
    """Watches for the conditions of one move; calls ``ended(which)`` once, with the one that came first."""

    def __init__(self, ends: int, ended: Callable[[int], None], detectors: Detectors, after: After) -> None:
        self.ends = ends
        self._ended, self._after, self._detectors = ended, after, detectors
        self._timers: dict[int, Timer] = {}
        self._unsubscribe: list[Callable[[], None]] = []

    def watch(self, time_over: int | None) -> None:
        """Begin to watch; what holds already ends the move at once. ``time_over`` is the instant of that condition."""
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
        """A condition will hold at an instant, as things move now; None: it will not."""
        if self.ends & which:
            self.ask(which, when, lambda: self.end(which))

    def ask(self, which: int, when: int | None, action: Callable[[], None]) -> None:
        """Have something done at an instant, in place of what was to be done about it; not once the move is over."""
        timer = self._timers.pop(which, None)
        if timer is not None:
            timer.cancel()
        if when is not None:
            self._timers[which] = self._after(when, action)

    def end(self, which: int) -> None:
        """A condition holds: the move is over."""
        self.stop()
        self._ended(which)

    def stop(self) -> None:
        """Watch no more."""
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


FEELS: Final = 5.0
"""N: by that force it feels the end of its stroke while it is initialised."""


@dataclass(frozen=True)
class _GripperModel(Type):
    """The name of a gripper of the library; Python may give a mechanism of its own instead."""

    def check(self, value: Any) -> str | Mechanism:
        """A name that the library has, or a mechanism."""
        if isinstance(value, Mechanism) or (isinstance(value, str) and value in robot_names()):
            return value
        raise FieldError(f"there is no gripper {value!r}", hint=did_you_mean(str(value), robot_names()))

    def write(self, value: str | Mechanism) -> str:
        """The name; a mechanism has one only if it is that of the library."""
        if isinstance(value, str):
            return value
        if value.name in robot_names() and load_robot(value.name) == value:
            return value.name
        raise CellFileError(
            f"the mechanism {value.name!r} is not in the library, so a cell file cannot name it",
            hint="give the end effector the name of a gripper of the library",
        )

    def schema(self, describer: Any) -> dict[str, Any]:
        """A text."""
        return {"type": "string", "examples": ["two-finger"], "x-widget": "name"}


class Effector(MessageDevice, kind="effector", icon="back_hand"):
    """A parallel jaw commanded by messages, on a flange (``parent="arm/flange"``) or by itself."""

    model: Annotated[str | Mechanism, _GripperModel()] = "two-finger"
    """The gripper it is made of, by its name in the library."""
    gains: Annotated[tuple[float, float], Several((Quantity("ratio"),) * 2, "[400, 40]")] = (400.0, 40.0)
    """Gains of its servo: position in 1/s², rate in 1/s."""
    stiffness: Annotated[float, Quantity("stiffness", above=0.0)] = 10e3
    """Stiffness of its pads."""
    strength: Annotated[float, Quantity("force", above=0.0)] = 60.0
    """Greatest force between the jaws."""
    near: Size = 5 * mm
    """How near to a finger something ends a move by proximity."""
    hesitates: Times = AT_ONCE
    """How long it waits before it begins a queued command: a declared interval, drawn anew every time."""
    carries: Times = AT_ONCE
    """How long a reply is under way, a declared interval: replies may overtake each other."""
    trouble: LinkTrouble = LinkTrouble()
    """How often messages and commands go wrong."""

    def problems(self) -> Iterable[Problem]:
        """Its servo is damped."""
        yield from super().problems()
        try:
            Servo(*self.gains, speed=1.0, acceleration=1.0)
        except FieldError as error:
            yield Problem(("gains",), error.what, error.hint)

    def signals(self) -> Iterable[str]:
        """What the jaw does, what its detectors see, and those of its mailboxes."""
        return ("holding", "moving", "left", "right", "beam", *super().signals())

    def build(self, cell: Cell, name: str) -> "LiveEffector":
        """Brings palm and fingers into the world, and sets up its detectors and mailboxes."""
        return LiveEffector(cell, name, self)


class LiveEffector(LiveMessageDevice[Effector]):
    """A jaw under command of messages, with its detectors. Initialise it first: it opens, and finds its zero.

    Gaps are those of the fingers; the force is what they press with. A move that meets something and stalls is
    done if the force is one of its ends, or if it goes at a rate to no gap; else it has failed, blocked. A move that
    comes to rest pressing, with neither its gap nor its force reached, is blocked, too; one that is to end by a force
    alone and comes to rest in the air has missed its end.
    """

    def __init__(self, cell: Cell, name: str, model: Effector) -> None:
        mechanism = load_robot(model.model) if isinstance(model.model, str) else model.model
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
        """What changes when the jaw moves."""
        return (self.jaw.holding, self.jaw.moving)

    def problem(self, command: CommandEntry, values: Values) -> str | None:
        """A gap that the jaws cannot have, a force that they have not, or an end by a time that is not given."""
        low, high = self.jaw.opening
        if command.name == "move" and values["force"] > self.jaw.strength:
            return f"{self.name} cannot press with {values['force']:g} N: its greatest force is {self.jaw.strength:g} N"
        if command.name == "move" and int(values["ends"]) & AT_TIME and values["time"] <= 0.0:
            return f"{self.name} is to end a move when its time is over (ends {values['ends']:g}), and the time is 0 s"
        if command.name != "move" or values["kind"] == RATE or low <= values["gap"] <= high:
            return None
        gap, least, most = (format_length(each) for each in (values["gap"], low, high))
        return f"{self.name} cannot go to {gap}: not {least} ≤ {gap} ≤ {most}"

    # ---------------------------------------------------------------- queued

    def begin(self, job: Job) -> None:
        """Begins to initialise, or a move."""
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
        """Sets the jaw in motion as the job wants it, from where it is, and expects what follows from the motion."""
        jaw, values, conditions = self.jaw, job.values, self._conditions
        if conditions is None:
            return
        if job.command.name != "move":
            jaw.run(jaw.servo.speed, force=min(FEELS, jaw.strength))
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
        """The drive passes the gap at a rate; where the fingers are held off it, it goes on until it stalls."""
        if self._conditions is not None and not self._held_off:
            self._conditions.end(AT_GAP)

    def _reached(self) -> None:
        """The drive was to be at the gap by now."""
        conditions, job = self._conditions, self.job
        if conditions is None or job is None:
            return
        when = self.jaw.reaches(job.values["gap"])
        if when > self.kernel.now:
            conditions.ask(AT_GAP, when, self._reached)  # it was thrown back on the way
        elif not self._held_off:
            conditions.end(AT_GAP)

    def _settled(self) -> None:
        """The drive was to be at rest by now; a move may then have come to nothing."""
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
        """Whether something keeps the fingers wider apart than the move wants them."""
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
        """The status vector."""
        servo = self.jaw.servo
        self.detectors.take()
        return {
            "gap": max(self.jaw.gap, 0.0),
            "target": max(self.jaw.target, 0.0),
            "position_gain": servo.position_gain,
            "rate_gain": servo.rate_gain,
            "proximity": self.detectors.packed,
            "crossfire": float(self.detectors.beam.value),
        }

    def on_gains(self, envelope: ArrivedCommand, values: Values) -> dict[str, float] | None:
        """Sets both gains; what is under way goes on with them."""
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
        """Stops; everything under way or queued fails. The gap it tells is where the jaws come to stand."""
        self.halt()
        dropped = self.drop("aborted")
        self.debugging.note("control", "aborts", dropped=dropped)
        return {"gap": max(self.jaw.rest, 0.0), "dropped": float(dropped)}

    def halt(self) -> None:
        """Stops the jaw."""
        if self._conditions is not None:
            self._conditions.stop()
            self._conditions = None
            self.jaw.brake()

    def report(self) -> dict[str, float]:
        """Gap and force."""
        return {"gap": max(self.jaw.gap, 0.0), "force": self.jaw.force}
