"""The tables of a run: parts, machines, waits, cycle times, stores and sinks, sensors."""

from drycell.studio.review.tables import tables as made
from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre


@request("tables")
def tables(theatre: Theatre, *, t: int | None = None) -> Reply:
    """All tables at an instant, at that on the screen if none is given."""
    if theatre.mode == "live":
        # Collisions are looked for now and then. When does not matter to the run, and here the latest ones are wanted.
        theatre.needs_cell().kernel.settle()
    return made(theatre, theatre.shown if t is None else t)
