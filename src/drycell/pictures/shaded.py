"""Shaded pictures: the bodies of a world as solids before one camera, moved for each instant, written as PNG."""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, DrycellError, Vector, beside
from drycell.looks import small_surface, surface
from drycell.pictures.camera import VIEW_ANGLE, Camera
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
_SMALL: Final = 150.0  # pixels: bodies of this size need few facets
_INVISIBLE: Final = 0.15  # pixels: facets within this distance of a round shape look round
_SHEER: Final = 0.3  # opacity of translucent bodies
_LINKS: Final = (
    "#e3e7eb",
    "#6f97bd",
)  # alternating colours for the links of a mechanism, so that its joints are visible


@dataclass(frozen=True)
class _Group:
    """Bodies that look alike and are drawn as one: VTK needs about 40 ms for each actor, whatever its size."""

    colour: "tuple[float, float, float] | str"
    sheer: bool
    alone: LiveBody | None  # the body that moves by itself, if the scene moves


class ShadedScene:
    """An off-screen window and its camera, which sees everything at all times in ``looks``.

    If the scene is ``still``, it shows only the first of these times, and all bodies of one colour are one surface and
    one set of edges. Otherwise each body has its own, which are moved and never rebuilt.
    """

    def __init__(
        self,
        world: World,
        bodies: Iterable[LiveBody],
        camera: Camera,
        looks: Sequence[int],
        size: tuple[int, int],
        *,
        smoothing: str,
        still: bool = False,
        plain: bool = False,
        clear: Iterable[LiveBody] = (),
    ) -> None:
        self._world = world
        solid = [body for body in bodies if body.shape is not None and not body.hole]
        boxes = [self._placed(body, _box(body), t) for t in looks for body in solid if body.exists(t)]
        if not boxes:
            raise DrycellError("there is nothing to draw", hint="give the cell a body with a shape")
        pixel = camera.pixel(np.concatenate(boxes), size)
        self._meshes = {body: _mesh(body, pixel) for body in solid}
        pyvista = renderer()
        self._plotter = pyvista.Plotter(off_screen=True, window_size=size, lighting="light kit")
        self._plotter.set_background(_BACKGROUND[1], top=None if plain else _BACKGROUND[0])
        self._actors = {
            group: self._actors_of(group, members, looks[0])
            for group, members in self._groups(solid, still, frozenset(clear)).items()
        }
        self._plotter.enable_anti_aliasing(smoothing)
        corners = [self._corners(body, t) for t in looks for body in solid if body.exists(t)]
        self._plotter.camera_position = camera.framing(np.concatenate(corners), size[0] / size[1])
        self._plotter.camera.view_angle = VIEW_ANGLE

    def __enter__(self) -> "ShadedScene":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._plotter.close()

    def show(self, instant: int) -> None:
        """Move every body to its pose at a time, and hide bodies that are not in the cell at that time."""
        for group, actors in self._actors.items():
            body = group.alone
            if body is None:
                continue
            there = body.exists(instant)
            matrix = self._world.pose(body, instant).matrix if there else None
            for actor in actors:
                actor.visibility = there
                if matrix is not None:
                    actor.user_matrix = matrix

    def mark(self, points: Iterable[Vector], instant: int) -> None:
        """Show points in red, as dots whose size fits the scene."""
        for point in points:
            corners = [self._corners(body, instant) for body in self._meshes if body.exists(instant)]
            dot = 0.006 * float(np.ptp(np.concatenate(corners), axis=0).max())
            self._plotter.add_mesh(renderer().Sphere(radius=dot, center=point), color=_MARK, lighting=False)

    def image(self) -> Image:
        """Return the image as rows of red, green and blue."""
        self._plotter.render()
        return np.asarray(self._plotter.screenshot(return_img=True), dtype=np.uint8)

    def save(self, path: Path) -> None:
        """Write the image to a file."""
        self._plotter.screenshot(str(path))

    def _groups(
        self, bodies: Iterable[LiveBody], still: bool, clear: frozenset[LiveBody]
    ) -> dict[_Group, list[LiveBody]]:
        links = {link: number for each in self._world.linkages.values() for number, link in enumerate(each.links)}
        groups: dict[_Group, list[LiveBody]] = {}
        for body in bodies:
            colour = _LINKS[links[body] % len(_LINKS)] if body in links else self._world.materials[body.material].colour
            # Translucent bodies are blended one after the other, so they stay apart.
            group = _Group(colour, body in clear, None if still and body not in clear else body)
            groups.setdefault(group, []).append(body)
        return groups

    def _actors_of(self, group: _Group, members: Sequence[LiveBody], instant: int) -> "list[pyvista.Actor]":
        meshes = [self._meshes[body] for body in members]
        first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])  # the number of the first vertex of each
        vertices: NDArray[np.floating]
        if group.alone is None:
            vertices = np.concatenate([self._corners(body, instant) for body in members]).astype(np.float32)
        else:
            vertices = meshes[0].vertices
        faces = np.concatenate([mesh.faces + k for mesh, k in zip(meshes, first, strict=False)])
        edges = np.concatenate([mesh.edges + k for mesh, k in zip(meshes, first, strict=False)])
        pyvista = renderer()
        actors = [
            self._plotter.add_mesh(
                pyvista.PolyData(vertices, np.insert(faces, 0, 3, axis=1)),
                color=group.colour,
                smooth_shading=True,
                split_sharp_edges=True,
                ambient=0.3,
                diffuse=0.8,
                specular=0.1,
                opacity=_SHEER if group.sheer else 1.0,
            )
        ]
        if len(edges):
            lines = pyvista.PolyData(vertices, lines=np.insert(edges, 0, 2, axis=1))
            actors.append(self._plotter.add_mesh(lines, color=_LINE, line_width=1.2))
        return actors

    def _corners(self, body: LiveBody, instant: int) -> Array:
        return self._placed(body, self._meshes[body].vertices, instant)

    def _placed(self, body: LiveBody, points: Array, instant: int) -> Array:
        pose = self._world.pose(body, instant)
        return points @ pose.rotation.T + pose.translation


class _Mesh(NamedTuple):
    """What is drawn of a body, in its own frame."""

    vertices: Array
    faces: NDArray[np.int64]
    edges: NDArray[np.int64]


def _mesh(body: LiveBody, pixel: float) -> _Mesh:
    if body.shape is None:
        raise DrycellError(f"{body.name!r} has no shape to draw")
    small = math.dist(*body.shape.bounds) < _SMALL * pixel
    made = small_surface(body.shape, _INVISIBLE * pixel) if small else surface(body.shape, math.inf)
    return _Mesh(made.vertices, made.faces, made.edges[made.sharp])


def _box(body: LiveBody) -> Array:
    assert body.shape is not None
    return np.array(list(product(*zip(*body.shape.bounds, strict=True))))


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
    with ShadedScene(
        world, there, camera or Camera(), [instant], size, smoothing="ssaa", still=True, clear=clear
    ) as scene:
        scene.show(instant)
        scene.mark(marks, instant)
        with beside(path) as written:
            scene.save(written)
