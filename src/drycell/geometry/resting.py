"""Stable states: the ways in which a solid can rest on a level surface, and how often it ends in each.

A solid rests on a facet of its convex hull. All heights are those of its centre of mass, which is that of the true
solid and not of the hull. The facet that a direction *u* (downwards, in the solid's frame) rolls to is the facet i with
the largest (nᵢ·u)/hᵢ, the one that the ray from the centre of mass along u pierces; a facet is stable if its own normal
pierces it. To leave a state, the centre of mass must rise to the lowest *pass*: an edge of the hull. States with only a
shallow pass between them are one state, such as the side of a faceted cylinder, on which it rolls.

The probabilities here need no drops. Law ``quench``: the weight of a direction u is exp(−β h(u)/R), h(u) the height
of the centre of mass when u points down and R the cube root of the hull's volume. β = 9 is the value for which measured
drops of prisms, thick coins and boxes are met best. Law ``quasi-static``: all directions have the same weight (the
solid angle of each state; Mirtich, Zhuang, Goldberg et al., 1996). ``drycell.world`` has the law ``tumble``, which
drops the part.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, cast, overload

import numpy as np

from drycell.base import IDENTITY, Array, GeometryError, Pose, UnknownName, Vector
from drycell.geometry.compound import Compound
from drycell.geometry.mass import Faces, MassProperties, of_triangles
from drycell.geometry.outline import Polygon, convex_outline
from drycell.geometry.polyhedron import Polyhedron
from drycell.geometry.primitives import COARSE, Box, Capsule, Cone, Cylinder, Sphere, ball_profile, revolve
from drycell.geometry.shape import Shape

ShapeLaw = Literal["quench", "quasi-static"]

BETA: Final = 9.0
SHALLOW: Final = 0.01  # of the cube root of the hull's volume: states with a lower pass between them are one
DIRECTIONS: Final = 4000
_COPLANAR: Final = 1e-6  # of the size: facets of the hull that differ by less are one
_EQUAL: Final = 1e-6  # of the size: states whose heights and barriers differ by less are alike
_MOST_FACETS: Final = 40_000
_ROWS: Final = 256  # facets compared at a time
# Turns the grid of directions, so that none of its axes is an axis of the solid.
_TURN: Final = Pose.of_rpy(0.61, 0.93, 1.27)


@dataclass(frozen=True, slots=True)
class StableState:
    """One way to rest. Lengths in metres; directions in the frame of the shape."""

    name: str
    """``A``, ``B`` and so on, most likely first, unless the state has been given a name."""
    down: Vector
    """The direction, in the frame of the shape, that points down."""
    height: float
    """Height of the centre of mass above the surface."""
    barrier: float
    """How far the centre of mass must rise to leave the state; infinite if it is the only one."""
    footprint: Polygon
    """Convex outline of the whole shape seen from above, in the frame of ``pose``."""
    support: Polygon
    """Outline of what touches the surface, in the frame of ``pose``. A round side counts as a narrow facet."""
    probability: float
    """How often a part that is dropped from high above ends in this state, 0…1."""
    error: float
    """Standard error of the probability due to sampling; 0 if no drops were sampled."""
    rolls: bool
    """Whether it can roll on the surface, as a cylinder on its side does."""
    pose: Pose
    """Pose of the shape's frame when it rests: z = 0 is the surface, and the centre of mass is above the origin."""


class RestingHull:
    """The convex hull of a shape, seen from its centre of mass: facets, the facets they topple to, and passes.

    Numbers that decide where a part rolls are computed in plain floats: they are the same bits on every machine.
    """

    def __init__(self, shape: Shape) -> None:
        properties = _mass_properties(shape)
        self.size = max(high - low for low, high in zip(*shape.bounds, strict=True))
        """The largest dimension: the longest side of the shape's bounding box."""
        # Rounded, because the last bits of integrals, sines and matrix products depend on the processor.
        digits = 10 - math.floor(math.log10(self.size))
        cx, cy, cz = (round(value, digits) + 0.0 for value in properties.centre)
        self.centre: Vector = (cx, cy, cz)
        self.inertia = tuple(tuple(_rounded(value / properties.volume) for value in row) for row in properties.inertia)
        """Inertia about the centre of mass over the mass, in m²."""
        points, faces = _polyhedron(shape)
        points = np.array([[round(value, digits) + 0.0 for value in each] for each in points.tolist()])
        triangles, neighbours, volume = _hull(points, faces)
        if len(triangles) > _MOST_FACETS:
            raise GeometryError(
                f"its convex hull has {len(triangles)} triangles; the limit is {_MOST_FACETS}",
                hint="export it with coarser facets, or simplify it",
            )
        self.radius = _rounded(volume ** (1.0 / 3.0))
        """R, the cube root of the volume of the hull."""
        corners = sorted({corner for each in triangles for corner in each})
        self.vertices: tuple[Vector, ...] = tuple((x - cx, y - cy, z - cz) for x, y, z in points[corners].tolist())
        """Corners, from the centre of mass."""
        self.reach = max(math.sqrt(x * x + y * y + z * z) for x, y, z in self.vertices)
        """Distance of the farthest corner from the centre of mass."""
        place = {corner: k for k, corner in enumerate(corners)}
        triangles = [tuple(place[k] for k in each) for each in triangles]
        planes = [_plane(*(self.vertices[k] for k in each)) for each in triangles]
        facet, members = _merged(planes, neighbours, self.size)
        best = [max(each, key=lambda k: planes[k][2]) for each in members]  # the plane of a large triangle is precise
        self.normals: tuple[Vector, ...] = tuple(planes[k][0] for k in best)
        """Outward normals of the facets."""
        self.heights: tuple[float, ...] = tuple(planes[k][1] for k in best)
        """Height of the centre of mass above each facet."""
        if isinstance(shape, Sphere):
            self.heights = (shape.radius,) * len(self.normals)
        self.corners: tuple[tuple[int, ...], ...] = tuple(
            tuple(sorted({corner for k in each for corner in triangles[k]})) for each in members
        )
        """The corners of each facet, as indices into ``vertices``."""
        if min(self.heights) <= 0.0:
            raise GeometryError(
                "the centre of mass is outside the solid's convex hull", hint="check that its surface is closed"
            )
        self.rolls_to = self._toppled()
        """The stable facet that each facet topples to; itself if it is stable."""
        self._group(self._edges(triangles, neighbours, facet), _round_facets(shape, self.normals))

    basin: tuple[int, ...]
    """The state, by number, that each facet belongs to."""
    bottoms: tuple[int, ...]
    """The facet of each state on which the centre of mass is lowest."""
    rolls: tuple[bool, ...]
    """Whether the shape can roll in each state: on a round side, or over more than two facets at nearly one height."""
    passes: tuple[float, ...]
    """Height of the centre of mass on the lowest pass out of each state; infinite if it is the only one."""

    def facet_below(self, u: Vector) -> int:
        """The facet that the shape rolls to first when the direction ``u`` of its frame points down."""
        x, y, z = u
        best, most = 0, -math.inf
        for k, ((a, b, c), height) in enumerate(zip(self.normals, self.heights, strict=True)):
            value = (a * x + b * y + c * z) / height
            if value > most:
                best, most = k, value
        return best

    def lowest(self, u: Vector) -> float:
        """Height of the centre of mass when the direction ``u`` of the shape's frame points down."""
        x, y, z = u
        return max(a * x + b * y + c * z for a, b, c in self.vertices)

    def order(self, facet: int) -> tuple[float, ...]:
        """The lowest facet first; of equally low ones that towards −z, −y, −x."""
        return (round(self.heights[facet] / self.size, 9), *(round(v, 6) for v in reversed(self.normals[facet])))

    def _toppled(self) -> tuple[int, ...]:
        """The facet on which the solid comes to rest after toppling from each facet."""
        normals, heights = np.array(self.normals), np.array(self.heights)
        following = np.empty(len(heights), dtype=np.int64)
        for start in range(0, len(heights), _ROWS):
            values = (normals[start : start + _ROWS] @ normals.T) / heights
            own = np.arange(start, min(start + _ROWS, len(heights)))
            stable = values.max(axis=1) <= (1.0 + 1e-9) / heights[own]
            following[own] = np.where(stable, own, values.argmax(axis=1))
        while True:
            further = following[following]
            if (further == following).all():
                return tuple(following.tolist())
            following = further

    def _edges(
        self, triangles: list[tuple[int, ...]], neighbours: list[list[int]], facet: list[int]
    ) -> dict[tuple[int, int], float]:
        """The height of the pass over the edge between each two neighbouring facets."""
        found: dict[tuple[int, int], float] = {}
        for k, beside in enumerate(neighbours):
            for opposite, other in enumerate(beside):
                i, j = facet[k], facet[other]
                if i < j:
                    a, b = (self.vertices[c] for n, c in enumerate(triangles[k]) if n != opposite)
                    height = self._pass_over(a, b, i, j)
                    found[i, j] = min(found.get((i, j), math.inf), height)
        return found

    def _pass_over(self, a: Vector, b: Vector, i: int, j: int) -> float:
        """Height of the centre of mass at the top of a roll over the edge from a to b between facets i and j."""
        x, y, z = (q - p for p, q in zip(a, b, strict=True))
        square = x * x + y * y + z * z
        along = (a[0] * x + a[1] * y + a[2] * z) / square
        foot = (a[0] - along * x, a[1] - along * y, a[2] - along * z)
        distance = math.sqrt(foot[0] * foot[0] + foot[1] * foot[1] + foot[2] * foot[2])
        n, m = self.normals[i], self.normals[j]
        bend = n[0] * m[0] + n[1] * m[1] + n[2] * m[2]
        on_arc = distance > 0.0 and all(
            (foot[0] * p[0] + foot[1] * p[1] + foot[2] * p[2]) / distance >= bend - 1e-9 for p in (n, m)
        )
        return distance if on_arc else max(self.heights[i], self.heights[j])

    def _group(self, edges: dict[tuple[int, int], float], round_ones: set[int]) -> None:
        """Join stable facets with only a shallow pass between them, lowest pass first (a merge tree)."""
        state = {each: each for each in sorted(set(self.rolls_to))}
        bottom = {each: self.heights[each] for each in state}

        def root(k: int) -> int:
            while state[k] != k:
                k = state[k]
            return k

        ordered = sorted((height, i, j) for (i, j), height in edges.items())
        rounds = sorted({self.rolls_to[k] for k in round_ones})
        for k in rounds[1:]:
            state[root(k)] = root(rounds[0])
        for height, i, j in ordered:
            a, b = root(self.rolls_to[i]), root(self.rolls_to[j])
            if a != b and height - max(bottom[a], bottom[b]) < SHALLOW * self.radius:
                low, high = (a, b) if (bottom[a], a) <= (bottom[b], b) else (b, a)
                state[high] = low
        roots = sorted({root(k) for k in state})
        number = {each: k for k, each in enumerate(roots)}
        self.basin = tuple(number[root(self.rolls_to[k])] for k in range(len(self.heights)))
        members: list[list[int]] = [[] for _ in roots]
        for k in state:
            members[number[root(k)]].append(k)
        self.bottoms = tuple(min(each, key=self.order) for each in members)
        limits = [self.heights[k] + SHALLOW * self.radius for k in self.bottoms]
        self.rolls = tuple(
            self.bottoms[k] in round_ones or sum(self.heights[m] < limits[k] for m in each) > 2
            for k, each in enumerate(members)
        )
        lowest = [math.inf] * len(roots)
        for height, i, j in ordered:
            a, b = self.basin[i], self.basin[j]
            if a != b:
                lowest[a], lowest[b] = min(lowest[a], height), min(lowest[b], height)
        self.passes = tuple(lowest)


Plane = tuple[Vector, float, float]  # outward normal, distance from the centre of mass, twice the area


def _plane(a: Vector, b: Vector, c: Vector) -> Plane:
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    area = math.sqrt(x * x + y * y + z * z)
    if area == 0.0:
        return (0.0, 0.0, 0.0), 0.0, 0.0
    x, y, z = x / area, y / area, z / area
    height = x * a[0] + y * a[1] + z * a[2]
    return ((x, y, z), height, area) if height >= 0.0 else ((-x, -y, -z), -height, area)


def _merged(planes: list[Plane], neighbours: list[list[int]], size: float) -> tuple[list[int], list[list[int]]]:
    """Merge coplanar neighbouring triangles. Returns the facet of each triangle, and the triangles of each facet."""
    group = list(range(len(planes)))

    def root(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    for k, beside in enumerate(neighbours):
        (x, y, z), height, area = planes[k]
        for other in beside:
            (u, v, w), level, breadth = planes[other]
            near = max(abs(x - u), abs(y - v), abs(z - w)) < _COPLANAR and abs(height - level) < _COPLANAR * size
            sliver = min(area, breadth) < 1e-12 * size * size  # its plane is not well defined
            if k < other and (near or sliver):
                a, b = root(k), root(other)
                group[max(a, b)] = min(a, b)
    number: dict[int, int] = {}
    facet = [number.setdefault(root(k), len(number)) for k in range(len(planes))]
    members: list[list[int]] = [[] for _ in number]
    for k, each in enumerate(facet):
        members[each].append(k)
    return facet, members


def _rounded(value: float) -> float:
    """A number with ten significant digits."""
    return float(f"{value:.9e}")


def _mass_properties(shape: Shape) -> MassProperties:
    if isinstance(shape, Polyhedron) and not shape.is_solid:
        raise GeometryError(
            f"a mesh with {shape.open_edges} open edges has no centre of mass, so its stable states are unknown",
            hint="close the surface in the CAD system",
        )
    properties = shape.mass_properties
    if not properties.volume > 0.0:
        raise GeometryError(
            f"a solid with a volume of {properties.volume:g} m³ has no mass, so its stable states are unknown",
            hint="close the surface, or check that it is not inside out",
        )
    return properties


def _polyhedron(shape: Shape) -> tuple[Array, Faces | None]:
    """Corners of a polyhedron that stands for the shape, and its faces if it is known to be convex.

    Round primitives become polyhedra around them, so that the heights of their sides and edges are exact, and nothing
    protrudes.
    """
    if isinstance(shape, Compound):
        found = [_polyhedron(inner)[0] @ pose.rotation.T + pose.translation for pose, inner in shape.parts]
        return np.concatenate(found), None
    wider = 1.0 / math.cos(math.pi / COARSE)
    if isinstance(shape, Cylinder):
        profile = [(shape.radius * wider, -shape.length / 2), (shape.radius * wider, shape.length / 2)]
    elif isinstance(shape, Cone):
        profile = [(shape.radius * wider, -shape.length / 2), (shape.top_radius * wider, shape.length / 2)]
    elif isinstance(shape, Sphere):
        profile = ball_profile(shape.radius * wider * wider, COARSE, 0.0)
    elif isinstance(shape, Capsule):
        profile = ball_profile(shape.radius * wider, COARSE, shape.length / 2)
    elif isinstance(shape, Box):
        return shape.triangles()
    else:
        return shape.triangles()[0], None
    points, faces = revolve(profile, COARSE)
    turned: Array = points @ Pose.turn_z(math.pi / COARSE).rotation  # a facet, not an edge, towards −y
    return turned, faces


def _hull(points: Array, faces: Faces | None) -> tuple[list[tuple[int, ...]], list[list[int]], float]:
    """The triangles of a convex hull, the neighbour of each opposite to each of its corners, and the volume."""
    if faces is None:
        from scipy.spatial import ConvexHull, QhullError

        try:
            hull = ConvexHull(points)
        except QhullError as error:
            raise GeometryError("the solid is flat, so it has no facets to rest on", hint="use a thin box") from error
        return [tuple(each) for each in hull.simplices.tolist()], hull.neighbors.tolist(), float(hull.volume)
    # Loading scipy takes longer than most runs with a few boxes, so convex primitives do without it.
    triangles = [tuple(each) for each in faces.tolist()]
    owner = {frozenset(each[:n] + each[n + 1 :]): [] for each in triangles for n in range(3)}  # type: ignore[var-annotated]
    for k, each in enumerate(triangles):
        for n in range(3):
            owner[frozenset(each[:n] + each[n + 1 :])].append(k)
    neighbours = [
        [sum(owner[frozenset(each[:n] + each[n + 1 :])]) - k for n in range(3)] for k, each in enumerate(triangles)
    ]
    return triangles, neighbours, of_triangles(points, faces).volume


def _round_facets(shape: Shape, normals: tuple[Vector, ...]) -> set[int]:
    """The facets that stand for one round surface, on which the shape rolls."""
    if isinstance(shape, Compound) and len(shape.parts) == 1:
        ((pose, inner),) = shape.parts
        back = pose.inverse()
        return _round_facets(inner, tuple(back.direction(normal) for normal in normals))
    if isinstance(shape, Sphere | Capsule):
        return set(range(len(normals)))
    if isinstance(shape, Cylinder | Cone):
        return {k for k, (_, _, z) in enumerate(normals) if abs(z) < 1.0 - 1e-9}
    return set()


@lru_cache(maxsize=256)
def resting_hull(shape: Shape) -> RestingHull:
    """Return the convex hull of a shape with its facets and passes, computed once per shape.

    Raises:
        GeometryError: The shape is not closed, or has no volume.
    """
    return RestingHull(shape)


class StableStates(Sequence[StableState]):
    """The stable states of a shape, most likely first; find one by its index or its name."""

    def __init__(self, shape: Shape, states: Sequence[StableState], numbers: Sequence[int], law: str) -> None:
        self.shape, self.law = shape, law
        self._states, self._numbers = tuple(states), tuple(numbers)

    @overload
    def __getitem__(self, index: int | str) -> StableState: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[StableState, ...]: ...

    def __getitem__(self, index: int | str | slice) -> StableState | tuple[StableState, ...]:
        if isinstance(index, str):
            for state in self._states:
                if state.name == index:
                    return state
            raise UnknownName("stable state", index, [state.name for state in self._states])
        return self._states[index]

    def __len__(self) -> int:
        return len(self._states)

    def at(self, pose: Pose, down: Vector = (0.0, 0.0, -1.0)) -> StableState:
        """Return the state that the shape is in, or rolls to, when it is set down at a pose.

        Args:
            pose: Pose of the shape's frame; only its orientation counts.
            down: The direction of gravity, in the frame of the pose.
        """
        hull = resting_hull(self.shape)
        number = hull.basin[hull.facet_below(pose.inverse().direction(down))]
        return self._states[self._numbers.index(number)]

    def number(self, state: StableState) -> int:
        """Return the number of a state in the :class:`RestingHull`."""
        return self._numbers[self._states.index(state)]

    def with_probabilities(self, found: Sequence[float], errors: Sequence[float], law: str) -> "StableStates":
        """Return the states with other probabilities, given by number. Names stay; the order is by probability."""
        changed = [
            replace(state, probability=found[number], error=errors[number])
            for state, number in zip(self._states, self._numbers, strict=True)
        ]
        ordered = sorted(zip(changed, self._numbers, strict=True), key=lambda pair: -pair[0].probability)
        return StableStates(self.shape, [state for state, _ in ordered], [number for _, number in ordered], law)

    def named(self, names: Mapping[str, Vector]) -> "StableStates":
        """Return the states with names of your own.

        Args:
            names: For each name, the direction of the shape's frame that points down in that state.

        Raises:
            GeometryError: Two names are given to one state, or a name is that of another state.
        """
        hull = resting_hull(self.shape)
        given: dict[int, str] = {}
        for name, down in names.items():
            number = hull.basin[hull.facet_below(down)]
            if number in given:
                raise GeometryError(
                    f"the names {given[number]!r} and {name!r} are given to the same stable state",
                    hint="`drycell states` shows the direction that points down in each state",
                )
            given[number] = name
        renamed = [
            replace(state, name=given.get(number, state.name))
            for state, number in zip(self._states, self._numbers, strict=True)
        ]
        for state in renamed:
            if sum(each.name == state.name for each in renamed) > 1:
                raise GeometryError(
                    f"the name {state.name!r} is that of another stable state", hint="choose another name"
                )
        return StableStates(self.shape, renamed, self._numbers, self.law)

    def __repr__(self) -> str:
        return f"StableStates({', '.join(f'{each.name} {each.probability:.3f}' for each in self._states)})"


def stable_states(shape: Shape, law: ShapeLaw = "quench") -> StableStates:
    """Return the ways a shape can rest on a level surface, with the probability of each, most likely first.

    >>> from drycell import Box, mm
    >>> from drycell.geometry import stable_states
    >>> states = stable_states(Box(60*mm, 40*mm, 20*mm))
    >>> [(state.name, round(state.height / mm), round(state.probability, 1)) for state in states[:3]]
    [('A', 10, 0.4), ('B', 10, 0.4), ('C', 20, 0.1)]

    Args:
        shape: A solid. Its centre of mass is that of a homogeneous body.
        law: ``quench`` or ``quasi-static``, see the module. :func:`drycell.world.tumbled_states` drops the part.

    Raises:
        GeometryError: The shape is not closed, has no volume, or its hull has too many facets.
    """
    hull = resting_hull(shape)
    base = _named_states(shape)
    share = _shares(hull, BETA if law == "quench" else 0.0)
    return base if law == "quench" else base.with_probabilities(share, [0.0] * len(share), law)


@lru_cache(maxsize=256)
def _named_states(shape: Shape) -> StableStates:
    """The states with their probabilities by the law ``quench``, which also decides their names."""
    hull = resting_hull(shape)
    share = _shares(hull, BETA)
    numbers = sorted(range(len(share)), key=lambda k: _rank(hull, share, k))
    made = [_state(shape, hull, number, _letters(place), share[number]) for place, number in enumerate(numbers)]
    return StableStates(shape, made, numbers, "quench")


def _rank(hull: RestingHull, share: list[float], number: int) -> tuple[float, ...]:
    """Order of the names: alike states, such as opposite sides, share their mean probability; then by direction."""

    def alike(other: int) -> bool:
        near = _EQUAL * hull.size
        heights = abs(hull.heights[hull.bottoms[number]] - hull.heights[hull.bottoms[other]])
        return heights < near and (
            hull.passes[number] == hull.passes[other] or abs(hull.passes[number] - hull.passes[other]) < near
        )

    members = [share[k] for k in range(len(share)) if alike(k)]
    return (-round(sum(members) / len(members), 9), *hull.order(hull.bottoms[number]))


def _letters(place: int) -> str:
    """A … Z, AA, AB …"""
    text = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


def _state(shape: Shape, hull: RestingHull, number: int, name: str, probability: float) -> StableState:
    facet = hull.bottoms[number]
    down, height = hull.normals[facet], hull.heights[facet]
    if isinstance(shape, Sphere):
        down, height = (0.0, 0.0, -1.0), shape.radius
    turn = least_turn(down, (0.0, 0.0, -1.0))
    x, y, z = turn.point(hull.centre)
    pose = turn.moved(-x, -y, height - z)
    seen = (turn.point(each) for each in hull.vertices)
    touching = (turn.point(hull.vertices[k]) for k in hull.corners[facet])
    return StableState(
        name=name,
        down=(down[0] + 0.0, down[1] + 0.0, down[2] + 0.0),
        height=height,
        barrier=hull.passes[number] - height,
        footprint=convex_outline((x, y) for x, y, _ in seen),
        support=convex_outline((x, y) for x, y, _ in touching),
        probability=probability,
        error=0.0,
        rolls=hull.rolls[number],
        pose=pose,
    )


def least_turn(a: Vector, b: Vector) -> Pose:
    """Return the smallest rotation that takes the unit vector a to the unit vector b.

    Only + − × ÷ and square roots are used: the same bits on every machine.
    """
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if x * x + y * y + z * z < 1e-24:
        if cosine > 0.0:
            return IDENTITY
        # Half a turn about the axis across a that is nearest to x, or to y if a is along x.
        x, y, z = (0.0, a[2], -a[1]) if abs(a[0]) > 0.9 else (1.0 - a[0] * a[0], -a[0] * a[1], -a[0] * a[2])
        return Pose.of_quaternion((0.0, x, y, z))
    return Pose.of_quaternion((1.0 + cosine, x, y, z))


def _shares(hull: RestingHull, beta: float) -> list[float]:
    """The probability of each state by number: the share of directions that roll to it, with their weights."""
    directions, normals = _grid(), np.array(hull.normals)
    vertices, heights = np.array(hull.vertices), np.array(hull.heights)
    basin = np.array(hull.basin)
    states, weights = np.empty(len(directions), dtype=np.int64), np.empty(len(directions))
    for start in range(0, len(directions), _ROWS):
        u = directions[start : start + _ROWS]
        states[start : start + _ROWS] = basin[((u @ normals.T) / heights).argmax(axis=1)]
        weights[start : start + _ROWS] = (u @ vertices.T).max(axis=1)
    weights = np.exp(-beta * (weights - weights.min()) / hull.radius)
    share = np.bincount(states, weights, minlength=len(hull.bottoms)) / weights.sum()
    return cast(list[float], share.tolist())


@lru_cache(maxsize=1)
def _grid() -> Array:
    """Evenly spread directions: a Fibonacci lattice, turned."""
    index = np.arange(DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * index / DIRECTIONS
    angle, level = math.pi * (1.0 + math.sqrt(5.0)) * index, np.sqrt(1.0 - z * z)
    found: Array = np.column_stack((level * np.cos(angle), level * np.sin(angle), z)) @ _TURN.rotation.T
    return found
