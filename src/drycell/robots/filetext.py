"""Robot and family files as text that reads back as the same, to the last bit."""

from typing import TYPE_CHECKING

from drycell.base import OneOf, Table, fields_of, yamldoc

if TYPE_CHECKING:
    from drycell.robots.description import RobotFile
    from drycell.robots.family import FamilyFile


def file_text(spec: "RobotFile | FamilyFile", comment: str = "") -> str:
    """The text of a robot or family file, with a comment above it; what is at its default is left out."""
    written = OneOf(type(spec)).write(spec.changed(source=" ".join(spec.source.split())))
    tables = {field.key for field in fields_of(type(spec)) if isinstance(field.type, Table)}
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += [line for key, value in written.items() for line in yamldoc.block(key, value, 0, int(key in tables))]
    return "\n".join(lines) + "\n"
