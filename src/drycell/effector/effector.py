"""The parallel-jaw end effector: moves and initialise queue; status, gains, abort, debug and quit answer at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from drycell.base import (
    CellFileError,
    FieldError,
    Problem,
    Quantity,
    Several,
    Size,
    Type,
    did_you_mean,
    format_length,
    mm,
)
from drycell.cell import Cell
from drycell.effector.conditions import AT_REST, RATCHET, RATE, EndConditions, ends_of
from drycell.effector.detectors import Detectors
from drycell.effector.jaw import REACHED, Jaw
from drycell.effector.messages import GRIPPER, Code, Command, Trouble
from drycell.effector.messages.mailboxes import Envelope
from drycell.effector.messages.table import AT_FORCE, AT_GAP, AT_TIME
from drycell.effector.servo import Servo
from drycell.effector.station import AT_ONCE, Commanded, Job, Station, Times, Values
from drycell.kernel import Signal, ticks
from drycell.robots import Mechanism, load_robot, robot_names
from drycell.world import LiveBody

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


class Effector(Commanded, kind="effector", icon="back_hand"):
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
    trouble: Trouble = Trouble()
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


class LiveEffector(Station[Effector]):
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

    def problem(self, command: Command, values: Values) -> str | None:
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

    def on_status(self, envelope: Envelope, values: Values) -> dict[str, float]:
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

    def on_gains(self, envelope: Envelope, values: Values) -> dict[str, float] | None:
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

    def on_abort(self, envelope: Envelope, values: Values) -> dict[str, float]:
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
