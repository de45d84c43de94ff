"""Reads the triangles of a Collada file (``.dae``), the mesh format of many ROS packages.

Only geometry and the placement of nodes are read; materials, skins' weights and animations are skipped. Collada's up
axis is ignored, as ROS does: the axes are those of the numbers in the file.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree

import numpy as np

from drycell.base import Array, GeometryError
from drycell.geometry.mass import Faces

MOST_TRIANGLES: Final = 5_000_000
"""A limit, because a small file can place one geometry any number of times: nodes can instance nodes."""

_DEEPEST: Final = 100  # nesting depth of nodes
_MOST_NODES: Final = 100_000  # nodes visited: a node can be placed many times


def collada_triangles(data: bytes) -> tuple[Array, Faces]:
    """Return the vertices, in metres, and the triangles of everything in the scene.

    Args:
        data: the content of the file.

    Raises:
        GeometryError: the content is not Collada, is damaged, or has no triangles.
    """
    # Entities can expand without bound.
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise GeometryError("it is not a plain Collada file (XML without entities)", hint="export it again")
    try:
        found = _Document(ElementTree.fromstring(data)).triangles()
    except (ElementTree.ParseError, KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        # A dangling reference, an invalid number or an index out of range: the file is damaged.
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise GeometryError(f"it cannot be read as Collada: {text[:120]}", hint="export it again") from error
    if not len(found[1]):
        raise GeometryError("it has no triangles", hint="export the faces, not only points or lines")
    return found


class _Document:
    def __init__(self, root: ElementTree.Element) -> None:
        for each in root.iter():
            if isinstance(each.tag, str):
                each.tag = each.tag.rpartition("}")[2]  # versions 1.4 and 1.5 differ in their name space
        if root.tag != "COLLADA":
            raise ValueError(f"its root element is {root.tag!r}")
        self._root = root
        self._named = {each.get("id"): each for each in root.iter() if each.get("id")}
        self._meshes: dict[ElementTree.Element, list[tuple[Array, Faces]]] = {}
        self._visited = 0

    def triangles(self) -> tuple[Array, Faces]:
        unit = self._root.find("asset/unit")
        metre = float(unit.get("meter", "1")) if unit is not None else 1.0
        vertices: list[Array] = [np.zeros((0, 3))]
        faces: list[Faces] = [np.zeros((0, 3), dtype=np.int64)]
        count = total = 0
        scene = self._root.find("scene/instance_visual_scene")
        for node in self._target(scene).findall("node") if scene is not None else ():
            for placement, geometry in self._placed(node, np.eye(4), 0):
                for points, corners in self._mesh(geometry):
                    total += len(corners)
                    if total > MOST_TRIANGLES:
                        raise GeometryError(
                            f"it has more than {MOST_TRIANGLES:,} triangles", hint="export it with coarser facets"
                        )
                    vertices.append(points @ placement[:3, :3].T + placement[:3, 3])
                    turned = corners[:, ::-1] if np.linalg.det(placement[:3, :3]) < 0.0 else corners
                    faces.append(turned + count)
                    count += len(points)
        return np.concatenate(vertices) * metre, np.concatenate(faces)

    def _target(self, reference: ElementTree.Element, name: str = "url") -> ElementTree.Element:
        address = reference.get(name, "")
        found = self._named.get(address.removeprefix("#"))
        if found is None:
            raise ValueError(f"{reference.tag} refers to {address!r}, which is not in the file")
        return found

    def _placed(
        self, node: ElementTree.Element, above: Array, depth: int
    ) -> Iterator[tuple[Array, ElementTree.Element]]:
        """The geometries of a node and the nodes in it, with their placements in the scene."""
        self._visited += 1
        if depth > _DEEPEST or self._visited > _MOST_NODES:
            raise ValueError(f"its nodes are more than {_DEEPEST} deep, or more than {_MOST_NODES:,}")
        placement = above
        for each in node:  # the format puts them first; they apply in this order
            placement = placement @ _transformation(each)
        for each in node:
            if each.tag == "node":
                yield from self._placed(each, placement, depth + 1)
            elif each.tag == "instance_node":
                yield from self._placed(self._target(each), placement, depth + 1)
            elif each.tag == "instance_geometry":
                yield placement, self._target(each)
            elif each.tag == "instance_controller":
                skin = self._target(each).find("skin")
                if skin is not None:
                    yield placement, self._target(skin, "source")

    def _mesh(self, geometry: ElementTree.Element) -> list[tuple[Array, Faces]]:
        if geometry not in self._meshes:
            mesh = geometry.find("mesh")
            self._meshes[geometry] = [] if mesh is None else list(self._primitives(mesh))
        return self._meshes[geometry]

    def _primitives(self, mesh: ElementTree.Element) -> Iterator[tuple[Array, Faces]]:
        for primitive in mesh:
            if primitive.tag not in ("triangles", "polylist", "polygons", "trifans", "tristrips"):
                continue
            inputs = primitive.findall("input")
            corner = next((each for each in inputs if each.get("semantic") == "VERTEX"), None)
            if corner is None:
                continue
            points = self._positions(self._target(corner, "source"))
            stride = 1 + max(int(each.get("offset", "0")) for each in inputs)
            offset = int(corner.get("offset", "0"))
            lists = [_integers(each)[offset::stride] for each in primitive.findall("p")]
            faces = _cut(primitive, lists)
            if faces.size:
                if faces.min() < 0 or faces.max() >= len(points):
                    raise ValueError(f"a triangle uses vertex {faces.max()}, but the file has only {len(points)}")
                yield points, faces

    def _positions(self, vertices: ElementTree.Element) -> Array:
        given = next(each for each in vertices.findall("input") if each.get("semantic") == "POSITION")
        source = self._target(given, "source")
        values = np.array((source.findtext("float_array") or "").split(), dtype=float)
        accessor = source.find("technique_common/accessor")
        stride = int(accessor.get("stride", "3")) if accessor is not None else 3
        if stride < 3 or not np.isfinite(values).all():
            raise ValueError("its positions are not triples of finite numbers")
        return values[: len(values) // stride * stride].reshape(-1, stride)[:, :3]


def _integers(element: ElementTree.Element | None) -> Faces:
    return np.array((element.text or "").split() if element is not None else [], dtype=np.int64)


def _cut(primitive: ElementTree.Element, lists: list[Faces]) -> Faces:
    """Cut the primitive into triangles; a polygon becomes a fan about its first corner."""
    tag = primitive.tag
    if tag == "triangles":
        return np.concatenate([each[: len(each) // 3 * 3].reshape(-1, 3) for each in lists] or [np.zeros((0, 3), int)])
    if tag == "polylist":
        ends = np.cumsum(_integers(primitive.find("vcount")))
        corners = lists[0] if lists else np.zeros(0, dtype=np.int64)
        if ends.size and (ends[-1] > len(corners) or np.diff(ends, prepend=0).min() < 0):
            raise ValueError(f"its polygons need {ends[-1]} corners, but it has {len(corners)}")
        lists = [corners[first:last] for first, last in pairwise([0, *ends.tolist()])]
    if tag == "tristrips":  # every second triangle of a strip has the opposite orientation
        found = [(a, b, c) if n % 2 == 0 else (b, a, c) for row in lists for n, (a, b, c) in enumerate(_triples(row))]
    else:
        found = [(row[0], b, c) for row in lists for b, c in pairwise(row[1:].tolist())]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _triples(row: Faces) -> Iterator[tuple[int, int, int]]:
    values = row.tolist()
    yield from zip(values, values[1:], values[2:], strict=False)


def _transformation(element: ElementTree.Element) -> Array:
    """The matrix of an element; the identity matrix if it is not a transformation."""
    found = np.eye(4)
    if element.tag not in ("matrix", "translate", "scale", "rotate"):
        return found
    values = np.array((element.text or "").split(), dtype=float)
    if not np.isfinite(values).all():
        raise ValueError(f"{element.tag} has numbers that are not finite")
    if element.tag == "matrix":
        found = values.reshape(4, 4)
    elif element.tag == "translate":
        found[:3, 3] = values
    elif element.tag == "scale":
        found[:3, :3] = np.diag(values.reshape(3))
    else:
        x, y, z, angle = values
        axis = np.array([x, y, z]) / (math.hypot(x, y, z) or 1.0)
        cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
        turn = math.radians(angle)
        found[:3, :3] += math.sin(turn) * cross + (1.0 - math.cos(turn)) * (cross @ cross)
    return found
