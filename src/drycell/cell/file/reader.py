"""Reading cell files: text to tree, tree to values, and every mistake with file, line and field."""

from pathlib import Path

from drycell.cell.file.model import CellFile, Origin
from drycell.cell.file.rules import broken_rules
from drycell.cell.file.section import registered_sections
from drycell.datafile import field_types, read_text, read_tree, validated
from drycell.errors import CellFileError, FileError, Mistake, did_you_mean
from drycell.fields import described


def load_cell_file(path: str | Path) -> CellFile:
    """The cell a file describes; a folder stands for the ``cell.yaml`` in it. Nothing in the file is executed."""
    path = Path(path)
    if path.is_dir():
        path = path / "cell.yaml"
    try:
        text = read_text(path)
    except FileError as error:
        raise CellFileError.like(error) from error
    return read_cell_file(text, path)


def read_cell_file(text: str, path: str | Path = "cell.yaml") -> CellFile:
    """The cell a text describes, as if it stood in the file ``path``."""
    try:
        origin = Origin(Path(path), read_tree(text, str(path)))
    except FileError as error:
        raise CellFileError.like(error) from error
    types = {name: kind for name, kind in field_types(CellFile).items() if name not in ("sections", "origin")}
    types |= {name: section.type for name, section in registered_sections().items()}
    mistakes: list[Mistake] = []
    values: dict[str, object] = {}
    if not isinstance(origin.tree.value, dict):
        what = f"a cell file is a mapping of fields, but this is {described(origin.tree.plain())}"
        raise CellFileError.of(
            str(path), [Mistake(what, line=1, column=1, hint="write 'name: …', 'bodies: …' and so on")]
        )
    for name, node in origin.tree.value.items():
        if name not in types:
            line, column = origin.tree.place_of((name,), key=True)
            mistakes.append(Mistake("there is no such field", name, line, column, did_you_mean(name, types)))
        elif node.value is not None:  # a section with nothing below it is as good as left out
            value, found = validated(types[name], node, (name,))
            values[name] = value
            mistakes.extend(found)
    if not mistakes:
        sections = {name: values.pop(name) for name in registered_sections() if name in values}
        cell_file = CellFile(**values, sections=sections, origin=origin)  # type: ignore[arg-type]
        mistakes = broken_rules(cell_file)
        if not mistakes:
            return cell_file
    raise CellFileError.of(str(path), sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
