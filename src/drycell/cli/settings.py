"""The option ``--set PATH=VALUE`` of commands that build a cell: other values for fields of its cell file."""

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from drycell.base import DrycellError

if TYPE_CHECKING:
    from drycell.base import Setting
    from drycell.cell import CellSource


def add_argument(parser: argparse.ArgumentParser) -> None:
    """The option ``--set``."""
    parser.add_argument(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        help="another value for a field of the cell file, such as belt.speed='40 mm/s' or run.until=10min; "
        "may be repeated",
    )


def with_settings(source: "CellSource", given: Sequence[str]) -> "CellSource":
    """The cell with the values that ``--set`` gives to its fields."""
    for each in given:
        path, sign, text = each.partition("=")
        if not (path.strip() and sign and text.strip()):
            hint = "write for example --set belt.speed='40 mm/s'; the value null stands for the default"
            raise DrycellError(f"--set wants PATH=VALUE, not {each!r}", hint=hint)
        source = source.set(path.strip(), text.strip())
    return source


def shown(settings: "Sequence[Setting]") -> str:
    """Settings in words: ``belt.speed = 40 mm/s, run.seed = 5``."""
    return ", ".join(f"{each.path} = {each.text}" for each in settings)


def as_options(settings: "Sequence[Setting]") -> str:
    """Settings as options of a command to type, each with a space before it."""
    return "".join(f" --set {shlex.quote(f'{each.path}={each.text}')}" for each in settings)
