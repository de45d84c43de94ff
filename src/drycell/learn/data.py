"""Data files of learning: robots, rules, worlds and setups, from the library or from files of users."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from drycell.base import Naming, Thing, read_text, read_thing

ENDING: Final = ".yaml"
"""Ending of a file's name; a name without it is one of the library."""

T = TypeVar("T", bound=Thing)


@dataclass(frozen=True)
class _LibraryNaming(Naming):
    """A name in a library, or the path of a file."""

    def check(self, value: Any) -> str:
        """The name itself."""
        is_file = isinstance(value, str) and value.endswith(ENDING) and "\0" not in value
        return value if is_file else super().check(value)

    def text_schema(self) -> dict[str, Any]:
        """Any text: a path may have any characters."""
        return {"type": "string"}


LibraryName = Annotated[str, _LibraryNaming()]


def read_data(cls: type[T], path: str | Path) -> T:
    """The thing that a file describes. Raises FileError with all mistakes in it."""
    return read_thing(cls, read_text(Path(path)), str(path))
