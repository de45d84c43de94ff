"""Conveyors in cell files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from drycell.cell.devices.kind import Kind, StandingSpec
from drycell.cell.file import CellFile
from drycell.devices.conveyor import HEIGHT, Conveyor
from drycell.devices.stop import Stop
from drycell.fields import Name, Quantity, Size

if TYPE_CHECKING:
    from drycell.cell.cell import Cell


@dataclass(frozen=True, kw_only=True)
class StopSpec:
    """A stop across the belt."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    at: Size
    open: bool = False


@dataclass(frozen=True, kw_only=True)
class ConveyorSpec:
    """A belt along x, as large as a box."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    length: Size
    width: Size
    height: Size = HEIGHT
    speed: Annotated[float, Quantity("speed", least=0.0)]
    acceleration: Annotated[float, Quantity("acceleration", least=0.0)] = 0.0
    run: bool = True
    end: Literal["stop", "fall"] = "stop"
    stops: dict[Name, StopSpec] = field(default_factory=dict)
    material: Name = "rubber"


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: ConveyorSpec) -> Conveyor:
    return cell.add_conveyor(
        name,
        length=spec.length,
        width=spec.width,
        height=spec.height,
        speed=spec.speed,
        acceleration=spec.acceleration,
        run=spec.run,
        end=spec.end,
        stops={each: Stop(stop.at, stop.open) for each, stop in spec.stops.items()},
        material=spec.material,
        at=entry.pose,
        on=entry.on,
        parent=entry.parent,
    )


def _describe(device: Conveyor, folder: Path) -> ConveyorSpec:
    return ConveyorSpec(
        length=device.length,
        width=device.width,
        height=device.height,
        speed=device.speed.value,
        acceleration=device.acceleration,
        run=device.run.value,
        end=device.end,
        stops={each: StopSpec(at=gate.at, open=gate.open.value) for each, gate in device.gates.items()},
        material=device.body.material,
    )


KIND = Kind("conveyor", ConveyorSpec, Conveyor, _add, _describe)
