"""Search a cell in a separate process: ``python -m drycell.verify CELL SECONDS [SEED]``.

Prints the same report and returns the same exit code as ``drycell verify CELL --time SECONDS [--seed SEED]``. Reports
its progress and the recording of a fault on standard error, as JSON lines.
"""

import json
import sys
import time

from drycell.base import DrycellError, plain_output
from drycell.verify.search import verify

_PERIOD = 0.2  # seconds between two reports of the progress


def main(cell: str, seconds: str, seed: str | None = None) -> int:
    """Search, print the report and return the exit code."""
    plain_output()
    reported = 0.0

    def progress(runs: int, scope: object) -> None:
        nonlocal reported
        if time.monotonic() - reported >= _PERIOD:
            reported = time.monotonic()
            _report(runs=runs, scope=str(scope))

    try:
        verdict = verify(
            cell, seconds=float(seconds), seed=None if seed is None else int(seed), out="out", progress=progress
        )
    except DrycellError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    if verdict.finding is not None and verdict.finding.recording is not None:
        _report(recording=str(verdict.finding.recording))
    print(verdict.report())
    return verdict.exit_code


def _report(**fields: object) -> None:
    print(json.dumps(fields), file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
