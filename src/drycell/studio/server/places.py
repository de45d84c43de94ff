"""What the studio can open: cells and recordings. All else is turned away before anything is given up for it."""

from pathlib import Path

from drycell.base import FileError
from drycell.cell import CellSource


def openable(given: str | Path) -> Path:
    """The whole path of a cell or a recording, by its name and place alone; mistakes inside are shown on the page."""
    path = Path(given).expanduser()
    if not path.exists():
        raise FileError(
            f"there is no {str(given)!r}",
            hint="look at the path: it names a cell.yaml, a Python file, their folder, or a recording (.dry)",
        )
    if path.suffix.lower() != ".dry":
        CellSource.find(path)
    return path.resolve()
