"""Sections of a cell file that come from other packages, each with a type that says what may stand in it.

A package that adds one writes dataclasses with the types of :mod:`drycell.fields` and registers them; reading, line
numbers, unknown fields, units and saving then work as for the sections that are built in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Final

from drycell.cell.file.model import CellFile
from drycell.errors import CellFileError, Mistake


def _no_rules(cell_file: CellFile) -> Iterable[Mistake]:
    return ()


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its name, the type of what stands under it, and rules that look at the file as a whole.

    ``type`` is a dataclass or ``dict[Name, SomeDataclass]``. What was read is found in ``cell_file.sections[name]``.
    """

    name: str
    type: object
    rules: Callable[[CellFile], Iterable[Mistake]] = _no_rules


_SECTIONS: dict[str, Section] = {}
# Modules of drycell itself that register a section. They are loaded when a file is read or written, not before: whoever
# builds a cell in Python need not wait for them.
_OWN: Final = (
    "drycell.cell.tolerances",
    "drycell.cell.sensors",
    "drycell.cell.faults",
    "drycell.cell.devices.section",
    "drycell.cell.controllers",
)


def register_section(section: Section) -> None:
    """Makes a section known from now on. The same one may be registered again, another of its name may not."""
    built_in = {field.name for field in fields(CellFile)}
    if section.name in built_in or _SECTIONS.get(section.name, section) != section:
        raise CellFileError(
            f"a cell file already has a section {section.name!r}", hint="give the new section another name"
        )
    _SECTIONS[section.name] = section


def registered_sections() -> dict[str, Section]:
    """All sections that were registered, by name."""
    for module in _OWN:
        import_module(module)
    return dict(_SECTIONS)
