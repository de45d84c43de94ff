"""The picture of a device that runs as a process: a small page of its own, for this machine alone.

A device that stands in a cell of the studio is seen there, in the view.
"""

from drycell.studio.effector.camera import Camera, Json
from drycell.studio.effector.serving import PicturePage
from drycell.studio.effector.view import view_of

__all__ = ["Camera", "Json", "PicturePage", "view_of"]
