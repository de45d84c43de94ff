"""A recorded run to draw or film: a recording, or a cell to run and record first."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError

if TYPE_CHECKING:
    from drycell.recording import Recording


@contextmanager
def recorded(
    cell: str, *, seed: int | None, until: float | None, settings: Sequence[str] = ()
) -> "Iterator[Recording]":
    """Open a recording (.dry), or run a cell and open its recording, which includes parts that have left the cell.

    ``settings`` are the values of ``--set``; they are rejected for a recording, which has already run.
    """
    from drycell.recording import Recording

    if Path(cell).suffix == ".dry":
        if settings:
            raise DrycellError(
                f"--set changes a cell before it runs, but {cell} has already run",
                hint="name the cell instead of the recording",
            )
        with Recording.open(cell) as opened:
            yield opened
        return
    from drycell.cell import CellSource
    from drycell.cli.progress import Progress
    from drycell.cli.settings import with_settings

    source = with_settings(CellSource.find(cell), settings)
    built = source.build(seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.dry"
        with Progress(built, until, quiet=not sys.stderr.isatty()):
            built.run(until, record=path, source=source)
        with Recording.open(path) as opened:
            yield opened
