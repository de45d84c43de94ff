"""The picture of a device that runs as a process: a small page of its own, for this machine alone.

A device that stands in a cell of the studio is seen there, in the view.
"""

TYPE_CHECKING = False
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
