"""The studio's server process: serves the page, holds one host for all browsers, and decides who may steer it.

Imports nothing of the simulation: what is looked at lives in the host process, and is asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.studio.server.places import examples_folder as examples_folder, openable as openable
    from drycell.studio.server.serving import PORT as PORT, free_address as free_address, serve as serve
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
