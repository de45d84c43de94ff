"""The parallel-jaw end effector: moves and initialise queue; status, gains, abort, debug and quit answer at once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from drycell.devices.effector.conditions import AT_REST, RATCHET, RATE, EndConditions, ends_of
from drycell.devices.effector.detectors import Detectors
from drycell.devices.effector.jaw import REACHED, Jaw
from drycell.devices.effector.servo import Servo
from drycell.devices.effector.station import Job, Station, Values
from drycell.errors import FieldError
from drycell.kernel import Kernel, Signal, ticks
from drycell.messages import GRIPPER, Code, Command
from drycell.messages.disturbance import CALM, Disturbance
from drycell.messages.mailboxes import Envelope
from drycell.messages.table import AT_FORCE, AT_GAP, AT_TIME
from drycell.robots import Mechanism
from drycell.sensors.lookout import Lookout
from drycell.spatial import IDENTITY, Pose
from drycell.units import format_length, mm
from drycell.world import Body, Gravity, World

GAINS: Final = (400.0, 40.0)
"""1/s² and 1/s: critically damped, with a time constant of 50 ms."""
STIFFNESS: Final = 10e3
"""N/m: a millimetre of pad gives 10 N."""
STRENGTH: Final = 60.0
"""N: the greatest force between the jaws."""
FEELS: Final = 5.0
"""N: by that force it feels the end of its stroke while it is initialised."""
NEAR: Final = 5 * mm
"""How near to a finger something has to be for a move that ends by proximity."""


class Effector(Station):
    """A jaw under command of messages, with its detectors. Initialise it first: it opens, and finds its zero.

    Gaps are those of the fingers; the force is what they press with. A move that meets something and stalls is
    done if the force is one of its ends, or if it goes at a rate to no gap; else it has failed, blocked. A move that
    comes to rest pressing, with neither its gap nor its force reached, is blocked, too; one that is to end by a force
    alone and comes to rest in the air has missed its end.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        lookout: Lookout,
        name: str,
        mechanism: Mechanism,
        parent: Body | None = None,
        at: Pose = IDENTITY,
        *,
        gains: tuple[float, float] = GAINS,
        stiffness: float = STIFFNESS,
        strength: float = STRENGTH,
        near: float = NEAR,
        hesitates: tuple[float, float] = (0.0, 0.0),
        carries: tuple[float, float] = (0.0, 0.0),
        disturbance: Disturbance = CALM,
    ) -> None:
        joint = mechanism.joints[0]
        for what, value in (("stiffness", stiffness), ("strength", strength), ("near", near)):
            if not value > 0.0:
                raise FieldError(f"{name}: {what} must be above 0, not {value:g}")
        servo = Servo(*gains, joint.speed, joint.acceleration)
        self.jaw = Jaw(
            kernel, world, gravity, name, mechanism, parent, at, servo=servo, stiffness=stiffness, strength=strength
        )
        self.detectors = Detectors(kernel, world, lookout, self.jaw, near)
        super().__init__(
            kernel, name, GRIPPER, self.jaw.palm, disturbance=disturbance, hesitates=hesitates, carries=carries
        )
        self.mechanism, self.gains = mechanism, gains
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
