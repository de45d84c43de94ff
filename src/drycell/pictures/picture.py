"""One picture of the world at an instant, written as PNG."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from drycell.errors import DrycellError
from drycell.files import beside
from drycell.pictures.camera import VIEW_ANGLE, Camera
from drycell.spatial import Array, Vector
from drycell.world import Body, World

if TYPE_CHECKING:
    import pyvista

_BACKGROUND = ("#f4f6f8", "#dfe5ea")
_EDGE_ANGLE = 35.0  # degrees between faces from which on an edge is drawn
_MARK = "#d62728"
_LINKS = ("#e3e7eb", "#6f97bd")  # the links of a mechanism by turns, so that one sees where it bends


def save_picture(
    world: World,
    path: str | Path,
    *,
    at: int | None = None,
    camera: Camera | None = None,
    size: tuple[int, int] = (1280, 860),
    marks: Iterable[Vector] = (),
) -> None:
    """Draws every body where it is at an instant (now, if none is given); ``marks`` are points to be shown in red."""
    pyvista = _renderer()
    instant = world.now if at is None else at
    plotter = pyvista.Plotter(off_screen=True, window_size=size, lighting="light kit")
    try:
        plotter.set_background(_BACKGROUND[1], top=_BACKGROUND[0])
        links = {link: number for each in world.linkages.values() for number, link in enumerate(each.links)}
        corners = [_draw(plotter, world, body, instant, links) for body in _drawn(world, instant)]
        if not corners:
            raise DrycellError("there is nothing to draw", hint="give the cell a body with a shape")
        everything = np.concatenate(corners)
        for point in marks:
            dot = 0.006 * float(np.ptp(everything, axis=0).max())
            plotter.add_mesh(pyvista.Sphere(radius=dot, center=point), color=_MARK, lighting=False)
        plotter.camera_position = (camera or Camera()).framing(everything, size[0] / size[1])
        plotter.camera.view_angle = VIEW_ANGLE
        plotter.enable_anti_aliasing("ssaa")
        with beside(path) as written:
            plotter.screenshot(str(written))
    finally:
        plotter.close()


def _renderer() -> "pyvista":
    if "DISPLAY" not in os.environ:
        os.environ.setdefault(
            "VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow"
        )  # else VTK complains of the X server first
    try:
        import pyvista
    except ImportError:
        raise DrycellError(
            "pictures need the library pyvista, which is not installed", hint="pip install 'drycell[film]'"
        ) from None
    return pyvista


def _drawn(world: World, instant: int) -> list[Body]:
    return [body for body in world.bodies.values() if body.shape is not None and not body.hole and body.exists(instant)]


def _draw(plotter: "pyvista.Plotter", world: World, body: Body, instant: int, links: dict[Body, int]) -> Array:
    """Adds one body, returns its corner points in the world."""
    import pyvista

    vertices, faces = body.shape.triangles()  # type: ignore[union-attr]  # only bodies with a shape are drawn
    pose = world.pose(body, instant)
    points = vertices @ pose.rotation.T + pose.translation
    surface = pyvista.PolyData(points, np.hstack((np.full((len(faces), 1), 3), faces)))
    colour = _LINKS[links[body] % len(_LINKS)] if body in links else world.materials[body.material].colour
    plotter.add_mesh(
        surface, color=colour, smooth_shading=True, split_sharp_edges=True, ambient=0.3, diffuse=0.8, specular=0.1
    )
    edges = surface.extract_feature_edges(_EDGE_ANGLE, boundary_edges=False, non_manifold_edges=False)
    if edges.n_cells:
        plotter.add_mesh(edges, color="#30363c", line_width=1.2)
    return points
