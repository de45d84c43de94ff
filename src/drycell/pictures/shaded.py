"""Shaded pictures: the bodies of a world as solids before one camera, moved for each instant, written as PNG."""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, DrycellError, Pose, UnknownName, Vector, beside
from drycell.geometry import Box
from drycell.looks import Channel, Look, PackedGroup, look_of, packed_groups, rgb
from drycell.pictures.camera import VIEW_ANGLE, Camera
from drycell.record import Record
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

_MARK: Final = "#d62728"
_SHEER: Final = {"glass": 0.22, "mesh": 0.07}  # opacity of patterns that are seen through
_WIRES: Final = {"mesh": "#2b2f33", "belt": "#747d86", "screen": "#5ac8f5"}  # colours of the lines of patterns
_CLEAR: Final = 0.3  # opacity of bodies that are shown translucent
_SUN: Final = np.array((-0.45, -0.62, 1.0))


@dataclass(frozen=True)
class Theme:
    """Colours and lights of shaded pictures. Shadows multiply the floor by ``1 - shadow``."""

    background: str
    floor: str
    grid: str
    shadow: float
    sun: float
    ambient: float
    line: str


THEMES: Final = {
    "light": Theme("#e4e8ec", "#d6dbe0", "#b4bdc6", 0.30, 0.85, 0.40, "#3a444d"),
    "dark": Theme("#1f2429", "#30363c", "#4a525b", 0.45, 0.66, 0.26, "#0e1114"),
}


def check_theme(name: str) -> None:
    """Raise UnknownName if there is no theme of this name; call it before a long run."""
    theme_of(name)


def theme_of(name: str) -> Theme:
    """Return a theme by its name, ``light`` or ``dark``."""
    if name not in THEMES:
        raise UnknownName("theme", name, THEMES)
    return THEMES[name]


class _Skin(NamedTuple):
    """What is drawn at once: triangles with a colour at each corner, and feature edges."""

    points: Array
    normals: Array
    colours: NDArray[np.uint8]
    faces: NDArray[np.int64]
    edges: Array
    wires: Array  # lines of a pattern, such as those of wire mesh


@dataclass(frozen=True)
class _Group:
    """Parts that look alike and are drawn as one: VTK needs about 40 ms for each actor, whatever its size.

    ``body`` is the body that moves by itself, and ``channel`` what moves or lights its parts, if the scene moves.
    """

    metal: bool
    pattern: str  # of those with lines of their own; else empty
    sheer: float
    body: LiveBody | None
    channel: str | None


class ShadedScene:
    """An off-screen window and its camera, which sees everything at all times in ``looks``.

    If the scene is ``still``, it shows only the first of these times: all parts of one kind of material are one surface
    and one set of edges. Otherwise each body has its own, which are moved and never rebuilt. ``shadows`` adds those of
    the sun and of corners at the first of these times: they are not moved.
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
        shadows: bool = False,
        clear: Iterable[LiveBody] = (),
        record: Record | None = None,
        theme: str = "light",
        framed: Iterable[LiveBody] | None = None,
    ) -> None:
        """``framed`` are the bodies that the camera fits into the picture, by default all; ``record`` determines, for
        example, how far belts have travelled and which lamps are on."""
        self._world, self._record, self._theme = world, record, theme_of(theme)
        drawn = [(body, look) for body in bodies if (look := look_of(body)) is not None and look.parts]
        if not any(body.exists(t) for t in looks for body, _ in drawn):
            raise DrycellError("there is nothing to draw", hint="give the cell a body with a shape")
        self._drawn = drawn
        clearly = frozenset(clear)
        pyvista = renderer()
        self._plotter = pyvista.Plotter(off_screen=True, window_size=size, lighting="none")
        self._plotter.set_background(self._theme.background)
        self._actors: dict[_Group, list[Any]] = {}
        skins: dict[_Group, list[_Skin]] = {}
        for body, look in drawn:
            if still and not body.exists(looks[0]):
                continue
            for group, skin in self._skins(body, look, looks[0], still, body in clearly):
                skins.setdefault(group, []).append(skin)
        for group, members in skins.items():
            self._actors[group] = self._actors_of(group, members)
        boxes = {body: _corners(look) for body, look in drawn}
        seen = [self._placed(body, boxes[body], t) for t in looks for body, _ in drawn if body.exists(t)]
        everything = np.concatenate(seen)
        self._floor = _Floor(self._plotter, self._theme, everything)
        self._lights(everything)
        self._plotter.enable_anti_aliasing(smoothing)
        wanted = boxes if framed is None else {body: boxes[body] for body in framed if body in boxes}
        points = [self._placed(body, box, t) for t in looks for body, box in wanted.items() if body.exists(t)]
        fitted = np.concatenate(points) if points else everything
        self._plotter.camera_position = camera.framing(fitted, size[0] / size[1])
        self._plotter.camera.view_angle = VIEW_ANGLE
        self._plotter.renderer.ResetCameraClippingRange()
        if shadows:
            reach = 0.06 * float(np.linalg.norm(np.ptp(everything, axis=0)))
            self._plotter.enable_ssao(radius=min(max(reach, 0.02), 0.30), bias=0.01 * reach, kernel_size=64, blur=True)
            casters = self._casters(looks[0])
            self._floor.shade(casters)
            for level, extent in self._tops(looks[0]):
                _shade(self._plotter, self._theme, casters, level, extent)

    def __enter__(self) -> "ShadedScene":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._plotter.close()

    def show(self, instant: int) -> None:
        """Move every body to its pose at a time, and hide bodies that are not in the cell at that time."""
        looks = dict(self._drawn)
        for group, actors in self._actors.items():
            body = group.body
            if body is None:
                continue
            there = body.exists(instant)
            channel = looks[body].channels[group.channel] if group.channel is not None else None
            value = 0.0 if channel is None else self._value(body, channel, instant)
            matrix = None
            if there:
                pose = self._world.pose(body, instant)
                matrix = (pose if channel is None else pose @ channel.pose(value)).matrix
            for actor in actors:
                actor.visibility = there
                if matrix is not None:
                    actor.user_matrix = matrix
                if channel is not None and channel.kind == "glow":
                    actor.mapper.scalar_visibility = False
                    actor.prop.color = _glowing(channel, value)

    def mark(self, points: Iterable[Vector], instant: int) -> None:
        """Show points in red, as dots whose size fits the scene."""
        for point in points:
            corners = [
                self._placed(body, _corners(look), instant) for body, look in self._drawn if body.exists(instant)
            ]
            dot = 0.006 * float(np.ptp(np.concatenate(corners), axis=0).max())
            self._plotter.add_mesh(renderer().Sphere(radius=dot, center=point), color=_MARK, lighting=False)

    def image(self) -> Image:
        """Return the image as rows of red, green and blue."""
        self._plotter.render()
        return np.asarray(self._plotter.screenshot(return_img=True), dtype=np.uint8)

    def save(self, path: Path) -> None:
        """Write the image to a file."""
        self._plotter.screenshot(str(path))

    # ---------------------------------------------------------------- what is drawn

    def _value(self, body: LiveBody, channel: Channel, t: int) -> float:
        return 0.0 if self._record is None else channel.source.at(self._record, body.name, t)

    def _skins(
        self, body: LiveBody, look: Look, instant: int, still: bool, clear: bool
    ) -> Iterator[tuple[_Group, _Skin]]:
        for packed in packed_groups(look):
            channel = None if packed.channel is None else look.channels[packed.channel]
            value = 0.0 if channel is None else self._value(body, channel, instant)
            skin = _skin(packed)
            if channel is not None and channel.kind == "glow":
                skin.colours[:] = rgb(_glowing(channel, value))
            if channel is not None and channel.kind == "scroll":
                skin = skin._replace(wires=skin.wires + np.array([math.fmod(value, _CHEVRON), 0.0, 0.0]))
            if still:
                pose = self._world.pose(body, instant)
                skin = _moved(skin, pose if channel is None else pose @ channel.pose(value))
            moves = None if still else body
            sheer = _CLEAR if clear else _SHEER.get(packed.pattern, 1.0)
            for metal in (False, True):
                some = _kept(skin, (packed.arrays["m"][:, 1] > 127) == metal)
                if len(some.faces):
                    yield (
                        _Group(
                            metal,
                            packed.pattern if packed.pattern in _WIRES else "",
                            sheer,
                            moves,
                            None if still else packed.channel,
                        ),
                        some,
                    )

    def _actors_of(self, group: _Group, members: Sequence[_Skin]) -> "list[pyvista.Actor]":
        pyvista = renderer()
        first = np.cumsum([0, *(len(each.points) for each in members)])
        surface = pyvista.PolyData(
            np.concatenate([each.points for each in members]).astype(np.float32),
            np.insert(np.concatenate([each.faces + k for each, k in zip(members, first, strict=False)]), 0, 3, axis=1),
        )
        surface.point_data["Normals"] = np.concatenate([each.normals for each in members]).astype(np.float32)
        surface.point_data.active_normals_name = "Normals"
        surface["rgb"] = np.concatenate([each.colours for each in members])
        actor = self._plotter.add_mesh(
            surface,
            scalars="rgb",
            rgb=True,
            ambient=self._theme.ambient,
            diffuse=0.72,
            specular=0.40 if group.metal else 0.13,
            specular_power=22,
            opacity=group.sheer,
        )
        actor.prop.interpolation = "Phong"
        actors = [actor]
        ink = _WIRES.get(group.pattern, self._theme.line)
        for name, colour, opacity, width in (("edges", self._theme.line, 0.35, 0.8), ("wires", ink, 0.9, 1.4)):
            lines = _ends(members, name)
            if len(lines):
                cells = np.insert(np.arange(len(lines)).reshape(-1, 2), 0, 2, axis=1)
                drawn = pyvista.PolyData(lines.astype(np.float32), lines=cells)
                pen = self._plotter.add_mesh(drawn, color=colour, line_width=width, opacity=opacity)
                actors.append(pen)
        return actors

    def _lights(self, points: Array) -> None:
        pyvista = renderer()
        low, high = points.min(axis=0), points.max(axis=0)
        middle, reach = (low + high) / 2, float(np.linalg.norm(high - low))
        for direction, power in ((_SUN, 0.92), (np.array((1.0, -1.0, 0.5)), 0.42), (np.array((0.2, 1.0, 0.9)), 0.34)):
            place = middle + 5.0 * reach * direction / np.linalg.norm(direction)
            light = pyvista.Light(
                position=place, focal_point=middle, intensity=power * self._theme.sun, light_type="scene light"
            )
            self._plotter.add_light(light)

    def _tops(self, instant: int) -> Iterator[tuple[Pose, Array]]:
        """The level tops of boxes that are large enough to show shadows: the pose of their middle, and their size."""
        for body, _ in self._drawn:
            if body.exists(instant) and isinstance(body.shape, Box) and body.shape.x * body.shape.y > _WIDE:
                pose = self._world.pose(body, instant)
                if pose.rotation[2, 2] > 0.999:
                    top = pose @ Pose(0.0, 0.0, body.shape.z / 2 + 4e-4)
                    yield top, np.array([body.shape.x, body.shape.y]) - 0.004

    def _casters(self, instant: int) -> Array:
        """The triangles that cast shadows, in the world, (n, 3, 3)."""
        found = []
        for body, look in self._drawn:
            if body.exists(instant):
                for packed in packed_groups(look):
                    if packed.pattern not in _SHEER:
                        corners = packed.arrays["p"][packed.arrays["f"]].astype(float)
                        found.append(self._placed(body, corners, instant).reshape(-1, 3, 3))
        return np.concatenate(found)

    def _placed(self, body: LiveBody, points: Array, instant: int) -> Array:
        pose = self._world.pose(body, instant)
        placed: Array = points @ pose.rotation.T + pose.translation
        return placed


def _glowing(channel: Channel, value: float) -> str:
    """The colour of a lamp."""
    share = min(max(value, 0.0), 1.0)
    mixed = [round(a + share * (b - a)) for a, b in zip(rgb(channel.off), rgb(channel.on), strict=True)]
    return "#" + "".join(f"{each:02x}" for each in mixed)


def _skin(packed: PackedGroup) -> _Skin:
    arrays = packed.arrays
    normals = arrays["n"][:, :3].astype(float) / 127
    # What is inside a housing is darker.
    colours = (arrays["c"][:, :3] * (arrays["n"][:, 3:] / 127)).astype(np.uint8)
    edges = arrays["e"].astype(float).reshape(-1, 2, 3)
    wires = _wires(packed)
    return _Skin(arrays["p"].astype(float), normals, colours, arrays["f"].astype(np.int64).reshape(-1, 3), edges, wires)


_CHEVRON: Final = 0.15  # metres between the marks of a belt
_WIRE: Final = 0.05  # metres between the wires of a fence


def _wires(packed: PackedGroup) -> Array:
    """The lines of a pattern: the wires of a mesh, the marks of a belt, the curve of a screen."""
    if packed.pattern not in _WIRES:
        return np.zeros((0, 2, 3))
    points, uv = packed.arrays["p"].astype(float), packed.arrays["uv"].astype(float)
    lines: list[Array] = []
    if packed.pattern == "belt":
        top = points[points[:, 2] > points[:, 2].max() - 1e-6]
        (left, right, z), (far, near, _) = top.min(axis=0), top.max(axis=0)
        half = 0.22 * (near - right)
        middle = (near + right) / 2
        for x in np.arange(left + 0.5 * _CHEVRON, far - 1.5 * _CHEVRON, _CHEVRON):
            tip = (x + half, middle, z + 3e-4)
            lines += [np.array([(x, middle + side * half, z + 3e-4), tip]) for side in (-1, 1)]
        return np.array(lines).reshape(-1, 2, 3)
    for quad in range(0, len(points), 4):  # panels have four corners
        corner, across, up = points[quad], points[quad + 1] - points[quad], points[quad + 3] - points[quad]
        if packed.pattern == "screen":
            u = np.linspace(0.1, 0.9, 25)
            v = 0.62 + 0.16 * np.sin(14.0 * u) * np.cos(5.0 * u)
            curve = corner + u[:, None] * across + v[:, None] * up
            lines += list(np.stack([curve[:-1], curve[1:]], 1))
            continue
        for along, other in ((across, up), (up, across)):
            count = max(2, round(float(np.linalg.norm(along)) / _WIRE))
            lines += [np.array([corner + k / count * along, corner + k / count * along + other]) for k in range(count)]
    assert len(uv) == len(points)
    return np.array(lines).reshape(-1, 2, 3)


def _moved(skin: _Skin, pose: Pose) -> _Skin:
    turn, shift = pose.rotation.T, pose.translation
    return skin._replace(
        points=skin.points @ turn + shift,
        normals=skin.normals @ turn,
        edges=skin.edges @ turn + shift,
        wires=skin.wires @ turn + shift,
    )


def _kept(skin: _Skin, which: NDArray[np.bool_]) -> _Skin:
    """The triangles whose corners are kept; edges stay with the first half that has any triangle."""
    if which.all():
        return skin
    number = np.cumsum(which) - 1
    faces = number[skin.faces[which[skin.faces[:, 0]]]]
    # Edges are drawn alike for all materials, so they are kept once.
    lines = which[0] if len(which) else False
    none = np.zeros((0, 2, 3))
    return _Skin(
        skin.points[which],
        skin.normals[which],
        skin.colours[which],
        faces,
        skin.edges if lines else none,
        skin.wires if lines else none,
    )


def _ends(members: Sequence[_Skin], name: str) -> Array:
    return np.concatenate([getattr(each, name).reshape(-1, 3) for each in members])


_FAR: Final = 2.2  # times the size of the scene: where the floor ends
_RAYS: Final = 7  # suns in the disc of the sun
_PIXELS: Final = 512  # of a shadow
_WIDE: Final = 0.015  # m²: smaller tops show no shadows


class _Floor:
    """The floor below a scene, with a grid and the soft shadows of what stands on it."""

    def __init__(self, plotter: "pyvista.Plotter", theme: Theme, points: Array) -> None:
        pyvista = renderer()
        self._plotter, self._theme = plotter, theme
        low, high = points.min(axis=0), points.max(axis=0)
        self._low, self._high = low, high
        self._z = float(low[2])
        middle, reach = (low + high) / 2, max(float(np.linalg.norm(high - low)), 0.05)
        disc = pyvista.Disc(
            center=(*middle[:2], self._z - 0.004 * reach), inner=0.0, outer=_FAR * reach, r_res=24, c_res=48
        )
        away = np.linalg.norm(disc.points[:, :2] - middle[:2], axis=1) / (_FAR * reach)
        fade = np.clip(away * 1.05, 0.0, 1.0)[:, None] ** 1.5
        near, far = np.array(rgb(theme.floor)), np.array(rgb(theme.background))
        disc["rgb"] = (near + fade * (far - near)).astype(np.uint8)
        plotter.add_mesh(disc, scalars="rgb", rgb=True, ambient=1.0, diffuse=0.0, specular=0.0)
        step = 10.0 ** math.floor(math.log10(reach)) / 2
        lines = []
        span = 6 * step
        for k in range(-12, 13):
            at = k * step / 2
            lines += [[(at, -span, 0), (at, span, 0)], [(-span, at, 0), (span, at, 0)]]
        ends = np.array(lines, float).reshape(-1, 3) + np.array([*middle[:2], self._z - 0.003 * reach])
        cells = np.insert(np.arange(len(ends)).reshape(-1, 2), 0, 2, axis=1)
        plotter.add_mesh(
            pyvista.PolyData(ends, lines=cells), color=theme.grid, line_width=0.8, opacity=0.5, lighting=False
        )
        self._reach = reach

    def shade(self, casters: Array) -> None:
        """Draw the shadow that triangles, (n, 3, 3), cast on the floor."""
        height = float(self._high[2] - self._z)
        end = -_SUN[:2] / _SUN[2] * height
        low = self._low[:2] + np.minimum(end, 0.0) - 0.1 * self._reach
        high = self._high[:2] + np.maximum(end, 0.0) + 0.1 * self._reach
        middle = (low + high) / 2
        level = Pose(float(middle[0]), float(middle[1]), self._z - 0.002 * self._reach)
        _shade(self._plotter, self._theme, casters, level, high - low)


def _shade(plotter: "pyvista.Plotter", theme: Theme, casters: Array, level: Pose, size: Array) -> None:
    """Draw the soft shadow that triangles cast on a rectangle about a pose whose z axis points up."""
    imaging()
    import PIL.Image
    import PIL.ImageDraw
    import PIL.ImageFilter

    pyvista = renderer()
    here = (casters - level.translation) @ level.rotation
    here = here[here[..., 2].max(axis=1) > 2e-4]
    scale = _PIXELS / float(size.max())
    width, depth = (max(8, math.ceil(scale * each)) for each in size)
    sun = _SUN @ level.rotation
    total = np.zeros((depth, width))
    for k in range(_RAYS):
        angle = 2.0 * math.pi * k / (_RAYS - 1)
        ray = sun / sun[2] + (0.05 * np.array((math.cos(angle), math.sin(angle), 0.0)) if k else 0.0)
        flat = (here[..., :2] - np.maximum(here[..., 2:], 0.0) * ray[:2] + size / 2) * scale
        one, other = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
        wide = np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) > 0.1
        hits = ((flat.max(axis=1) > 0.0) & (flat.min(axis=1) < (width, depth))).all(axis=1)
        image = PIL.Image.new("L", (width, depth), 0)
        pen = PIL.ImageDraw.Draw(image)
        for corners in flat[wide & hits].reshape(-1, 6).tolist():
            pen.polygon(corners, fill=255)
        total += np.asarray(image, float) / (255 * _RAYS)
    if not total.any():
        return
    soft = PIL.Image.fromarray((255 * total).astype(np.uint8)).filter(PIL.ImageFilter.GaussianBlur(1.2))
    texture = np.zeros((*total.shape, 4), np.uint8)
    texture[..., 3] = (np.asarray(soft, float) * theme.shadow).astype(np.uint8)
    plane = pyvista.Plane(i_size=float(size[0]), j_size=float(size[1]), i_resolution=1, j_resolution=1)
    plane.active_texture_coordinates = plane.points[:, :2] / size + 0.5
    plane.points = plane.points @ level.rotation.T + level.translation
    plotter.add_mesh(plane, texture=pyvista.numpy_to_texture(texture[::-1]), lighting=False)


@lru_cache(maxsize=1024)
def _corners(look: Look) -> Array:
    """The corners of the box around a look."""
    points = np.concatenate([packed.arrays["p"] for packed in packed_groups(look)]).astype(float)
    return np.array(list(product(*zip(points.min(axis=0), points.max(axis=0), strict=True))))


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
    record: Record | None = None,
    theme: str = "light",
    framed: Iterable[LiveBody] | None = None,
) -> None:
    """Draw every body at a time (by default now); ``marks`` are points to show in red.

    ``bodies`` are the bodies to show, by default those currently in the world. Bodies in ``clear`` are translucent.
    ``record`` determines how far belts have travelled and which lamps are on. ``theme`` is ``light`` or ``dark``.
    ``framed`` are the bodies that are fitted into the picture, by default all.
    """
    check_picture(path)
    instant = world.now if at is None else at
    there = [body for body in (world.bodies.values() if bodies is None else bodies) if body.exists(instant)]
    with ShadedScene(
        world,
        there,
        camera or Camera(),
        [instant],
        size,
        smoothing="ssaa",
        still=True,
        shadows=True,
        clear=clear,
        record=record,
        theme=theme,
        framed=framed,
    ) as scene:
        scene.show(instant)
        scene.mark(marks, instant)
        with beside(path) as written:
            scene.save(written)
