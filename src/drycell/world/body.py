"""Bodies: the objects of a cell, with their attachments and motions at every instant of the run."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from drycell.base import Pose, Vector, WorldError
from drycell.kernel import Track
from drycell.world.motion import ALWAYS, FOREVER, Motion

if TYPE_CHECKING:
    from drycell.geometry import Ball, Shape, StableStates
    from drycell.looks import Look
    from drycell.world.part_grasp import PartGrasp
    from drycell.world.world import World


Settling = Literal["tumble", "pilot", "keep"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a history: from ``start``, attached to ``parent`` (None is the world), with ``motion``."""

    start: int
    parent: "LiveBody | None"
    motion: Motion


class _Material:
    """The material of a body by name. A change during a run is checked, and the world is notified."""

    def __get__(self, body: "LiveBody | None", owner: type["LiveBody"]) -> str:
        if body is None:
            return "plastic"  # the default
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
    """An object in the cell: a solid, a hole to cut from a solid, or a node without a shape that carries others.

    The name is a path such as ``arm/forearm``. It never changes, whatever the body is attached to.
    """

    name: str
    shape: "Shape | None" = None
    material: _Material = _Material()  # a descriptor: each body stores its own name
    part: bool = False
    hole: bool = False
    conveys: bool = False
    """Whether it is a belt, which controls the gaps between the parts on it."""
    network: str = ""
    """Bodies that convey and have the same network pass on what rides on them, which touches both for a while."""
    deviation: float = 0.0
    """The maximum distance by which the surface of the real body protrudes from the shape, in metres."""
    grips: bool = False
    """Whether it is the palm of a gripper: parts that are attached to it are held."""
    grasps: "Mapping[str, PartGrasp]" = field(default_factory=dict)
    """For a part: how it is grasped in its stable states, by the name of the state."""
    mass: float | None = None
    """Its stated mass in kg; :func:`mass_of` computes it if it is None."""
    look: "Callable[[], Look | None] | None" = field(default=None, repr=False)
    """Returns what it looks like; None: plain, made from its shape."""
    settling: "Settling | None" = None
    """How parts that fall onto it settle; None is as in the rest of the cell."""
    keeps: bool = False
    """Whether parts that fall onto it cannot leave it over its edge: a bin."""
    tangle: float = 0.0
    """For a part: the probability, 0…1, that it stays where it fell although it overlaps others."""
    states: "Mapping[str, Vector]" = field(default_factory=dict)
    """For a part: names of stable states, each with the direction of its frame that points down."""
    # Only the world writes these.
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
        """Its pose in the world now."""
        if self.world is None:
            raise WorldError(f"{self.name!r} is not in a cell yet", hint="add it first: cell.add(body)")
        return self.world.pose(self)

    @property
    def balls(self) -> "tuple[Ball, ...]":
        """A few balls (centre, radius) that together enclose its shape."""
        return () if self.shape is None else balls_of(self.shape)

    @property
    def extent(self) -> float:
        """The largest distance of any point of its shape from its origin, at most."""
        if self.shape is None:
            return 0.0
        centre, radius = self.shape.sphere
        return math.hypot(*centre) + radius

    def passes_on(self, other: "LiveBody") -> bool:
        """Return whether what rides on this body also touches another one, by construction.

        Args:
            other: The other body.
        """
        return bool(self.network) and self.network == other.network

    @property
    def stable_states(self) -> "StableStates":
        """The stable states of its shape, with the names that they have been given."""
        from drycell.geometry import stable_states

        if self.shape is None:
            raise WorldError(f"{self.name!r} has no shape, so it has no stable states", hint="give it a shape")
        found = stable_states(self.shape)
        return found.named(self.states) if self.states else found

    def segment(self, t: int) -> Segment:
        """Return the segment of its motion at an instant ``t``, in ticks of 1 µs. A change at t already counts."""
        history = self.history
        if t >= history.times[-1]:
            return history.values[-1]
        return history.values[max(history.count(t) - 1, 0)]

    def segments(self, t0: int, t1: int) -> Sequence[Segment]:
        """Return the segments of its motion from ``t0`` to ``t1`` (in ticks of 1 µs), in order."""
        history = self.history
        if t0 >= history.times[-1]:
            return history.values[-1:]
        first = max(history.count(t0) - 1, 0)
        return history.values[first : max(history.count(t1), first + 1)]

    def spans(self, t0: int, t1: int) -> Iterator[tuple[Segment, int, int]]:
        """Yield the segments of its motion from ``t0`` to ``t1``, each with the part of the interval in which it holds.

        Carriers of a segment are valid only within that part: a body may later carry its former carrier.
        """
        segments = self.segments(t0, t1)
        for segment, following in zip_longest(segments, segments[1:]):
            yield segment, min(max(t0, segment.start), t1), t1 if following is None else following.start

    def exists(self, t: int) -> bool:
        """Return whether it is in the cell at an instant ``t``, in ticks of 1 µs."""
        return self.born <= t < self.gone

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


def chain(body: LiveBody, t: int = FOREVER) -> list[Segment]:
    """The segments of a body and its carriers at an instant, starting with the body.

    By default the latest ones.
    """
    found = [body.segment(t)]
    while (parent := found[-1].parent) is not None:
        found.append(parent.segment(t))
    return found


def lineage(body: LiveBody, t: int = FOREVER) -> tuple[LiveBody, ...]:
    """The body and its carriers at an instant, nearest first; by default according to the latest changes."""
    return (body, *[segment.parent for segment in chain(body, t) if segment.parent is not None])


@lru_cache(maxsize=4096)
def balls_of(shape: "Shape") -> "tuple[Ball, ...]":
    """A few balls that together enclose a shape, computed once per shape."""
    return shape.spheres()


@dataclass(frozen=True, slots=True)
class LiveWorkpoint:
    """A named frame on a body that moves with it: a target for programs."""

    name: str
    body: LiveBody | None
    local: Pose
