"""The world: all bodies of a cell in one tree, and their poses at any instant of the run."""

import math
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from drycell.base import IDENTITY, Array, Pose, UnknownName, Vector, WorldError
from drycell.world.body import LiveBody, LiveWorkpoint, Segment, lineage
from drycell.world.linkage import Linkage, LinkMotion
from drycell.world.material import Materials
from drycell.world.motion import ALWAYS, SECOND, Motion, Rest, Ticks

_DEEPEST = 250  # bodies in a chain: poses are computed recursively, and two chains may be joined
_FARTHEST = 1000.0  # metres from the origin; a larger position is probably a mistake
_JUMP = 1e-6  # metres: a body that moves this far within an instant has jumped


class Clock(Protocol):
    """The part of the kernel that the world needs: the time."""

    @property
    def now(self) -> int:
        """Ticks since the start of the run."""


def _check_kind(given: object, kind: type, noun: str, hint: str) -> None:
    if not isinstance(given, kind):
        raise WorldError(f"{given!r} is not {noun}", hint=hint)


class World:
    """Bodies in a tree with their motions. The past can be read and the present changed; nothing is stepped."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.bodies: dict[str, LiveBody] = {}
        self.workpoints: dict[str, LiveWorkpoint] = {}
        self.linkages: dict[str, Linkage] = {}
        self.materials = Materials()
        self._merged: dict[str, tuple[LiveBody, Pose]] = {}  # the body it was merged into, and its pose there
        self._listeners: list[Callable[[LiveBody], None]] = []
        self._material_listeners: list[Callable[[LiveBody], None]] = []
        self._cache: dict[LiveBody, Pose] = {}
        self._cache_time = ALWAYS

    @property
    def now(self) -> int:
        """The current time in ticks."""
        return self._clock.now

    # ---------------------------------------------------------------- the tree

    def add(
        self, body: LiveBody, parent: LiveBody | None = None, pose: Pose = IDENTITY, *, motion: Motion | None = None
    ) -> LiveBody:
        """Add a body to the cell.

        Args:
            body: the body, which must not have been in a cell before.
            parent: the body that it is attached to; None is the world.
            pose: its pose relative to the parent.
            motion: its motion relative to the parent, instead of a pose.

        Raises:
            WorldError: the name is taken, or the body or parent cannot be used.
        """
        if body.name in self.bodies:
            raise WorldError(f"a body {body.name!r} already exists", hint="give every body a different name")
        if body.history:
            raise WorldError(
                f"{body.name!r} has been in a cell before",
                hint="make a new Body: the old one keeps its history for the record",
            )
        self.materials.check(body.material)
        self._check_parent(parent)
        body.born = self.now if self.now > 0 else ALWAYS
        body.world = self
        self.bodies[body.name] = body
        self._append(body, parent, motion or Rest(pose))
        return body

    def remove(self, body: LiveBody) -> None:
        """Remove a body and everything attached to it from the cell. Their past can still be read."""
        for gone in list(self.subtree(body)):
            gone.gone = self.now
            del self.bodies[gone.name]
        if body.parent is not None:
            body.parent.children.remove(body)
        self._announce(body)

    def body(self, name: LiveBody | str) -> LiveBody:
        """The body with a name; a body is returned unchanged. Raises WorldError if it was merged into another,
        UnknownName if it does not exist."""
        if isinstance(name, LiveBody):
            return name
        _check_kind(name, str, "a body", "give a body or its name, such as cell.body('table') or 'table'")
        found = self.bodies.get(name)
        if found is not None:
            return found
        if name in self._merged:
            whole = self._merged[name][0].name
            raise WorldError(
                f"{name!r} is merged into {whole!r} and can no longer be moved separately",
                hint=f"move {whole!r}, or build the cell without merging it",
            )
        raise UnknownName("body", name, self.bodies)

    def subtree(self, body: LiveBody) -> Iterator[LiveBody]:
        """The body and everything attached to it, parents first."""
        yield body
        for child in body.children:
            yield from self.subtree(child)

    def add_workpoint(self, name: str, body: LiveBody | None, local: Pose) -> LiveWorkpoint:
        """Add a named frame on a body that moves with it."""
        if name in self.workpoints:
            raise WorldError(f"a workpoint {name!r} already exists")
        self.workpoints[name] = LiveWorkpoint(name, body, local)
        return self.workpoints[name]

    def workpoint(self, name: str) -> LiveWorkpoint:
        """The workpoint with a name. Raises UnknownName if it does not exist."""
        if name not in self.workpoints:
            raise UnknownName("workpoint", name, self.workpoints)
        return self.workpoints[name]

    def add_linkage(self, linkage: Linkage) -> None:
        """Register a mechanism."""
        self.linkages[linkage.name] = linkage

    def merge(self, body: LiveBody | str) -> None:
        """Merge the solids of a sub-tree, less its holes, into one body."""
        from drycell.geometry import merge

        body = self.body(body)
        inside = [(each, self.pose(body).inverse() @ self.pose(each)) for each in self.subtree(body)]
        solids = [(pose, each.shape) for each, pose in inside if each.shape is not None and not each.hole]
        holes = [(pose, each.shape) for each, pose in inside if each.shape is not None and each.hole]
        if not solids:
            raise WorldError(f"{body.name!r} has no solid to merge", hint="give it a shape that is not a hole")
        body.shape = merge(solids, holes)
        for each, local in inside[1:]:
            each.gone = self.now
            del self.bodies[each.name]
            self._merged[each.name] = (body, local)
            for name, point in self.workpoints.items():
                if point.body is each:
                    self.workpoints[name] = LiveWorkpoint(name, body, local @ point.local)
        self._announce(body)  # while the sub-parts are still attached, so that listeners are notified of their removal
        body.children.clear()

    @property
    def merged(self) -> dict[str, LiveBody]:
        """The names of merged bodies, with the body that each of them belongs to now."""
        return {name: body for name, (body, _) in self._merged.items()}

    # ---------------------------------------------------------------- changes

    def attach(self, body: LiveBody | str, parent: LiveBody | str | None) -> None:
        """Attach a body to another at its present pose, so that it moves with it."""
        body, parent = self.body(body), None if parent is None else self.body(parent)
        self._check(body, parent)
        self._append(body, parent, Rest(self.relative(parent, body)))

    def move(self, body: LiveBody, motion: Motion, parent: LiveBody | None = None) -> None:
        """Give a body a motion relative to ``parent``, starting now."""
        self._append(body, parent, motion)

    def place(self, body: LiveBody | str, pose: Pose, parent: LiveBody | str | None = None) -> None:
        """Put a body at a pose relative to ``parent``, at once."""
        _check_kind(pose, Pose, "a Pose", "write place('block', Pose(100*mm, 0, 50*mm))")
        self._append(self.body(body), None if parent is None else self.body(parent), Rest(pose))

    def translate(self, body: LiveBody | str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Shift a body and what it carries along its parent's axes, in metres, at once."""
        body = self.body(body)
        self.place(body, self.relative(body.parent, body).moved(x, y, z), body.parent)

    def rotate(self, body: LiveBody | str, axis: str, angle: float) -> None:
        """Rotate a body and what it carries about one of its own axes, in radians, at once."""
        body = self.body(body)
        turns = {"x": Pose.turn_x, "y": Pose.turn_y, "z": Pose.turn_z}
        if not isinstance(axis, str) or axis not in turns:
            raise UnknownName("axis", str(axis), turns)
        self.place(body, self.relative(body.parent, body) @ turns[axis](angle), body.parent)

    def _append(self, body: LiveBody, parent: LiveBody | None, motion: Motion) -> None:
        self._check(body, parent)
        if isinstance(motion, Rest):
            place = motion.pose(self.now).position
            if not all(abs(v) <= _FARTHEST for v in place):  # also rejects NaN
                raise WorldError(
                    f"{body.name!r} cannot be at ({', '.join(f'{v:g}' for v in place)}) m: that is outside the cell",
                    hint=f"keep within {_FARTHEST:g} m",
                )
        if body.history and body.parent is not None:
            body.parent.children.remove(body)
        start = self.now if body.history else body.born
        body.history.append(start, Segment(start, parent, motion))
        if parent is not None:
            parent.children.append(body)
        self._announce(body)

    def _check(self, body: LiveBody, parent: LiveBody | None) -> None:
        if self.bodies.get(body.name) is not body:
            self.body(body.name)  # raises an error if it is unknown or was merged
            raise WorldError(f"{body.name!r} is not in this cell", hint="add it first")
        self._check_parent(parent)
        if parent is not None and body in lineage(parent):
            chain = " → ".join([*(each.name for each in lineage(parent)), "…"])
            what = f"cannot attach {body.name!r} to {parent.name!r}"
            raise WorldError(
                f"{what}: {parent.name!r} is attached to {body.name!r} ({chain})",
                hint="a tree of bodies has no cycles; detach one of the two first",
            )

    def _check_parent(self, parent: LiveBody | None) -> None:
        if parent is not None and self.bodies.get(parent.name) is not parent:
            raise WorldError(f"{parent.name!r} is not in this cell", hint="add it first")
        if parent is not None and len(lineage(parent)) >= _DEEPEST:
            raise WorldError(
                f"nothing can be attached to {parent.name!r}, which is carried by {_DEEPEST - 1} bodies in a chain",
                hint="attach some of them to a body nearer to the world",
            )

    def linkage_changed(self, linkage: Linkage) -> None:
        """Announce that the motion of a mechanism has changed."""
        for link in linkage.links:
            self._announce(link)

    def forget(self, before: int) -> None:
        """Drop the history of mechanisms and parts before an instant, for runs of several days.

        At an earlier instant they are where the first remaining motion begins.
        """
        for linkage in self.linkages.values():
            linkage.history.forget(before)
        for body in self.bodies.values():
            if body.part:  # only parts are moved repeatedly
                body.history.forget(before)

    def subscribe(self, listener: Callable[[LiveBody], None]) -> None:
        """Call a function with every body whose motion or attachment changes; of a moving tree, only with its top."""
        self._listeners.append(listener)

    def subscribe_materials(self, listener: Callable[[LiveBody], None]) -> None:
        """Call a function with every body whose material changes."""
        self._material_listeners.append(listener)

    def material_changed(self, body: LiveBody) -> None:
        """Announce that the material of a body has changed."""
        for listener in self._material_listeners:
            listener(body)

    def _announce(self, body: LiveBody) -> None:
        self._cache_time = ALWAYS
        for each in self.subtree(body):
            each.version += 1
        for listener in self._listeners:
            listener(body)

    # ---------------------------------------------------------------- poses

    def pose(self, what: LiveBody | LiveWorkpoint | str, t: int | None = None) -> Pose:
        """The pose of a body or workpoint in the world, now or at any instant of the run; a name is that of a body."""
        t = self._clock.now if t is None else t
        if isinstance(what, LiveWorkpoint):
            return what.local if what.body is None else self.pose(what.body, t) @ what.local
        cache = self._cache
        if t != self._cache_time:
            cache.clear()
            self._cache_time = t
        found = cache.get(what)  # type: ignore[arg-type]  # a name is never found
        if found is None:
            if not isinstance(what, LiveBody):
                return self.pose(self.body(what), t)
            if not what.born <= t < what.gone:
                if what.name in self._merged and t >= what.gone:
                    whole, local = self._merged[what.name]  # its pose on the merged body, where workpoints may be
                    return self.pose(whole, t) @ local
                raise WorldError(f"{what.name!r} is not in the cell at {t * SECOND:.6f} s")
            history = what.history
            segment = history.values[-1] if t >= history.times[-1] else what.segment(t)
            found = segment.motion.pose(t)
            parent = segment.parent
            if parent is not None:
                carrier = cache.get(parent) or self.pose(parent, t)
                if carrier is not IDENTITY:
                    found = carrier @ found
            cache[what] = found
        return found

    def velocity(self, body: LiveBody) -> Vector:
        """The velocity of the body's origin in the world now, in m/s, from its motion up to this instant.

        The velocity is 0 if an arm stops at this instant, or if the body has just jumped.
        """
        now = self.now
        if not body.exists(now - 1):
            return (0.0, 0.0, 0.0)
        segment = body.segment(now - 1)

        def place(t: int) -> Vector:
            local = segment.motion.pose(t)
            return (local if segment.parent is None else self.pose(segment.parent, t) @ local).position

        if math.dist(place(now), self.pose(body).position) > _JUMP:
            return (0.0, 0.0, 0.0)
        vx, vy, vz = ((b - a) / SECOND for a, b in zip(place(now), place(now + 1), strict=True))
        return (vx, vy, vz)

    def relative(self, reference: LiveBody | None, body: LiveBody, t: int | None = None) -> Pose:
        """The pose of a body relative to another."""
        pose = self.pose(body, t)
        return pose if reference is None else self.pose(reference, t).inverse() @ pose

    def bound(self, body: LiveBody, t0: int, t1: int, seen_from: LiveBody | None = None) -> tuple[float, float]:
        """Rigorous bounds over an interval, relative to the world or a carrier: speed of the origin and angular speed.

        The speed of a point within r of the origin is at most speed + angular speed · r.
        """
        if body is seen_from:
            return 0.0, 0.0
        top_speed = top_turn = 0.0
        for segment, lo, hi in body.spans(t0, t1):
            speed, turn = segment.motion.bound(lo, hi)
            if segment.parent is not None:
                carried, turned = self.bound(segment.parent, lo, hi, seen_from)
                if turned:
                    # The distance from the parent's origin is at most that at the start plus the largest motion.
                    reach = np.linalg.norm(segment.motion.pose(lo).position) + speed * (hi - lo) * SECOND
                    carried += turned * float(reach)
                speed, turn = speed + carried, turn + turned
            top_speed, top_turn = max(top_speed, speed), max(top_turn, turn)
        return top_speed, top_turn

    def changes(self, body: LiveBody, t0: int, t1: int) -> set[int]:
        """The instants in ``t0`` < t ≤ ``t1`` at which the motion or attachment of the body or a carrier changed.

        Bounds hold between them; at a change the body may be moved elsewhere at once.
        """
        found = set()
        for segment, lo, hi in body.spans(t0, t1):
            if t0 < segment.start:
                found.add(segment.start)
            if isinstance(segment.motion, LinkMotion):
                found.update(each.start for each in segment.motion.linkage.trajectories(lo, hi) if each.start > lo)
            if segment.parent is not None:
                found |= self.changes(segment.parent, lo, hi)
        return found

    def batch(self, body: LiveBody, times: Ticks) -> tuple[Array, Array]:
        """World rotations (n, 3, 3) and positions (n, 3) at many increasing instants, for culling only."""
        rotations, positions = np.empty((len(times), 3, 3)), np.empty((len(times), 3))
        segments = body.segments(int(times[0]), int(times[-1]))
        first = 0
        for this, following in zip(segments, [*segments[1:], None], strict=True):
            last = len(times) if following is None else int(np.searchsorted(times, following.start, side="left"))
            if last == first:
                continue
            span = times[first:last]
            R, p = this.motion.batch(span)
            if this.parent is not None:
                R_parent, p_parent = self.batch(this.parent, span)
                p = p_parent + np.einsum("nij,nj->ni", R_parent, p)
                R = R_parent @ R
            rotations[first:last], positions[first:last] = R, p
            first = last
        return rotations, positions
