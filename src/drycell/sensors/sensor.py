"""Sensors of a cell: their description and mounting, and the sensor in a run, which is a signal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from drycell.base import (
    FieldError,
    FileName,
    InvalidThing,
    KernelError,
    Naming,
    Pose,
    Problem,
    Ref,
    Roles,
    Thing,
    Type,
    UnknownName,
    did_you_mean,
    fields_of,
    within,
)
from drycell.cell import BodyRef, PlacedThing, Stage
from drycell.geometry import MeshFile, ShapeModel
from drycell.kernel import TICKS_PER_SECOND, Grid, Rank, Reserved, V, ticks
from drycell.recording import RecordedSensor
from drycell.sensors.catalogue import load_sensor, sensor_from_file, sensor_names
from drycell.sensors.evaluation import look
from drycell.sensors.faults.kinds import Fault
from drycell.sensors.housing import housing
from drycell.sensors.model import SensorFields, SensorModel
from drycell.sensors.output import respond, sampled, switched
from drycell.sensors.reading import Reading
from drycell.sensors.skipping import View, skipper_of
from drycell.world import FOREVER, LiveBody, Scene, rests_from

if TYPE_CHECKING:
    from drycell.base import yamldoc
    from drycell.cell import Cell

_FINEST: Final = 1_000_000  # the largest denominator of periods as fractions of a second


@dataclass(frozen=True)
class _LibraryModel(Type):
    """The name of a sensor of the library; in Python also a sensor file or a model."""

    def take(self, written: yamldoc.Plain) -> str:
        """Read a name."""
        return Naming().check(written)

    def check(self, value: Any) -> Any:
        """Check a model, a path (also a string that ends in ``.yaml``), or a name."""
        if isinstance(value, SensorModel | Path):
            return value
        return Path(value) if isinstance(value, str) and value.endswith((".yaml", ".yml")) else Naming().check(value)

    def schema(self, describer: Any) -> dict[str, Any]:
        """Describe one of the names."""
        return {"type": "string", "enum": sensor_names()}


class FromLibrary(Thing, kw_only=False):
    """The source of a sensor's data, if it is not described in full."""

    model: Annotated[str | Path | SensorModel | None, _LibraryModel()] = None
    """A sensor of the library; ``drycell sensors`` lists them."""
    file: FileName | None = None
    """A sensor file."""


class Sensor(
    PlacedThing,
    SensorFields,
    FromLibrary,
    kind="sensor",
    noun="sensor",
    section="sensors",
    stage=Stage.MOUNTED,
    partial=True,
    icon="sensors",
    example={"model": "hc-sr04"},
):
    """A sensor from the library or a file, possibly with changed fields, or a sensor described in full.

    It is published as a signal with its name.

    >>> from drycell import Body, Box, Cell, Pose, Sensor, deg, mm
    >>> cell = Cell()
    >>> table = cell.add("table", Body(Box(600*mm, 400*mm, 20*mm), material="steel", at=(0, 0, -10*mm)))
    >>> switch = cell.add("switch", Sensor("tl-x5", at=Pose(0, 0, 3*mm) @ Pose.turn_x(180*deg)))
    >>> result = cell.run(until=0.1)
    >>> switch.value  # 5 V: steel within 5 mm
    5.0
    """

    on: BodyRef | None = None
    """The body or robot link on which it is mounted; ``at`` is relative to its origin."""
    shape: ShapeModel | None = None
    """Shape of its own body, for other sensors and collision checks; none by default."""
    ignore: tuple[Annotated[str, Ref("body", needed=False, pattern=True)], ...] = ()
    """Bodies that it does not see, including all bodies below them; ``*`` and ``?`` are wildcards."""
    active: bool = True
    """Whether it takes samples when the run starts."""
    skip: bool = True
    """Whether it skips samples that cannot differ. The results are the same."""
    faults: tuple[Fault, ...] = ()
    """Faults of the sensor."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem unless there is exactly one description, with fields that fit together."""
        if self.model is not None and self.file is not None:
            hint = "use 'model' for a sensor of the library, or 'file' for a sensor file"
            yield Problem(("file",), "'model' and 'file' are both given", hint)
        elif isinstance(self.model, str) and self.model not in sensor_names():
            hint = did_you_mean(self.model, sensor_names())
            yield Problem(("model",), f"unknown sensor {self.model!r}", hint)
        elif self.model is None and self.file is None and self.type is None:
            what = "neither 'model', 'file' nor 'type' is given"
            hint = "use a sensor of the library ('drycell sensors' lists them), or give its type"
            yield Problem((), what, hint)
        elif self._file is None:
            try:
                _ = self._described
            except InvalidThing as error:
                yield from error.problems

    def offers(self, name: str) -> Roles:
        """Return the sensor as a body and as a signal."""
        return {name: tuple(dict.fromkeys((self.meta.kind, "sensor", "body", "signal")))}

    def about_itself(self) -> Iterable[tuple[yamldoc.Path, Thing]]:
        """Return its faults, with their places in the file."""
        return ((("faults", index), fault) for index, fault in enumerate(self.faults))

    def as_written(self) -> Self:
        """The sensor for a file: with a library name, a file or fields instead of a model, and without defaults."""
        placed = super().as_written()
        names = [each.name for each in fields_of(SensorFields)]
        rest = {
            each.name: getattr(placed, each.name)
            for each in fields_of(type(self))
            if each.name not in (*names, "model", "file") and not each.is_default(placed)
        }
        if self._file is not None:
            given = {each: getattr(self, each) for each in names if each in self.given}
            return type(self)(file=self._file.as_posix(), **given, **rest)
        found = self._described
        if not isinstance(self.model, SensorModel):
            given = {each: getattr(found, each) for each in names if each in self.given}
            return type(self)(self.model, **given, **rest)
        known = found.name in sensor_names()
        base = load_sensor(found.name) if known else SensorModel(type="force")
        given = {each: getattr(found, each) for each in names if getattr(found, each) != getattr(base, each)}
        given |= {"model": found.name} if known else {"type": found.type}
        return type(self)(**given, **rest)

    @property
    def _file(self) -> Path | None:
        return self.model if isinstance(self.model, Path) else None if self.file is None else Path(self.file)

    @cached_property
    def _described(self) -> SensorModel:
        """The model, if no file must be read for it."""
        if isinstance(self.model, SensorModel):
            return self._changed(self.model)
        return self._changed(load_sensor(self.model) if isinstance(self.model, str) else None)

    def _changed(self, base: SensorModel | None) -> SensorModel:
        names = (each.name for each in fields_of(SensorFields))
        given = {each: getattr(self, each) for each in names if each in self.given}
        return SensorModel(**given) if base is None else base.changed(**given)

    def described(self, folder: Path) -> SensorModel:
        """Return the model of the sensor: from the library, its file, or its own fields.

        Args:
            folder: The folder that file names are relative to.

        Raises:
            InvalidThing: The file does not exist.
        """
        if self._file is None:
            return self._described.located(folder)
        found = folder / self._file
        if not found.is_file():
            there = sorted(each.name for each in found.parent.glob("*.y*ml"))
            what = f"the file {str(self._file)!r} does not exist"
            raise InvalidThing(Sensor, [Problem(("file",), what, did_you_mean(found.name, there))])
        return self._changed(sensor_from_file(found)).located(folder)

    def build(self, cell: Cell, name: str) -> LiveSensor[Any]:
        """Build the sensor, its body and its signal, all with one name."""
        model = self.described(cell.folder)
        if name in cell.kernel.signals:
            raise KernelError(f"a signal '{name}' already exists", hint="give the sensor another name")
        if model.type == "contact" and not model.volumes and self.shape is None:
            raise FieldError(
                f"contact sensor '{name}' has neither a volume nor a shape that could be touched",
                hint="give it a volume, such as {box: [20 mm, 20 mm, 1 mm]}, or a shape",
            )
        for index, volume in enumerate(self.volumes):
            if isinstance(volume.shape, MeshFile):
                with within("volume", *((index,) if len(self.volumes) > 1 else ())):
                    volume.shape.found(cell.folder)
        shape = None
        if self.shape is not None:
            with within("shape"):
                shape = self.shape.solid(cell.folder)
        self._check_ignored(cell)
        carrier = None if self.on is None else cell.world.body(self.on)
        body = cell.world.add(LiveBody(name, shape), carrier, self.pose)
        made = self.live(cell, name, model, body)
        cell.kernel.signals[name] = made
        return made

    def live(self, cell: Cell, name: str, model: SensorModel, body: LiveBody) -> LiveSensor[Any]:
        """Build the live sensor; a hook for kinds of sensors with their own class.

        Args:
            cell: The cell.
            name: The name of the sensor.
            model: The model, with all values.
            body: Its body.
        """
        return LiveSensor(cell, name, model, body, ignore=self.ignore, active=self.active, skip=self.skip)

    def _check_ignored(self, cell: Cell) -> None:
        """Raise UnknownName for a name that no body has. Patterns may match bodies that are added later."""
        known = cell.world.bodies
        for name in (each for each in self.ignore if "*" not in each and "?" not in each):
            if name not in known and not any(each.startswith(f"{name}/") for each in known):
                raise UnknownName("body", name, known)


_MANY_LINES: Final = 200  # of the journal by one sensor, if they are more than half of it, and one a second or more


class LiveSensor(Reserved[V]):
    """A sensor in a running cell. It is a signal: wait for it, compare it, read its history, use it in guarded moves.

    It samples at ``phase + k · period`` for k = 0, 1, 2, … and publishes changes ``delay`` later. Samples that cannot
    differ from the previous one are skipped, which does not change the journal. While it is inactive, it takes no
    samples and keeps the last value; delayed values are still published. When it is reactivated, it continues on its
    old sampling grid.
    """

    def __init__(
        self,
        cell: Cell,
        name: str,
        model: SensorModel,
        body: LiveBody,
        *,
        ignore: Iterable[str] = (),
        active: bool = True,
        skip: bool = True,
    ) -> None:
        kernel, skipper = cell.kernel, skipper_of(cell)
        for material in model.factors:
            if material not in cell.world.materials:
                what = f"the factors of sensor {name!r} use the unknown material {material!r}"
                raise FieldError(what, hint=did_you_mean(material, cell.world.materials.names))
        super().__init__(kernel, name, resting_value(model), unit=model.unit)
        self.model = model
        self.body = body
        """Its body, which has its name and is attached to the body that carries the sensor."""
        if body.look is None:
            body.look = cache(partial(housing, model, resting_value(model), body.shape is not None))
        self.mounting: Pose = body.segment(kernel.now).motion.pose(kernel.now)
        """Its pose relative to the body that carries it."""
        self.ignore_names = tuple(ignore)
        self._scene: Scene = skipper.scene
        self._skipper = skipper
        self._view = View(skipper.scene, model, body, self.ignore_names, self._may_change)
        self._skip = skip
        self._reading: Reading | None = None
        self._on = False
        self._sent: V = self._value
        self._missed: tuple[LiveBody, ...] = ()
        self._detected = False  # whether it has detected anything so far
        self._look_at = -1  # the reading is valid before this time
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
        skipper.enter(self._view)
        if not active:
            self._ticker.sleep()

    # ---------------------------------------------------------------- queries

    @property
    def period(self) -> float:
        """The sampling period in seconds."""
        return float(self._grid.period) / TICKS_PER_SECOND

    @property
    def samples(self) -> int:
        """The number of samples so far, including skipped ones."""
        return self._counted + (self._ticker.coming - self._counting_from if self.active else 0)

    @property
    def next_sample(self) -> float | None:
        """The time of its next sample in seconds; None while it is inactive."""
        return self._grid.time(self._ticker.coming) / TICKS_PER_SECOND if self.active else None

    @property
    def reading(self) -> Reading:
        """The reading of its last sample, before noise and faults; before the first sample, the reading now."""
        return self._reading if self._reading is not None else self.look()

    def recorded(self) -> RecordedSensor:
        """Return the description of the sensor for a recording."""
        model, probe = self.model, self.model.probe
        lines = zip(probe.lines, probe.reaches, strict=True)
        return RecordedSensor(
            self.name,
            model.type,
            model.name,
            self.body,
            resting_value(model),
            tuple(probe.volumes(1.0)),
            tuple((origin, along, reach) for (origin, along), reach in lines),
        )

    def look(self, t: int | None = None) -> Reading:
        """Return what the sensor would read, without taking a sample.

        Args:
            t: The instant of the run, in ticks of 1 µs; by default now.
        """
        t = self.kernel.now if t is None else t
        was_on = None if self._reading is None else self._reading.on
        pose = self._scene.world.pose(self.body, t)
        return look(self.model, self._scene, pose, t, self.ignored, mount=self.body, was_on=was_on)

    @property
    def meaning(self) -> str:
        """The description of the signal in the error about setting it."""
        return "the output of a sensor"

    @property
    def instead(self) -> str:
        """The alternative suggested by that error."""
        plain = f"signals: {{{self.name}: {str(self.initial).lower()}}}"
        return f"move something into its field of view, or use a plain signal instead ({plain}); "

    def remarks(self) -> Iterator[str]:
        """Yield likely mistakes in its description, judging by the run so far."""
        # It is normal that nothing touches a force or contact sensor in a run.
        if self.model.type in ("proximity", "range") and self.samples > 1 and not self._detected:
            yield "it has detected nothing in the whole run: check its direction and its range"
        lines, all_lines = self.history.rows - 1, self.kernel.journal.lines
        many = max(_MANY_LINES, self.kernel.now / TICKS_PER_SECOND)
        if self.value_type is not bool and lines >= many and lines > all_lines / 2:
            what = f"it wrote {lines / all_lines:.0%} of the journal ({lines:,} lines)"
            yield f"{what}: give it less noise, a coarser quantum, or a longer period (every)"

    # ---------------------------------------------------------------- on and off

    def activate(self) -> None:
        """Take samples again, from the next instant of its grid."""
        if not self.active:
            self.active = True
            self._counting_from = self._ticker.coming
            self._look_at = self.kernel.now
            self.kernel.journal.write("sensor", self.name, state="active")
            self._ticker.wake()

    def deactivate(self) -> None:
        """Stop taking samples; the last value remains."""
        if self.active:
            self._counted = self.samples
            self.active = False
            self.kernel.journal.write("sensor", self.name, state="inactive")
            self._skipper.forget(self._view)
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
        self._sleep()

    def _read(self, now: int) -> Reading:
        was_on = None if self._reading is None else self._reading.on
        reading = self._reading = self.look()
        for body in reading.missed:
            if body not in self._missed:
                self.kernel.journal.write("sensor", self.name, missed=body.name)
        self._missed = reading.missed
        self._detected = self._detected or bool(reading.seen)
        if not self._skip or (self.model.hysteresis and reading.on != was_on):
            self._look_at = now  # after switching, its range is different
        elif any(rests_from(body) > now for body in reading.seen):
            self._skipper.forget(self._view)
            self._look_at = now  # something in its view moves, so the next sample may differ
        else:
            self._look_at = self._skipper.quiet_until(self._view, now)
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
        self.publish(value, self.name)

    def _sleep(self) -> None:
        """Sleep while no sample can differ from the last."""
        ticker, until, now = self._ticker, self._look_at, self.kernel.now
        if not self.active or not self._skip:
            return
        if self.model.noise.random and self._reading is not None and self._reading.quantity is not None:
            until = now  # every sample has different noise
        elif self.filter is not None:
            wanted = self.filter.next_sample(ticker.coming - 1)
            if wanted is not None:
                until = min(until, self._grid.time(wanted))
        if until > now:
            ticker.sleep(None if until >= FOREVER else until)
        elif ticker.asleep:
            ticker.wake()

    def disturbed(self) -> None:
        """A fault was added or removed, so different samples may be needed."""
        self._sleep()

    def _may_change(self, t: int) -> None:
        """Called when the reading may change from an instant."""
        self._look_at = min(self._look_at, t)
        self._sleep()

    @property
    def ignored(self) -> Set[LiveBody]:
        """The bodies that it never sees: itself, what it is mounted on, and those in ``ignore``."""
        return self._view.ignored


def resting_value(model: SensorModel) -> Any:
    """The published value while nothing is detected."""
    if model.type == "proximity":
        return switched(model, (model.beam != "diffuse") != model.dark_on)
    return respond(model, 0.0 if model.type == "force" else None, False).value


def sensors_of(cell: Cell) -> dict[str, LiveSensor[Any]]:
    """All sensors of a cell by name, including those inside devices."""
    return {each.name: each for each in cell.kernel.signals.values() if isinstance(each, LiveSensor)}
