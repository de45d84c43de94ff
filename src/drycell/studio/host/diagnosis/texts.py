"""Texts of all kinds looked at, by the endings of their files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, FileError, yamldoc
from drycell.cell import Model
from drycell.languages.kit import SourceError, SourceText
from drycell.studio.host.diagnosis.finding import Diagnosis, placed, spanned
from drycell.studio.host.diagnosis.python_text import diagnose_python

if TYPE_CHECKING:
    from drycell.cell import Cell


def diagnose(file: Path, text: str, cell: "Cell | None" = None, *, is_cell: bool = False) -> Diagnosis:
    """What is wrong with a text that would stand in a file, and where a run of it can be held.

    ``cell`` tells what there is for programs to ask for; it is only read. ``is_cell``: the file describes a cell.
    """
    found = Diagnosis()
    try:
        source = SourceText(text, str(file))
        look = _LOOKS.get(file.suffix.lower())
        if look is not None:
            look(source, found, cell)
        elif file.suffix.lower() in (".yaml", ".yml"):
            _yaml(source, found, is_cell or file.stem == "cell")
    except SourceError as error:
        found.add(spanned(source, each) for each in error.diagnostics)
        if not error.diagnostics:
            found.add([placed(source, 1, None, error.what, error.hint)])
    except FileError as error:
        found.add(placed(source, each.line, each.column, each.text, each.hint) for each in error.mistakes)
        if not error.mistakes:
            found.add([placed(SourceText("", str(file)), 1, None, error.what, error.hint)])
    except DrycellError as error:
        found.add([placed(source, 1, None, error.what, error.hint)])
    return found


def _yaml(source: SourceText, found: Diagnosis, is_cell: bool) -> None:
    if is_cell:
        Model.read(source.text, source.file)
    else:
        yamldoc.parse(source.text, source.file)


def _pascal(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.pascal import check_text, translate

    checked = check_text(source)
    lines = translate(checked)[1]
    found.stops = frozenset(lines[checked.program.name.name if checked.program.unit else ""])


def _arla(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.arla import Stub, parse, untaught
    from drycell.languages.kit import Diagnostic

    text = parse(source)
    instructions = [each for program in text.programs.values() for each in program.instructions]
    found.stops = frozenset(each.span.line for each in instructions)
    for each in instructions:
        if isinstance(each.action, Stub):
            what = f"{each.action.text} is not known here: it does nothing"
            found.add([spanned(source, Diagnostic(each.span, what), "warning")])
    if cell is not None:
        for number, span in text.taught.items():
            if f"p{number}" not in cell.world.workpoints:
                found.add([spanned(source, Diagnostic(span, *untaught(number)), "warning")])


def _emula(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.emula import lines_of, parse

    found.stops = frozenset(lines_of(parse(source).body))


_LOOKS: "Final[dict[str, Callable[[SourceText, Diagnosis, Cell | None], None]]]" = {
    ".py": diagnose_python,
    ".pas": _pascal,
    ".arl": _arla,
    ".eml": _emula,
}
