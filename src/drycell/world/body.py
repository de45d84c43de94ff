"""Bodies: the things of a cell, and what they were attached to and how they moved, at every instant of the run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from drycell.base import Pose, WorldError
from drycell.kernel import Track
from drycell.world.motion import ALWAYS, FOREVER, Motion

if TYPE_CHECKING:
    from drycell.geometry import Ball, Shape
    from drycell.world.world import World


@dataclass(frozen=True, slots=True)
class Segment:
    """From ``start`` on, until the next segment: attached to ``parent`` (None is the world), moving by ``motion``."""

    start: int
    parent: "LiveBody | None"
    motion: Motion


class _Material:
    """The name of what a body is made of; one that changes in a cell, by a coat of paint, is checked and told on."""

    def __get__(self, body: "LiveBody | None", owner: type["LiveBody"]) -> str:
        if body is None:
            return "plastic"  # of a body that is told nothing else
        name: str = body.__dict__["_material"]
        return name

    def __set__(self, body: "LiveBody", name: str) -> None:
        if body.world is not None:
            body.world.materials.check(name)
        body.__dict__["_material"] = name
        if body.world is not None:
            body.world.material_changed(body)


@dataclass(eq=False)
class LiveBody:
    """One thing of the cell: a solid, a hole to be cut from one, or a bare node that holds others.

    The name is a path such as ``arm/forearm`` and stays the same for life, whatever the body is attached to.
    """

    name: str
    shape: "Shape | None" = None
    material: _Material = _Material()  # it holds no names itself: each body keeps its own
    part: bool = False
    hole: bool = False
    conveys: bool = False
    """Whether it is a belt: what rides on it queues, and is kept apart by the belt itself."""
    # Written by the world alone.
    history: Track[Segment] = field(default_factory=Track, repr=False)
    children: list["LiveBody"] = field(default_factory=list, repr=False)
    version: int = field(default=0, repr=False)
    born: int = field(default=ALWAYS, repr=False)
    gone: int = field(default=FOREVER, repr=False)
    world: "World | None" = field(default=None, repr=False)

    @property
    def parent(self) -> "LiveBody | None":
        """What it is attached to now; None is the world itself."""
        return self.history.values[-1].parent

    @property
    def pose(self) -> Pose:
        """Where it is in the world now."""
        if self.world is None:
            raise WorldError(f"{self.name!r} is not in a cell yet", hint="add it first: cell.add(body)")
        return self.world.pose(self)

    @property
    def balls(self) -> "tuple[Ball, ...]":
        """A few balls that together hold its shape, each a centre and a radius."""
        return () if self.shape is None else balls_of(self.shape)

    @property
    def extent(self) -> float:
        """At most how far any point of its shape is from its origin."""
        if self.shape is None:
            return 0.0
        centre, radius = self.shape.sphere
        return math.hypot(*centre) + radius

    def segment(self, t: int) -> Segment:
        """What held at an instant. Right-continuous: a change at t holds at t."""
        history = self.history
        if t >= history.times[-1]:
            return history.values[-1]
        return history.values[max(history.count(t) - 1, 0)]

    def segments(self, t0: int, t1: int) -> Sequence[Segment]:
        """All that held during ``t0``…``t1``, in order."""
        history = self.history
        if t0 >= history.times[-1]:
            return history.values[-1:]
        first = max(history.count(t0) - 1, 0)
        return history.values[first : max(history.count(t1), first + 1)]

    def exists(self, t: int) -> bool:
        """Whether it is in the cell at an instant."""
        return self.born <= t < self.gone

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


def chain(body: LiveBody, t: int = FOREVER) -> list[Segment]:
    """The segments that held at an instant, of the body and of all that carries it, from the nearest on.

    Without an instant: the latest ones.
    """
    found = [body.segment(t)]
    while (parent := found[-1].parent) is not None:
        found.append(parent.segment(t))
    return found


def lineage(body: LiveBody, t: int = FOREVER) -> tuple[LiveBody, ...]:
    """The body and all that carries it at an instant, nearest first; without an instant, by the latest changes."""
    return (body, *[segment.parent for segment in chain(body, t) if segment.parent is not None])


@lru_cache(maxsize=4096)
def balls_of(shape: "Shape") -> "tuple[Ball, ...]":
    """A few balls that together hold a shape, found once for each."""
    return shape.spheres()


@dataclass(frozen=True, slots=True)
class LiveWorkpoint:
    """A named frame on a body, that moves with it: where a program goes."""

    name: str
    body: LiveBody | None
    local: Pose
