"""Teaching: from places shown on a cell to a program, without writing one.

A point picked on a surface becomes a frame (:mod:`~drycell.teach.surface`), the robot says whether it reaches it
(:mod:`~drycell.teach.verdict`), is jogged there (:mod:`~drycell.teach.jog`), and the steps of a
:class:`~drycell.teach.lesson.Lesson` become program text in Python or Pascal. May use cells and all below them.
"""

from drycell.teach.jog import DIRECTIONS, FIVE_AXES, FRAMES, Jog, Jogged
from drycell.teach.singularity import Singularity, nearest_singularity
from drycell.teach.surface import TaughtPoint, picked, set_down, surface_frame
from drycell.teach.verdict import Near, Straight, Verdict, verdict

__all__ = [
    "DIRECTIONS",
    "FIVE_AXES",
    "FRAMES",
    "Jog",
    "Jogged",
    "Near",
    "Singularity",
    "Straight",
    "TaughtPoint",
    "Verdict",
    "nearest_singularity",
    "picked",
    "set_down",
    "surface_frame",
    "verdict",
]
