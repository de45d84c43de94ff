"""The server process of the studio: serves the page, manages the host process, and decides which tab has control.

The open cell is in the host process; the server asks it through ``drycell.studio.api``.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.studio.server.files import examples_folder as examples_folder, openable as openable
    from drycell.studio.server.serving import PORT as PORT, free_address as free_address, serve as serve
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
