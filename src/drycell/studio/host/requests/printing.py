"""What programs have printed so far."""

from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request


@request("printed")
def printed(session: HostSession) -> Reply:
    """The last of it; what comes later is told by ``console`` events."""
    return {"text": session.printed}
