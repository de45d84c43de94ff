"""The section ``devices`` of a cell file: entries of exactly one kind each."""

from collections.abc import Iterable
from dataclasses import make_dataclass
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, Final

from drycell.cell.devices import conveyor, effector, logic, machine, sink, source, store
from drycell.cell.devices.kind import Kind, StandingSpec
from drycell.cell.file import CellFile, Section, register_section
from drycell.datafile import FieldPath
from drycell.errors import Mistake, did_you_mean
from drycell.fields import Name

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.devices import Device

KINDS: Final[dict[str, Kind]] = {
    each.name: each
    for each in (
        conveyor.KIND,
        source.KIND,
        sink.KIND,
        store.KIND,
        machine.KIND,
        logic.KIND,
        effector.EFFECTOR,
        effector.WRIST,
        effector.PAD,
        effector.STAND_IN,
    )
}

DeviceSpec = make_dataclass(
    "DeviceSpec",
    [(kind.name, kind.spec | None, None) for kind in KINDS.values()],
    bases=(StandingSpec,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": StandingSpec.__doc__, "__module__": __name__},
)


def devices_of(cell_file: CellFile) -> dict[str, StandingSpec]:
    """The devices a file describes, by name, in its order."""
    found = cell_file.sections.get("devices", {})
    return found if isinstance(found, dict) else {}


def carrier_of(entry: StandingSpec) -> str | None:
    """What a device stands on."""
    return entry.on if entry.on is not None else entry.parent


def _given(entry: StandingSpec) -> list[str]:
    return [name for name in KINDS if getattr(entry, name) is not None]


# ---------------------------------------------------------------- what must hold


def _rules(cell_file: CellFile) -> Iterable[Mistake]:
    bodies = [body.name for body in cell_file.flat_bodies()]
    sensors = cell_file.sections.get("sensors")
    taken = {**dict.fromkeys(bodies, "body"), **dict.fromkeys(cell_file.robots, "robot")}
    taken |= dict.fromkeys(sensors if isinstance(sensors, dict) else (), "sensor")
    there = [*taken, *devices_of(cell_file)]
    for name, entry in devices_of(cell_file).items():
        path: FieldPath = ("devices", name)
        if name in taken:
            yield cell_file.mistake(path, f"there is also a {taken[name]} {name!r}", "give each a name of its own")
        if entry.on is not None and entry.parent is not None:
            hint = "'on' stands it on top, 'parent' sees it from the other's origin: keep one"
            yield cell_file.mistake((*path, "on"), "'on' and 'parent' cannot both be given", hint)
        for field in ("on", "parent"):
            carrier = getattr(entry, field)
            if carrier is not None and not any(carrier == each or carrier.startswith(f"{each}/") for each in there):
                what = f"there is no body, robot or device {carrier!r}"
                yield cell_file.mistake((*path, field), what, did_you_mean(carrier, there))
        kinds = _given(entry)
        if len(kinds) != 1:
            found = " and ".join(map(repr, kinds)) or "none"
            what = f"a device is of exactly one kind, but here is {found}"
            yield cell_file.mistake(path, what, f"choose one of {', '.join(KINDS)}")
        for kind in kinds:
            yield from KINDS[kind].rules(cell_file, (*path, kind), getattr(entry, kind))


register_section(Section("devices", GenericAlias(dict, (Name, DeviceSpec)), _rules))


# ---------------------------------------------------------------- from a file


def names_of(cell_file: CellFile, stage: str) -> list[str]:
    """The devices that are made at a stage: ``standing`` ones among the bodies, ``wired`` ones after all signals."""
    return [name for name, entry in devices_of(cell_file).items() if KINDS[_given(entry)[0]].stage == stage]


def add_device(cell: "Cell", cell_file: CellFile, name: str) -> None:
    """Makes a device as its entry says."""
    entry = devices_of(cell_file)[name]
    kind = KINDS[_given(entry)[0]]
    kind.add(cell, cell_file, name, entry, getattr(entry, kind.name))


# ---------------------------------------------------------------- to a file


def device_specs(cell: "Cell", folder: Path) -> dict[str, object]:
    """The section of a cell's file that is to stand in a folder; nothing if there are no devices."""
    specs = {name: _spec(cell, device, folder) for name, device in cell.devices.items()}
    return {"devices": specs} if specs else {}


def _spec(cell: "Cell", device: "Device", folder: Path) -> object:
    kind = next(each for each in KINDS.values() if isinstance(device, each.device))
    return DeviceSpec(**kind.stands(cell, device), **{kind.name: kind.describe(device, folder)})
