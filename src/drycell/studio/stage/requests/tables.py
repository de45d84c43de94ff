"""The tables of a run: parts, machines, waits, cycle times, stores and sinks, sensors."""

from drycell.studio.review.tables import tables as made
from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre


@request("tables")
def tables(theatre: Theatre, *, t: int | None = None) -> Reply:
    """All tables at an instant, at that on the screen if none is given."""
    return made(theatre, theatre.shown if t is None else t)
