"""Shaded pictures: the bodies of a world as solids before one camera, moved for each instant, written as PNG."""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, DrycellError, Vector, beside
from drycell.pictures.camera import VIEW_ANGLE, Camera
from drycell.pictures.surfaces import Surface, surface
from drycell.world import LiveBody, World

if TYPE_CHECKING:
    import pyvista


def renderer() -> ModuleType:
    """Return pyvista, set up to render without a screen."""
    if "DISPLAY" not in os.environ:
        # Otherwise VTK warns about the X server.
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    try:
        import pyvista
    except ImportError:
        raise _missing("shaded pictures", "pyvista") from None
    module: ModuleType = pyvista
    return module


def encoder() -> ModuleType:
    """Return imageio-ffmpeg, which includes the program that writes MP4."""
    try:
        import imageio_ffmpeg  # type: ignore[import-untyped]
    except ImportError:
        raise _missing("MP4 films", "imageio-ffmpeg") from None
    module: ModuleType = imageio_ffmpeg
    return module


def imaging() -> ModuleType:
    """Return Pillow, which draws lines on pixels and writes GIF."""
    try:
        import PIL.Image
    except ImportError:
        raise _missing("films", "pillow") from None
    return PIL


def _missing(what: str, library: str) -> DrycellError:
    return DrycellError(
        f"{what} need the library {library}, which is not installed", hint="pip install 'path/to/drycell[film]'"
    )


Image = NDArray[np.uint8]

_BACKGROUND: Final = ("#f4f6f8", "#dfe5ea")
_LINE: Final = "#30363c"
_MARK: Final = "#d62728"
_SHEER: Final = 0.3  # opacity of translucent bodies
_LINKS: Final = (
    "#e3e7eb",
    "#6f97bd",
)  # alternating colours for the links of a mechanism, so that its joints are visible


class ShadedScene:
    """An off-screen window. Each body has two actors, its surface and its edges, which are moved and never rebuilt."""

    def __init__(
        self,
        world: World,
        bodies: Iterable[LiveBody],
        size: tuple[int, int],
        *,
        smoothing: str,
        plain: bool = False,
        clear: Iterable[LiveBody] = (),
    ) -> None:
        self._world = world
        self._size = size
        self._clear = frozenset(clear)
        pyvista = renderer()
        self._plotter = pyvista.Plotter(off_screen=True, window_size=size, lighting="light kit")
        self._plotter.set_background(_BACKGROUND[1], top=None if plain else _BACKGROUND[0])
        links = {link: number for each in world.linkages.values() for number, link in enumerate(each.links)}
        self._actors = {
            body: self._actors_of(body, links) for body in bodies if body.shape is not None and not body.hole
        }
        self._plotter.enable_anti_aliasing(smoothing)

    def __enter__(self) -> "ShadedScene":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._plotter.close()

    def frame(self, camera: Camera, instants: Sequence[int]) -> None:
        """Place the camera so that it sees everything at all of these times."""
        corners = [self._corners(body, t) for t in instants for body in self._actors if body.exists(t)]
        if not corners:
            raise DrycellError("there is nothing to draw", hint="give the cell a body with a shape")
        self._plotter.camera_position = camera.framing(np.concatenate(corners), self._size[0] / self._size[1])
        self._plotter.camera.view_angle = VIEW_ANGLE

    def show(self, instant: int) -> None:
        """Move every body to its pose at a time, and hide bodies that are not in the cell at that time."""
        for body, actors in self._actors.items():
            there = body.exists(instant)
            matrix = self._world.pose(body, instant).matrix if there else None
            for actor in actors:
                actor.visibility = there
                if matrix is not None:
                    actor.user_matrix = matrix

    def mark(self, points: Iterable[Vector], instant: int) -> None:
        """Show points in red, as dots whose size fits the scene."""
        for point in points:
            corners = [self._corners(body, instant) for body in self._actors if body.exists(instant)]
            dot = 0.006 * float(np.ptp(np.concatenate(corners), axis=0).max())
            self._plotter.add_mesh(renderer().Sphere(radius=dot, center=point), color=_MARK, lighting=False)

    def image(self) -> Image:
        """Return the image as rows of red, green and blue."""
        self._plotter.render()
        return np.asarray(self._plotter.screenshot(return_img=True), dtype=np.uint8)

    def save(self, path: Path) -> None:
        """Write the image to a file."""
        self._plotter.screenshot(str(path))

    def _actors_of(self, body: LiveBody, links: dict[LiveBody, int]) -> "list[pyvista.Actor]":
        mesh = _mesh(body)
        colour = _LINKS[links[body] % len(_LINKS)] if body in links else self._world.materials[body.material].colour
        pyvista = renderer()
        solid = pyvista.PolyData(mesh.vertices, np.hstack((np.full((len(mesh.faces), 1), 3), mesh.faces)))
        actors = [
            self._plotter.add_mesh(
                solid,
                color=colour,
                smooth_shading=True,
                split_sharp_edges=True,
                ambient=0.3,
                diffuse=0.8,
                specular=0.1,
                opacity=_SHEER if body in self._clear else 1.0,
            )
        ]
        if mesh.sharp.any():
            edges = mesh.edges[mesh.sharp]
            lines = pyvista.PolyData(mesh.vertices, lines=np.hstack((np.full((len(edges), 1), 2), edges)))
            actors.append(self._plotter.add_mesh(lines, color=_LINE, line_width=1.2))
        return actors

    def _corners(self, body: LiveBody, instant: int) -> Array:
        pose = self._world.pose(body, instant)
        return _mesh(body).vertices @ pose.rotation.T + pose.translation


def _mesh(body: LiveBody) -> Surface:
    if body.shape is None:
        raise DrycellError(f"{body.name!r} has no shape to draw")
    return surface(body.shape, math.inf)


_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")


def check_picture(path: str | Path) -> None:
    """Raise if a shaded picture cannot be written under this name; call it before a long run."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise DrycellError(
            f"shaded pictures are PNG files, not {Path(path).name!r}",
            hint="use a name that ends in .png; line drawings (.svg) are made by LineDrawing and drycell picture",
        )
    renderer()


def save_picture(
    world: World,
    path: str | Path,
    *,
    at: int | None = None,
    camera: Camera | None = None,
    size: tuple[int, int] = (1280, 860),
    marks: Iterable[Vector] = (),
    bodies: Iterable[LiveBody] | None = None,
    clear: Iterable[LiveBody] = (),
) -> None:
    """Draw every body at a time (by default now); ``marks`` are points to show in red.

    ``bodies`` are the bodies to show, by default those currently in the world. Bodies in ``clear`` are translucent.
    """
    check_picture(path)
    instant = world.now if at is None else at
    there = [body for body in (world.bodies.values() if bodies is None else bodies) if body.exists(instant)]
    with ShadedScene(world, there, size, smoothing="ssaa", clear=clear) as scene:
        scene.show(instant)
        scene.frame(camera or Camera(), [instant])
        scene.mark(marks, instant)
        with beside(path) as written:
            scene.save(written)
