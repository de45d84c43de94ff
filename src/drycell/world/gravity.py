"""Gravity: a released part falls until it touches something and then rests on it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from drycell.base import Vector, WorldError
from drycell.kernel import Kernel, Rank, Signal, Timer, Track, ticks
from drycell.world.body import LiveBody
from drycell.world.contact import Contact, first_contact
from drycell.world.motion import FOREVER, SECOND, Fall
from drycell.world.scene import Scene, Touch

STANDARD: Final[Vector] = (0.0, 0.0, -9.80665)
LOST_AFTER: Final = ticks(2.0)  # a part that falls longer (19.6 m) without contact has left the cell
_SOON: Final = ticks(0.05)
_LATER: Final = ticks(0.3)
_NEAR: Final = 1e-6  # metres: a body this close below a part supports it
_BELOW: Final = math.cos(math.radians(80.0))  # a steeper face does not support a part


@dataclass(slots=True)
class _Falling:
    """A falling body: the version of its motion for which the landing was predicted, and the next event."""

    end: int
    version: int
    down: Vector
    pull: float  # m/s²
    timer: Timer | None = None


class Gravity:
    """Lets parts fall. A part keeps its orientation and stops at the first contact; it does not bounce or tumble."""

    def __init__(self, kernel: Kernel, scene: Scene, gravity: Vector = STANDARD) -> None:
        self._kernel, self._scene, self._world, self._gravity = kernel, scene, scene.world, gravity
        self._falling: dict[LiveBody, _Falling] = {}
        self.lost: dict[LiveBody, None] = {}
        """Bodies that have left the cell, or fall with nothing below them."""
        self.on_lost: Callable[[LiveBody, bool], None] = lambda body, lost: None
        """Called when a body falls with nothing below it, and when something moves below it before it is lost."""
        self._track: Track[tuple[str, bool]] = kernel.tracks.track("lost")
        self._looking = False
        self.may_write: Callable[[], Sequence[Signal[Any]]] = tuple
        """Returns the signals that may change when a part lands; None if they are unknown."""
        scene.world.subscribe(self._changed)

    def release(self, body: LiveBody, gravity: Vector | None = None) -> None:
        """Release a body: it rests on the body directly below it, or falls.

        Args:
            body: the body.
            gravity: the acceleration in m/s², for example for a tilted cell; by default that of the world.
        """
        pull = self._gravity if gravity is None else gravity
        size = math.hypot(*pull)
        if not 0.0 < size < math.inf:
            raise WorldError(f"a gravity of {pull} has no direction", hint="give a vector other than (0, 0, 0)")
        down = (pull[0] / size, pull[1] / size, pull[2] / size)
        self._forget(body)
        support = self._support(body, down)
        if support is not None:
            self._rest(body, support)
            return
        now, world = self._kernel.now, self._world
        self._kernel.journal.write("falls", body.name)
        world.move(body, Fall(now, now + LOST_AFTER, world.pose(body), world.velocity(body), pull))
        self._falling[body] = _Falling(now + LOST_AFTER, body.version, down, size)
        self._look_soon()

    def falls(self, body: LiveBody) -> bool:
        """Whether a body is falling."""
        return body in self._falling

    def close(self) -> None:
        """Predict falls that began at the last instant of a run."""
        for body, falling in self._falling.items():
            if falling.timer is None:
                self._set_lost(body, self._meeting(body) is None)

    def _support(self, body: LiveBody, down: Vector) -> LiveBody | None:
        """The body directly below a body or the things it carries; of several, the one with the most level face."""
        best: tuple[float, LiveBody] | None = None
        for each, touch in self._touches(body):
            normal = self._scene.closest(each, touch.body).normal
            level = sum(n * d for n, d in zip(normal, down, strict=True))
            if level > _BELOW and (best is None or level > best[0]):
                best = (level, touch.body)
        return None if best is None else best[1]

    def _obstacle(self, body: LiveBody) -> LiveBody | None:
        """The body that it overlaps, even at a steep face; a wall that it only grazes does not count."""
        pressed = [touch for _, touch in self._touches(body) if touch.distance < -_NEAR / 2]
        return min(pressed, key=lambda touch: touch.distance).body if pressed else None

    def _touches(self, body: LiveBody) -> list[tuple[LiveBody, Touch]]:
        """All contacts of the body and of the things it carries, each with the other body."""
        own = list(self._world.subtree(body))
        return [
            (each, touch)
            for each in own
            if each.shape is not None and not each.hole
            for touch in self._scene.touching(each, margin=_NEAR, ignore=own)
        ]

    def _rest(self, body: LiveBody, support: LiveBody) -> None:
        self._world.attach(body, support)
        self._kernel.journal.write("rests", body.name, on=support.name)

    def _predict(self, body: LiveBody) -> None:
        """Predict the end of the fall if no motion changes."""
        falling = self._falling[body]
        if falling.timer is not None:
            falling.timer.cancel()
        met = self._meeting(body)
        self._set_lost(body, met is None)
        when = falling.end if met is None else met.time
        falling.timer = self._kernel.at(
            when, lambda: self._land(body), Rank.MOTION, body.name, writes=self.may_write() or None
        )

    def _meeting(self, body: LiveBody) -> Contact | None:
        """The first contact of a fall if no motion changes."""
        falling, movers = self._falling[body], list(self._world.subtree(body))
        met, start = None, self._kernel.now
        # Most falls are short, so distant bodies are checked only if there is no contact with close ones.
        for end in (start + _SOON, start + _LATER, falling.end):
            if met is None and start < falling.end:
                end = min(end, falling.end)
                met = first_contact(self._scene, movers, self._below(movers, falling.pull, start, end), start, end)
                start = end
        return met

    def _below(self, movers: list[LiveBody], pull: float, t0: int, t1: int) -> list[LiveBody]:
        """The bodies that a fall may touch between two instants."""
        found: dict[LiveBody, None] = {}
        for mover in movers:
            if mover.shape is not None:
                middle, radius = mover.shape.sphere
                (x, y, z), (u, v, w) = (self._world.pose(mover, t).point(middle) for t in (t0, t1))
                # The path is a parabola, which deviates from the straight line by g t² / 8 at most.
                bulge = pull * ((t1 - t0) * SECOND) ** 2 / 8
                reach = radius + math.dist((x, y, z), (u, v, w)) / 2 + bulge + _NEAR
                centre = ((x + u) / 2, (y + v) / 2, (z + w) / 2)
                found |= dict.fromkeys(self._scene.broad_phase.approachable(centre, reach, t0, t1))
        return [body for body in found if body not in movers]

    def _land(self, body: LiveBody) -> None:
        support = self._support(body, self._falling[body].down) or self._obstacle(body)
        if support is not None:
            del self._falling[body]
            self._rest(body, support)
            return
        if self._kernel.now < self._falling[body].end:
            self._predict(body)  # it only grazed something, which counts again if they overlap
            return
        del self._falling[body]
        self._kernel.journal.write("lost", body.name)
        self._set_lost(body, True)
        self._world.remove(body)

    def _set_lost(self, body: LiveBody, lost: bool) -> None:
        if lost != (body in self.lost):
            if lost:
                self.lost[body] = None
            else:
                del self.lost[body]
            self._track.append(self._kernel.now, (body.name, lost))
            self.on_lost(body, lost)

    def _changed(self, changed: LiveBody) -> None:
        """Predict falls again after a change of motion."""
        for body, falling in list(self._falling.items()):
            if body.version != falling.version:
                self._forget(body)  # caught, or removed from the cell
        if self._falling:
            self._look_soon()

    def _look_soon(self) -> None:
        # Once for all changes of this instant: a gripper may release and open, and each link of an arm is announced.
        if not self._looking:
            self._looking = True
            writes = self.may_write() or None
            self._kernel.at(self._kernel.now, self._look_again, Rank.MOTION, "gravity", writes=writes)

    def _look_again(self) -> None:
        self._looking = False
        for body in list(self._falling):
            self._predict(body)

    def _forget(self, body: LiveBody) -> None:
        falling = self._falling.pop(body, None)
        if falling is not None:
            if falling.timer is not None:
                falling.timer.cancel()
            if body.gone == FOREVER:
                self._set_lost(body, False)  # caught
