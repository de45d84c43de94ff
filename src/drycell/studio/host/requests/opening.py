"""Putting something on stage: a cell file, a Python file, their folder, or a recording."""

import os
from pathlib import Path

from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status
from drycell.studio.host.table import Reply, request


@request("open")
def open_path(session: HostSession, *, path: str, seed: int | None = None, until: float | None = None) -> Reply:
    """Builds the cell at a path, or reads the recording; ``until`` in seconds is when the run is to end.

    Code is executed only from folders that the user trusts; otherwise this raises Untrusted, or leaves programs idle.
    """
    given = Path(os.path.abspath(path))
    if given.suffix.lower() == ".dry":
        from drycell.record import Recording

        session.put_on(Recording.open(given), given)
    else:
        from drycell.cell import CellSource, untrusted

        source = CellSource.find(given)
        source.check_trusted(programs=False)
        # Without trust the cell can be looked at, but its programs are not loaded.
        idle = source.code() if untrusted(source.code()) else []
        session.set_up(source.build(seed=seed, programs=not idle), source, source.path, idle)
        session.until = until
    return status(session)


@request("close")
def close(session: HostSession) -> Reply:
    """Takes everything off the stage."""
    session.clear()
    return status(session)
