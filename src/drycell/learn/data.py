"""Data files for learning: robots, rules, worlds and setups, from the library or from the user's files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar

from drycell.base import Naming, Thing, UnknownName, read_text, read_thing

ENDING: Final = ".yaml"
"""Extension of file names. A name without it is in the library."""

T = TypeVar("T", bound=Thing)


@dataclass(frozen=True)
class _LibraryNaming(Naming):
    """A name in a library, or the path of a file."""

    def check(self, value: Any) -> str:
        """Return the name, or the path."""
        is_file = isinstance(value, str) and value.endswith(ENDING) and "\0" not in value
        return value if is_file else super().check(value)

    def text_schema(self) -> dict[str, Any]:
        """Accept any text: a path may contain any characters."""
        return {"type": "string"}


LibraryName = Annotated[str, _LibraryNaming()]


class DataLibrary(Generic[T]):
    """Data files of one kind: those in a folder of the package by name, and any other file by path.

    Args:
        cls: the kind of thing that a file describes.
        folder: the folder of the files.
        kind: the name of the kind in error messages.
        pattern: a pattern for the names of its files.
    """

    def __init__(self, cls: type[T], folder: Path, kind: str, pattern: str = "*.yaml") -> None:
        self._cls, self._folder, self._kind, self._pattern = cls, folder, kind, pattern
        self._loaded: dict[str, T] = {}

    def names(self) -> list[str]:
        """Return the names of all files in the folder."""
        return sorted(path.stem for path in self._folder.glob(self._pattern))

    def load(self, name: str) -> T:
        """Load an entry by its name or file. Raises UnknownName, or FileError with all mistakes in the file."""
        if name not in self._loaded:
            self._loaded[name] = read_data(self._cls, self._path(name))
        return self._loaded[name]

    def _path(self, name: str) -> Path:
        if name.endswith(ENDING):
            return Path(name)
        if name not in self.names():
            raise UnknownName(self._kind, name, self.names())
        return self._folder / f"{name}{ENDING}"


def read_data(cls: type[T], path: str | Path) -> T:
    """Read a file. Raises FileError with all mistakes in it."""
    return read_thing(cls, read_text(Path(path)), str(path))
