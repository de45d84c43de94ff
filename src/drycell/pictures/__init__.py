"""Pictures of a cell at an instant, rendered without a screen. Needs the extra ``film`` (pyvista).

May use everything up to and including the world; draws what a run or a recording says, and changes nothing.
"""

from drycell.pictures.camera import Camera
from drycell.pictures.picture import save_picture

__all__ = ["Camera", "save_picture"]
