"""A run to look at: a recording as it is, or a cell that is run first."""

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
    """Opens a recording (.dry), or runs a cell and opens its recording: it knows also the parts that came and went.

    ``settings`` are what ``--set`` was given; they are refused for a recording, which is only read.
    """
    from drycell.recording import Recording

    if Path(cell).suffix == ".dry":
        if settings:
            raise DrycellError(
                f"--set changes a cell before it runs, but {cell} has run already",
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
