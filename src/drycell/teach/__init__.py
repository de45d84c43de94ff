"""Teaching: from places shown on a cell to a program, without writing one.

A point picked on a surface becomes a frame (:mod:`~drycell.teach.surface`), the robot says whether it reaches it
(:mod:`~drycell.teach.verdict`), is jogged there (:mod:`~drycell.teach.jog`), and the steps of a
:class:`~drycell.teach.lesson.Lesson` become program text in Python or Pascal. May use cells and all below them.
"""

from drycell.teach.grasping import grasp_at, place_at
from drycell.teach.jog import DIRECTIONS, FIVE_AXES, FRAMES, Jog, Jogged
from drycell.teach.lesson import Lesson, pick_and_place
from drycell.teach.lesson_file import lesson_data, lesson_text, load_lesson, plain, read_lesson, read_step, save_lesson
from drycell.teach.saving import LessonProgram, commanders, lesson_program, save_into
from drycell.teach.singularity import Singularity, nearest_singularity
from drycell.teach.step import Assign, Move, PointSpec, Step, Until
from drycell.teach.surface import TaughtPoint, picked, set_down, surface_frame
from drycell.teach.verdict import Near, Straight, Verdict, verdict
from drycell.teach.walk import Leg, walk

__all__ = [
    "DIRECTIONS",
    "FIVE_AXES",
    "FRAMES",
    "Assign",
    "Jog",
    "Jogged",
    "Leg",
    "Lesson",
    "LessonProgram",
    "Move",
    "Near",
    "PointSpec",
    "Singularity",
    "Step",
    "Straight",
    "TaughtPoint",
    "Until",
    "Verdict",
    "commanders",
    "grasp_at",
    "lesson_data",
    "lesson_program",
    "lesson_text",
    "load_lesson",
    "nearest_singularity",
    "pick_and_place",
    "picked",
    "place_at",
    "plain",
    "read_lesson",
    "read_step",
    "save_into",
    "save_lesson",
    "set_down",
    "surface_frame",
    "verdict",
    "walk",
]
