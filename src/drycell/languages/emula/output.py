"""Files that programs write: they go to the output folder, and nowhere else."""

from pathlib import PurePath
from typing import Final

from drycell.languages.emula.values import Refusal

_LONGEST: Final = 100


def plain_name(name: str) -> str:
    """A name that is safe as a file of the output folder: a program may be anybody's."""
    plain = name == PurePath(name).name and "\\" not in name and name.isprintable()
    if not name or not plain or name.startswith(".") or len(name) > _LONGEST:
        raise Refusal(f"{name[:_LONGEST]!r} is no plain file name", "files go to the output folder: give a bare name")
    return name
