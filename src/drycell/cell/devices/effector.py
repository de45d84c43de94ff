"""End effectors, wrists and tactile pads in cell files: devices that are commanded by messages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from drycell.cell.devices.kind import Kind, StandingSpec
from drycell.cell.file import CellFile
from drycell.datafile import FieldPath
from drycell.devices.effector.effector import GAINS, NEAR, STIFFNESS, STRENGTH, Effector
from drycell.devices.effector.stand_in import StandIn
from drycell.devices.effector.tactile import SIZE, Pad
from drycell.devices.effector.wrist import Wrist
from drycell.errors import CellFileError, FieldError, Mistake, did_you_mean
from drycell.fields import Duration, Length, Name, Quantity, Ratio, Several, Size, Wait
from drycell.messages import VOCABULARY
from drycell.messages.disturbance import Disturbance
from drycell.robots import robot_names
from drycell.sensors.catalogue import sensor_names

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}
Force = Annotated[float, Quantity("force", above=0.0)]
Stiffness = Annotated[float, Quantity("stiffness", above=0.0)]
Gains = Annotated[tuple[Ratio, Ratio], Several(2, "[400, 40]")]
Times = Annotated[tuple[Wait, Wait], Several(2, "[0 s, 300 ms]")]


@dataclass(frozen=True, kw_only=True)
class TroubleSpec:
    """How often messages come late, never or twice, and commands fail by chance."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    late: Ratio = 0.0
    lost: Ratio = 0.0
    doubled: Ratio = 0.0
    failing: Ratio = 0.0
    latest: Duration = 0.1

    def disturbance(self, seed: int, device: str) -> Disturbance:
        """The same, for a run's seed and one device."""
        return Disturbance(seed, self.late, self.lost, self.doubled, self.failing, self.latest, device)

    @classmethod
    def of(cls, given: Disturbance) -> "TroubleSpec":
        """What a device has."""
        return cls(late=given.late, lost=given.lost, doubled=given.doubled, failing=given.failing, latest=given.latest)


@dataclass(frozen=True, kw_only=True)
class EffectorSpec:
    """A parallel jaw that is commanded by messages."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    model: Name = "two-finger"
    gains: Gains = GAINS
    stiffness: Stiffness = STIFFNESS
    strength: Force = STRENGTH
    near: Size = NEAR
    hesitates: Times = (0.0, 0.0)
    carries: Times = (0.0, 0.0)
    trouble: TroubleSpec = field(default_factory=TroubleSpec)


@dataclass(frozen=True, kw_only=True)
class WristSpec:
    """A force/torque sensor that is commanded by messages."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    model: Name = "wrist-force"
    trouble: TroubleSpec = field(default_factory=TroubleSpec)


@dataclass(frozen=True, kw_only=True)
class PadSpec:
    """A tactile pad on a finger, commanded by messages."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    of: Name
    finger: int = 1
    size: Size = SIZE
    shift: Length = 0.0
    trouble: TroubleSpec = field(default_factory=TroubleSpec)


@dataclass(frozen=True, kw_only=True)
class StandInSpec:
    """What answers like a device, and moves nothing."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    table: Name = "gripper"
    takes: Times = (0.0, 0.0)
    carries: Times = (0.0, 0.0)
    trouble: TroubleSpec = field(default_factory=TroubleSpec)


# ---------------------------------------------------------------- from a file


def _add_effector(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: EffectorSpec) -> Effector:
    return cell.add_effector(
        name,
        model=spec.model,
        gains=spec.gains,
        stiffness=spec.stiffness,
        strength=spec.strength,
        near=spec.near,
        hesitates=spec.hesitates,
        carries=spec.carries,
        disturbance=spec.trouble.disturbance(cell.seed, name),
        at=entry.pose,
        on=entry.on,
        parent=entry.parent,
    )


def _add_wrist(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: WristSpec) -> Wrist:
    trouble = spec.trouble.disturbance(cell.seed, name)
    return cell.add_wrist(name, model=spec.model, disturbance=trouble, at=entry.pose, parent=entry.parent)


def _add_pad(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: PadSpec) -> Pad:
    trouble = spec.trouble.disturbance(cell.seed, name)
    return cell.add_pad(name, of=spec.of, finger=spec.finger, size=spec.size, shift=spec.shift, disturbance=trouble)


def _add_stand_in(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: StandInSpec) -> StandIn:
    trouble = spec.trouble.disturbance(cell.seed, name)
    return cell.add_stand_in(name, table=spec.table, takes=spec.takes, carries=spec.carries, disturbance=trouble)


# ---------------------------------------------------------------- to a file


def _describe_effector(device: Effector, folder: Path) -> EffectorSpec:
    model = device.mechanism.name
    if model not in robot_names():
        raise CellFileError(
            f"end effector {device.name!r} uses the mechanism {model!r}, which is not of the library: no file names it",
            hint="give cell.add_effector the name of a gripper of the library",
        )
    return EffectorSpec(
        model=model,
        gains=device.gains,
        stiffness=device.jaw.stiffness,
        strength=device.jaw.strength,
        near=device.detectors.near,
        hesitates=device.hesitates,
        carries=device.carries,
        trouble=TroubleSpec.of(device.pair.disturbance),
    )


def _describe_wrist(device: Wrist, folder: Path) -> WristSpec:
    return WristSpec(model=device.model, trouble=TroubleSpec.of(device.pair.disturbance))


def _describe_pad(device: Pad, folder: Path) -> PadSpec:
    trouble = TroubleSpec.of(device.pair.disturbance)
    return PadSpec(of=device.jaw.name, finger=device.finger, size=device.size, shift=device.shift, trouble=trouble)


def _describe_stand_in(device: StandIn, folder: Path) -> StandInSpec:
    trouble = TroubleSpec.of(device.pair.disturbance)
    return StandInSpec(table=device.table.name, takes=device.takes, carries=device.carries, trouble=trouble)


def _nowhere(cell: "Cell", device: Pad) -> dict[str, Any]:
    """A pad is where its finger is, and a stand-in is nowhere."""
    return {}


# ---------------------------------------------------------------- what must hold


def _effector_rules(cell_file: CellFile, path: FieldPath, spec: EffectorSpec) -> Iterable[Mistake]:
    if spec.model not in robot_names():
        hint = did_you_mean(spec.model, robot_names())
        yield cell_file.mistake((*path, "model"), f"there is no gripper {spec.model!r}", hint)
    yield from _time_rules(cell_file, path, hesitates=spec.hesitates, carries=spec.carries)
    yield from _trouble_rules(cell_file, path, spec.trouble)


def _wrist_rules(cell_file: CellFile, path: FieldPath, spec: WristSpec) -> Iterable[Mistake]:
    if spec.model not in sensor_names():
        hint = did_you_mean(spec.model, sensor_names())
        yield cell_file.mistake((*path, "model"), f"there is no sensor {spec.model!r}", hint)
    yield from _trouble_rules(cell_file, path, spec.trouble)


def _pad_rules(cell_file: CellFile, path: FieldPath, spec: PadSpec) -> Iterable[Mistake]:
    devices = cell_file.sections.get("devices", {})
    entries = devices if isinstance(devices, dict) else {}
    effectors = [name for name, entry in entries.items() if getattr(entry, "effector", None) is not None]
    if spec.of not in effectors:
        hint = did_you_mean(spec.of, effectors)
        yield cell_file.mistake((*path, "of"), f"there is no end effector {spec.of!r}", hint)
    if spec.finger not in (1, 2):
        yield cell_file.mistake((*path, "finger"), f"there is no finger {spec.finger}", "fingers are 1 and 2")
    yield from _trouble_rules(cell_file, path, spec.trouble)


def _stand_in_rules(cell_file: CellFile, path: FieldPath, spec: StandInSpec) -> Iterable[Mistake]:
    tables = [each.name for each in VOCABULARY.devices if not each.controls]
    if spec.table not in tables:
        hint = did_you_mean(spec.table, tables)
        yield cell_file.mistake((*path, "table"), f"there is no device {spec.table!r} in the table of messages", hint)
    yield from _time_rules(cell_file, path, takes=spec.takes, carries=spec.carries)
    yield from _trouble_rules(cell_file, path, spec.trouble)


def _time_rules(cell_file: CellFile, path: FieldPath, **times: tuple[float, float]) -> Iterable[Mistake]:
    for name, (low, high) in times.items():
        if low > high:
            yield cell_file.mistake((*path, name), "the lower time comes first", "write [0 s, 300 ms]")


def _trouble_rules(cell_file: CellFile, path: FieldPath, spec: TroubleSpec) -> Iterable[Mistake]:
    try:
        spec.disturbance(0, "")
    except FieldError as error:
        yield cell_file.mistake((*path, "trouble"), error.what, error.hint)


EFFECTOR = Kind("effector", EffectorSpec, Effector, _add_effector, _describe_effector, rules=_effector_rules)
WRIST = Kind("wrist", WristSpec, Wrist, _add_wrist, _describe_wrist, rules=_wrist_rules)
PAD = Kind("pad", PadSpec, Pad, _add_pad, _describe_pad, stage="wired", stands=_nowhere, rules=_pad_rules)
STAND_IN = Kind(
    "stand_in", StandInSpec, StandIn, _add_stand_in, _describe_stand_in, stands=_nowhere, rules=_stand_in_rules
)
