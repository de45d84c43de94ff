"""What programs have printed so far."""

from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre


@request("printed")
def printed(theatre: Theatre) -> Reply:
    """The last of it; what comes later is told by ``console`` events."""
    return {"text": theatre.printed}
