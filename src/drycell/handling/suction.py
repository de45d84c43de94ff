"""Vacuum cups and magnets: switched on, they lift the parts in front of them against their lips and hold them.

The line along the middle of a cup pierces a facet of the part. The vacuum pulls that facet against the lip: the part
turns by the least rotation that makes the facet's normal opposite to that of the cup, without spin about its axis.

A cup leaks where the facet is smaller than its lip around the pierced point: at an edge, over a hole, on a surface that
curves away by more than the lip gives way. It cannot lift a facet that leans more than 60°. Cups of an array that leak
are switched off one by one, as by check valves; the others hold.

What holds is limited (``holding.py``): if a move needs more force, the part comes off and falls.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np

from drycell.base import IDENTITY, MotionError, Pose, Vector, mm
from drycell.geometry import Cylinder, Placed, Shape, clear_radius, distance, least_turn, ray
from drycell.handling.holder import Holder
from drycell.handling.holding import HeldBy, Hold, accelerations
from drycell.kernel import DeviceOutput, Kernel, Rank, Timer, delay, ticks
from drycell.world import FOREVER, SECOND, Gravity, LinkMotion, LiveBody, Sampled, World, lineage, mass_of

GIVES: Final = 1 * mm
"""A lip gives way by this much: a part that is this close counts as touched."""
STEEPEST: Final = math.radians(60.0)
"""A facet that leans more than this is not lifted against a cup."""
_LIP: Final = 0.1 * mm  # the thickness of the disc that stands for the lip of a cup
_REACH: Final = 4.0  # radii beyond the lip: a facet farther down its axis leans more than 75°
_EXACT: Final = 1e-7  # metres: a facet may be smaller than the lip by this rounding
_STILL: Final = 1e-9  # metres and radians: a part that is lifted by less stays as it is
_LIFT_STEP: Final = 10_000  # ticks between the poses of a part that is lifted
_LOAD_STEP: Final = 2_000  # ticks between the instants at which the load is computed
_RUBBER: Final = "rubber"
_GRAVITY: Final = (0.0, 0.0, -9.80665)

Refusal = Literal["misses", "leaks", "steep"]


@dataclass(frozen=True, slots=True)
class Mouth:
    """Where a cup or a magnet touches parts, relative to the mounting face: z points out; the radius is in metres."""

    pose: Pose
    radius: float
    force: float | None = None
    """The force with which it holds at full vacuum, in N; None if it is not known."""


@dataclass(frozen=True, slots=True)
class _Pierced:
    """What a mouth pierces: the part, the point and the outward normal of its facet in the world."""

    mouth: Mouth
    part: LiveBody
    point: Vector
    normal: Vector


class Suction(Holder):
    """Vacuum cups or a magnet on a mounting face.

    ``close`` switches it on: each cup then lifts the part that it faces within 1 mm against its lip. A part that it
    meets later is not held: switch it on when it touches the part. ``open`` switches it off. The signal ``vacuum`` of
    cups is on when the vacuum has built up, which takes ``evacuation`` seconds.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        solid: Shape | None,
        tcp: Pose,
        mouths: Sequence[Mouth],
        parent: LiveBody | None,
        at: Pose = IDENTITY,
        *,
        magnetic: bool = False,
        deviation: float = 0.0,
        evacuation: float = 0.0,
    ) -> None:
        palm = LiveBody(name, solid, material="aluminium", deviation=deviation)
        super().__init__(kernel, world, gravity, name, palm, tcp, parent, at)
        self.mouths, self.magnetic, self.evacuation = tuple(mouths), magnetic, evacuation
        self.vacuum = None if magnetic else DeviceOutput(kernel, name, f"{name}.vacuum", False)
        """Whether the vacuum has built up; None for a magnet."""
        self._lips = {mouth: Cylinder(mouth.radius, _LIP) for mouth in self.mouths}
        self._lifting: list[LiveBody] = []
        self._holds: dict[LiveBody, Hold] = {}
        self._timers: list[Timer] = []
        self._looking = False
        world.subscribe(self._changed)

    def close(self) -> bool:
        """Switch it on: lift the parts that it touches now, and hold them. Takes until the vacuum has built up.

        Returns:
            Whether it holds a part.
        """
        self.start_close()
        if self.evacuation and not self.load:
            delay(self.evacuation)
        return self.held is not None

    def start_close(self) -> None:
        """Switch it on and return at once. The signal ``holding`` turns on when the vacuum has built up."""
        if self.load or self._lifting:
            return
        sealed: dict[LiveBody, list[_Pierced]] = {}
        refused: dict[int, tuple[Refusal, LiveBody | None, dict[str, object]]] = {}
        for number, mouth in enumerate(self.mouths, 1):
            found, why, details = self._pierced(mouth)
            if found is None or why is not None:
                refused[number] = why or "misses", None if found is None else found.part, details
            else:
                sealed.setdefault(found.part, []).append(found)
        if not sealed:
            # The worst that can be said of a cup says most about what to change.
            kind, part, details = max(refused.values(), key=lambda each: ("misses", "leaks", "steep").index(each[0]))
            named = {} if part is None else {"part": part.name}
            self._kernel.journal.write(kind, self.name, **named, **details)
            return
        for number, (kind, part, details) in refused.items():
            if part in sealed:
                self._kernel.journal.write(kind, self.name, cup=number, part=part.name, **details)
        now = self._kernel.now
        end = now + ticks(self.evacuation)
        self._lifting = list(sealed)
        for part, cups in sealed.items():
            self._lift(part, cups, now, end)
            self._holds.pop(part, None)
            hold = self._hold_of(part, cups)
            if hold is not None:
                self._holds[part] = hold
        if end == now:
            self._built_up()
        else:
            self._timers.append(self._after(end, self._built_up))

    def open(self) -> None:
        """Switch it off: release held parts, which fall if nothing is below them. Takes no time."""
        self._cancel()
        lifting, self._lifting = self._lifting, []
        self._holds.clear()
        self._set_vacuum(False)
        self._let_go()
        for part in lifting:
            if self._has(part, self.palm):
                self._world.attach(part, None)
                self._gravity.release(part)

    def default_grasp(self, part: LiveBody) -> Pose:
        """The TCP pose on the middle of a part's top, pointing down, x along the part's own x axis or y axis.

        Args:
            part: The part.

        Raises:
            MotionError: The part has no shape.
        """
        if part.shape is None:
            raise MotionError(f"{part.name!r} has no shape, so there is nothing to grasp")
        pose = self._world.pose(part)
        lower, upper = part.shape.bounds
        corners = [pose.point((x, y, z)) for x, y, z in product(*zip(lower, upper, strict=True))]
        u, v, _ = pose.point([(a + b) / 2 for a, b in zip(lower, upper, strict=True)])
        level = max(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), key=lambda axis: -abs(round(pose.direction(axis)[2], 6)))
        x, y, _ = pose.direction(level)
        return Pose(u, v, max(corner[2] for corner in corners)) @ Pose.turn_z(math.atan2(y, x)) @ Pose.turn_x(math.pi)

    # ---------------------------------------------------------------- taking parts

    def _pierced(self, mouth: Mouth) -> tuple[_Pierced | None, Refusal | None, dict[str, object]]:
        """What a mouth pierces, and why it cannot hold it; both are None if nothing is in front of it."""
        X_WM = self.palm.pose @ mouth.pose
        disc, lip = Placed(self._lips[mouth], X_WM @ Pose(z=-_LIP / 2)), mouth.radius
        out = X_WM.direction((0.0, 0.0, 1.0))
        nearest: tuple[float, LiveBody] | None = None
        for body in self._world.bodies.values():
            if not body.part or body.hole or body.shape is None:
                continue
            if self.magnetic and not self._world.materials[body.material].magnetic:
                continue
            gap = distance(disc, Placed(body.shape, body.pose), GIVES)
            if gap <= GIVES and (nearest is None or gap < nearest[0]):
                nearest = (gap, body)
        if nearest is None:
            return None, None, {}
        part = nearest[1]
        assert part.shape is not None
        origin = X_WM.point((0.0, 0.0, -lip))
        hit = ray(Placed(part.shape, part.pose), origin, out, lip + lip * _REACH + GIVES)
        if hit is None or hit.inside:
            # The middle of the lip is beyond the edge of the part.
            return _Pierced(mouth, part, origin, out), "leaks", {"clear_mm": 0.0, "lip_mm": lip * 1e3}
        x, y, z = (a + hit.distance * b for a, b in zip(origin, out, strict=True))
        found = _Pierced(mouth, part, (x, y, z), hit.normal)
        lean = math.acos(min(1.0, max(-1.0, -sum(a * b for a, b in zip(hit.normal, out, strict=True)))))
        if lean > STEEPEST:
            return found, "steep", {"lean_deg": math.degrees(lean), "limit_deg": math.degrees(STEEPEST)}
        if not self.magnetic:
            back = part.pose.inverse()
            clear = clear_radius(part.shape, back.point(found.point), back.direction(hit.normal), GIVES)
            if clear < lip - _EXACT:
                return found, "leaks", {"clear_mm": clear * 1e3, "lip_mm": lip * 1e3}
        return found, None, {}

    def _lift(self, part: LiveBody, cups: Sequence[_Pierced], start: int, end: int) -> None:
        """Turn the pierced facet against the cup that is nearest to it, and shift the pierced point onto the lip."""
        back, here = self.palm.pose.inverse(), self._world.relative(self.palm, part)

        def gap(cup: _Pierced) -> float:
            return cup.mouth.pose.inverse().point(back.point(cup.point))[2]

        cup = min(cups, key=lambda each: round(gap(each), 9))
        axis = cup.mouth.pose.direction((0.0, 0.0, 1.0))
        x, y, z = back.point(cup.point)
        turn = least_turn(back.direction(cup.normal), (-axis[0], -axis[1], -axis[2]))
        by = max(gap(cup), 0.0)  # a lip that is pressed in stays so
        angle = math.hypot(*turn.rotation_vector)
        if angle < _STILL and by < _STILL:
            self._world.attach(part, self.palm)
            return

        def lifted(share: float) -> Pose:
            turned = IDENTITY.towards(turn, share)
            u, v, w = turned.point((x, y, z))
            a, b, c = (p - q - by * share * d for p, q, d in zip((x, y, z), (u, v, w), axis, strict=True))
            return turned.moved(a, b, c) @ here

        if end == start:
            self._world.place(part, lifted(1.0), self.palm)
        else:
            times = [*range(start, end, _LIFT_STEP), end]
            poses = [lifted((t - start) / (end - start)) for t in times]
            self._world.move(part, Sampled(times, poses), self.palm)
        self._kernel.journal.write("lifts", self.name, part=part.name, turned_deg=math.degrees(angle), by_mm=by * 1e3)

    def _built_up(self) -> None:
        """The vacuum has built up: what it lifted is held now."""
        parts = [part for part in self._lifting if self._has(part, self.palm)]
        self._lifting = []
        self._cancel()
        if parts:
            self._set_vacuum(True)
            self._take(parts)

    def _set_vacuum(self, on: bool) -> None:
        if self.vacuum is not None:
            self.vacuum.publish(on)

    # ---------------------------------------------------------------- what it can hold

    def _hold_of(self, part: LiveBody, cups: Sequence[_Pierced]) -> Hold | None:
        """What the cups on a part can hold; None if a force is not known."""
        known = [(cup.mouth, cup.mouth.force) for cup in cups]
        held = tuple(HeldBy(mouth.pose.position, mouth.radius, force) for mouth, force in known if force is not None)
        if len(held) < len(known):
            return None
        materials = self._world.materials
        own = "steel" if self.magnetic else _RUBBER
        friction = min(materials[own].friction, materials[part.material].friction)
        return Hold(held, cups[0].mouth.pose.direction((0.0, 0.0, 1.0)), friction) if friction > 0.0 else None

    def _changed(self, body: LiveBody) -> None:
        """Handle a changed motion: a part may be gone, and a new move may need more force."""
        self._lost(body)
        for part in [each for each in self._holds if each not in self.load and each not in self._lifting]:
            del self._holds[part]
        if self.load and self._holds and not self._looking and body in lineage(self.palm):
            self._looking = True  # once for all links of an arm
            self._after(self._kernel.now, self._look_ahead)

    def _look_ahead(self) -> None:
        """Find the first instant of the present motion at which a part comes off, and schedule it."""
        self._looking = False
        self._cancel()
        now = self._kernel.now
        end = max((self._end(body) for body in lineage(self.palm)), default=now)
        if end <= now:
            return
        times = np.arange(now, end + 2 * _LOAD_STEP, _LOAD_STEP)
        rotations, positions = self._world.batch(self.palm, times)
        first: tuple[int, LiveBody, str, float, float] | None = None
        for part, hold in self._holds.items():
            masses = [mass_of(each) for each in self._world.subtree(part) if each.shape is not None]
            if part.shape is None or part not in self.load or any(mass is None for mass in masses):
                continue
            mass = math.fsum(mass for mass in masses if mass is not None)
            at = np.array(self._world.relative(self.palm, part).point(part.shape.mass_properties.centre))
            moved = positions + rotations @ at
            force = mass * (np.array(_GRAVITY) - accelerations(moved, _LOAD_STEP * SECOND))
            loads = np.einsum("nji,nj->ni", rotations, force)
            pull, lateral = hold.uses(loads, np.broadcast_to(at, loads.shape))
            over = np.flatnonzero(np.maximum(pull, lateral) > 1.0)
            if len(over) and (first is None or int(times[over[0]]) < first[0]):
                k = int(over[0])
                why = "pull" if pull[k] >= lateral[k] else "lateral force"
                first = int(times[k]), part, why, float(np.linalg.norm(loads[k])), float(max(pull[k], lateral[k]))
        if first is not None:
            when, part, why, load, use = first
            self._timers.append(self._after(when, lambda: self._come_off(part, why, load, use)))

    def _end(self, body: LiveBody) -> int:
        """The end of the present motion of a body that carries the cups; 0 if it is at rest."""
        motion = body.segment(self._kernel.now).motion
        end = motion.linkage.history.values[-1].end if isinstance(motion, LinkMotion) else motion.end
        return 0 if end == FOREVER else end

    def _come_off(self, part: LiveBody, why: str, load: float, use: float) -> None:
        """A part comes off: it falls with the velocity that it has."""
        hold = self._holds.pop(part)
        self._timers.clear()
        self._kernel.journal.write(
            "comes_off", self.name, part=part.name, by=why, load_n=round(load, 2), force_n=round(hold.force, 2)
        )
        self._kernel.warn(
            self.name,
            f"lost {part.name}: a load of {load:.1f} N is {use:.2f} times the {why} that its holding force of "
            f"{hold.force:.1f} N allows",
        )
        self.load = tuple(each for each in self.load if each is not part)
        self._load_changed()
        self._set_vacuum(bool(self.load))
        self._world.attach(part, None)
        self._gravity.release(part)
        if self.load:
            self._look_ahead()

    def _after(self, when: int, action: Callable[[], None]) -> Timer:
        own = (self.holding,) if self.vacuum is None else (self.holding, self.vacuum)
        return self._kernel.at(when, action, Rank.MOTION, self.name, writes=own)

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
