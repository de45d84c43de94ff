"""Pictures of a cell at an instant, or over time, and plots, rendered without a screen.

Line drawings and plots need nothing else; shaded pictures and films need the extra ``film`` (pyvista). May use
everything up to and including the world; draws what a run or a recording says, and changes nothing.
"""

from drycell.pictures.camera import Camera
from drycell.pictures.drawing import LineDrawing
from drycell.pictures.film import frame_instants, save_film
from drycell.pictures.page import Style
from drycell.pictures.picture import save_picture
from drycell.pictures.plot import Panel, Series, save_plot

__all__ = [
    "Camera",
    "LineDrawing",
    "Panel",
    "Series",
    "Style",
    "frame_instants",
    "save_film",
    "save_picture",
    "save_plot",
]
