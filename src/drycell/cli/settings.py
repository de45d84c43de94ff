"""The option ``--set PATH=VALUE`` of commands that build a cell: it overrides fields of the cell file."""

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from drycell.base import DrycellError

if TYPE_CHECKING:
    from drycell.base import Setting
    from drycell.cell import CellSource


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option ``--set``."""
    parser.add_argument(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        help="override a field of the cell file, such as belt.speed='40 mm/s' or run.until=10min; may be repeated",
    )


def with_settings(source: "CellSource", given: Sequence[str]) -> "CellSource":
    """Return the cell with the fields that ``--set`` overrides."""
    for each in given:
        path, sign, text = each.partition("=")
        if not (path.strip() and sign and text.strip()):
            hint = "write for example --set belt.speed='40 mm/s'; the value null restores the default"
            raise DrycellError(f"--set takes PATH=VALUE, not {each!r}", hint=hint)
        source = source.set(path.strip(), text.strip())
    return source


def shown(settings: "Sequence[Setting]") -> str:
    """Return settings as text: ``belt.speed = 40 mm/s, run.seed = 5``."""
    return ", ".join(f"{each.path} = {each.text}" for each in settings)


def as_options(settings: "Sequence[Setting]") -> str:
    """Return settings as options of a command line, each preceded by a space."""
    return "".join(f" --set {shlex.quote(f'{each.path}={each.text}')}" for each in settings)
