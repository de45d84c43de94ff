"""Logic blocks in cell files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from drycell.cell.devices.kind import Kind, StandingSpec
from drycell.cell.file import CellFile
from drycell.datafile import FieldPath
from drycell.devices.logic import SCAN, Logic, RuleError
from drycell.devices.logic_syntax import parse_expression
from drycell.errors import FieldError, Mistake
from drycell.fields import Duration, Name

if TYPE_CHECKING:
    from drycell.cell.cell import Cell


@dataclass(frozen=True, kw_only=True)
class LogicSpec:
    """Rules that set signals."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    rules: dict[Name, str]
    scan: Duration = SCAN


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: LogicSpec) -> Logic:
    try:
        return cell.add_logic(name, spec.rules, scan=spec.scan, connect=False)
    except RuleError as error:
        raise _placed(cell_file, name, error) from error


def connect_logic(cell: "Cell", cell_file: CellFile) -> None:
    """Connects all blocks of a file, which may name each other's outputs, once everything else is there."""
    for name, device in cell.devices.items():
        if isinstance(device, Logic):
            try:
                device.connect()
            except RuleError as error:
                raise _placed(cell_file, name, error) from error


def _placed(cell_file: CellFile, name: str, error: RuleError) -> Exception:
    return cell_file.error(("devices", name, "logic", "rules", error.rule), error.what, error.hint)


def _describe(device: Logic, folder: Path) -> LogicSpec:
    return LogicSpec(rules=dict(device.rules), scan=device.scan)


def _rules(cell_file: CellFile, path: FieldPath, spec: LogicSpec) -> Iterable[Mistake]:
    if not spec.rules:
        yield cell_file.mistake(path, "there are no rules", "write rules: {output: expression}")
    for output, text in spec.rules.items():
        try:
            parse_expression(text)
        except FieldError as error:
            yield cell_file.mistake((*path, "rules", output), error.what, error.hint)


KIND = Kind("logic", LogicSpec, Logic, _add, _describe, stage="wired", rules=_rules)
