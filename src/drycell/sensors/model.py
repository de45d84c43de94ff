"""SensorModel: the description of a sensor, in Python, in a cell file or in a sensor file."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

from drycell.base import (
    Amount,
    Angle,
    DrycellError,
    Duration,
    Many,
    Measure,
    NoLess,
    Problem,
    Quantity,
    Ratio,
    Shortened,
    Size,
    Thing,
    Wait,
    format_angle,
)
from drycell.geometry import MeshFile, ShapeModel
from drycell.sensors.field_of_view import Directivity, TraceLines, Volume
from drycell.sensors.output import Kind, Noise, Output

if TYPE_CHECKING:
    from drycell.base import Path as FieldPath
    from drycell.geometry import Ball
    from drycell.sensors.field_of_view import Probe

Type = Literal["range", "proximity", "contact", "force"]
Volumes = Annotated[Volume | ShapeModel | tuple[Volume | ShapeModel, ...], Many(Shortened(Volume), single=True)]
Quantum = Annotated[float, Measure(("length", "force", "torque"), least=0.0)]
Hysteresis = Annotated[float, Measure(("length", "ratio", "force", "torque"), least=0.0)]
Stiffness = Annotated[float, Quantity("stiffness", above=0.0)]
Component = Literal["force", "torque", "fx", "fy", "fz", "tx", "ty", "tz"]

_EXAMPLES: Final = {"length": "2 mm", "force": "2 N", "torque": "0.2 Nm"}
_TICK: Final = 1e-6  # seconds: the resolution of the clock


class SensorFields(Thing):
    """The fields of a sensor, wherever it is mounted."""

    # What it is.
    type: Type | None = None
    """What it measures: a distance, proximity, contact, or a force."""
    senses: Literal["anything", "light", "sound", "metal", "dielectric"] = "anything"
    """The physical principle, which determines how well a material is detected."""
    title: str = ""
    """A short description, for lists."""
    source: str = ""
    """Source of its data."""

    # Field of view.
    volume: Volumes = ()
    """The detection volume, from its origin along z: one shape or a list of shapes."""
    trace_lines: TraceLines | None = None
    """Lines along which it measures; a range sensor has one along its axis by default."""
    directivity: Directivity | None = None
    """Fraction of its range at angles off its axis."""
    nearest: NoLess = 0.0
    """Distance below which it is blind."""
    blind: Literal["clip", "default"] = "clip"
    """Whether closer bodies read as ``nearest`` (``clip``) or are not detected (``default``)."""

    # Detection.
    reflects_below: Angle | None = None
    """Angle of incidence up to which smooth surfaces reflect to the sensor; by default any angle."""
    distorts_to: Angle | None = None
    """Angle of incidence up to which readings beyond ``reflects_below`` are distorted instead of lost."""
    distorts_by: NoLess = 0.02
    """Largest error of a distorted reading."""
    wavelength: Size | None = None
    """Wavelength. Surfaces that are rough compared with it reflect at any angle."""
    light: Literal["infrared", "red", "green", "blue", "white"] = "infrared"
    """Colour of its light."""
    reference: Ratio = 0.9
    """Reflectance for which its range is given: white paper is 0.9."""
    factors: dict[str, Ratio] = field(default_factory=dict)
    """Fraction of its range for certain materials, by name, instead of the value from the material's data."""
    beam: Literal["diffuse", "through", "reflector"] = "diffuse"
    """Whether it detects reflected light, or the interruption of a beam to a receiver or reflector."""
    dark_on: bool = False
    """Whether it is on while no light is received."""
    occlusion: Literal["nearest", "each"] = "nearest"
    """Whether the nearest body hides those behind it, or lines pass through surfaces that give no echo."""

    # Force.
    measures: Component = "force"
    """What a force sensor measures: a magnitude, or one component."""
    stiffness: Stiffness = 100e3
    """Force per depth where bodies overlap."""
    weighs: bool = False
    """Whether a force sensor also measures the weight of what is attached to it; otherwise it is tared."""

    # Sampling and output.
    every: Duration = 0.1
    """Sampling period."""
    phase: Wait = 0.0
    """Time of the first sample."""
    delay: Wait = 0.0
    """Time from a sample to its publication."""
    output: Output = Output()
    """The published value, and how it follows from the measured quantity."""
    hysteresis: Hysteresis = 0.0
    """Difference between switching on and off: an amount, or a fraction of its limit or range."""
    noise: Noise = Noise()
    """Errors of its measurements."""
    quantum: Quantum = 0.0
    """Resolution: measurements are rounded to multiples of this."""

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """The volumes."""
        return cast(tuple[Volume, ...], self.volume)


class SensorModel(SensorFields):
    """A sensor: a measured quantity, and the response that turns it into a published value.

    It looks along +z of its frame; volumes and trace-lines start at its origin. All values are in SI units.
    """

    type: Type = field()
    """What it measures: a distance, proximity, contact, or a force."""
    name: str = ""
    """Its name in the library."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # In Python the dimension of an amount can be omitted: it is that of the measured quantity.
        noise = {name: self._settled(getattr(self.noise, name)) for name in ("sigma", "uniform", "offset")}
        output = {name: self._settled(getattr(self.output, name)) for name in ("from_", "below", "above")}
        table = tuple((self._settled(place), number) for place, number in self.output.table)
        settled = {
            "hysteresis": self._settled(self.hysteresis),
            "quantum": self._settled(self.quantum),
            "noise": self.noise.changed(**noise),
            "output": self.output.changed(**output, table=table),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, object]:
        # The probe is rebuilt on demand, for example in another process.
        return {name: value for name, value in self.__dict__.items() if name != "probe"}

    # ---------------------------------------------------------------- derived values

    @property
    def dimension(self) -> str:
        """The dimension of the measured quantity: ``length``, ``force`` or ``torque``."""
        if self.type != "force":
            return "length"
        return "torque" if self.measures.startswith("t") else "force"

    @property
    def kind(self) -> Kind:
        """The format of the published value."""
        return self.output.kind or ("boolean" if self.type in ("proximity", "contact") else "real")

    @property
    def unit(self) -> str:
        """The unit of the published value; empty for a plain number."""
        if self.output.unit or self.output.transfers or self.kind != "real":
            return self.output.unit
        return {"length": "m", "force": "N", "torque": "Nm"}[self.dimension]

    @cached_property
    def probe(self) -> "Probe":
        """Its volumes and lines, prepared for evaluation."""
        from drycell.sensors.field_of_view import Probe

        return Probe(self)

    @property
    def ball(self) -> "Ball":
        """A ball in its frame that encloses everything it can detect."""
        return self.probe.ball

    @property
    def limited(self) -> bool:
        """Whether its output is a switch with limits of the measured quantity."""
        return self.output.below is not None or self.output.above is not None

    @property
    def _needs_files(self) -> bool:
        return any(isinstance(volume.shape, MeshFile) for volume in self.volumes)

    def located(self, folder: Path) -> "SensorModel":
        """The model with its mesh files, relative to a folder, as absolute paths."""
        if not self._needs_files:
            return self
        return self.changed(volume=tuple(volume.located(folder) for volume in self.volumes))

    def _settled(self, value: Any) -> Any:
        """An amount in the dimension that the sensor measures, if it has none yet."""
        if isinstance(value, tuple):
            return tuple(map(self._settled, value))
        return Amount(value, self.dimension) if isinstance(value, Amount) and value.dimension is None else value

    # ---------------------------------------------------------------- checks

    def problems(self) -> Iterable[Problem]:
        """Yield problems with fields that need or exclude each other."""
        found = [*self._measured(), *self._looking(), *self._detecting(), *self._publishing()]
        yield from found
        if found:
            return
        if self.type in ("range", "proximity") and not self._needs_files:
            try:
                _ = self.probe  # report a line outside its volume now, unless a file must be read first
            except DrycellError as error:
                yield Problem(("trace_lines",), error.what, error.hint)
        if self.type in ("range", "force") and self.kind != "boolean" and not self.limited:
            try:
                self.output.scale(self.dimension)
            except DrycellError as error:
                yield Problem(("output", "unit"), error.what, error.hint)

    def _measured(self) -> Iterator[Problem]:
        """Yield problems with amounts that do not have the dimension of the measured quantity."""
        amounts: list[tuple[FieldPath, Any]] = [(("hysteresis",), self.hysteresis), (("quantum",), self.quantum)]
        amounts += [(("noise", name), getattr(self.noise, name)) for name in ("sigma", "uniform", "offset")]
        amounts += [(("output", name), getattr(self.output, name)) for name in ("below", "above")]
        amounts += [(("output", "from", index), each) for index, each in enumerate(self.output.from_ or ())]
        amounts += [(("output", "table", index, 0), each) for index, (each, _) in enumerate(self.output.table)]
        for path, value in amounts:
            dimension = value.dimension if isinstance(value, Amount) else None
            if dimension in (None, self.dimension) or (dimension == "ratio" and path == ("hysteresis",)):
                continue
            measured = "lengths" if self.dimension == "length" else f"{self.dimension}s"
            what = f"this is a {dimension}, but the sensor measures {measured}"
            yield Problem(path, what, f"write for example {_EXAMPLES[self.dimension]!r}")

    def _looking(self) -> Iterator[Problem]:
        lines, kind = self.trace_lines, self.type
        if kind in ("range", "proximity"):
            if not self.volumes and lines is None:
                hint = "give it a volume, or trace_lines with a reach"
                yield Problem(("volume",), f"a {kind} sensor needs a field of view", hint)
            if not self.volumes and lines is not None and lines.reach is None:
                hint = "write trace_lines: {count: 1, reach: 500 mm}"
                yield Problem(("trace_lines", "reach"), "trace-lines without a volume need a reach", hint)
        if kind in ("contact", "force") and lines is not None:
            yield Problem(("trace_lines",), f"a {kind} sensor has no trace-lines", "remove 'trace_lines'")
        if kind == "force" and self.volumes and self.weighs:
            what = "a pad (a force sensor with a volume) has nothing attached to it, so it cannot measure weight"
            yield Problem(("weighs",), what, "remove 'weighs'")
        if self.directivity is not None and not all(volume.beam for volume in self.volumes):
            hint = "write volume: {beam: {length: 2 m, half_angle: 30 deg}}"
            yield Problem(("directivity",), "a directivity needs a beam", hint)

    def _detecting(self) -> Iterator[Problem]:
        for name, angle in (("reflects_below", self.reflects_below), ("distorts_to", self.distorts_to)):
            if angle is not None and not 0.0 <= angle <= math.pi / 2:
                hint = "it is the angle to the surface normal: 0 is perpendicular to the surface"
                yield Problem((name,), f"{format_angle(angle)} must be 0…90 deg", hint)
        if self.distorts_to is not None:
            near = self.reflects_below
            if near is None:
                what = "'distorts_to' needs 'reflects_below'"
                yield Problem(("distorts_to",), what, "add reflects_below")
            elif self.distorts_to <= near:
                what = f"the band of distortion goes from {format_angle(near)} to {format_angle(self.distorts_to)}"
                yield Problem(("distorts_to",), what, "distorts_to must be larger than reflects_below")
        if not 0.0 < self.reference <= 1.0:
            yield Problem(("reference",), f"{self.reference:g} must be above 0 and at most 1", "white paper is 0.9")
        for name, factor in self.factors.items():
            if not 0.0 <= factor <= 1.0:
                hint = "1 is the full range, 0 is never detected"
                yield Problem(("factors", name), f"{factor:g} must be in 0…1", hint)
        if self.beam != "diffuse" and self.type != "proximity":
            what = f"a {self.beam} beam only detects an interruption, not a {self.type}"
            yield Problem(("beam",), what, "write type: proximity")

    def _publishing(self) -> Iterator[Problem]:
        output, kind, limits = self.output, self.type, self.limited
        if self.every < _TICK:
            what = f"{self.every:g} s is shorter than the clock's tick of {_TICK:g} s"
            yield Problem(("every",), what, "write for example 20 ms")
        yield from self._levels()
        if kind in ("proximity", "contact"):
            if output.transfers or limits:
                what = f"a {kind} sensor has no quantity for a transfer function or limit"
                yield Problem(("output",), what, "give 'on' and 'off', or type: range")
            if self.noise.random or self.noise.offset or self.noise.gain != 1.0 or self.quantum:
                what = f"a {kind} sensor has no quantity for noise or resolution"
                yield Problem(("quantum" if self.quantum else "noise",), what, "use faults, or type: range")
            if kind == "contact" and self.hysteresis:
                hint = "remove 'hysteresis'"
                yield Problem(("hysteresis",), "a contact sensor has no hysteresis", hint)
        elif self.kind == "boolean" and output.transfers:
            hint = "give 'below' or 'above', or another kind"
            yield Problem(("output",), "a boolean output has no transfer function", hint)
        elif limits and self.kind != "boolean" and (output.on is None or output.off is None):
            what = "an output with a limit is a switch, which publishes true and false"
            yield Problem(("output",), what, "write kind: boolean, or give 'on' and 'off'")
        elif limits and output.transfers:
            yield Problem(("output",), "a limit and a transfer function exclude each other", "keep one of them")
        elif self.hysteresis and not limits:
            yield Problem(("hysteresis",), "a hysteresis needs a limit", "give 'below' or 'above' in output")

    def _levels(self) -> Iterator[Problem]:
        """The values that a switch publishes instead of true and false, and the default."""
        output = self.output
        off, other = (
            (output.default, "default") if output.off is None and output.default is not None else (output.off, "off")
        )
        for name, value in (("on", output.on), ("off", output.off), ("default", output.default)):
            if self.kind == "integer" and isinstance(value, float) and not value.is_integer():
                what = f"{value:g} is published, but the output is an integer"
                yield Problem(("output", name), what, "write kind: real, or a whole number")
        if self.kind == "boolean" and _is_number(output.on) != _is_number(off):
            given, missing = (f"on is {output.on}", other) if _is_number(output.on) else (f"{other} is {off}", "on")
            what = f"{given}, but {missing} is not a number"
            yield Problem(("output", given.split(" ", 1)[0]), what, "give 'on' and 'off', such as 5.0 and 0.0")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
