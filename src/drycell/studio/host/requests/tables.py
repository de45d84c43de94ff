"""The tables of a run: parts, machines, waits, cycle times, stores and sinks, sensors."""

from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.review.tables import tables as made


@request("tables")
def tables(session: HostSession, *, t: int | None = None) -> Reply:
    """All tables at an instant, at that on the screen if none is given."""
    if session.mode == "live":
        # Collisions are looked for now and then. When does not matter to the run, and here the latest ones are wanted.
        session.needs_cell().kernel.settle()
    return made(session, session.shown if t is None else t)
