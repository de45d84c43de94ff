"""Search a cell in a separate process: ``python -m drycell.verify CELL SECONDS``.

Prints the same report and returns the same exit code as ``drycell verify CELL --time SECONDS``.
"""

import sys

from drycell.base import DrycellError
from drycell.verify.search import verify


def main(cell: str, seconds: str) -> int:
    """Search, print the report and return the exit code."""
    try:
        verdict = verify(cell, seconds=float(seconds), out="out")
    except DrycellError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(verdict.report())
    return verdict.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
