"""Sensor: a model at work in a cell. It looks at the world on its own grid of instants, and is what it publishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Final

from drycell.errors import FieldError, did_you_mean
from drycell.kernel import TICKS_PER_SECOND, Kernel, Rank, Reserved, ticks
from drycell.kernel.signal import V
from drycell.kernel.ticker import Grid
from drycell.sensors.cover import Cover, Reach, cover_of
from drycell.sensors.force import beyond
from drycell.sensors.look import look
from drycell.sensors.lookout import Lookout
from drycell.sensors.model import SensorModel
from drycell.sensors.reading import Reading
from drycell.sensors.response import respond, sampled, switched
from drycell.spatial import IDENTITY, Pose
from drycell.world import FOREVER, Body, Scene
from drycell.world.track import rests_from

_FINEST: Final = 1_000_000  # periods are fractions of a second with no greater denominator


class Sensor(Reserved[V]):
    """A sensor is the signal it publishes: wait for it, compare it, read its history, hand it to a guarded move.

    It samples at ``phase + k · period`` for k = 0, 1, 2, …, whatever else runs, in the rank of sensors, and publishes
    what has changed, ``delay`` later. Samples that cannot differ from the one before are not taken: nothing in reach
    moves against it. That changes nothing in the journal. While it is inactive it takes no samples and keeps the last
    value; what was under way is still published. Active again, it goes on with its old grid.
    """

    def __init__(
        self,
        kernel: Kernel,
        lookout: Lookout,
        name: str,
        model: SensorModel,
        body: Body,
        *,
        ignore: Iterable[Body | str] = (),
        active: bool = True,
        skip: bool = True,
    ) -> None:
        for material in model.factors:
            if material not in lookout.scene.world.materials:
                known = lookout.scene.world.materials.names
                what = f"the factors of sensor {name!r} name a material that is not known, {material!r}"
                raise FieldError(what, hint=did_you_mean(material, known))
        super().__init__(kernel, name, resting_value(model), unit=model.unit)
        self.model = model
        self.body = body
        """What it is mounted with, called as it is: it hangs on what carries the sensor."""
        self.mounting: Pose = body.segment(kernel.now).motion.pose(kernel.now)
        """Where it is mounted, seen from what carries it."""
        self.ignore_names = tuple(each if isinstance(each, str) else each.name for each in ignore)
        self.uneasy = model.type == "force" and model.weighs
        self._feels = model.type == "force" and not model.volumes  # by what hangs on it; a pad feels by its volume
        self._cover = Cover(()) if self._feels else cover_of(model, body.shape)
        self._scene: Scene = lookout.scene
        self._lookout = lookout
        self._skip = skip
        self._own = frozenset((body, *_carriers(body)))
        self._ignored: tuple[int, Set[Body]] = (-1, self._own)
        self._reading: Reading | None = None
        self._on = False
        self._sent: V = self._value
        self._missed: tuple[Body, ...] = ()
        self._look_at = -1  # the reading holds before this time
        self._delay = ticks(model.delay)
        period = Fraction(model.every).limit_denominator(_FINEST)
        self._grid = Grid.of(period, ticks(model.phase))
        self._ticker = kernel.every(
            period, self._sample, phase=self._grid.phase, rank=Rank.SENSOR, owner=name, writes=(self,)
        )
        self._counted = 0
        self._counting_from = self._ticker.coming
        self.active = active
        """Whether it takes samples."""
        lookout.enter(self)
        if not active:
            self._ticker.sleep()

    # ---------------------------------------------------------------- what it is asked

    @property
    def period(self) -> float:
        """Seconds from sample to sample."""
        return float(self._grid.period) / TICKS_PER_SECOND

    @property
    def samples(self) -> int:
        """How many samples it has taken so far; those that could not differ count, too."""
        return self._counted + (self._ticker.coming - self._counting_from if self.active else 0)

    @property
    def next_sample(self) -> float | None:
        """When it takes its next sample, in seconds of cell time; None while it is inactive."""
        return self._grid.time(self._ticker.coming) / TICKS_PER_SECOND if self.active else None

    @property
    def reading(self) -> Reading:
        """What it read at its last sample, before noise and faults; before the first, what it would read now."""
        return self._reading if self._reading is not None else self.look()

    def look(self, t: int | None = None) -> Reading:
        """What it would read now, or at an instant of the run (in ticks), without taking a sample."""
        t = self.kernel.now if t is None else t
        was_on = None if self._reading is None else self._reading.on
        pose = self._scene.world.pose(self.body, t)
        return look(self.model, self._scene, pose, t, self.ignored, mount=self.body, was_on=was_on)

    @property
    def meaning(self) -> str:
        """What it tells, for whoever wants to set it."""
        return "what a sensor sees, which sets it itself"

    @property
    def instead(self) -> str:
        """What can be done in its place, for the same."""
        plain = f"signals: {{{self.name}: {str(self.initial).lower()}}}"
        return f"let something come into its sight, or have a plain signal in its place ({plain}); "

    # ---------------------------------------------------------------- on and off

    def activate(self) -> None:
        """Take samples again, from the next instant of the grid on."""
        if not self.active:
            self.active = True
            self._counting_from = self._ticker.coming
            self._look_at = self.kernel.now
            self.kernel.journal.write("sensor", self.name, state="active")
            self._ticker.wake()

    def deactivate(self) -> None:
        """Take no more samples; the last value stays."""
        if self.active:
            self._counted = self.samples
            self.active = False
            self.kernel.journal.write("sensor", self.name, state="inactive")
            self._lookout.dismiss(self)
            self._ticker.sleep()

    # ---------------------------------------------------------------- samples

    def _sample(self) -> None:
        now = self.kernel.now
        if not self.body.exists(now):
            self.deactivate()
            return
        number = self._grid.after(now) - 1
        reading = self._reading
        if reading is None or now >= self._look_at:
            reading = self._read(now)
        answer = sampled(self.model, reading, self.kernel.seed, self.name, number, self._on)
        self._on = answer.on
        self._send(number, now, answer.value)  # type: ignore[arg-type]  # of the type the model's output has
        self._doze()

    def _read(self, now: int) -> Reading:
        was_on = None if self._reading is None else self._reading.on
        reading = self._reading = self.look()
        for body in reading.missed:
            if body not in self._missed:
                self.kernel.journal.write("sensor", self.name, missed=body.name)
        self._missed = reading.missed
        if not self._skip or (self.model.hysteresis and reading.on != was_on):
            self._look_at = now  # switched just now, it looks farther or less far than it did
        elif any(rests_from(body) > now for body in reading.seen):
            self._lookout.dismiss(self)
            self._look_at = now  # what it sees moves: nothing to be found out about that
        else:
            self._look_at = self._lookout.rest(self, now)
        return reading

    def _send(self, number: int, now: int, value: V) -> None:
        if self.filter is None and value == self._sent and value.__class__ is self._sent.__class__:
            return
        self._sent = value
        if not self._delay:
            self._publish(number, now, value)
            return
        self.kernel.at(
            now + self._delay,
            lambda: self._publish(number, now, value),
            Rank.SENSOR,
            self.name,
            writes=(self,),
        )

    def _publish(self, number: int, taken: int, value: V) -> None:
        if self.filter is not None:
            self.filter.sample(number, taken)
        self.tell(value, self.name)

    def _doze(self) -> None:
        """Sleep as long as no sample can differ from the last."""
        ticker, until, now = self._ticker, self._look_at, self.kernel.now
        if not self.active or not self._skip:
            return
        if self.model.noise.random and self._reading is not None and self._reading.quantity is not None:
            until = now  # every sample draws another deviate
        elif self.filter is not None:
            wanted = self.filter.next_sample(ticker.coming - 1)
            if wanted is not None:
                until = min(until, self._grid.time(wanted))
        if until > now:
            ticker.sleep(None if until >= FOREVER else until)
        elif ticker.asleep:
            ticker.wake()

    def disturbed(self) -> None:
        """A fault was put on, or taken away: other samples may be needed than before."""
        self._doze()

    # ---------------------------------------------------------------- for the lookout

    def stir(self, t: int) -> None:
        self._look_at = min(self._look_at, t)
        self._doze()

    @property
    def swing(self) -> float:
        return self._cover.swing

    def place(self, t: int) -> Reach:
        world = self._scene.world
        if not self._feels:
            return self._cover.at(world.pose(self.body, t))
        balls = [
            (world.pose(body, t).point(centre), radius)
            for body in beyond(self._scene, self.body, t)
            for centre, radius in body.balls
        ]
        return Cover(balls).at(IDENTITY)

    def hanging(self, t: int) -> Sequence[Body] | None:
        return beyond(self._scene, self.body, t) if self._feels else None

    @property
    def ignored(self) -> Set[Body]:
        """What it never sees: itself, what it is mounted on, and what it was told to ignore."""
        if not self.ignore_names:
            return self._own
        version, found = self._ignored
        census = self._scene.census
        census.refresh()
        if version != census.version:
            named = (body for body in self._scene.world.bodies.values() if self._is_named(body.name))
            found = self._own.union(named)
            self._ignored = (census.version, found)
        return found

    def _is_named(self, name: str) -> bool:
        return any(fnmatchcase(name, each) or name.startswith(f"{each}/") for each in self.ignore_names)


def resting_value(model: SensorModel) -> Any:
    """What a sensor publishes as long as it detects nothing."""
    if model.type == "proximity":
        return switched(model, (model.beam != "diffuse") != model.dark_on)
    return respond(model, 0.0 if model.type == "force" else None, False).value


def _carriers(body: Body) -> list[Body]:
    """What a body is mounted on: up to the first that has a shape."""
    found = []
    parent = body.parent
    while parent is not None:
        found.append(parent)
        parent = parent.parent if parent.shape is None else None
    return found
