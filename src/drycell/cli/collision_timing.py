"""The cost of a collision check with several models: same arm, poses and obstacles for each, measured alternately."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from drycell.base import Pose
from drycell.geometry import Box, Placed, gap
from drycell.robots import BASE, Mechanism

NEAR: Final = 0.05  # metres: as in every check, pairs whose bounding spheres are farther apart are not checked exactly
OBSTACLES: Final = 12


@dataclass(frozen=True)
class CollisionTiming:
    """The duration of a collision check at one time with each model, in seconds: the fastest of several rounds."""

    seconds: tuple[float, ...]
    instants: int
    pairs: int

    @property
    def speed_up(self) -> float:
        """The speed of the last model relative to the first."""
        return self.seconds[0] / self.seconds[-1]


def time_collision_checks(
    models: Sequence[Mechanism], *, instants: int = 200, rounds: int = 5, seed: int = 0
) -> CollisionTiming:
    """Measure models with the same joints against twelve boxes around them, and against themselves.

    Every model is in the same random configurations. The measurement covers what a check does at one time: place the
    links, compare bounding spheres, and compute the distance of near pairs.
    """
    random = Random(seed)
    poses = [models[0].link_poses(_joints(models[0], random)) for _ in range(instants)]
    boxes = _boxes(poses, random)
    checks = [_Check(model, boxes) for model in models]
    best = [math.inf] * len(models)
    for check in checks:
        check.run(poses[:5])  # engines are built at the first query
    for _ in range(rounds):
        for number, check in enumerate(checks):
            started = time.perf_counter()
            check.run(poses)
            best[number] = min(best[number], time.perf_counter() - started)
    return CollisionTiming(tuple(each / instants for each in best), instants, len(checks[0].pairs))


class _Check:
    """A model among obstacles: its links and the pairs that are checked."""

    def __init__(self, model: Mechanism, boxes: Sequence[Placed]) -> None:
        self._links = [None if link.shape is None else Placed(link.shape) for link in model.links]
        there = [number for number, link in enumerate(self._links) if link is not None]
        base = None if model.base is None else Placed(model.base)
        self.pairs: list[tuple[Placed, Placed]] = []
        for number in there:
            self._pair(number, *boxes)
            parent = model.links[number].parent
            if base is not None and parent != BASE:
                self._pair(number, base)
            neighbours = {parent, *(k for k in there if model.links[k].parent == number)}
            self._pair(number, *(self._links[k] for k in there if k > number and k not in neighbours))

    def _pair(self, number: int, *others: Placed | None) -> None:
        link = self._links[number]
        self.pairs += [(link, other) for other in others if link is not None and other is not None]

    def run(self, poses: Sequence[Sequence[Pose]]) -> None:
        """Check every pair at every time."""
        for links in poses:
            for link, pose in zip(self._links, links, strict=True):
                if link is not None:
                    link.place(pose)
            for one, other in self.pairs:
                (p, r), (q, s) = one.ball, other.ball
                if math.dist(p, q) - r - s <= NEAR:
                    gap(one, other)


def _joints(model: Mechanism, random: Random) -> list[float]:
    return [random.uniform(max(joint.lower, -math.pi * 2), min(joint.upper, math.pi * 2)) for joint in model.joints]


def _boxes(poses: Sequence[Sequence[Pose]], random: Random) -> list[Placed]:
    """Place boxes near the links: each beside a link in some configuration."""
    made = []
    for _ in range(OBSTACLES):
        link = random.choice(random.choice(poses))
        size = [random.uniform(0.05, 0.2) for _ in range(3)]
        shift = [random.uniform(-0.3, 0.3) for _ in range(3)]
        made.append(
            Placed(Box(*size), Pose.of_rpy(0.0, 0.0, random.uniform(-3.0, 3.0), at=link.position).moved(*shift))
        )
    return made
