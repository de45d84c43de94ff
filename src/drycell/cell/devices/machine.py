"""Machine tools in cell files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from drycell.cell.devices.kind import Kind, StandingSpec
from drycell.cell.file import CellFile
from drycell.datafile import FieldPath
from drycell.devices.machine import MachineTool
from drycell.errors import CellFileError, Mistake, did_you_mean
from drycell.fields import Duration, Name, OneOrMore
from drycell.robots import robot_names

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

Times = Annotated[Duration | tuple[Duration, ...], OneOrMore()]


@dataclass(frozen=True, kw_only=True)
class MachineSpec:
    """A machine that works on what lies on its fixture."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    duration: Times
    model: Name = "machine-tool"
    door: bool = False
    needs_part: bool = False
    breaks: Duration | None = None
    repair: Times | None = None


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: MachineSpec) -> MachineTool:
    return cell.add_machine(
        name,
        duration=_one_or_two(spec.duration),
        model=spec.model,
        door=spec.door,
        needs_part=spec.needs_part,
        breaks=spec.breaks,
        repair=None if spec.repair is None else _one_or_two(spec.repair),
        at=entry.pose,
        on=entry.on,
        parent=entry.parent,
    )


def _describe(device: MachineTool, folder: Path) -> MachineSpec:
    model = device.mechanism.name
    if model not in robot_names():
        raise CellFileError(
            f"machine {device.name!r} uses the mechanism {model!r}, which is not of the library: no file can name it",
            hint="give cell.add_machine the name of a machine of the library",
        )
    return MachineSpec(
        duration=_written(device.duration),
        model=model,
        door=device.door is not None,
        needs_part=device.needs_part,
        breaks=device.breaks,
        repair=None if device.repair is None else _written(device.repair),
    )


def _one_or_two(times: float | tuple[float, ...]) -> float | tuple[float, ...]:
    return times[0] if isinstance(times, tuple) and len(times) == 1 else times


def _written(limits: tuple[float, float]) -> tuple[float, ...]:
    low, high = limits
    return (low,) if low == high else limits


def _rules(cell_file: CellFile, path: FieldPath, spec: MachineSpec) -> Iterable[Mistake]:
    if spec.model not in robot_names():
        hint = did_you_mean(spec.model, robot_names())
        yield cell_file.mistake((*path, "model"), f"there is no machine {spec.model!r}", hint)
    for field in ("duration", "repair"):
        times = getattr(spec, field)
        if isinstance(times, tuple) and (not 1 <= len(times) <= 2 or times[0] > times[-1]):
            what = "a time is wanted, or two, the lower one first"
            yield cell_file.mistake((*path, field), what, "write 25 s, or [20 s, 30 s]")
    if (spec.breaks is None) != (spec.repair is None):
        missing = "repair" if spec.repair is None else "breaks"
        what = "'breaks' and 'repair' go together"
        yield cell_file.mistake(path, what, f"add '{missing}: …'")


KIND = Kind("machine", MachineSpec, MachineTool, _add, _describe, rules=_rules)
