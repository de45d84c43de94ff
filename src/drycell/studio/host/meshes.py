"""Meshes of shapes and looks of bodies as bytes, each by a key that is computed from its content."""

import math
import struct
from hashlib import blake2b

import numpy as np

from drycell.base import UnknownName
from drycell.geometry import Shape
from drycell.looks import Look, look_bytes, look_key, look_of, surface
from drycell.world import LiveBody

_FORM = b"triangles 1"  # change it when meshes change: browsers cache a mesh permanently under its key


def mesh_key(body: LiveBody) -> str | None:
    """The key of a body's mesh; None if the body is not drawn."""
    if body.shape is None or body.hole:
        return None
    return _key(body.shape)


def mesh_bytes(shape: Shape) -> bytes:
    """The mesh of a shape: numbers of vertices and faces, then vertices (float32, m) and faces (uint32)."""
    found = surface(shape, math.inf)
    head = struct.pack("<II", len(found.vertices), len(found.faces))
    return head + found.vertices.astype("<f4").tobytes() + np.ascontiguousarray(found.faces, "<u4").tobytes()


class MeshStore:
    """The shapes and the looks of all bodies, by key."""

    def __init__(self) -> None:
        self._shapes: dict[str, Shape] = {}
        self._looks: dict[str, Look] = {}

    def key(self, body: LiveBody) -> str | None:
        """The key of a body's mesh. Remembers the shape for ``bytes_of``."""
        key = mesh_key(body)
        if key is not None and body.shape is not None:
            self._shapes[key] = body.shape
        return key

    def bytes_of(self, key: str) -> bytes:
        """The mesh of a key."""
        if key not in self._shapes:
            raise UnknownName("mesh", key, ())
        return mesh_bytes(self._shapes[key])

    def look(self, body: LiveBody) -> tuple[str | None, tuple[str, ...]]:
        """The key of a body's look and the names of its channels. Remembers the look for ``look_bytes_of``."""
        look = look_of(body)
        if look is None:
            return None, ()
        key = look_key(look)
        self._looks[key] = look
        return key, tuple(look.channels)

    def look_bytes_of(self, key: str) -> bytes:
        """The look of a key, packed as in :mod:`drycell.looks.packing`."""
        if key not in self._looks:
            raise UnknownName("look", key, ())
        return look_bytes(self._looks[key])


def _key(shape: Shape) -> str:
    return blake2b(shape.key.encode(), digest_size=12, person=_FORM).hexdigest()
