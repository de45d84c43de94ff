"""Primitives: box, capsule, cone, cylinder and sphere, with closed forms for rays, nearest points, extents and mass.

Each is a frozen value, centred at the origin, with its axis along z.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, GeometryError, NoLess, Pose, Size, Vector, format_length
from drycell.geometry import checks
from drycell.geometry.mass import Faces, MassProperties
from drycell.geometry.placed import MILLI, Core, Piece, polytope
from drycell.geometry.shape import MOST_BALLS, Ball, Bounds, RayHit, Shape, SurfacePoint, content

if TYPE_CHECKING:
    import coal


TOUCH: Final = 1e-9  # metres; bodies this close touch, and touching counts as contact
Span = tuple[float, float, Vector]  # entry and exit of a line, and the outward normal at the entry
COARSE: Final = 24  # segments of a circle by default: they deviate by 0.86 % of the radius
FINEST: Final = 720
# The signs of corner k of a box are the bits z, y, x of k. Each side has two triangles, counter-clockwise from outside.
_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
_UPWARD: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_DOWNWARD: Final = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
FRUSTUM_DEVIATION: Final = 1e-5  # metres: coal has no frustum, so facets with this deviation replace it
_UPSIDE_DOWN: Final = Pose.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0))


class Primitive(Shape):
    """A convex solid defined by a few numbers."""

    @abstractmethod
    def extent(self, u: float, v: float, w: float) -> float:
        """Return the extent along a direction: the largest dot product with any point of the shape.

        Args:
            u: The x component of the direction.
            v: The y component of the direction.
            w: The z component of the direction.
        """

    @abstractmethod
    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Return where an infinite line enters and leaves the shape, or None.

        Args:
            origin: A point of the line, in the shape's frame, in metres.
            direction: The direction of the line, a vector of length 1.
            grow: How much to enlarge the shape, in metres.
        """

    @abstractmethod
    def coal_geometry(self) -> "coal.CollisionGeometry":
        """Return the shape as the coal library represents it, in millimetres."""

    def build_pieces(self) -> tuple[Piece, ...]:
        """Return the shape itself, as the only piece."""
        return (Piece(Core(self.coal_geometry(), self.extent, self.sphere, primitive=self)),)

    def ray(self, origin: Vector, direction: Vector, reach: float) -> RayHit | None:
        """Return the first hit within reach, or None. A ray that passes within 1 nm counts as a hit."""
        span = self.trace(origin, direction, 0.0) or self.trace(origin, direction, TOUCH)
        if span is None:
            return None
        near, far, normal = span
        if far < TOUCH or near > reach + TOUCH:
            return None  # behind, just leaving, or out of reach
        if near < 0.0:
            if near < -TOUCH:
                u, v, w = direction
                return RayHit(0.0, (-u, -v, -w), inside=True)
            near = 0.0
        return RayHit(near if near < reach else reach, normal)


def segments(radius: float, deviation: float | None) -> int:
    """Segments of a circle for a deviation: a multiple of four, so that extents along x and y are exact."""
    if deviation is None:
        return COARSE
    if not deviation > 0:
        raise GeometryError(
            f"faceting: deviation is {format_length(deviation)} but must be more than 0",
            hint="0.1*mm suits most parts; omit it for coarse facets",
        )
    if deviation >= radius:
        return 8
    quarters = math.ceil(math.pi / (4.0 * math.acos(1.0 - deviation / radius)))
    return min(FINEST, max(8, 4 * quarters))


def deviation_of(radius: float, count: int) -> float:
    """The deviation of an inscribed polygon with ``count`` sides from a circle."""
    return radius * (1.0 - math.cos(math.pi / count))


def revolve(profile: Sequence[tuple[float, float]], count: int) -> tuple[Array, Faces]:
    """The closed surface of revolution about z of a profile of (radius, z), bottom to top; open ends get flat caps."""
    angles = 2.0 * np.pi * np.arange(count) / count
    cosines, sines = np.cos(angles), np.sin(angles)
    for k in range(4):  # exact quarter points, so that the bounding box has no rounding errors
        cosines[k * count // 4], sines[k * count // 4] = ((1, 0), (0, 1), (-1, 0), (0, -1))[k]
    vertices: list[Array] = []
    faces: list[tuple[int, int, int]] = []
    rings: list[list[int]] = []
    start = 0
    for radius, z in profile:
        wide = radius > 0.0
        ring = np.stack((radius * cosines, radius * sines, np.full(count, z)), axis=1) if wide else [[0.0, 0.0, z]]
        vertices.append(np.asarray(ring))
        rings.append([start + k for k in range(count)] if wide else [start] * count)
        start += count if wide else 1
    for low, high in pairwise(rings):
        for k in range(count):
            n = (k + 1) % count
            if low[k] != low[n]:
                faces.append((low[k], low[n], high[n]))
            if high[k] != high[n]:
                faces.append((low[k], high[n], high[k]))
    if rings[0][0] != rings[0][1]:
        faces += [(a, c, b) for a, b, c in _lid(rings[0])]
    if rings[-1][0] != rings[-1][1]:
        faces += _lid(rings[-1])
    return np.concatenate(vertices), np.array(faces, dtype=np.int64)


def _lid(ring: list[int]) -> list[tuple[int, int, int]]:
    """Triangles that fill a ring. Every other corner is cut off until three are left, so no corner has many edges."""
    faces = []
    while len(ring) > 3:
        faces += [(ring[k], ring[k + 1], ring[(k + 2) % len(ring)]) for k in range(0, len(ring) - 1, 2)]
        ring = ring[::2]
    return [*faces, (ring[0], ring[1], ring[2])] if len(ring) == 3 else faces


def ball_profile(radius: float, count: int, lift: float) -> list[tuple[float, float]]:
    """The profile of a sphere whose halves are moved apart by ``lift`` up and down (a capsule)."""
    steps = count // 4
    lower = [
        (radius * math.sin(math.pi * k / (2 * steps)), -lift - radius * math.cos(math.pi * k / (2 * steps)))
        for k in range(1, steps)
    ]
    equator = [(radius, -lift)] if lift == 0.0 else [(radius, -lift), (radius, lift)]
    upper = [(rho, -z) for rho, z in reversed(lower)]
    return [(0.0, -lift - radius), *lower, *equator, *upper, (0.0, lift + radius)]


def frustum_mass(low: float, high: float, half: float) -> MassProperties:
    """Mass properties of a frustum: integrals of r², z·r², z²·r² and r⁴ for a radius linear in height."""
    length = 2 * half
    volume = math.pi * length * (low * low + low * high + high * high) / 3
    first = math.pi * length**2 * (low * low + 2 * low * high + 3 * high * high) / 12
    second = math.pi * length**3 * (low * low + 3 * low * high + 6 * high * high) / 30
    fourth = math.pi * length * (low**4 + low**3 * high + low**2 * high**2 + low * high**3 + high**4) / 5
    centre = first / volume
    across = fourth / 4 + second - volume * centre * centre
    return MassProperties.diagonal(volume, across, across, fourth / 2, (0.0, 0.0, centre - half))


def frustum_ball(low: float, high: float, half: float) -> Ball:
    """The smallest sphere through both rims, or about the larger one."""
    z = max(-half, min(half, (high * high - low * low) / (4 * half)))
    return (0.0, 0.0, z), max(math.hypot(low, z + half), math.hypot(high, z - half))


def frustum_balls(low: float, high: float, half: float) -> tuple[Ball, ...]:
    """Spheres around slices that are about as high as wide."""
    count = max(1, min(MOST_BALLS, round(half / max(low, high))))
    found = []
    for k in range(count):
        a, b = (low + (high - low) * fraction for fraction in (k / count, (k + 1) / count))
        (_, _, z), radius = frustum_ball(a, b, half / count)
        found.append(((0.0, 0.0, z - half + (2 * k + 1) * half / count), radius * (1 + 1e-12)))
    return tuple(found)


def frustum_nearest(low: float, high: float, half: float, point: Vector) -> SurfacePoint:
    """The nearest point of the side or of a lid of a frustum."""
    x, y, z = point
    rho = math.hypot(x, y)
    out = (x / rho, y / rho) if rho > 1e-15 else (1.0, 0.0)
    slope = math.hypot(2 * half, low - high)
    nr, nz = 2 * half / slope, (low - high) / slope  # outward normal of the side, in (radius, z)
    below, above, aside = -half - z, z - half, nr * (rho - low) + nz * (z + half)
    if max(below, above, aside) <= 0.0:  # inside, the nearest of the three lies within its own bounds
        if aside >= max(below, above):
            foot, normal = (rho - aside * nr, z - aside * nz), (nr, nz)
        else:
            foot, normal = ((rho, -half), (0.0, -1.0)) if below >= above else ((rho, half), (0.0, 1.0))
        distance = max(below, above, aside)
    else:
        fraction = ((rho - low) * (high - low) + (z + half) * 2 * half) / (slope * slope)
        fraction = max(0.0, min(1.0, fraction))
        feet = (
            (low + fraction * (high - low), -half + fraction * 2 * half),
            (min(rho, low), -half),
            (min(rho, high), half),
        )
        distance, foot = min((math.hypot(rho - f[0], z - f[1]), f) for f in feet)
        if distance > 1e-12:
            normal = ((rho - foot[0]) / distance, (z - foot[1]) / distance)
        else:
            normal = (nr, nz) if aside >= max(below, above) else (0.0, math.copysign(1.0, z))
    (fr, fz), (mr, mz) = foot, normal
    return SurfacePoint(distance, (fr * out[0], fr * out[1], fz), (mr * out[0], mr * out[1], mz))


def frustum_trace(low: float, high: float, half: float, origin: Vector, direction: Vector) -> Span | None:
    """The entry and exit of a line through a frustum: between the lids and within the side."""
    x, y, z = origin
    u, v, w = direction
    near, far, lid = -math.inf, math.inf, True
    if abs(w) < 1e-15:
        if abs(z) > half:
            return None
    else:
        middle, span = -z / w, half / abs(w)
        near, far = middle - span, middle + span
    k = (high - low) / (2 * half)
    radius = 0.5 * (low + high)
    # Distances are measured from the point of the line closest to the centre, where the squares are small and no digits
    # are lost. (The point closest to the axis can be arbitrarily far away on a line that is nearly parallel to it.)
    a = u * u + v * v
    shift = -(x * u + y * v + z * w)
    x, y, z = x + shift * u, y + shift * v, z + shift * w
    near, far = near - shift, far - shift
    r = radius + k * z
    A, B, C = a - k * k * w * w, x * u + y * v - k * w * r, x * x + y * y - r * r
    if abs(A) < 1e-24:
        if abs(B) < 1e-18:
            if C > 0.0:
                return None
        elif B > 0.0:
            far = min(far, -C / (2 * B))
        elif near < -C / (2 * B):
            near, lid = -C / (2 * B), False
    else:
        disc = B * B - A * C
        if A > 0.0:
            if disc < 0.0:
                return None
            root = math.sqrt(disc)
            if (-B - root) / A > near:
                near, lid = (-B - root) / A, False
            far = min(far, (-B + root) / A)
        elif disc > 0.0:  # steeper than the side: the inside is before the first or after the second crossing
            root = math.sqrt(disc)
            first, second = (-B + root) / A, (-B - root) / A
            if near <= min(far, first) and radius + k * (z + 0.5 * (near + min(far, first)) * w) >= 0.0:
                far = min(far, first)
            elif second > near:
                near, lid = second, False
    if near > far:
        return None
    if lid:
        return near + shift, far + shift, (0.0, 0.0, -math.copysign(1.0, w))
    hx, hy = x + near * u, y + near * v
    rho = math.hypot(hx, hy)
    slope = math.hypot(1.0, k)
    if rho < 1e-15:
        return near + shift, far + shift, (0.0, 0.0, math.copysign(1.0, -k))
    return near + shift, far + shift, (hx / rho / slope, hy / rho / slope, -k / slope)


class Box(
    Primitive,
    kind="box",
    compact=True,
    kw_only=False,
    icon="check_box_outline_blank",
    example={"x": "100 mm", "y": "100 mm", "z": "100 mm"},
):
    """A cuboid, centred at the origin, with its sides along x, y and z.

    >>> from drycell import Box, mm
    >>> round(Box(100*mm, 50*mm, 20*mm).volume * 1e6)  # cm³
    100
    """

    x: Size
    """Side along x."""
    y: Size
    """Side along y."""
    z: Size
    """Side along z."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            object.__setattr__(self, name, checks.size("box", name, getattr(self, name)))

    @cached_property
    def key(self) -> str:
        """Kind and sides."""
        return content("box", self.x, self.y, self.z)

    @cached_property
    def half(self) -> Vector:
        """Half the sides."""
        return (self.x / 2, self.y / 2, self.z / 2)

    @cached_property
    def bounds(self) -> Bounds:
        """The box itself as lower and upper corner."""
        a, b, c = self.half
        return (-a, -b, -c), (a, b, c)

    @cached_property
    def sphere(self) -> Ball:
        """The sphere through the corners."""
        return (0.0, 0.0, 0.0), math.hypot(*self.half)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a cuboid."""
        x, y, z = self.x, self.y, self.z
        volume = x * y * z
        k = volume / 12
        return MassProperties.diagonal(volume, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y))

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Eight corners and twelve triangles."""
        vertices = np.array(_CORNERS) * (self.x, self.y, self.z)
        faces = [t for a, b, c, d in _SIDES for t in ((a, b, c), (a, c, d))]
        return vertices, np.array(faces, dtype=np.int64)

    def extent(self, u: float, v: float, w: float) -> float:
        """The extent of the corner on that side."""
        a, b, c = self.half
        return a * abs(u) + b * abs(v) + c * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of a side, edge or corner."""
        gaps = [abs(p) - h for p, h in zip(point, self.half, strict=True)]
        signs = [math.copysign(1.0, p) for p in point]
        if max(gaps) <= 0.0:
            axis = gaps.index(max(gaps))
            on, normal = list(point), [0.0, 0.0, 0.0]
            on[axis], normal[axis] = signs[axis] * self.half[axis], signs[axis]
            return SurfacePoint(gaps[axis], (on[0], on[1], on[2]), (normal[0], normal[1], normal[2]))
        x, y, z = (max(-h, min(h, p)) for p, h in zip(point, self.half, strict=True))
        away = [s * max(g, 0.0) for s, g in zip(signs, gaps, strict=True)]
        length = math.hypot(*away)
        return SurfacePoint(length, (x, y, z), (away[0] / length, away[1] / length, away[2] / length))

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Intersect the three slabs."""
        # Unrolled for each axis: sensors call this more often than anything else.
        a, b, c = self.half
        x, y, z = origin
        u, v, w = direction
        near, far, normal = -math.inf, math.inf, _UPWARD[0]
        if u > 1e-15 or u < -1e-15:
            middle = -x / u
            span = (a + grow) / u
            if u > 0.0:
                near, far, normal = middle - span, middle + span, _DOWNWARD[0]
            else:
                near, far = middle + span, middle - span
        elif abs(x) > a + grow:
            return None
        if v > 1e-15 or v < -1e-15:
            middle = -y / v
            span = (b + grow) / v
            if v > 0.0:
                enter, leave, side = middle - span, middle + span, _DOWNWARD[1]
            else:
                enter, leave, side = middle + span, middle - span, _UPWARD[1]
            if enter > near:
                near, normal = enter, side
            if leave < far:
                far = leave
            if near > far:
                return None
        elif abs(y) > b + grow:
            return None
        if w > 1e-15 or w < -1e-15:
            middle = -z / w
            span = (c + grow) / w
            if w > 0.0:
                enter, leave, side = middle - span, middle + span, _DOWNWARD[2]
            else:
                enter, leave, side = middle + span, middle - span, _UPWARD[2]
            if enter > near:
                near, normal = enter, side
            if leave < far:
                far = leave
            if near > far:
                return None
        elif abs(z) > c + grow:
            return None
        return near, far, normal

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape in coal, in millimetres."""
        import coal

        return coal.Box(self.x * MILLI, self.y * MILLI, self.z * MILLI)


class Capsule(
    Primitive,
    kind="capsule",
    kw_only=False,
    icon="medication",
    example={"radius": "25 mm", "length": "100 mm"},
):
    """A cylinder along z with hemispherical ends, centred at the origin.

    ``length`` is that of the cylindrical part: the whole capsule is ``length + 2*radius`` long.

    >>> from drycell import Capsule, mm
    >>> lower, upper = Capsule(radius=25*mm, length=100*mm).bounds
    >>> round(upper[2] / mm)
    75
    """

    radius: Size
    """Radius."""
    length: NoLess
    """Length of the cylindrical part along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("capsule", "radius", self.radius))
        object.__setattr__(self, "length", checks.size("capsule", "length", self.length, zero=True))

    @cached_property
    def key(self) -> str:
        """Kind, radius and length."""
        return content("capsule", self.radius, self.length)

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box."""
        r, h = self.radius, self.length / 2 + self.radius
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """The sphere that touches both ends."""
        return (0.0, 0.0, 0.0), self.length / 2 + self.radius

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a cylinder and two hemispheres."""
        r, length = self.radius, self.length
        bar, ends = math.pi * r * r * length, 4 / 3 * math.pi * r**3
        across = bar * (length**2 / 12 + r * r / 4) + ends * (0.4 * r * r + length**2 / 4 + 3 / 8 * length * r)
        return MassProperties.diagonal(bar + ends, across, across, r * r * (bar / 2 + 0.4 * ends))

    def spheres(self) -> tuple[Ball, ...]:
        """Spheres around slices that are about as high as wide."""
        slices = frustum_balls(self.radius, self.radius, self.length / 2 + self.radius)
        return slices if len(slices) > 1 else (self.sphere,)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Rings of latitude, moved apart at the equator."""
        count = segments(self.radius, deviation and 0.5 * deviation)
        return revolve(ball_profile(self.radius, count, self.length / 2), count)

    def extent(self, u: float, v: float, w: float) -> float:
        """The extent of the axis plus the radius."""
        return self.radius * math.sqrt(u * u + v * v + w * w) + 0.5 * self.length * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point, radially outward from the axis."""
        x, y, z = point
        h, r = self.length / 2, self.radius
        foot = max(-h, min(h, z))
        up = z - foot
        length = math.sqrt(x * x + y * y + up * up)
        n = (x / length, y / length, up / length) if length > 1e-15 else (1.0, 0.0, 0.0)
        return SurfacePoint(length - r, (n[0] * r, n[1] * r, n[2] * r + foot), n)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Cross the union of the cylinder and the two spheres, which is convex."""
        x, y, z = origin
        h, r = self.length / 2, self.radius + grow
        spans = [ball_span((x, y, z - h), direction, r), ball_span((x, y, z + h), direction, r)]
        if h > 0.0:
            spans.append(bar_span(r, h, origin, direction))
        found = [span for span in spans if span is not None]
        if not found:
            return None
        near, _, normal = min(found, key=lambda span: span[0])
        return near, max(span[1] for span in found), normal

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape in coal, in millimetres."""
        import coal

        return coal.Capsule(self.radius * MILLI, self.length * MILLI)


class Cone(
    Primitive,
    kind="cone",
    compact=True,
    icon="change_history",
    example={"radius": "50 mm", "length": "100 mm"},
    kw_only=False,
    was={"top": "write 'top_radius'", "half_angle": "a sensor's beam is written beam: {length: …, half_angle: …}"},
):
    """A cone or frustum along z, centred at the origin.

    Rays, nearest points and mass are exact. Distances between a frustum and other bodies are those of an inscribed
    polyhedron within 0.01 mm of it.

    >>> from drycell import Cone, mm
    >>> tip = Cone(radius=20*mm, length=60*mm)
    >>> tip.contains((0, 0, 29*mm)), tip.contains((10*mm, 0, 29*mm))
    (True, False)
    >>> funnel = Cone(radius=20*mm, length=60*mm, top_radius=50*mm)
    """

    radius: NoLess
    """Radius at the bottom."""
    length: Size
    """Length along z."""
    top_radius: NoLess = 0.0
    """Radius at the top; 0 for a point."""

    def __post_init__(self) -> None:
        if self.radius == 0 and self.top_radius == 0:
            raise GeometryError("cone: 'radius' and 'top_radius' are both 0", hint="write for example radius: 10 mm")
        object.__setattr__(self, "radius", checks.size("cone", "radius", self.radius, zero=self.top_radius > 0))
        object.__setattr__(self, "length", checks.size("cone", "length", self.length))
        object.__setattr__(self, "top_radius", checks.size("cone", "top_radius", self.top_radius, zero=True))

    @cached_property
    def key(self) -> str:
        """Kind, radii and length."""
        return content("cone", self.radius, self.length, self.top_radius)

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box."""
        r, h = max(self.radius, self.top_radius), self.length / 2
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """The sphere through both rims, or about the larger one."""
        return frustum_ball(self.radius, self.top_radius, self.length / 2)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a frustum."""
        return frustum_mass(self.radius, self.top_radius, self.length / 2)

    def spheres(self) -> tuple[Ball, ...]:
        """Spheres around slices that are about as high as wide."""
        return frustum_balls(self.radius, self.top_radius, self.length / 2)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """A pyramid with its edges on the side of the cone."""
        profile = [(self.radius, -self.length / 2), (self.top_radius, self.length / 2)]
        return revolve(profile, segments(max(self.radius, self.top_radius), deviation))

    def extent(self, u: float, v: float, w: float) -> float:
        """The extent of the rim or the point on that side."""
        across, up = math.sqrt(u * u + v * v), 0.5 * self.length * w
        return max(self.radius * across - up, self.top_radius * across + up)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of the side or of a lid."""
        return frustum_nearest(self.radius, self.top_radius, self.length / 2, point)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Cross the space between the lids and within the side."""
        wider = grow * math.hypot(1.0, (self.top_radius - self.radius) / self.length)
        tilt = grow * (self.top_radius - self.radius) / self.length  # the lids move outward and the side is extended
        low, high = self.radius + wider - tilt, self.top_radius + wider + tilt
        return frustum_trace(low, high, self.length / 2 + grow, origin, direction)

    def build_pieces(self) -> tuple[Piece, ...]:
        """A cone of coal, upright or upside down, or a finely faceted frustum."""
        if self.top_radius == 0.0:
            return super().build_pieces()
        if self.radius == 0.0:
            return tuple(piece.at(_UPSIDE_DOWN) for piece in Cone(self.top_radius, self.length).pieces())
        hull = polytope(*self.triangles(FRUSTUM_DEVIATION))
        return (Piece(Core(hull.geometry, hull.extent, self.sphere)),)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape in coal, in millimetres."""
        import coal

        return coal.Cone(self.radius * MILLI, self.length * MILLI)


class Cylinder(
    Primitive,
    kind="cylinder",
    kw_only=False,
    icon="database",
    example={"radius": "50 mm", "length": "100 mm"},
):
    """A cylinder along z, centred at the origin.

    >>> from drycell import Cylinder, mm
    >>> lower, upper = Cylinder(radius=30*mm, length=80*mm).bounds
    >>> [round(value / mm) for value in upper]
    [30, 30, 40]
    """

    radius: Size
    """Radius."""
    length: Size
    """Length along z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("cylinder", "radius", self.radius))
        object.__setattr__(self, "length", checks.size("cylinder", "length", self.length))

    @cached_property
    def key(self) -> str:
        """Kind, radius and length."""
        return content("cylinder", self.radius, self.length)

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box."""
        r, h = self.radius, self.length / 2
        return (-r, -r, -h), (r, r, h)

    @cached_property
    def sphere(self) -> Ball:
        """The sphere through both rims."""
        return (0.0, 0.0, 0.0), math.hypot(self.radius, self.length / 2)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a cylinder."""
        volume = math.pi * self.radius**2 * self.length
        across = volume * (3 * self.radius**2 + self.length**2) / 12
        return MassProperties.diagonal(volume, across, across, volume * self.radius**2 / 2)

    def spheres(self) -> tuple[Ball, ...]:
        """Spheres around slices that are about as high as wide."""
        return frustum_balls(self.radius, self.radius, self.length / 2)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """A regular prism with its edges on the side of the cylinder."""
        profile = [(self.radius, -self.length / 2), (self.radius, self.length / 2)]
        return revolve(profile, segments(self.radius, deviation))

    def extent(self, u: float, v: float, w: float) -> float:
        """The extent of the rim on that side."""
        return self.radius * math.sqrt(u * u + v * v) + 0.5 * self.length * abs(w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point of the side or of a lid."""
        return frustum_nearest(self.radius, self.radius, self.length / 2, point)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Cross the space between the lids and within the side."""
        return bar_span(self.radius + grow, 0.5 * self.length + grow, origin, direction)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape in coal, in millimetres."""
        import coal

        return coal.Cylinder(self.radius * MILLI, self.length * MILLI)


def bar_span(radius: float, half: float, origin: Vector, direction: Vector) -> Span | None:
    """The entry and exit of a line through a cylinder along z: a faster special case of the frustum, for sensors."""
    x, y, z = origin
    u, v, w = direction
    square = u * u + v * v
    if square > 1e-24:
        closest = -(x * u + y * v) / square
        a, b = x + closest * u, y + closest * v
        rest = (radius * radius - a * a - b * b) / square
        if rest < 0.0:
            return None
        root = math.sqrt(rest)
        near, far = closest - root, closest + root
        side = True
    else:
        if x * x + y * y > radius * radius:
            return None
        near, far, side = -math.inf, math.inf, False
    if -1e-15 < w < 1e-15:
        if abs(z) > half:
            return None
    else:
        middle, span = -z / w, abs(half / w)
        if middle - span > near:
            near, side = middle - span, False
        if middle + span < far:
            far = middle + span
    if near > far:
        return None
    if side:
        return near, far, ((x + near * u) / radius, (y + near * v) / radius, 0.0)
    return near, far, (0.0, 0.0, -1.0 if w > 0.0 else 1.0)


class Sphere(Primitive, kind="sphere", compact=True, kw_only=False, icon="circle", example={"radius": "50 mm"}):
    """A sphere, centred at the origin.

    >>> from drycell import Sphere, mm
    >>> round(Sphere(20*mm).nearest((50*mm, 0, 0)).distance / mm, 6)
    30.0
    """

    radius: Size
    """Radius."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.size("sphere", "radius", self.radius))

    @cached_property
    def key(self) -> str:
        """Kind and radius."""
        return content("sphere", self.radius)

    @cached_property
    def bounds(self) -> Bounds:
        """The tight bounding box."""
        r = self.radius
        return (-r, -r, -r), (r, r, r)

    @cached_property
    def sphere(self) -> Ball:
        """The sphere itself."""
        return (0.0, 0.0, 0.0), self.radius

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Closed forms of a sphere."""
        volume = 4 / 3 * math.pi * self.radius**3
        moment = 0.4 * volume * self.radius**2
        return MassProperties.diagonal(volume, moment, moment, moment)

    def triangles(self, deviation: float | None = None) -> tuple[Array, Faces]:
        """Rings of latitude."""
        count = segments(self.radius, deviation and 0.5 * deviation)  # a quadrilateral deviates along both of its sides
        return revolve(ball_profile(self.radius, count, 0.0), count)

    def extent(self, u: float, v: float, w: float) -> float:
        """The radius, in every direction."""
        return self.radius * math.sqrt(u * u + v * v + w * w)

    def nearest(self, point: Vector) -> SurfacePoint:
        """The nearest point, radially outward from the centre; above the centre for the centre itself."""
        x, y, z = point
        length = math.sqrt(x * x + y * y + z * z)
        n = (x / length, y / length, z / length) if length > 1e-15 else (0.0, 0.0, 1.0)
        return SurfacePoint(length - self.radius, (n[0] * self.radius, n[1] * self.radius, n[2] * self.radius), n)

    def trace(self, origin: Vector, direction: Vector, grow: float) -> Span | None:
        """Cross the sphere about the line's closest point to the centre."""
        return ball_span(origin, direction, self.radius + grow)

    def coal_geometry(self) -> "coal.CollisionGeometry":
        """The shape in coal, in millimetres."""
        import coal

        return coal.Sphere(self.radius * MILLI)


def ball_span(origin: Vector, direction: Vector, radius: float) -> Span | None:
    """The entry and exit of a line through a sphere about (0, 0, 0)."""
    x, y, z = origin
    u, v, w = direction
    closest = -(x * u + y * v + z * w)
    a, b, c = x + closest * u, y + closest * v, z + closest * w
    rest = radius * radius - (a * a + b * b + c * c)
    if rest < 0.0:
        return None
    half = math.sqrt(rest)
    return closest - half, closest + half, ((a - half * u) / radius, (b - half * v) / radius, (c - half * w) / radius)
