"""Trust: the folders whose code may run without asking.

Programs, ``cell.py`` and the files under ``uses`` are code. ``drycell run`` is consent to run it; commands that only
look at a cell run code from a folder only after the user has said once that the folder is trusted.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from drycell.base import DrycellError, text_beside


class Untrusted(DrycellError):
    """A cell whose folder is not trusted contains code that would have to run."""

    def __init__(self, folder: Path, what: str, files: Iterable[str] = ()) -> None:
        self.folder, self.files = folder, tuple(files)
        super().__init__(
            f"{what}, and the folder {str(folder)!r} is not trusted",
            hint="look at the code; then trust the folder with --trust, which is remembered",
        )


def is_trusted(folder: str | Path) -> bool:
    """Whether the user trusts a folder, or one above it."""
    here = Path(folder).resolve()
    known = _read()
    return any(str(each) in known for each in (here, *here.parents))


def trust(folder: str | Path) -> None:
    """Remembers that the user trusts a folder and everything below it."""
    known = _read()
    known.setdefault(str(Path(folder).resolve()))
    with text_beside(_store()) as file:
        file.write("".join(f"{each}\n" for each in known))


def untrusted(files: Iterable[Path]) -> list[Path]:
    """The files that are in folders which the user does not trust; links count as what they lead to."""
    return [file for file in files if not is_trusted(file.resolve().parent)]


def check_trusted(files: Iterable[Path], what: str) -> None:
    """Raises Untrusted for the first folder of files that the user does not trust; ``what`` says who would run them."""
    if found := untrusted(files):
        folder = found[0].resolve().parent
        names = [each.name for each in found if each.resolve().parent == folder]
        raise Untrusted(folder, f"{what}: {', '.join(names)}", names)


def _store() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "drycell" / "trusted"


def _read() -> dict[str, None]:
    try:
        return dict.fromkeys(_store().read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return {}
