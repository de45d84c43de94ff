"""The host: every topic of the API, answered by one session."""

from drycell.studio.api.remote import HostApi
from drycell.studio.host.building import HostBuilding
from drycell.studio.host.debugging import HostDebugging
from drycell.studio.host.emula import HostEmula
from drycell.studio.host.files import HostFiles
from drycell.studio.host.journal import HostJournal
from drycell.studio.host.scene import HostScene
from drycell.studio.host.session import HostSession
from drycell.studio.host.signals import HostSignals
from drycell.studio.host.tables import HostTables
from drycell.studio.host.teaching import HostTeaching
from drycell.studio.host.transport import HostTransport


def host_of(session: HostSession) -> HostApi:
    """What can be asked of a session."""
    return HostApi(
        files=HostFiles(session),
        transport=HostTransport(session),
        scene=HostScene(session),
        signals=HostSignals(session),
        journal=HostJournal(session),
        tables=HostTables(session),
        debugging=HostDebugging(session),
        teaching=HostTeaching(session),
        building=HostBuilding(session),
        emula=HostEmula(session),
    )
