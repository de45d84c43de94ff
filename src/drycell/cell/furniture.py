"""Furniture of cells: legs, which are bodies of their own, and how plain boxes are drawn as pedestals, cabinets and
fences, within their shape."""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from drycell import world
from drycell.base import Pose
from drycell.geometry import Box, Compound
from drycell.looks import QUARTER, Look, LookPart, bolt, box, cylinder, extrude, legs, panel, piece, placed

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

Furniture = Literal["plain", "pedestal", "cabinet", "fence"]
_POST: Final = 0.045  # metres: the profiles of legs


def stand_on_legs(cell: "Cell", body: world.LiveBody, height: float) -> world.LiveBody | None:
    """Add legs below a body, as a body that is fixed to it and called ``NAME/legs``.

    Args:
        cell: The cell.
        body: The body, which has been added to the world.
        height: The height of the legs, in metres.
    """
    if body.shape is None:
        return None
    (left, front, bottom), (right, back, _) = body.shape.bounds
    length, width = right - left, back - front
    post = min(_POST, length / 2, width / 2)
    corners = [(sx * (length - post) / 2, sy * (width - post) / 2) for sx in (-1, 1) for sy in (-1, 1)]
    solid = Compound(tuple((Pose(x, y, height / 2), Box(post, post, height)) for x, y in corners))
    made = world.LiveBody(f"{body.name}/legs", solid, material="aluminium")
    made.look = partial(_legs_look, length, width, height)
    return cell.world.add(made, body, Pose((left + right) / 2, (front + back) / 2, bottom - height))


def _legs_look(length: float, width: float, height: float) -> Look:
    return Look(tuple(legs(length, width, height, bars=False)))


def furniture_look(kind: Furniture, shape: object) -> Look | None:
    """Return the look of a box that stands for a piece of furniture; None if it is drawn plain.

    Args:
        kind: What it is.
        shape: Its shape.
    """
    if not isinstance(shape, Box) or kind == "plain":
        return None
    return Look(tuple(_DRAWN[kind](shape.x, shape.y, shape.z)))


def _pedestal(x: float, y: float, z: float) -> list[LookPart]:
    """A welded column with foot and top plates, ribs and bolts."""
    plate = min(0.02, 0.2 * z)
    parts = [
        piece(box(x, y, plate, 0.003), "powder coat", (0, 0, (plate - z) / 2), tint="slate"),
        piece(box(0.62 * x, 0.62 * y, z - plate, 0.015), "powder coat", tint="slate"),
        piece(box(0.86 * x, 0.86 * y, plate, 0.003), "steel", (0, 0, (z - plate) / 2)),
    ]
    for k in range(4):
        reach = 0.18 * (x if k % 2 == 0 else y)
        rib = ((0, 0), (reach, 0), (reach, 0.02), (0.02, 0.4 * z), (0, 0.4 * z))
        turn, out = k * QUARTER, 0.30 * (x if k % 2 == 0 else y)
        at = (
            out * math.cos(turn) + 0.005 * math.sin(turn),
            out * math.sin(turn) - 0.005 * math.cos(turn),
            plate - z / 2,
        )
        parts.append(piece(extrude((rib,), 0.010, 0.002), "powder coat", at, (QUARTER, 0, turn), tint="slate"))
    for sx in (-1, 1):
        for sy in (-1, 1):
            parts += placed(bolt(0.012), (0.43 * sx * x, 0.43 * sy * y, plate - z / 2))
            parts += placed(bolt(0.008), (0.36 * sx * x, 0.36 * sy * y, z / 2))
    return parts


def _cabinet(x: float, y: float, z: float) -> list[LookPart]:
    """A control cabinet; its door is in front, at −y."""
    front, plinth = -y / 2, min(0.06, 0.1 * z)
    parts = [
        piece(box(x, y, z - plinth, 0.010), "paint", (0, 0, plinth / 2), tint="light"),
        piece(box(x - 0.02, y - 0.02, plinth, 0.003), "powder coat", (0, 0, (plinth - z) / 2), tint="night"),
        piece(box(x - 0.05, 0.008, z - plinth - 0.06, 0.004), "paint", (0, front, plinth / 2), tint="white"),
        piece(box(0.05, 0.02, 0.05, 0.004), "plastic", (-0.28 * x, front - 0.006, 0.36 * z), tint="night"),
        piece(box(0.012, 0.016, 0.045, 0.003), "plastic", (-0.28 * x, front - 0.018, 0.36 * z), tint="red"),
        piece(cylinder(0.022, 0.008), "plastic", (0.28 * x, front - 0.003, 0.36 * z), (QUARTER, 0, 0), tint="yellow"),
        piece(
            cylinder(0.016, 0.022, 0.004), "plastic", (0.28 * x, front - 0.003, 0.36 * z), (QUARTER, 0, 0), tint="red"
        ),
    ]
    for k in range(8):
        at = (0, front - 0.003, -0.30 * z + 0.028 * z * k)
        parts.append(piece(box(0.6 * x, 0.006, 0.008, 0.002), "powder coat", at, tint="slate"))
    return parts


def _fence(x: float, y: float, z: float) -> list[LookPart]:
    """A panel of wire mesh in a frame between two posts, along the longer side."""
    turn = (0.0, 0.0, 0.0 if x >= y else QUARTER)
    length, gap, post = max(x, y), min(0.10, 0.1 * z), min(0.055, 0.3 * max(x, y))
    inner, high = length - 2 * post, z - gap - 0.02
    middle = (gap - 0.02) / 2
    parts = [piece(panel(inner, high), "mesh", (0, 0, middle))]
    for side in (-1, 1):
        at = side * (length - post) / 2
        parts += [
            piece(box(post, 0.050, z - 0.012, 0.004), "powder coat", (at, 0, -0.006), tint="yellow"),
            piece(box(post, 0.052, 0.012, 0.003), "plastic", (at, 0, z / 2 - 0.006), tint="night"),
            piece(box(post + 0.02, 0.09, 0.010, 0.002), "powder coat", (at, 0, 0.005 - z / 2), tint="yellow"),
            piece(box(inner, 0.022, 0.022, 0.003), "powder coat", (0, 0, middle + side * high / 2), tint="night"),
            piece(box(0.022, 0.022, high, 0.003), "powder coat", (side * inner / 2, 0, middle), tint="night"),
        ]
    return placed(parts, (0.0, 0.0, 0.0), turn)


_DRAWN: Final[dict[str, Callable[[float, float, float], list[LookPart]]]] = {
    "pedestal": _pedestal,
    "cabinet": _cabinet,
    "fence": _fence,
}
