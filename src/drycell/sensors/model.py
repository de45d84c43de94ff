"""SensorModel: all there is to say about a kind of sensor, in Python, in a cell file or in a file of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from drycell.errors import FieldError
from drycell.fields import Amount, Angle, Duration, Measure, NoLess, OneOrMore, Quantity, Ratio, Size, Wait
from drycell.sensors.directivity import Directivity
from drycell.sensors.model_rules import check
from drycell.sensors.noise import Noise
from drycell.sensors.output import Kind, Output
from drycell.sensors.trace_lines import TraceLines
from drycell.sensors.volume import STRICT, Volume

if TYPE_CHECKING:
    from drycell.geometry.shape import Ball
    from drycell.sensors.probe import Probe

Quantum = Annotated[float, Measure(("length", "force", "torque"), least=0.0)]
Hysteresis = Annotated[float, Measure(("length", "ratio", "force", "torque"), least=0.0)]
Stiffness = Annotated[float, Quantity("stiffness", above=0.0)]
Component = Literal["force", "torque", "fx", "fy", "fz", "tx", "ty", "tz"]

_EXAMPLES: Final = {"length": "2 mm", "force": "2 N", "torque": "0.2 Nm"}
_ANY: Final = ("length", "force", "torque", "ratio")


@dataclass(frozen=True, kw_only=True)
class SensorModel:
    """A kind of sensor: a quantity of the world it looks at, and the response that makes a published value of it.

    It looks along +z of its own frame; volumes and trace-lines start at its origin. Lengths, angles and times are SI.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT

    # What it is.
    type: Literal["range", "proximity", "contact", "force"]
    senses: Literal["anything", "light", "sound", "metal", "dielectric"] = "anything"
    name: str = ""
    title: str = ""
    source: str = ""

    # Where it looks.
    volume: Annotated[Volume | tuple[Volume, ...], OneOrMore()] = ()
    trace_lines: TraceLines | None = None
    directivity: Directivity | None = None
    nearest: NoLess = 0.0
    blind: Literal["clip", "default"] = "clip"

    # What it can detect.
    reflects_below: Angle | None = None
    distorts_to: Angle | None = None
    distorts_by: NoLess = 0.02
    wavelength: Size | None = None
    light: Literal["infrared", "red", "green", "blue", "white"] = "infrared"
    reference: Ratio = 0.9
    factors: dict[str, Ratio] = field(default_factory=dict)
    beam: Literal["diffuse", "through", "reflector"] = "diffuse"
    dark_on: bool = False
    occlusion: Literal["nearest", "each"] = "nearest"

    # What it feels.
    measures: Component = "force"
    stiffness: Stiffness = 100e3
    weighs: bool = False

    # When, and what comes out.
    every: Duration = 0.1
    phase: Wait = 0.0
    delay: Wait = 0.0
    output: Output = field(default_factory=Output)
    hysteresis: Hysteresis = 0.0
    noise: Noise = field(default_factory=Noise)
    quantum: Quantum = 0.0

    def __post_init__(self) -> None:
        volumes = (self.volume,) if isinstance(self.volume, Volume) else tuple(self.volume)
        changes: dict[str, object] = {
            "volume": volumes,
            "hysteresis": self._amount("hysteresis", self.hysteresis, ratio=True),
            "quantum": self._amount("quantum", self.quantum),
            "noise": replace(
                self.noise,
                **{
                    name: self._amount(f"noise.{name}", getattr(self.noise, name))
                    for name in ("sigma", "uniform", "offset")
                },
            ),
            "output": self._checked_output(),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)
        check(self)

    def __getstate__(self) -> dict[str, object]:
        # What was made ready for looking is made again where it is needed: in another process, after a copy.
        return {name: value for name, value in self.__dict__.items() if name != "probe"}

    # ---------------------------------------------------------------- what follows from it

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """The volumes, however many were given."""
        return self.volume if isinstance(self.volume, tuple) else (self.volume,)

    @property
    def dimension(self) -> str:
        """What it measures: ``length``, ``force`` or ``torque``."""
        if self.type != "force":
            return "length"
        return "torque" if self.measures.startswith("t") else "force"

    @property
    def kind(self) -> Kind:
        """The format of what it publishes."""
        return self.output.kind or ("boolean" if self.type in ("proximity", "contact") else "real")

    @property
    def unit(self) -> str:
        """The unit of what it publishes, as text; empty for a bare number."""
        if self.output.unit or self.output.transfers or self.kind != "real":
            return self.output.unit
        return {"length": "m", "force": "N", "torque": "Nm"}[self.dimension]

    @cached_property
    def probe(self) -> "Probe":
        """Its volumes and lines, made ready for looking."""
        from drycell.sensors.probe import Probe

        return Probe(self)

    @property
    def ball(self) -> "Ball":
        """A ball in its own frame that holds all it can detect; what stays outside cannot change a reading."""
        return self.probe.ball

    def located(self, folder: Path) -> "SensorModel":
        """The same with the names of its mesh files seen from here, when they were seen from a folder."""
        if not any(volume.mesh for volume in self.volumes):
            return self
        found = tuple(
            volume
            if volume.mesh is None
            else replace(volume, mesh=replace(volume.mesh, file=str(folder / volume.mesh.file)))
            for volume in self.volumes
        )
        return replace(self, volume=found)

    # ---------------------------------------------------------------- checks

    def _amount(self, name: str, value: float | str, ratio: bool = False) -> Amount:
        """A value in the dimension the sensor measures; Python may leave the dimension out."""
        if isinstance(value, str):
            value = Measure(_ANY).read(value)
        dimension = value.dimension if isinstance(value, Amount) else None
        allowed = (self.dimension, "ratio") if ratio else (self.dimension,)
        if dimension is not None and dimension not in allowed:
            raise FieldError(
                f"{name} is {'an' if dimension[0] in 'aeiou' else 'a'} {dimension}, but the sensor measures "
                f"{'lengths' if self.dimension == 'length' else self.dimension + 's'}",
                hint=f"write for example {_EXAMPLES[self.dimension]!r}",
            )
        return Amount(value, dimension or self.dimension)

    def _checked_output(self) -> Output:
        output = self.output
        changes: dict[str, object] = {}
        if output.from_ is not None:
            changes["from_"] = tuple(self._amount("output.from", each) for each in output.from_)
        if output.table:
            changes["table"] = tuple((self._amount("output.table", x), y) for x, y in output.table)
        for name in ("below", "above"):
            if getattr(output, name) is not None:
                changes[name] = self._amount(f"output.{name}", getattr(output, name))
        return replace(output, **changes) if changes else output  # type: ignore[arg-type]
