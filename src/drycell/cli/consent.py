"""Consent to run the code in a cell's folder, for commands that only look at cells. It is asked for once and
remembered."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drycell.cell import CellSource


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option ``--trust``."""
    parser.add_argument(
        "--trust", action="store_true", help="run the code in the cell's folder, and remember that you trust the folder"
    )


def check_consent(source: "CellSource", trusted: bool, *, programs: bool) -> None:
    """Raise Untrusted if building the cell would run code that the user has not agreed to; on a terminal, ask.

    ``trusted``: ``--trust`` was given. ``programs``: programs would also be loaded.
    """
    check_code(source.code(programs=programs), source.path, trusted)


def check_code(files: Sequence[Path], cell: Path, trusted: bool) -> None:
    """Raise Untrusted if some of these files are in folders that the user does not trust; on a terminal, ask.

    ``cell``: what runs the files. ``trusted``: ``--trust`` was given.
    """
    from drycell.cell import Untrusted, check_trusted, trust

    while True:  # a cell may use code from several folders
        try:
            check_trusted(files, f"{cell.name} runs code")
        except Untrusted as error:
            if not trusted:
                if not (sys.stdin.isatty() and sys.stderr.isatty()):
                    raise
                print(f"{cell} runs code: {', '.join(error.files)}", file=sys.stderr)
                print(f"Trust the code in {error.folder}? [y/N] ", end="", file=sys.stderr, flush=True)
                if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                    raise
            trust(error.folder)
        else:
            return
