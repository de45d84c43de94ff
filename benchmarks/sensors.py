"""Sensors: one sample of a range sensor against PyBullet's rays, and a thousand sensors against the wall clock."""

import gc
import importlib
import math
import os
import random
from collections.abc import Sequence
from statistics import median
from time import perf_counter
from types import ModuleType
from typing import Final

from drycell.base import Pose, Vector
from drycell.geometry import Box, Cylinder, Fan, Shape, Sphere
from drycell.kernel import Kernel
from drycell.world import LiveBody, Scene, Travel, World

_BODIES: Final = 100
_SAMPLES: Final = 400
_REACH: Final = 1.0  # m
_SPREAD: Final = math.radians(6.0)
_SECONDS: Final = 30
_ROUNDS: Final = 5


def ray_vs_pybullet() -> float:
    """One sample with five trace-lines among 100 moving bodies: PyBullet's time over drycell's, in the worst case.

    Each sample is at a new instant, so both update all bodies: PyBullet receives a hundred precomputed poses, drycell
    evaluates the motions. Then both cast the five lines, PyBullet as one batch. In the four cases the sensor stands or
    moves, and few or all five lines hit something; the figure is the worst case. PyBullet spends most of its time on
    the poses: if many sensors sample at one instant, its rays alone are twice as fast.
    """
    return min(_rays(moving, facing) for moving in (False, True) for facing in (False, True))


def sensors_vs_wall() -> float:
    """Seconds of cell time per second of wall time: 1000 sensors at 10 Hz, with ten phases, among 200 bodies.

    Two belts carry fifteen parts each past eighty sensors. An arm moves without a pause, with four sensors on it and
    sixteen around it. The other sensors are where nothing moves, as in most cells: 37 bodies move, and 100 sensors can
    see them. There are volume, beam and contact switches, inductive, capacitive, photoelectric and ultrasonic switches,
    and range sensors with one to nine lines. One in twenty is noisy and publishes a new value with every sample. No
    program waits for a sensor, but every sensor publishes.
    """
    from benchmarks.shop import build

    best = math.inf
    for _ in range(_ROUNDS):
        cell = build()
        gc.collect()
        begin = perf_counter()
        cell.run(until=_SECONDS)
        best = min(best, perf_counter() - begin)
    return _SECONDS / best


def _rays(moving: bool, facing: bool) -> float:
    pybullet = _pybullet()
    r = random.Random(4)
    world = World(Kernel())
    bodies: list[tuple[LiveBody, Travel]] = []
    for k in range(_BODIES):
        size = r.uniform(0.05, 0.12)
        shape: Shape = (Box(size, 0.8 * size, 0.6 * size), Cylinder(size / 2, size), Sphere(size / 2))[k % 3]
        pose = Pose.of_rpy(
            r.uniform(-3, 3), r.uniform(-1, 1), r.uniform(-3, 3), [r.uniform(-0.75, 0.75) for _ in "xyz"]
        )
        if facing and k == 0:  # large enough to cover all lines all the time
            shape, pose = Box(0.5, 0.5, 0.1), Pose(-0.05, 0.0, 0.25)
        motion = Travel(0, 10_000_000, pose, (0.1, 0.0, 0.0) if k % 2 or facing else (-0.1, 0.02, 0.0))
        bodies.append((world.add(LiveBody(f"part{k}", shape, part=True), motion=motion), motion))
    scene, fan = Scene(world), _fan()
    client = pybullet.connect(pybullet.DIRECT)
    try:
        known = [_add_body(pybullet, body.shape, client) for body, _ in bodies]
        ours, theirs = [], []
        for sample in range(1, _SAMPLES + 1):
            t = sample * 2_500  # one second in total
            eye = Pose(0.0002 * sample if moving else 0.0, 0.0, 0.9) @ Pose.turn_x(math.pi)
            places = [(motion.pose(t).position, _xyzw(motion.pose(t))) for _, motion in bodies]
            starts = [eye.point(origin) for origin, _ in fan.lines]
            ends = [eye.point([o + _REACH * d for o, d in zip(*line, strict=True)]) for line in fan.lines]
            gc.disable()
            begin = perf_counter()
            for number, (position, turn) in zip(known, places, strict=True):
                pybullet.resetBasePositionAndOrientation(number, position, turn, physicsClientId=client)
            pybullet.rayTestBatch(starts, ends, physicsClientId=client)
            theirs.append(perf_counter() - begin)
            begin = perf_counter()
            scene.fans.cast(fan, eye, t)
            ours.append(perf_counter() - begin)
            gc.enable()
    finally:
        pybullet.disconnect(client)
    return median(theirs) / median(ours)


def _pybullet() -> ModuleType:
    """Import PyBullet without the line that it writes to standard error, which would be in the table."""
    errors = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        module = importlib.import_module("pybullet")
    finally:
        os.dup2(errors, 2)
        os.close(errors)
    return module


def _fan() -> Fan:
    sine, cosine = math.sin(_SPREAD), math.cos(_SPREAD)
    round_axis = [(sine * math.cos(k * math.pi / 2), sine * math.sin(k * math.pi / 2), cosine) for k in range(4)]
    origin: Vector = (0.0, 0.0, 0.0)
    return Fan([(origin, (0.0, 0.0, 1.0)), *[(origin, direction) for direction in round_axis]], _REACH)


def _add_body(pybullet: ModuleType, shape: Shape | None, client: int) -> int:
    """Add a body to PyBullet, without mass so that it stays where it is, and return its number."""
    if isinstance(shape, Box):
        made = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=shape.half, physicsClientId=client)
    elif isinstance(shape, Cylinder):
        made = pybullet.createCollisionShape(
            pybullet.GEOM_CYLINDER, radius=shape.radius, height=shape.length, physicsClientId=client
        )
    elif isinstance(shape, Sphere):
        made = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=shape.radius, physicsClientId=client)
    number: int = pybullet.createMultiBody(0, made, physicsClientId=client)
    return number


def _xyzw(pose: Pose) -> Sequence[float]:
    w, x, y, z = pose.quaternion
    return (x, y, z, w)
