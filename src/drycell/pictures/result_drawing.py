"""The drawing of a run in its report: the end of the run, or its first collision."""

from collections.abc import Iterable

from drycell.base import format_time
from drycell.kernel import seconds
from drycell.pictures.camera import Camera
from drycell.pictures.drawing import LineDrawing
from drycell.pictures.page import Style
from drycell.record import Result
from drycell.world import LiveBody


def draw_result(result: Result, bodies: Iterable[LiveBody], camera: Camera) -> tuple[str | None, str]:
    """Draw a run in lines (SVG), with a caption: this needs no graphics card, prints well, and gives the same lines
    everywhere. ``bodies`` are all that were ever in the cell; without any, there is no drawing."""
    collisions = result.collisions
    at = collisions[0].time if collisions else result.outcome.time
    there = [body for body in bodies if body.exists(at)]
    if not any(body.shape is not None and not body.hole for body in there):
        return None, ""
    drawing = LineDrawing(result.record.world, camera=camera, style=Style(paper=None))
    drawing.expose(at, there)
    if not collisions:
        return drawing.svg(), "The cell at the end of the run"
    together = [
        collision.point
        for collision in collisions
        if collision.time <= at and (collision.end is None or collision.end >= at)
    ]
    drawing.mark(together)
    return drawing.svg(), f"The cell at the first collision, {format_time(seconds(at))}; it is marked in red"
