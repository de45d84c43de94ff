"""Solids of looks: a name and a few numbers, in metres, which are tessellated once for all parts that have them.

Every edge is a small bevel that is shaded round, so that it catches the light; feature edges are made with the solid.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from drycell.base import Array, UnknownName
from drycell.looks.mesh import NO_EDGES, Indices, LookMesh, joined, unit

if TYPE_CHECKING:
    from drycell.geometry import Shape

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Outline = Sequence[Point2]
Section = tuple[float, float, float, float, float, float]
"""Place s on the axis, centre (u, v), half sizes a and b, and exponent n of a superellipse."""

_AXES: Final = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # the axis → which of x, y, z are u, v and s
_SHARP: Final = 0.6  # radians: a smaller bend of an outline is round
_CREASE: Final = 0.8  # radians: a smaller bend along a loft is smooth
_FLAT: Final = 1e-14  # m²: triangles below this area are left out


class Solid(NamedTuple):
    """The name of a form and its numbers. Make one with :func:`box`, :func:`cylinder`, :func:`loft` and so on."""

    form: str
    numbers: tuple[Any, ...]


# ---------------------------------------------------------------- the forms


def box(length: float, width: float, height: float, bevel: float = 0.002) -> Solid:
    """A box about its middle.

    Args:
        length: Along x.
        width: Along y.
        height: Along z.
        bevel: Width of the bevels, at most half the smallest size.
    """
    return Solid("box", (float(length), float(width), float(height), float(bevel)))


def cylinder(radius: float, height: float, bevel: float = 0.001, sides: int = 32, top: float | None = None) -> Solid:
    """A cylinder or truncated cone that stands on z = 0.

    Args:
        radius: Radius at the bottom.
        height: Along z.
        bevel: Width of the bevels at both rims.
        sides: The most sides; small cylinders have fewer.
        top: Radius at the top; by default the same.
    """
    upper = float(radius if top is None else top)
    return revolve(((0.0, 0.0), (radius, 0.0), (upper, height), (0.0, height)), bevel, sides)


def tube(radius: float, inner: float, height: float, bevel: float = 0.001, sides: int = 32) -> Solid:
    """A tube that stands on z = 0.

    Args:
        radius: Outer radius.
        inner: Inner radius.
        height: Along z.
        bevel: Width of the bevels.
        sides: The most sides.
    """
    corners = ((inner, height), (inner, 0.0), (radius, 0.0), (radius, height), (inner, height))
    return revolve(corners, bevel, sides)


def revolve(profile: Outline, bevel: float = 0.001, sides: int = 32, sharp: float = _SHARP) -> Solid:
    """A profile turned about z.

    Args:
        profile: Points (radius, z), anticlockwise: on the outside from bottom to top. It starts and ends on the axis,
            or ends where it starts.
        bevel: Width of the bevels at sharp corners.
        sides: The most sides.
        sharp: Corners that bend by more than this, in radians, get a bevel; others are shaded round.
    """
    return Solid("revolve", (_pairs(profile), float(bevel), int(sides), float(sharp)))


def extrude(loops: Sequence[Outline], height: float, bevel: float = 0.001) -> Solid:
    """A plane figure raised along z from 0.

    Args:
        loops: The outline, then the outlines of its holes, as points (x, y).
        height: Along z.
        bevel: Width of the bevels at both rims.
    """
    return Solid("extrude", (tuple(map(_pairs, loops)), float(height), float(bevel)))


def loft(
    sections: Sequence[Section], axis: str = "z", points: int = 24, rounding: float = 0.0035, rims: bool = False
) -> Solid:
    """A skin through superellipses along an axis, as in :class:`drycell.geometry.Loft`.

    Args:
        sections: At least two sections in order along the axis.
        axis: The axis.
        points: Points of a section.
        rounding: How much both ends are rounded.
        rims: Whether the ends have feature edges.
    """
    rows = tuple(tuple(float(value) for value in section) for section in sections)
    return Solid("loft", (rows, axis, int(points), float(rounding), bool(rims)))


def shell(
    length: float,
    width: float,
    height: float,
    wall: float = 0.003,
    taper: float = 0.9,
    corner: float = 0.02,
    rim: float = 0.008,
) -> Solid:
    """An open box that stands on z = 0, with a rim around its opening.

    Args:
        length: Along x at the top, without the rim.
        width: Along y at the top, without the rim.
        height: Along z.
        wall: Thickness of walls and floor.
        taper: Size of the bottom as a fraction of the top.
        corner: Radius of the upright edges.
        rim: Width of the rim.
    """
    return Solid("shell", tuple(float(each) for each in (length, width, height, wall, taper, corner, rim)))


def sweep(path: Sequence[Point3], radius: float, sides: int = 8, smooth: int = 5) -> Solid:
    """A round bar or a cable along a path.

    Args:
        path: At least two points.
        radius: Radius.
        sides: The most sides.
        smooth: Pieces between two points of a rounded path; 0 for straight pieces.
    """
    points = tuple(tuple(float(value) for value in point) for point in path)
    return Solid("sweep", (points, float(radius), int(sides), int(smooth)))


def belt(length: float, width: float, radius: float, thickness: float = 0.004) -> Solid:
    """An endless belt along x about two drums, with its top at z = 0. Its pattern has u along and v across the belt.

    Args:
        length: From end to end.
        width: Along y.
        radius: Outer radius at the drums.
        thickness: Thickness.
    """
    return Solid("belt", (float(length), float(width), float(radius), float(thickness)))


def panel(length: float, height: float, whole: bool = False) -> Solid:
    """An upright sheet in the xz-plane about the origin, seen from both sides.

    Args:
        length: Along x.
        height: Along z.
        whole: Whether the pattern runs from 0 to 1; otherwise it is in metres.
    """
    return Solid("panel", (float(length), float(height), bool(whole)))


def facets(shape: "Shape") -> Solid:
    """The surface of any shape, with sharp edges where its facets meet at more than 25 degrees.

    Args:
        shape: The shape.
    """
    return Solid("facets", (shape,))


def rounded(length: float, width: float, radius: float, corner: int = 4) -> tuple[Point2, ...]:
    """The outline of a rectangle with round corners about the origin.

    Args:
        length: Along x.
        width: Along y.
        radius: Radius of the corners.
        corner: Points of each corner.
    """
    turn = np.linspace(0.0, math.pi / 2, corner)
    out = []
    for quarter, (right, up) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        centre = np.array([right * (length / 2 - radius), up * (width / 2 - radius)])
        angles = turn + quarter * math.pi / 2
        out.append(centre + radius * np.stack([np.cos(angles), np.sin(angles)], 1))
    return _pairs(np.concatenate(out).tolist())


def circle(radius: float, sides: int = 24) -> tuple[Point2, ...]:
    """The outline of a circle about the origin.

    Args:
        radius: Its radius.
        sides: Number of points.
    """
    angles = 2.0 * math.pi * np.arange(sides) / sides
    return _pairs((radius * np.stack([np.cos(angles), np.sin(angles)], 1)).tolist())


def _pairs(points: Sequence[Any]) -> tuple[Point2, ...]:
    return tuple((float(x), float(y)) for x, y in points)


# ---------------------------------------------------------------- triangles


@lru_cache(maxsize=4096)
def tessellate(solid: Solid) -> LookMesh:
    """Return the triangles of a solid. Equal solids are tessellated once.

    Args:
        solid: The solid.

    Raises:
        UnknownName: There is no such form.
    """
    form = _FORMS.get(solid.form)
    if form is None:
        raise UnknownName("solid", solid.form, _FORMS)
    return form(*solid.numbers)


@cache
def _box_template() -> tuple[Array, Array, Indices, Indices]:
    """The signs of the 24 corners of a bevelled box, their normals, the triangles, and the corners at each edge."""
    signs = np.array([(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
    corner_of = {(axis, *sign): 8 * axis + k for axis in range(3) for k, sign in enumerate(signs.tolist())}
    corners = np.tile(signs, (3, 1))
    normals = np.concatenate([signs * np.eye(3)[axis] for axis in range(3)])
    points = corners - 0.1 * (corners - normals)
    faces: list[tuple[int, int, int]] = []

    def add(*ring: int) -> None:
        a, b, c = (points[k] for k in ring[:3])
        order = ring if np.cross(b - a, c - a) @ points[list(ring)].mean(axis=0) > 0 else ring[::-1]
        faces.extend((order[0], order[k], order[k + 1]) for k in range(1, len(order) - 1))

    def number(normal: int, axis: int, s: float, a: float, b: float) -> int:
        sign = [0.0, 0.0, 0.0]
        sign[axis], sign[(axis + 1) % 3], sign[(axis + 2) % 3] = s, a, b
        return corner_of[(normal, *sign)]

    edges = []
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            add(*(number(axis, axis, side, a, b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))))
        for a in (-1.0, 1.0):
            for b in (-1.0, 1.0):
                ends = [number(n, axis, s, a, b) for n, s in ((i, -1.0), (i, 1.0), (j, 1.0), (j, -1.0))]
                add(*ends)
                edges.append((ends[0], ends[3], ends[1], ends[2]))
    for k in range(8):
        add(k, 8 + k, 16 + k)
    return corners, normals, np.array(faces), np.array(edges)


def _box(length: float, width: float, height: float, bevel: float) -> LookMesh:
    corners, normals, faces, edges = _box_template()
    half = np.array([length, width, height]) / 2
    points = corners * half - min(bevel, 0.49 * 2 * float(half.min())) * (corners - normals)
    middle = 0.5 * (points[edges[:, [0, 2]]] + points[edges[:, [1, 3]]])  # of the bevel, at both of its ends
    return LookMesh(points, normals, faces, middle)


def _sides(radius: float, most: int) -> int:
    """Sides of a round thing that look round at arm's length."""
    enough = 8 if radius < 0.006 else 12 if radius < 0.012 else 18 if radius < 0.03 else 24 if radius < 0.06 else 32
    return min(most, enough)


def _strips(rings: int, count: int) -> Indices:
    """Two triangles between neighbours of consecutive closed rings, which are numbered one after the other."""
    k = np.arange(count)
    m = (k + 1) % count
    faces = []
    for ring in range(rings - 1):
        a, b = ring * count, (ring + 1) * count
        faces += [np.stack([a + k, a + m, b + m], 1), np.stack([a + k, b + m, b + k], 1)]
    return np.concatenate(faces)


def _solid_faces(points: Array, faces: Indices) -> Indices:
    """The triangles that have an area."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    wide: Indices = faces[0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1) > _FLAT]
    return wide


def _revolve(profile: tuple[Point2, ...], bevel: float, sides: int, sharp: float) -> LookMesh:
    at = np.array(profile)
    count = _sides(float(at[:, 0].max()), sides)
    legs = np.diff(at, axis=0)
    lengths = np.hypot(legs[:, 0], legs[:, 1])
    legs = unit(legs)
    out = np.stack([legs[:, 1], -legs[:, 0]], 1)
    rows: list[tuple[Array, Array]] = [(at[0], out[0])]
    rims = []
    for k in range(1, len(at) - 1):
        if math.acos(max(min(float(legs[k - 1] @ legs[k]), 1.0), -1.0)) < sharp:
            rows.append((at[k], unit(out[k - 1] + out[k])))
            continue
        cut = min(bevel, 0.45 * float(lengths[k - 1]), 0.45 * float(lengths[k]))
        rows += [(at[k] - cut * legs[k - 1], out[k - 1]), (at[k] + cut * legs[k], out[k])]
        if at[k, 0] > 1e-6:
            rims.append(0.5 * (rows[-2][0] + rows[-1][0]))
    rows.append((at[-1], out[-1]))
    angles = 2.0 * math.pi * np.arange(count) / count
    around = np.stack([np.cos(angles), np.sin(angles)], 1)

    def ring(pair: Array) -> Array:
        return np.column_stack([around * pair[0], np.full(count, pair[1])])

    points = np.concatenate([ring(place) for place, _ in rows])
    normals = np.concatenate([ring(normal) for _, normal in rows])
    edges = [np.stack([each, np.roll(each, -1, 0)], 1) for each in map(ring, rims)]
    faces = _solid_faces(points, _strips(len(rows), count))
    return LookMesh(points, normals, faces, np.concatenate(edges) if edges else NO_EDGES)


def _area(loop: Array) -> float:
    x, y = loop.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _extrude(loops: tuple[tuple[Point2, ...], ...], height: float, bevel: float) -> LookMesh:
    from manifold3d import triangulate

    cut = min(bevel, 0.45 * height)
    points: list[Array] = []
    normals: list[Array] = []
    edges: list[Array] = []
    insets: list[Array] = []
    for number, given in enumerate(loops):
        loop = np.array(given)
        if (_area(loop) > 0.0) != (number == 0):
            loop = loop[::-1]
        before, after = unit(loop - np.roll(loop, 1, 0)), unit(np.roll(loop, -1, 0) - loop)
        out_before, out_after = (np.stack([each[:, 1], -each[:, 0]], 1) for each in (before, after))
        middle = out_before + out_after
        inset = loop - cut * middle / np.maximum(np.sum(middle * middle, 1, keepdims=True), 0.3) * 2
        smooth = np.arccos(np.clip(np.sum(before * after, 1), -1.0, 1.0))[:, None] < _SHARP
        first = np.where(smooth, unit(middle), out_after)  # the normal at the start of each side
        last = np.roll(np.where(smooth, unit(middle), out_before), -1, 0)
        ahead, ahead_inset = np.roll(loop, -1, 0), np.roll(inset, -1, 0)
        flat, zero = np.zeros_like(loop), np.zeros(len(loop))
        rows = (
            (inset, ahead_inset, 0.0, flat, flat, zero - 1.0),
            (loop, ahead, cut, first, last, zero),
            (loop, ahead, height - cut, first, last, zero),
            (inset, ahead_inset, height, flat, flat, zero + 1.0),
        )
        quads = np.stack(
            [np.stack([np.column_stack([a, zero + z]), np.column_stack([b, zero + z])], 1) for a, b, z, *_ in rows], 1
        )
        shading = np.stack(
            [np.stack([np.column_stack([n, up]), np.column_stack([m, up])], 1) for *_, n, m, up in rows], 1
        )
        points.append(quads.reshape(-1, 3))
        normals.append(shading.reshape(-1, 3))
        for z in (cut / 2, height - cut / 2):
            rim = np.column_stack([0.5 * (loop + inset), zero + z])
            edges.append(np.stack([rim, np.roll(rim, -1, 0)], 1))
        corner = ~smooth[:, 0]
        upright = [np.column_stack([loop, zero + z])[corner] for z in (cut, height - cut)]
        edges.append(np.stack(upright, 1))
        insets.append(inset)
    count = sum(len(each) for each in insets)
    base = 8 * np.arange(count)[:, None, None] + np.array([0, 2, 4])[None, :, None]
    sides = np.concatenate([base + np.array([0, 1, 3]), base + np.array([0, 3, 2])], axis=1).reshape(-1, 3)
    cap = np.asarray(triangulate(insets), dtype=np.int64)
    flat_points = np.concatenate(insets)
    start = 8 * count
    for z, up in ((0.0, -1.0), (height, 1.0)):
        points.append(np.column_stack([flat_points, np.full(count, z)]))
        normals.append(np.tile([0.0, 0.0, up], (count, 1)))
    faces = np.concatenate([sides, cap[:, ::-1] + start, cap + start + count])
    return LookMesh(np.concatenate(points), np.concatenate(normals), faces, np.concatenate(edges))


_FINE: Final = 2.0 * math.pi * np.arange(720) / 720


@lru_cache(maxsize=1024)
def _superellipse(a: float, b: float, n: float, points: int) -> tuple[Array, Array]:
    """Points of |x/a|ⁿ + |y/b|ⁿ = 1, evenly spaced along it."""

    def at(angles: Array) -> tuple[Array, Array]:
        cosine, sine = np.cos(angles), np.sin(angles)
        radius = (np.abs(cosine / a) ** n + np.abs(sine / b) ** n) ** (-1.0 / n)
        return radius * cosine, radius * sine

    x, y = at(_FINE)
    steps = np.hypot(np.diff(np.append(x, x[0])), np.diff(np.append(y, y[0])))
    length = np.concatenate([[0.0], np.cumsum(steps)])
    return at(np.interp(np.arange(points) / points * length[-1], length, np.arange(721)) * 2.0 * math.pi / 720)


def _ring(section: Sequence[float], axis: str, points: int) -> Array:
    s, u, v, a, b, n = section
    ratio = float(f"{b / a:.3g}")  # sections of similar proportions share their points
    x, y = _superellipse(1.0, ratio, n, points)
    iu, iv, it = _AXES[axis]
    ring = np.empty((points, 3))
    ring[:, iu], ring[:, iv], ring[:, it] = u + a * x, v + b / ratio * y, s
    return ring


def _loft(sections: tuple[Section, ...], axis: str, points: int, rounding: float, rims: bool) -> LookMesh:
    forward = sections[-1][0] > sections[0][0]
    rows = [
        *_rounded_end(sections[0], sections[1], rounding),
        *sections[1:-1],
        *reversed(_rounded_end(sections[-1], sections[-2], rounding)),
    ]
    rings = np.stack([_ring(each, axis, points) for each in rows])
    around = np.roll(rings, -1, 1) - np.roll(rings, 1, 1)
    along = np.diff(rings, axis=0)
    sign = 1.0 if forward else -1.0
    lower = sign * unit(np.cross(around[:-1], along))  # normals of each band at its first ring
    upper = sign * unit(np.cross(around[1:], along))
    # Bands that meet at a blunt angle share their normals.
    mean = unit(upper[:-1] + lower[1:])
    blunt = (np.sum(upper[:-1] * lower[1:], 2) > math.cos(_CREASE))[..., None]
    end = np.zeros(3)
    end[_AXES[axis][2]] = -sign
    first, last = lower.copy(), upper.copy()
    first[2:-1] = np.where(blunt[1:-1], mean[1:-1], lower[2:-1])
    last[1:-2] = np.where(blunt[1:-1], mean[1:-1], upper[1:-2])
    first[0], last[0] = end, lower[1]  # the rounded ends run from the flat end to the side
    first[-1], last[-1] = upper[-2], -end
    bands = len(along)
    places = np.stack([rings[:-1], rings[1:]], 1).reshape(-1, 3)
    normals = np.stack([first, last], 1).reshape(-1, 3)
    strip = _strips(2, points)
    strip = strip if forward else strip[:, ::-1]
    faces = [(strip[None] + 2 * points * np.arange(bands)[:, None, None]).reshape(-1, 3)]
    fan = _fan(points)
    caps, base = [], 2 * points * bands
    for ring, normal, turned in ((rings[0], end, forward), (rings[-1], -end, not forward)):
        caps.append((ring, np.tile(normal, (points, 1))))
        faces.append((fan[:, ::-1] if turned else fan) + base)
        base += points
    edges = NO_EDGES
    if rims:
        middles = [0.5 * (rings[0] + rings[1]), 0.5 * (rings[-1] + rings[-2])]
        edges = np.concatenate([np.stack([each, np.roll(each, -1, 0)], 1) for each in middles])
    return LookMesh(
        np.concatenate([places, *(ring for ring, _ in caps)]),
        np.concatenate([normals, *(normal for _, normal in caps)]),
        np.concatenate(faces),
        edges,
    )


def _rounded_end(end: Section, inner: Section, rounding: float) -> tuple[list[float], list[float]]:
    """Two sections in place of an end: a smaller one there, and one a little further in."""
    length = max(abs(inner[0] - end[0]), 1e-9)
    cut = min(rounding, 0.3 * min(end[3], end[4]), 0.4 * length)
    back = [x + cut / length * (y - x) for x, y in zip(end, inner, strict=True)]
    front = list(end)
    front[3], front[4] = back[3] - cut, back[4] - cut
    return front, back


@cache
def _fan(points: int) -> Indices:
    return np.array([(0, k, k + 1) for k in range(1, points - 1)])


def _shell(
    length: float, width: float, height: float, wall: float, taper: float, corner: float, rim: float
) -> LookMesh:
    def loop(scale: float, grow: float, z: float) -> Array:
        radius = max(corner + grow, 0.002)
        outline = rounded(length * scale + 2 * grow, width * scale + 2 * grow, radius, 5)
        return np.column_stack([np.array(outline), np.full(20, z)])

    rows = [
        loop(taper, 0.0, 0.0),
        loop(1.0, 0.0, height - 2 * rim),
        loop(1.0, rim, height - 2 * rim),
        loop(1.0, rim, height),
        loop(1.0, -wall, height),
        loop(taper, -wall, wall),
    ]
    points, normals, faces = [], [], []
    strip, fan = _strips(2, 20), _fan(20)
    for k, (a, b) in enumerate(pairwise(rows)):
        outward = unit(np.cross(np.roll(a, -1, 0) - np.roll(a, 1, 0), b - a))
        points += [a, b]
        normals += [outward, outward]
        faces.append(strip + 40 * k)
    base = 40 * (len(rows) - 1)
    for row, up in ((rows[0], -1.0), (rows[-1], 1.0)):
        points.append(row)
        normals.append(np.tile([0.0, 0.0, up], (20, 1)))
        faces.append((fan if up > 0 else fan[:, ::-1]) + base)
        base += 20
    edges = [np.stack([row, np.roll(row, -1, 0)], 1) for row in rows[1:5]]
    return LookMesh(np.concatenate(points), np.concatenate(normals), np.concatenate(faces), np.concatenate(edges))


def _sweep(path: tuple[Point3, ...], radius: float, sides: int, smooth: int) -> LookMesh:
    points = np.array(path)
    count = _sides(radius, sides)
    if smooth and len(points) > 2:
        ends = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
        t = np.linspace(0.0, 1.0, smooth, endpoint=False)[:, None]
        pieces = [  # Catmull–Rom
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False)
        ]
        points = np.vstack([*pieces, points[-1:]])
    tangents = unit(np.gradient(points, axis=0))
    side = unit(np.cross(tangents[0], (0.31, 0.2, 0.93)))
    angles = 2.0 * math.pi * np.arange(count) / count
    rings, normals = [], []
    for at, tangent in zip(points, tangents, strict=True):
        side = unit(side - (side @ tangent) * tangent)
        normal = np.outer(np.cos(angles), side) + np.outer(np.sin(angles), np.cross(tangent, side))
        rings.append(at + radius * normal)
        normals.append(normal)
    last = len(points) * count
    fan = _fan(count)
    return LookMesh(
        np.concatenate([*rings, rings[0], rings[-1]]),
        np.concatenate([*normals, np.tile(-tangents[0], (count, 1)), np.tile(tangents[-1], (count, 1))]),
        np.concatenate([_strips(len(points), count), fan[:, ::-1] + last, fan + last + count]),
        NO_EDGES,
    )


_DRUM: Final = 12  # points of a half turn of a belt


def _belt(length: float, width: float, radius: float, thickness: float) -> LookMesh:
    half = length / 2 - radius
    turn = np.linspace(0.0, math.pi, _DRUM)
    right = np.stack([np.sin(turn), np.cos(turn)], 1)
    normal2 = np.concatenate([right, -right, right[:1]])  # around from the top of the right drum, closed
    centre = np.concatenate(
        [np.tile([half, -radius], (_DRUM, 1)), np.tile([-half, -radius], (_DRUM, 1)), [[half, -radius]]]
    )
    outer, inner = centre + radius * normal2, centre + (radius - thickness) * normal2
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(outer, axis=0).T))])
    count = len(outer)

    def skirt(a: Array, b: Array, y0: float, y1: float, normals: Array, uv: Array) -> LookMesh:
        points = np.concatenate([np.column_stack([c[:, 0], np.full(count, y), c[:, 1]]) for c, y in ((a, y0), (b, y1))])
        k = np.arange(count - 1)
        faces = np.concatenate([np.stack([k, k + 1, k + 1 + count], 1), np.stack([k, k + 1 + count, k + count], 1)])
        return LookMesh(points, np.tile(normals, (2, 1)) if len(normals) == count else normals, faces, NO_EDGES, uv)

    normals = np.column_stack([normal2[:, 0], np.zeros(count), normal2[:, 1]])
    w = width / 2
    plain = np.tile([0.0, 9.0], (2 * count, 1))  # beside the pattern
    uv = np.concatenate([np.column_stack([along, np.full(count, y)]) for y in (-w, w)])
    sheets = [
        skirt(outer, outer, -w, w, normals, uv),
        skirt(inner, inner, w, -w, -normals, plain),
        skirt(inner, outer, -w, -w, np.tile([0.0, -1.0, 0.0], (2 * count, 1)), plain),
        skirt(outer, inner, w, w, np.tile([0.0, 1.0, 0.0], (2 * count, 1)), plain),
    ]
    whole = joined(sheets)
    rims = [np.column_stack([outer[:, 0], np.full(count, y), outer[:, 1]]) for y in (-w, w)]
    edges = np.concatenate([np.stack([rim[:-1], rim[1:]], 1) for rim in rims])
    return LookMesh(whole.points, whole.normals, whole.faces, edges, whole.uv)


def _panel(length: float, height: float, whole: bool) -> LookMesh:
    x, z = length / 2, height / 2
    points = np.array([(-x, 0.0, -z), (x, 0.0, -z), (x, 0.0, z), (-x, 0.0, z)])
    uv = points[:, [0, 2]]
    uv = uv / [length, height] + 0.5 if whole else uv
    return LookMesh(points, np.tile([0.0, -1.0, 0.0], (4, 1)), np.array([(0, 1, 2), (0, 2, 3)]), NO_EDGES, uv)


def _facets(shape: "Shape") -> LookMesh:
    from drycell.looks.surfaces import surface

    found = surface(shape, math.inf)
    points, faces, flat = found.vertices, found.faces, found.normals
    corner = faces.ravel()
    owner = np.repeat(np.arange(len(faces)), 3)
    a, b, c = (points[faces[:, k]] for k in range(3))
    weight = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    # All pairs of triangles at one point: those that meet at a blunt angle share the normal there.
    order = np.argsort(corner, kind="stable")
    _, first, count = np.unique(corner[order], return_index=True, return_counts=True)
    place = np.repeat(np.arange(len(count)), count)
    partners = count[place]
    one = np.repeat(order, partners)
    within = np.arange(len(one)) - np.repeat(np.cumsum(partners) - partners, partners)
    other = order[np.repeat(first[place], partners) + within]
    near = np.einsum("ij,ij->i", flat[owner[one]], flat[owner[other]]) > _SMOOTH
    normals = np.zeros((len(corner), 3))
    shared = flat[owner[other[near]]] * weight[owner[other[near]]][:, None]
    for axis in range(3):
        normals[:, axis] = np.bincount(one[near], weights=shared[:, axis], minlength=len(corner))
    normals = unit(normals)
    bare = np.einsum("ij,ij->i", normals, normals) < 0.5  # triangles without an area
    normals[bare] = (0.0, 0.0, 1.0)
    # Corners with the same normal are one point.
    key = np.column_stack([corner, np.round(normals * 500).astype(np.int64)])
    _, kept, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
    sharp = found.edges[found.sharp]
    return LookMesh(points[corner[kept]], normals[kept], number.reshape(-1, 3), points[sharp])


_SMOOTH: Final = math.cos(math.radians(32.0))
_FORMS: Final[dict[str, Callable[..., LookMesh]]] = {
    "box": _box,
    "revolve": _revolve,
    "extrude": _extrude,
    "loft": _loft,
    "shell": _shell,
    "sweep": _sweep,
    "belt": _belt,
    "panel": _panel,
    "facets": _facets,
}
