"""The picture of a device that runs as a process: a small page, served only on this machine.

A device in a cell is shown in the studio's view instead.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.studio.effector.picture import (
        DeviceCamera as DeviceCamera,
        Json as Json,
        PicturePage as PicturePage,
        view_of as view_of,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
