"""Nearness: who touches whom, and who is about to, at an instant; as lines one can draw."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from drycell.base import Vector
from drycell.world import AT_REST, CollisionRules, LiveBody, Scene, WatchedPairs, contact_threshold, lineage

Kind = Literal["collision", "touch", "near", "clear"]

WITHIN: Final = 0.03  # metres: farther apart nothing is drawn, unless the cell's own near-miss distance is greater
MOST: Final = 24


@dataclass(frozen=True)
class Near:
    """Two bodies close to each other: metres between them (negative: how deep they overlap), and where.

    A part that lies against something, or is held by it, is in touch; it is in a collision only when it is pressed.
    """

    kind: Kind
    a: LiveBody
    b: LiveBody
    distance: float
    points: tuple[Vector, Vector]


def nearness(scene: Scene, movers: Iterable[LiveBody], rules: CollisionRules, t: int) -> list[Near]:
    """The nearest pairs of moving bodies and anything that a collision check would watch, nearest first.

    Who is allowed to touch, or does so by construction, is left out.
    """
    watch = WatchedPairs(rules)
    bodies = [body for body in movers if body.exists(t) and body.shape is not None and not body.hole]
    found: dict[frozenset[LiveBody], tuple[float, float, LiveBody, LiveBody]] = {}
    for body in bodies:
        for clearance in scene.clearances([body], max(WITHIN, rules.farthest), t):
            near = watch.near(lineage(clearance.a, t), lineage(clearance.b, t), t)
            # How close links of one arm pass each other is news only when it is too close.
            own = clearance.a.name.partition("/")[0] == clearance.b.name.partition("/")[0]
            if near is not None and not (own and clearance.distance > near):
                pair = frozenset((clearance.a, clearance.b))
                found.setdefault(pair, (clearance.distance, near, clearance.a, clearance.b))
    nearest = sorted(found.values(), key=lambda each: (each[0], each[2].name, each[3].name))[:MOST]
    return [_near(scene, *each, t) for each in nearest]


def _near(scene: Scene, distance: float, limit: float, a: LiveBody, b: LiveBody, t: int) -> Near:
    closest = scene.closest(a, b, t)
    kind: Kind = "near" if distance <= limit else "clear"
    if distance <= contact_threshold((a, b)):
        kind = "collision"
    elif distance <= AT_REST:
        kind = "touch"
    return Near(kind, a, b, closest.distance, (closest.point_a, closest.point_b))
