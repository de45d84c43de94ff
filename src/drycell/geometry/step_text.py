"""STEP text: a closed surface as solids with planar faces (ISO 10303-21, application protocol 214), in millimetres.

Triangles in one plane that share an edge become one face, so that a box has six. Round surfaces are written as facets.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from drycell.base import Array, GeometryError
from drycell.geometry.mass import Faces
from drycell.geometry.triangles import winding_number

_SAME_PLANE: Final = 1e-9  # as a fraction of the size: how far the corners of one face may be from its plane
_SAME_DIRECTION: Final = 1e-12  # 1 − cosine between the normals of two triangles of one face

Loop = list[int]


def step_text(vertices: Array, faces: Faces, name: str) -> str:
    """The text of a STEP file for a closed surface, whose corners are in metres.

    Each edge must belong to two triangles, as in all results of boolean operations.

    Raises GeometryError if a part of the surface is inside out.
    """
    return _StepText(np.asarray(vertices) * 1e3, faces, name).text()


class _StepText:
    def __init__(self, vertices: Array, faces: Faces, name: str) -> None:
        self._vertices, self._faces = vertices, faces
        self._name = "".join(c if " " <= c <= "~" else "_" for c in name).replace("\\", "_").replace("'", "''")
        self._lines: list[str] = []
        self._points: dict[int, str] = {}  # corner → its vertex
        self._edges: dict[tuple[int, int], str] = {}  # lower and higher corner → their edge

    def text(self) -> str:
        """The whole file."""
        context = self._product()
        solids = [self._solid(outer, voids) for outer, voids in self._shells()]
        frame = self._frame((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
        shape = self._add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({','.join([frame, *solids])}),{context[1]})")
        self._add(f"SHAPE_DEFINITION_REPRESENTATION({context[0]},{shape})")
        header = [
            "ISO-10303-21;",
            "HEADER;",
            "FILE_DESCRIPTION((''),'2;1');",
            f"FILE_NAME('{self._name}','1970-01-01T00:00:00',(''),(''),'drycell','drycell','');",
            "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));",
            "ENDSEC;",
            "DATA;",
        ]
        return "\n".join([*header, *self._lines, "ENDSEC;", "END-ISO-10303-21;", ""])

    def _add(self, entity: str) -> str:
        number = f"#{len(self._lines) + 1}"
        self._lines.append(f"{number}={entity};")
        return number

    def _product(self) -> tuple[str, str]:
        """The definition of the part's shape, and the context with its units."""
        protocol = self._add("APPLICATION_CONTEXT('automotive design')")
        self._add(f"APPLICATION_PROTOCOL_DEFINITION('','automotive_design',2000,{protocol})")
        of_product = self._add(f"PRODUCT_CONTEXT('',{protocol},'mechanical')")
        of_definition = self._add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{protocol},'design')")
        product = self._add(f"PRODUCT('{self._name}','{self._name}','',({of_product}))")
        self._add(f"PRODUCT_RELATED_PRODUCT_CATEGORY('part',$,({product}))")
        formation = self._add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        definition = self._add(f"PRODUCT_DEFINITION('design','',{formation},{of_definition})")
        shape = self._add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
        length = self._add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))")
        angle = self._add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))")
        solid_angle = self._add("(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT())")
        accuracy = self._add(
            f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-6),{length},'distance_accuracy_value','')"
        )
        context = self._add(
            f"(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({accuracy})) "
            f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle})) REPRESENTATION_CONTEXT('',''))"
        )
        return shape, context

    # ---------------------------------------------------------------- shells

    def _shells(self) -> Iterator[tuple[Faces, list[Faces]]]:
        """Each outer shell with the shells of the voids in it."""
        pieces = [self._faces[group] for group in _joined(self._faces, np.ones(len(_pairs(self._faces)), dtype=bool))]
        volumes = [_volume(self._vertices, piece) for piece in pieces]
        outer = [k for k, volume in enumerate(volumes) if volume > 0.0]
        inside: dict[int, list[Faces]] = {k: [] for k in outer}
        for k, volume in enumerate(volumes):
            if volume > 0.0:
                continue
            x, y, z = self._vertices[pieces[k][0, 0]].tolist()
            around = [o for o in outer if winding_number(self._vertices, pieces[o], (x, y, z)) > 0.5]
            if not around:
                raise GeometryError("a part of the surface is inside out", hint="turn its triangles around")
            inside[min(around, key=lambda o: volumes[o])].append(pieces[k])
        return ((pieces[k], inside[k]) for k in outer)

    def _solid(self, outer: Faces, voids: list[Faces]) -> str:
        shell = self._shell(outer)
        if not voids:
            return self._add(f"MANIFOLD_SOLID_BREP('{self._name}',{shell})")
        turned = [self._add(f"ORIENTED_CLOSED_SHELL('',*,{self._shell(void[:, ::-1])},.F.)") for void in voids]
        return self._add(f"BREP_WITH_VOIDS('{self._name}',{shell},({','.join(turned)}))")

    def _shell(self, faces: Faces) -> str:
        a, b, c = (self._vertices[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        offsets = np.einsum("ij,ij->i", normals, a)
        pairs = _pairs(faces)
        size = float(np.abs(self._vertices).max())
        along = np.einsum("ij,ij->i", normals[pairs[:, 0]], normals[pairs[:, 1]])
        flat = (along > 1.0 - _SAME_DIRECTION) & (
            np.abs(offsets[pairs[:, 0]] - offsets[pairs[:, 1]]) < _SAME_PLANE * size
        )
        written = []
        for group in _joined(faces, flat):
            loops = _loops(faces[group])
            apart = np.abs(self._vertices[faces[group]] @ normals[group[0]] - offsets[group[0]]).max()
            if loops is None or apart > _SAME_PLANE * size:
                written += [self._face([faces[k].tolist()], normals[k]) for k in group]
            else:
                written.append(self._face(loops, normals[group[0]]))
        return self._add(f"CLOSED_SHELL('',({','.join(written)}))")

    # ---------------------------------------------------------------- faces

    def _face(self, loops: list[Loop], normal: Array) -> str:
        areas = [float(_area(self._vertices[loop]) @ normal) for loop in loops]
        first = int(np.argmax(areas))  # holes run the other way round
        bounds = []
        for k, loop in enumerate(loops):
            ends = zip(loop, [*loop[1:], loop[0]], strict=True)
            ring = self._add(f"EDGE_LOOP('',({','.join(self._edge(start, end) for start, end in ends)}))")
            bounds.append(self._add(f"{'FACE_OUTER_BOUND' if k == first else 'FACE_BOUND'}('',{ring},.T.)"))
        start, end = self._vertices[loops[first][0]], self._vertices[loops[first][1]]
        plane = self._add(f"PLANE('',{self._frame(start, normal, end - start)})")
        return self._add(f"ADVANCED_FACE('',({','.join(bounds)}),{plane},.T.)")

    def _edge(self, start: int, end: int) -> str:
        low, high = min(start, end), max(start, end)
        if (low, high) not in self._edges:
            a, b = self._vertices[low], self._vertices[high]
            length = float(np.linalg.norm(b - a))
            vector = self._add(f"VECTOR('',{self._direction(b - a)},{_real(length)})")
            line = self._add(f"LINE('',{self._point(a)},{vector})")
            ends = f"{self._corner(low)},{self._corner(high)}"
            self._edges[low, high] = self._add(f"EDGE_CURVE('',{ends},{line},.T.)")
        return self._add(f"ORIENTED_EDGE('',*,*,{self._edges[low, high]},{'.T.' if start == low else '.F.'})")

    def _corner(self, corner: int) -> str:
        if corner not in self._points:
            self._points[corner] = self._add(f"VERTEX_POINT('',{self._point(self._vertices[corner])})")
        return self._points[corner]

    def _frame(self, origin: ArrayLike, z: ArrayLike, x: ArrayLike) -> str:
        at, up, along = self._point(origin), self._direction(z), self._direction(x)
        return self._add(f"AXIS2_PLACEMENT_3D('',{at},{up},{along})")

    def _point(self, point: ArrayLike) -> str:
        return self._add(f"CARTESIAN_POINT('',({','.join(_real(value) for value in np.asarray(point).tolist())}))")

    def _direction(self, direction: ArrayLike) -> str:
        unit = np.asarray(direction, dtype=float)
        unit = unit / np.linalg.norm(unit)
        return self._add(f"DIRECTION('',({','.join(_real(value) for value in unit.tolist())}))")


def _real(value: float) -> str:
    """A number as STEP writes it, with a decimal point, to all its digits."""
    digits, exponent, power = repr(value + 0.0).upper().partition("E")
    return f"{digits if '.' in digits else f'{digits}.'}{exponent}{power}"


def _pairs(faces: Faces) -> Faces:
    """The two triangles at each edge of a closed surface (n, 2)."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort((owner, edges[:, 1], edges[:, 0]))
    return owner[order].reshape(-1, 2)


def _joined(faces: Faces, chosen: Array) -> list[list[int]]:
    """Triangles that are joined by the chosen pairs, in the order of their first ones."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = _pairs(faces)[chosen]
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(faces), len(faces)))
    number, label = connected_components(graph, directed=False)
    groups: list[list[int]] = [[] for _ in range(number)]
    for face, group in enumerate(label.tolist()):
        groups[group].append(face)
    return groups


def _loops(faces: Faces) -> list[Loop] | None:
    """The outline of joined triangles; None if it touches itself at a corner."""
    sides = {(int(f[k]), int(f[(k + 1) % 3])) for f in faces for k in range(3)}
    after: dict[int, int] = {}
    for start, end in sorted(sides):
        if (end, start) in sides:
            continue
        if start in after:
            return None
        after[start] = end
    loops = []
    while after:
        start = next(iter(after))
        loop = [start]
        following = after.pop(start)
        while following != start:
            loop.append(following)
            following = after.pop(following)
        loops.append(loop)
    return loops


def _area(corners: Array) -> Array:
    """The vector area of a closed polygon."""
    area: Array = 0.5 * np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return area


def _volume(vertices: Array, faces: Faces) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)
