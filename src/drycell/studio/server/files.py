"""The files that the studio can open: cells, recordings and drycell's examples. Listing them runs nothing."""

import ast
import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from drycell.base import FileError
from drycell.cell import CELL_NAMES, CellSource


@dataclass(frozen=True)
class Example:
    """An example cell: its title, its folder, and the first sentence of its description."""

    title: str
    path: Path
    text: str


def examples_folder() -> Path | None:
    """The folder of the examples: in the working folder, or beside the sources."""
    places = (Path.cwd() / "examples", Path(__file__).resolve().parents[4] / "examples")
    return next((place for place in places if (place / "00_first_cell").is_dir()), None)


def examples() -> list[Example]:
    """All examples, in the order of their numbers."""
    folder = examples_folder()
    if folder is None:
        return []
    found = [path for pattern in ("*", "*/*") for path in folder.glob(pattern) if cell_file(path) is not None]
    return [Example(_title(path.relative_to(folder)), path, _first_sentence(path)) for path in sorted(found)]


def emula_files(folder: Path | None) -> list[Path]:
    """EMULA programs: those of a folder, then those of drycell's examples.

    Paths with control characters are left out: a line break in one would end the line that loads it.
    """
    given = examples_folder()
    places = [place for place in (folder, given and given / "10_emula") if place is not None]
    return [path for place in places for path in sorted(place.glob("*.eml")) if str(path).isprintable()]


def cell_file(folder: Path) -> Path | None:
    """The cell file in a folder; None if there is none."""
    return next((folder / name for name in CELL_NAMES if (folder / name).is_file()), None)


def _title(path: Path) -> str:
    words = [re.sub(r"^\d+_", "", part).replace("_", " ") for part in path.parts]
    return ": ".join([words[0].capitalize(), *words[1:]])


def _first_sentence(folder: Path) -> str:
    """The first sentence of the comment at the top of a cell file, or of its docstring."""
    file = cell_file(folder)
    assert file is not None
    try:
        text = file.read_text(encoding="utf-8")
        about = (ast.get_docstring(ast.parse(text)) or "") if file.suffix == ".py" else text.lstrip()
    except (OSError, ValueError, SyntaxError):
        return ""
    if file.suffix != ".py":
        lines = takewhile(lambda line: line.startswith("#"), about.splitlines())
        about = "\n".join(line.lstrip("# ") for line in lines)
    words = " ".join(about.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s", words, maxsplit=1)[0]


def completions(typed: str, working: Path, most: int = 10) -> list[str]:
    """Complete a typed path to folders, cells and recordings below the working folder; none outside it."""
    start, _, name = typed.rpartition("/")
    folder = (working / start).resolve()
    if typed.startswith("/") or not folder.is_relative_to(working.resolve()):
        return []
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return []
    names = []
    for path in inside:
        hidden = path.name.startswith((".", "__")) and not name.startswith(".")
        if path.name.lower().startswith(name.lower()) and not hidden:
            if path.is_dir():
                names.append(f"{path.relative_to(working.resolve())}/")
            elif path.suffix in (".yaml", ".yml", ".py", ".dry"):
                names.append(str(path.relative_to(working.resolve())))
    return names[:most]


def openable(given: str | Path) -> Path:
    """The absolute path of a cell or recording. Its content is not checked: mistakes in it are shown on the page.

    Raises:
        FileError: There is no such file, or no cell at that path.
    """
    path = Path(given).expanduser()
    if not path.exists():
        raise FileError(
            f"there is no {str(given)!r}",
            hint="check the path; it can be a cell.yaml, a Python file, a folder with one, or a recording (.dry)",
        )
    if path.suffix.lower() != ".dry":
        CellSource.find(path)
    return path.resolve()
