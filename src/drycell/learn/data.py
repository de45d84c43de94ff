"""Data files of learning: robots, rules, worlds and setups are read alike, those of the library and those of others."""

from pathlib import Path
from typing import Final, TypeVar, cast

from drycell.datafile import read_text, read_tree, validated
from drycell.errors import FileError

ENDING: Final = ".yaml"
"""What ends so is the name of a file; any other name is one of the library."""

T = TypeVar("T")


def read_data(kind: type[T], path: str | Path) -> T:
    """What a file holds; all its mistakes at once, in the order of their lines."""
    found, mistakes = validated(kind, read_tree(read_text(Path(path)), str(path)))
    if mistakes:
        raise FileError.of(str(path), sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
    return cast(T, found)
