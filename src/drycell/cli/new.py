"""Create a small working cell to start from, in a new folder.

An arm takes parts from a belt when a light barrier detects them, and drops them into a bin. The folder contains the
cell (cell.yaml), the program of the arm (robot.py), tests for pytest (test_cell.py) and a README.md that suggests what
to try.

examples:
  drycell new my-cell              creates the folder my-cell
  drycell new cells/press          creates the folder press inside cells
  cd my-cell && drycell run .      prints: 9 arrived · 8 taken to bin · 1 in the cell · 0 lost

If the folder is not empty, the command fails and changes nothing.
"""

import argparse
import contextlib
import shlex
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Final

from drycell.base import FieldError, FileError, Naming, folder_to_write, write_errors, yamldoc

_FILES: Final = {
    "cell.yaml": "the cell: belt, light barrier, arm and bin",
    "robot.py": "the program of the arm",
    "test_cell.py": "tests of the cell",
    "README.md": "an overview, and things to try",
}
_TEMPLATE_NAME: Final = "my-cell"  # the cell's name in the template files
_NEXT: Final = {
    "drycell run .": "run the cell for a minute of cell time",
    "drycell studio .": "watch it in the browser",
    "pytest": "run its tests (needs: pip install pytest)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell new``."""
    parser.add_argument("folder", metavar="NAME", help="the folder to create; the cell is named after it")


def main(options: argparse.Namespace) -> int:
    """Create the folder, print the next commands, and return the exit code."""
    folder = make_cell_folder(options.folder)
    print(f"created {folder}")
    for file, text in _FILES.items():
        print(f"  {file:<14} {text}")
    print("\nnext:")
    for command, text in {f"cd {shlex.quote(str(folder))}": "", **_NEXT}.items():
        print(f"  {command:<18} {text}".rstrip())
    return 0


def make_cell_folder(given: str) -> Path:
    """Copy the template to a new folder, all of it or nothing, and return the folder.

    Raises:
        FieldError: the folder's name cannot be the name of a cell.
        FileError: the folder exists and is not empty, is a file, or is a broken link.
        DrycellError: the parent folder cannot be created or written to.
    """
    folder = Path(given)
    try:
        name = Naming().check(folder.name)
    except FieldError as error:
        hint = "start with a letter and use letters, digits, '_', '-' and '.': drycell new my-cell"
        if given and folder == Path():
            hint = "run it in the parent folder, with the name of the new folder: drycell new my-cell"
        raise FieldError(f"{given!r} cannot be the name of a cell", hint=hint) from error
    if folder.is_dir() and any(folder.iterdir()):
        raise FileError(f"the folder {str(folder)!r} exists and is not empty", hint="choose another name")
    if folder.is_symlink() and not folder.exists():
        raise FileError(f"{str(folder)!r} is a link to a folder that does not exist", hint="choose another name")
    if folder.exists() and not folder.is_dir():
        raise FileError(f"there is already a file {str(folder)!r}", hint="choose another name")
    new_parents = [each for each in folder.parents if not each.exists()]
    try:
        folder_to_write(folder.parent)
        _copy_template(folder, name)
    except BaseException:
        for each in new_parents:  # the innermost first
            with contextlib.suppress(OSError):
                each.rmdir()
        raise
    return folder


def _copy_template(folder: Path, name: str) -> None:
    template = files("drycell.cli") / "template"
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}.") as beside:
        made = Path(beside) / name
        made.mkdir()
        for file in _FILES:
            # In YAML, a name such as true or null needs quotes.
            written = yamldoc.inline(name) if file.endswith(".yaml") else name
            text = (template / file).read_text(encoding="utf-8").replace(_TEMPLATE_NAME, written)
            with write_errors(folder / file):
                (made / file).write_text(text, encoding="utf-8", newline="\n")
        if folder.exists():
            folder.rmdir()  # it is empty, as make_cell_folder has checked
        made.rename(folder)
