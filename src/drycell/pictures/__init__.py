"""Pictures of a cell at an instant, or over time, rendered without a screen.

Line drawings (SVG) need nothing else; shaded pictures and films need the extra ``film`` (pyvista). May use everything
up to and including the world; draws what a run or a recording says, and changes nothing.
"""

from drycell.pictures.camera import Camera
from drycell.pictures.drawing import LineDrawing
from drycell.pictures.film import frame_instants, save_film
from drycell.pictures.page import Style
from drycell.pictures.picture import save_picture

__all__ = ["Camera", "LineDrawing", "Style", "frame_instants", "save_film", "save_picture"]
