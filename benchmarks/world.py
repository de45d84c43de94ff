"""Collision checks: one instant against bare coal calls, a busy arm against the wall clock, and bodies out of reach.

The scene: a UR5-like arm makes random joint moves without a pause, with ten parts on a belt beside it and thirty boxes
around it at 0.95 to 2.2 m. Seven links are checked against forty bodies.
"""

import gc
import math
import random
from collections.abc import Sequence
from time import perf_counter
from typing import Final

import numpy as np

from drycell.base import Pose
from drycell.geometry import Box, Cylinder, Placed, Shape
from drycell.handling import MotionLimits, time_law
from drycell.kernel import Kernel, delay
from drycell.robots import Mechanism, load_robot
from drycell.world import CollisionMonitor, JointTrajectory, Linkage, LiveBody, Scene, Travel, World

_SECONDS: Final = 120
_ROUNDS: Final = 5
_LIMITS: Final = MotionLimits(1.5, 5.0, 40.0)
_BELT: Final = 0.1  # m/s
_NEAR: Final = 20  # pairs
_MARGIN: Final = 0.005  # m


def arm_vs_wall() -> float:
    """Seconds of cell time per second of wall time: planning, kernel and collision checks of 280 pairs at 1 ms."""
    return _SECONDS / min(_busy_arm(0) for _ in range(_ROUNDS))


def far_bodies_slowdown() -> float:
    """The time with 200 more bodies out of reach over the time without them."""
    near, far = math.inf, math.inf
    for _ in range(2 * _ROUNDS):  # alternately, so that other load on the machine does not matter
        near, far = min(near, _busy_arm(0)), min(far, _busy_arm(200))
    return far / near


def crashcheck_vs_coal() -> float:
    """The time to check an arm among 50 bodies at one instant, over that of bare coal calls for the 20 near pairs."""
    import coal

    world = World(Kernel())
    # One convex piece for each link, so that a pair is one call: cylinders, as in most robots of the library.
    links = (Cylinder(0.06, 0.12), Cylinder(0.052, 0.4), Cylinder(0.041, 0.4), *[Cylinder(0.04, 0.08)] * 3)
    arm = _stand(world, load_robot("ur5-like"), links)
    r = random.Random(5)
    # Twenty boxes whose bounding spheres overlap with that of one link each, without contact; thirty out of reach.
    while len(world.bodies) < 7 + _NEAR:
        x, y, z = world.pose(arm.links[len(world.bodies) % 6]).position
        angle, out = r.uniform(-math.pi, math.pi), r.uniform(0.1, 0.3)
        pose = Pose(x + out * math.cos(angle), y + out * math.sin(angle), z + r.uniform(-0.1, 0.1)) @ Pose.turn_z(angle)
        box = world.add(LiveBody(f"near{len(world.bodies)}", Box(0.08, 0.08, 0.08)), None, pose)
        if [other for _, other in _near(Scene(world), arm)].count(box) != 1 or Scene(world).touching(box, margin=0.001):
            world.remove(box)
    for i in range(50 - _NEAR):
        world.add(LiveBody(f"far{i}", Box(0.1, 0.1, 0.1)), None, Pose.turn_z(i / 5) @ Pose(3.0 + 0.1 * i, 0, 0.2))
    scene = Scene(world)
    engine = []
    for pair in _near(scene, arm):
        one, other = (Placed(body.shape, world.pose(body)) for body in pair if body.shape is not None)
        one.settle()
        other.settle()
        engine.append((one.cores[0].geometry, one.transform, other.cores[0].geometry, other.transform))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = 1e-9
    arm.follow(
        _move(0, arm.joints(), [joint + 1e-6 for joint in arm.joints()])
    )  # a motion that does not change the pose
    ours = theirs = math.inf
    for t in range(1, 1000):  # a new instant each time, which is not cached
        begin = perf_counter()
        scene.clearances(arm.links, _MARGIN, t, [arm.base])
        ours = min(ours, perf_counter() - begin)
        begin = perf_counter()
        for A, X, B, Y in engine:
            result.clear()
            coal.distance(A, X, B, Y, request, result)
        theirs = min(theirs, perf_counter() - begin)
    return ours / theirs


def _near(scene: Scene, arm: Linkage) -> list[tuple[LiveBody, LiveBody]]:
    """The pairs whose bounding spheres overlap."""
    placed = [scene.placed(link, 0) for link in arm.links]
    met = scene.broad_phase.meetings(placed, _MARGIN, 0, [*arm.links, arm.base])
    return [(arm.links[number], other) for number, other in met]


def _stand(world: World, mechanism: Mechanism, shapes: Sequence[Shape | None] | None = None) -> Linkage:
    base = world.add(LiveBody("arm", mechanism.base))
    shapes = shapes or [link.shape for link in mechanism.links]
    links = [LiveBody(f"arm/{link.name}", shape) for link, shape in zip(mechanism.links, shapes, strict=True)]
    arm = Linkage(world, "arm", mechanism, base, links, [0.0, -1.2, 1.2, -1.5, -1.57, 0.0])
    world.add_linkage(arm)
    return arm


def _busy_arm(far: int) -> float:
    """Build and run the cell. Returns the wall time of the run in seconds."""
    kernel = Kernel()
    world = World(kernel)
    arm = _stand(world, load_robot("ur5-like"))
    _surroundings(world, far)
    parts = [world.add(LiveBody(f"part{i}", Box(0.08, 0.06, 0.05 + 0.01 * (i % 4)), part=True)) for i in range(10)]
    for i, part in enumerate(parts):
        entry = -2_000_000 * i
        world.move(part, Travel(entry, entry + 20_000_000, Pose(-1.0, 0.55, 0.1), (_BELT, 0.0, 0.0)))

    def belt() -> None:
        while True:
            for part in reversed(parts):
                delay(2.0)
                end = kernel.now + 20_000_000
                world.move(part, Travel(kernel.now, end, Pose(-1.0, 0.55, 0.1), (_BELT, 0.0, 0.0)))

    def program() -> None:
        r = random.Random(7)
        while True:
            spans = ((-3, 3), (-2.0, -0.6), (0.4, 2.0), (-2, 0.5), (-2, -1), (-2, 2))
            trajectory = _move(kernel.now, arm.joints(), [r.uniform(*span) for span in spans])
            arm.follow(trajectory)
            delay(trajectory.duration)

    kernel.spawn(belt, daemon=True)
    kernel.spawn(program)
    CollisionMonitor(world, kernel, pairs=[("arm", "box*"), ("arm", "far*"), ("arm", "part*")])
    gc.collect()
    begin = perf_counter()
    kernel.run(_SECONDS * 1_000_000)
    return perf_counter() - begin


def _surroundings(world: World, far: int) -> None:
    r = np.random.default_rng(1)
    for i in range(30):
        angle, out = r.uniform(-math.pi, math.pi), r.uniform(0.95, 2.2)
        height = r.uniform(0.05, 0.8)
        pose = Pose(out * math.cos(angle), out * math.sin(angle), height / 2) @ Pose.turn_z(r.uniform(0, 3))
        world.add(LiveBody(f"box{i}", Box(r.uniform(0.05, 0.2), r.uniform(0.05, 0.2), height)), None, pose)
    for i in range(far):
        world.add(LiveBody(f"far{i}", Box(0.2, 0.2, 0.5)), None, Pose(4.0 + i % 20, i // 20 - 5.0, 0.25))


def _move(start: int, here: list[float], there: list[float]) -> JointTrajectory:
    """All joints follow one jerk-limited law; the joint that moves farthest is at its limits."""
    way = [b - a for a, b in zip(here, there, strict=True)]
    law = time_law(1.0, _LIMITS.over(max(map(abs, way))))
    coefficients = np.array(law.pieces)[:, :, None] * np.array(way)
    coefficients[:, 0] += np.array(here)
    return JointTrajectory(start, np.array(law.breaks), coefficients)
