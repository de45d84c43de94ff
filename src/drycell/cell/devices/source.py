"""Sources of parts in cell files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from drycell.cell.devices.kind import Kind, StandingSpec, shape_rules
from drycell.cell.file import CellFile, ShapeSpec
from drycell.cell.shapes import shape_from, shape_spec
from drycell.datafile import FieldPath
from drycell.devices.conveyor import Conveyor
from drycell.devices.interval import Every
from drycell.devices.source import PartKind, Source
from drycell.errors import FieldError, Mistake
from drycell.fields import Duration, Factor, Name, OneOrMore, Wait

if TYPE_CHECKING:
    from drycell.cell.cell import Cell


@dataclass(frozen=True, kw_only=True)
class PartSpec:
    """A kind of part."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    shape: ShapeSpec
    material: Name = "plastic"
    weight: Factor = 1.0


@dataclass(frozen=True, kw_only=True)
class SourceSpec:
    """What comes, and how often."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    kinds: dict[Name, PartSpec]
    every: Annotated[Duration | tuple[Duration, ...], OneOrMore()]
    law: Literal["interval", "uniform", "exponential", "normal"] = "interval"
    sigma: Wait = 0.0
    least: Wait = 0.0
    first: Wait = 0.0
    limit: int | None = None

    @property
    def intervals(self) -> Every:
        """The time between two arrivals."""
        times = self.every if isinstance(self.every, tuple) else (self.every,)
        return Every(times, self.law, self.sigma, self.least)


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: SourceSpec) -> Source:
    kinds = {}
    for kind, part in spec.kinds.items():
        path = ("devices", name, "source", "kinds", kind)
        kinds[kind] = PartKind(shape_from(part.shape, cell_file, path), part.material, part.weight)
    return cell.add_source(
        name, kinds, on=entry.on or "", every=spec.intervals, first=spec.first, limit=spec.limit, at=entry.pose
    )


def _describe(device: Source, folder: Path) -> SourceSpec:
    return SourceSpec(
        kinds={
            name: PartSpec(
                shape=shape_spec(kind.shape, f"{device.name}-{name}", folder),
                material=kind.material,
                weight=kind.weight,
            )
            for name, kind in device.kinds.items()
        },
        every=device.every.times,
        law=device.every.law,
        sigma=device.every.sigma,
        least=device.every.least,
        first=device.first,
        limit=device.limit,
    )


def _rules(cell_file: CellFile, path: FieldPath, spec: SourceSpec) -> Iterable[Mistake]:
    if cell_file.sections["devices"][path[1]].on is None:  # type: ignore[index]
        yield cell_file.mistake(path, "a source needs to know where parts go", "write for example 'on: belt'")
    if not spec.kinds:
        yield cell_file.mistake((*path, "kinds"), "there is no kind of part to bring", "give one at least")
    for kind, part in spec.kinds.items():
        yield from shape_rules(cell_file, (*path, "kinds", kind), part.shape)
    try:
        _ = spec.intervals
    except FieldError as error:
        yield cell_file.mistake((*path, "every"), error.what, error.hint)
    if spec.limit is not None and spec.limit < 0:
        yield cell_file.mistake((*path, "limit"), f"{spec.limit} parts cannot come", "write 0 or more")


def _stands(cell: "Cell", device: Source) -> dict[str, Any]:
    support = device.onto.body if isinstance(device.onto, Conveyor) else device.onto
    return {"on": support.name, "at": device.at.position, "rpy": device.at.rpy}


KIND = Kind("source", SourceSpec, Source, _add, _describe, "wired", _stands, _rules)
