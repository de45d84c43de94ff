"""Consent to run the code in a cell's folder, for commands that only look at cells. It is asked for once and
remembered."""

import argparse
import sys
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
    from drycell.cell import Untrusted, trust

    while True:  # a cell may use code from several folders
        try:
            source.check_trusted(programs=programs)
        except Untrusted as error:
            if not trusted:
                if not (sys.stdin.isatty() and sys.stderr.isatty()):
                    raise
                print(f"{source.path} runs code: {', '.join(error.files)}", file=sys.stderr)
                print(f"Trust the code in {error.folder}? [y/N] ", end="", file=sys.stderr, flush=True)
                if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                    raise
            trust(error.folder)
        else:
            return
