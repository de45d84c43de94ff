"""The census: which bodies stand, which ride at constant velocity, and which do something else."""

import math
from collections.abc import Container, Sequence

import numpy as np

from drycell.base import Vector
from drycell.geometry import Placed
from drycell.world.body import LiveBody
from drycell.world.columns import BallTable
from drycell.world.linkage import LinkMotion
from drycell.world.motion import FOREVER
from drycell.world.stretch import steady
from drycell.world.world import World

_NO_SPEED = (0.0, 0.0, 0.0)


class Census:
    """All bodies with a shape, kept up with the world's changes: most in columns, the others listed by themselves."""

    def __init__(self, world: World, *, tells: bool = False) -> None:
        self.standing = BallTable()
        self.riding = BallTable()
        self.others: dict[LiveBody, None] = {}
        self.changed: dict[LiveBody, None] = {}
        """Born, moved, attached or gone since the owner of the census last emptied this, if it wants to be told."""
        self._tells = tells
        self.version = 0
        """Rises when anything is taken in."""
        self._dirty: dict[LiveBody, None] = dict.fromkeys(world.bodies.values())
        self._world = world
        world.subscribe(self._note)

    def _note(self, body: LiveBody) -> None:
        for each in self._world.subtree(body):
            self._dirty[each] = None

    def refresh(self) -> None:
        """Takes in what changed since the last time."""
        if not self._dirty:
            return
        self.version += 1
        for body in self._dirty:
            if self._tells:
                self.changed[body] = None
            solid = body.shape is not None and not body.hole and body.gone == FOREVER
            ride = steady(body) if solid else None
            # Parts, and what hangs on mechanisms, are kept with what rides even when they are still: fixtures alone
            # change so rarely that what was found out about them is worth keeping.
            stands = ride is not None and ride.velocity == _NO_SPEED and not body.part and not _on_mechanism(body)
            for columns, wanted in ((self.standing, stands), (self.riding, not stands)):
                if wanted and ride is not None:
                    columns.put(body, ride)
                else:
                    columns.drop(body)
            if solid and ride is None:
                self.others[body] = None
            else:
                self.others.pop(body, None)
        self._dirty.clear()

    def overlook(self, t: int) -> None:
        """Strikes from ``changed`` what has stood or ridden as it does since an instant or longer."""
        for columns in (self.standing, self.riding):
            for body, ride in zip(columns.bodies, columns.rides, strict=True):
                if ride.since <= t:
                    self.changed.pop(body, None)

    def near(self, centre: Vector, radius: float, t: int) -> list[LiveBody]:
        """The bodies whose ball meets a ball at an instant, by name. Bodies that have left the cell are not found."""
        self.refresh()
        found: list[LiveBody] = []
        for columns in (self.standing, self.riding):
            if not len(columns):
                continue
            late = columns.since > t  # changed after that instant: looked at one by one
            bodies = columns.bodies
            found.extend(bodies[row] for row in columns.near(centre, radius + 1e-6, t).tolist() if not late[row])
            if late.any():
                found.extend(
                    each
                    for each, is_late in zip(bodies, late, strict=True)
                    if is_late and self._meets(each, centre, radius, t)
                )
        found.extend(each for each in self.others if self._meets(each, centre, radius, t))
        found.sort(key=lambda body: body.name)
        return found

    def approachable(self, centre: Vector, radius: float, t0: int, t1: int) -> list[LiveBody]:
        """All bodies that may come into a ball between two instants, by name; whatever moves oddly may."""
        self.refresh()
        found = {**self.others}
        for columns in (self.standing, self.riding):
            if len(columns):
                lower, upper = np.array(centre) - radius, np.array(centre) + radius
                late = columns.since > t0  # not yet as the row says: no telling
                rows = np.union1d(columns.meeting(lower, upper, t0, t1), np.flatnonzero(late)).tolist()
                found |= dict.fromkeys(columns.bodies[row] for row in rows)
        return sorted(found, key=lambda body: body.name)

    def meetings(
        self, placed: Sequence[Placed], margin: float, t: int, ignore: Container[LiveBody] = ()
    ) -> list[tuple[int, LiveBody]]:
        """Which bodies' balls come within a margin of given shapes' at an instant: number of the shape, and body."""
        if self._dirty:
            self.refresh()
        numbers: list[float] = []  # flat, which numpy takes in most quickly
        grown = margin + 1e-6
        for each in placed:
            if each.stale:
                each.settle()  # the engine will want to know, and the middle comes with it
            core = each.core
            (x, y, z), radius = each.ball if core is None else (each.middle, core.radius)
            g = radius + grown
            numbers += (2 * x, 2 * y, 2 * z, 2 * g, g * g - x * x - y * y - z * z, -1.0)
        features = np.array(numbers).reshape(-1, 6)  # see Envelope.all_features
        found: list[tuple[int, LiveBody]] = []
        late: list[LiveBody] = []
        for columns in (self.standing, self.riding):
            bodies = columns.bodies
            if bodies:
                ours, theirs = (features @ columns.features(t) >= 0.0).nonzero()
                met = zip(ours.tolist(), map(bodies.__getitem__, theirs.tolist()), strict=True)
                found += [pair for pair in met if pair[1] not in ignore]
                if columns.latest > t:
                    late += [body for body, start in zip(bodies, columns.since, strict=True) if start > t]
        if late:
            found = [pair for pair in found if pair[1] not in late]
        for body in (*self.others, *late):
            if body not in ignore:
                for number, (centre, radius) in enumerate(each.ball for each in placed):
                    if self._meets(body, centre, radius + margin, t):
                        found.append((number, body))
        return found

    def _meets(self, body: LiveBody, centre: Vector, radius: float, t: int) -> bool:
        if body.shape is None or not body.exists(t):
            return False
        middle, reach = body.shape.sphere
        return math.dist(self._world.pose(body, t).point(middle), centre) <= reach + radius + 1e-6


def _on_mechanism(body: LiveBody) -> bool:
    """Whether a body is a link, or hangs on one."""
    node: LiveBody | None = body
    while node is not None:
        segment = node.history.values[-1]
        if isinstance(segment.motion, LinkMotion):
            return True
        node = segment.parent
    return False
