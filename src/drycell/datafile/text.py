"""The text of a data file, or an error that says why there is none."""

from pathlib import Path

from drycell.datafile.tree import MOST_BYTES
from drycell.errors import FileError, Mistake, did_you_mean


def read_text(path: Path) -> str:
    """The whole text of a file, which must be UTF-8; no more of it is read than may be used."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * MOST_BYTES + 1)
    except FileNotFoundError:
        there = [each.name for each in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        raise FileError(f"there is no file {str(path)!r}", hint=did_you_mean(path.name, there)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{str(path)!r} cannot be read: {reason}", hint="check its name and rights") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mistake = Mistake("this is not UTF-8 text", line=line, hint="save the file as UTF-8")
        raise FileError.of(str(path), [mistake]) from error
