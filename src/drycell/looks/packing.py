"""Packing of looks into bytes for the page: one binary for each look, cached under the digest of its content.

**The binary** (all numbers little-endian)::

    uint32   length of the header in bytes, a multiple of 4
    header   JSON in UTF-8, padded with spaces
    arrays   one after the other; offsets in the header count from the first byte after the header

**The header**::

    {"channels": {"door": {"kind": "slide", "vector": [0.45, 0, 0]},
                  "spindle": {"kind": "turn", "axis": [0, 0, 1], "pivot": [0, 0.1, 0], "scale": 6.283},
                  "travel": {"kind": "scroll"},
                  "red": {"kind": "glow", "off": "#561a18", "on": "#ff4b3e"}},
     "groups": [{"channel": null, "finish": "plain", "detail": [[i, e], [i, e], [i, e], [i, e]],
                 "p": [offset, n], "n": …, "c": …, "m": …, "f": …, "e": …, "ec": …, "uv": …}, …],
     "bounds": [[x, y, z], [x, y, z]]}

A group holds all parts of one channel and one finish: it is drawn by one call and moves as one. ``channel`` is null for
what stands still in the frame of the body. ``finish`` is the pattern: plain, belt, wood, glass, mesh, lamp, screen.
Each array has its offset in bytes and its number of numbers:

====== ======= =============================================================================================
``p``  float32 positions x, y, z in metres, in the frame of the body
``n``  int8    normal x, y, z and shade, each / 127
``c``  uint8   red, green, blue, 255 (sRGB). For ``glow`` channels the page replaces it by off … on
``m``  uint8   roughness, metal, 0, 0, each / 255
``uv`` float32 place in the pattern: in metres, for screens from 0 to 1; only for belt, mesh and screen
``f``  uint32  indices of triangles, three each, anticlockwise seen from outside
``e``  float32 feature edges: pairs of points x, y, z
``ec`` uint8   their colour: red, green, blue and strength, one for each point
====== ======= =============================================================================================

Parts are sorted large to small. ``detail`` gives, for parts with a radius of at least 60, 30, 15 and 8 mm, how many
indices of ``f`` and how many points of ``e`` they are: what is smaller than a pixel or two can be left out.

**Channels.** A body whose look has channels has one float for each, in the order of ``channels`` in the header. A frame
carries them after the poses: first all channels of body 0, then of body 1, and so on, float32 (NaN while the body is
not in the cell). ``turn``: turn the group by ``scale`` · value rad about ``axis`` through ``pivot``. ``slide``: move it
by ``vector`` · value. ``scroll``: subtract value from u (metres). ``glow``: mix ``off`` and ``on`` by value.
"""

import json
import struct
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drycell.looks.channel import Channel
from drycell.looks.look import Look, LookPart
from drycell.looks.material import look_material, rgb
from drycell.looks.mesh import joined
from drycell.looks.solids import tessellate

_FORM: Final = b"look 1"  # change it when the packing changes: browsers cache a look permanently under its key
_SIZES: Final = (0.060, 0.030, 0.015, 0.008)  # metres
_PATTERNED: Final = ("belt", "mesh", "screen")


class PackedGroup(NamedTuple):
    """All parts of a look with one channel and one pattern, as arrays that are drawn at once."""

    channel: str | None
    pattern: str
    detail: list[list[int]]
    arrays: dict[str, NDArray[Any]]


def look_key(look: Look) -> str:
    """Return the key under which the bytes of a look are cached.

    Args:
        look: The look.
    """
    return blake2b(look.key.encode(), digest_size=12, person=_FORM).hexdigest()


def packed_groups(look: Look) -> list[PackedGroup]:
    """Return the arrays of a look.

    Args:
        look: The look.
    """
    parts: dict[tuple[str | None, str], list[LookPart]] = {}
    for part in look.parts:
        parts.setdefault((part.channel, look_material(part.material).pattern), []).append(part)
    return [PackedGroup(channel, pattern, *_packed(each, pattern)) for (channel, pattern), each in parts.items()]


@lru_cache(maxsize=256)
def look_bytes(look: Look) -> bytes:
    """Return a look as bytes, as described above.

    Args:
        look: The look.
    """
    blob, groups = bytearray(), []
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for channel, pattern, detail, arrays in packed_groups(look):
        group: dict[str, Any] = {"channel": channel, "finish": pattern, "detail": detail}
        for name, values in arrays.items():
            group[name] = [len(blob), values.size]
            blob += values.tobytes()
            blob += bytes(-len(blob) % 4)
        groups.append(group)
        lower = np.minimum(lower, arrays["p"].min(axis=0))
        upper = np.maximum(upper, arrays["p"].max(axis=0))
    head = {
        "channels": {name: channel_data(each) for name, each in look.channels.items()},
        "groups": groups,
        "bounds": [lower.tolist(), upper.tolist()] if groups else None,
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + bytes(blob)


def channel_data(channel: Channel) -> dict[str, Any]:
    """Return what a channel does, as plain data.

    Args:
        channel: The channel.
    """
    match channel.kind:
        case "turn":
            axis, pivot = list(channel.axis), list(channel.pivot)
            return {"kind": "turn", "axis": axis, "pivot": pivot, "scale": channel.scale}
        case "slide":
            return {"kind": "slide", "vector": list(channel.vector)}
        case "glow":
            return {"kind": "glow", "off": channel.off, "on": channel.on}
        case _:
            return {"kind": channel.kind}


def _packed(parts: list[LookPart], pattern: str) -> tuple[list[list[int]], dict[str, NDArray[Any]]]:
    sized = sorted(((tessellate(part.solid).size, part) for part in parts), key=lambda pair: -pair[0])
    meshes = [tessellate(part.solid).moved(part.pose) for _, part in sized]
    whole = joined(meshes)
    normals, colours, surfaces, edge_colours = zip(*_shades(part for _, part in sized), strict=True)
    points = [len(mesh.points) for mesh in meshes]
    ends = [2 * len(mesh.edges) for mesh in meshes]
    arrays: dict[str, NDArray[Any]] = {
        "p": whole.points.astype("<f4"),
        "n": np.column_stack([np.rint(whole.normals * 127), np.repeat(normals, points)]).astype("i1"),
        "c": np.repeat(np.array(colours, "u1"), points, axis=0),
        "m": np.repeat(np.array(surfaces, "u1"), points, axis=0),
        "f": whole.faces.astype("<u4"),
        "e": whole.edges.reshape(-1, 3).astype("<f4"),
        "ec": np.repeat(np.array(edge_colours, "u1"), ends, axis=0),
    }
    if pattern in _PATTERNED:
        uv = np.zeros((len(whole.points), 2)) if whole.uv is None else whole.uv
        arrays["uv"] = uv.astype("<f4")
    counts = [(size, 3 * len(mesh.faces), end) for (size, _), mesh, end in zip(sized, meshes, ends, strict=True)]
    detail = [
        [sum(faces for size, faces, _ in counts if size >= least), sum(end for size, _, end in counts if size >= least)]
        for least in _SIZES
    ]
    return detail, arrays


def _shades(parts: Iterator[LookPart]) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """The shade, colour, surface and edge colour of each part, as bytes."""
    for part in parts:
        made = look_material(part.material)
        colour = rgb(part.tint or made.colour)
        surface = (round(255 * made.rough), round(255 * made.metal), 0, 0)
        yield round(127 * part.shade), (*colour, 255), surface, (*colour, round(255 * made.edge))
