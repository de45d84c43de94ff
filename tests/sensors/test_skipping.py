"""Skipping equals not skipping: the journals of crowded random cells, with and without a look at every sample.

Arms move, are cut and jump; parts ride, fall, tumble, are put elsewhere, grasped, painted and taken out; sensors stand,
ride and sit on arms, are switched off and on, drift and drop out; and what sensors report moves things at the very same
instant.
"""

import random
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
import pytest

from drycell import Robot, Sensor
from drycell.base import Pose, deg, mm, ms
from drycell.cell import Cell
from drycell.geometry import Box, Capsule, Cylinder, Shape, Sphere
from drycell.kernel import Rank, ReplayingChooser, delay
from drycell.sensors import Beam, Noise, Output, SensorModel, TraceLines, Volume
from drycell.world import Fall, JointTrajectory, Linkage, LiveBody, Sampled, Travel

SPAN = 700_000


def ease(start: int, a: list[float], b: list[float], seconds: float) -> JointTrajectory:
    """From joints to joints along 3s² − 2s³, at rest at both ends."""
    first, way = np.array(a), np.array(b) - np.array(a)
    coefficients = np.zeros((1, 4, len(a)))
    coefficients[0, 0], coefficients[0, 2], coefficients[0, 3] = first, 3 * way / seconds**2, -2 * way / seconds**3
    return JointTrajectory(start, np.array([0.0, seconds]), coefficients)


def models(r: random.Random) -> list[SensorModel]:
    """One of each sort, with periods and phases of their own."""
    sound = {"volume": Beam(r.uniform(300, 900) * mm, 15 * deg), "trace_lines": TraceLines(count=5, spread=10 * deg)}
    when = [
        {
            "every": r.choice([2 * ms, 3 * ms, 5 * ms, 8 * ms, 1 / 120, 20 * ms]),
            "phase": r.choice([0.0, 0.0, 1 * ms, 7.5 * ms]),
            "delay": r.choice([0.0, 0.0, 2 * ms, 4 * ms]),
        }
        for _ in range(12)
    ]
    return [
        SensorModel(type="range", **sound, reflects_below=40 * deg, **when[0]),
        SensorModel(type="range", **sound, noise=Noise(sigma=1 * mm), **when[1]),
        SensorModel(
            type="range", **sound, output=Output(kind="boolean", below=250 * mm), hysteresis=30 * mm, **when[2]
        ),
        SensorModel(
            type="range", **sound, noise=Noise(sigma=9 * mm), output=Output(kind="boolean", below=250 * mm), **when[3]
        ),
        SensorModel(type="proximity", **sound, hysteresis=0.1, output=Output(on=5.0, off=0.0, kind="real"), **when[4]),
        SensorModel(type="proximity", volume=Cylinder(30 * mm, 300 * mm), senses="metal", **when[5]),
        SensorModel(type="proximity", beam="through", trace_lines=TraceLines(count=1, reach=400 * mm), **when[6]),
        SensorModel(type="contact", volume=Box(120 * mm, 120 * mm, 20 * mm), **when[7]),
        SensorModel(type="force", stiffness=20e3, **when[8]),
        SensorModel(type="force", stiffness=20e3, weighs=True, measures="fz", quantum=0.05, **when[9]),
        SensorModel(type="force", stiffness=20e3, volume=Box(120 * mm, 120 * mm, 20 * mm), **when[10]),
        SensorModel(
            type="range",
            volume=(
                Volume(Cylinder(20 * mm, 60 * mm), at=(0, 0, 100 * mm)),
                Volume(Cylinder(20 * mm, 100 * mm), at=(0, 0, 400 * mm)),
            ),
            trace_lines=TraceLines(count=1),
            **when[11],
        ),
    ]


def link_shapes() -> list[Shape]:
    return [Capsule(0.05, 0.1), Cylinder(0.05, 0.2), Cylinder(0.045, 0.2), Sphere(0.05), Cylinder(0.04, 0.08)]


@dataclass
class Story:
    """A cell in which much happens at random, the same for the same seed."""

    seed: int
    skip: bool
    chosen: bool = False
    looks: int = 0
    parts: list[LiveBody] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.r = random.Random(self.seed)
        self.cell = Cell("story", seed=self.seed, chooser=ReplayingChooser() if self.chosen else None)
        self.world, self.kernel = self.cell.world, self.cell.kernel
        self.arms = [self._arm("arm", Pose())]
        if self.seed % 3 == 0:
            self.arms.append(self._arm("two", Pose(0.9, 0.2, 0) @ Pose.turn_z(3.0)))
        self._crowd()
        self.sensors = [self._sensor(model) for model in (*models(self.r), *models(self.r))]
        for _ in range(16):
            time = self.r.choice([1, 500, 1000]) * self.r.randint(1, 2000) % SPAN
            self.kernel.at(time, self._happening, self.r.choice([Rank.MOTION, Rank.DEVICE]), "story", writes=())
        for arm in self.arms:
            for start in range(self.r.randint(0, 9) * 1000, SPAN, 230_000):
                self.kernel.at(start, lambda arm=arm: self._move(arm), Rank.MOTION, "mover", writes=())
        for sensor in self.r.sample(self.sensors, 4):
            sensor.subscribe(lambda value: self._happening() if self.r.random() < 0.2 else None)
        self.cell.program(self._program, name="main")

    def _arm(self, name: str, pose: Pose) -> Linkage:
        robot = self.cell.add(name, Robot("ur5-like", at=pose))
        return self.world.linkages[robot.name]

    def _crowd(self) -> None:
        shapes = [Box(0.1, 0.15, 0.3), Sphere(0.08), Cylinder(0.06, 0.3), Box(0.4, 0.05, 0.05), Capsule(0.04, 0.2)]
        materials = ["steel", "beech", "foam", "aluminium", "glass"]
        for i in range(7):
            pose = Pose.turn_z(self.r.uniform(-3.1, 3.1)) @ Pose(self.r.uniform(0.4, 0.9), 0, self.r.uniform(0.0, 0.6))
            turned = pose @ Pose.turn_x(self.r.uniform(-1, 1))
            self.world.add(LiveBody(f"box{i}", shapes[i % 5], materials[i % 5]), None, turned)
        for i in range(4):
            start = self.r.choice([0, self.r.randint(0, 200_000)])
            pose = Pose(-0.6 + 0.2 * i, 0.45, self.r.uniform(0.1, 0.4))
            ride = Travel(start, start + self.r.randint(100_000, 900_000), pose, (self.r.uniform(0.2, 0.9), 0, 0))
            body = LiveBody(f"part{i}", Box(0.08, 0.06, 0.05), self.r.choice(["steel", "beech"]), part=True)
            self.parts.append(self.world.add(body, None, motion=ride))

    def _sensor(self, model: SensorModel) -> "Sensor[float]":
        r = self.r
        on = None
        if model.type == "force" and not model.volumes:
            on = self.world.body(f"{r.choice(self.arms).name}/flange")
        elif r.random() < 0.35:
            on = r.choice([*self.arms[0].links[2:], *self.parts])
        place = Pose(0, 0, 0.06) if on else Pose(r.uniform(-0.8, 0.8), r.uniform(-0.8, 0.8), r.uniform(0, 0.7))
        at = place @ Pose.turn_x(r.uniform(-3, 3)) @ Pose.turn_y(r.uniform(-3, 3))
        ignore = ["part1*"] if r.random() < 0.2 else []
        sensor = self.cell.add(
            f"s{len(self.cell.sensors)}",
            Sensor(
                model,
                on=on if on is None else on.name,
                at=at,
                ignore=ignore,
                active=r.random() < 0.85,
                skip=self.skip,
                shape=Sphere(0.01) if r.random() < 0.3 else None,
            ),
        )
        if model.type == "range" and r.random() < 0.2:
            self.cell.fault(sensor, "dropout", share=0.03)
        plain = sensor._read

        def counted(now: int) -> object:
            self.looks += 1
            return plain(now)

        sensor._read = counted
        return sensor

    def _move(self, arm: Linkage) -> None:
        r, now = self.r, self.kernel.now
        target = [r.uniform(-2, 2), r.uniform(-2.0, -0.4), r.uniform(0.3, 2.0), r.uniform(-2, 1), r.uniform(-2, 2), 0.0]
        start = max(now + r.choice([0, 0, 20_000]), arm.history[-1].start)
        arm.follow(ease(start, arm.joints(start), target, r.uniform(0.1, 0.4)))

    def _happening(self) -> None:
        r, now, world = self.r, self.kernel.now, self.world
        part, arm = r.choice(self.parts), r.choice(self.arms)
        kind = r.choice(
            [
                "grasp",
                "release",
                "put",
                "put",
                "onto",
                "ride",
                "ride",
                "fall",
                "tumble",
                "remove",
                "cut",
                "jump",
                "switch",
                "paint",
            ]
        )
        if kind == "cut":
            arm.cut(now + r.randint(0, 50_000))
        elif kind == "jump":
            if arm.history[-1].start <= now:
                arm.jump([r.uniform(-1, 1) for _ in range(6)])
        elif kind == "switch":
            sensor = r.choice(self.sensors)
            (sensor.deactivate if sensor.active else sensor.activate)()
        elif kind == "paint":
            r.choice([*self.parts, world.body(f"box{r.randint(0, 6)}")]).material = r.choice(["steel", "foam", "glass"])
        elif world.bodies.get(part.name) is part:
            self._part(kind, part, arm, world.pose(part), now)

    def _part(self, kind: str, part: LiveBody, arm: Linkage, here: Pose, now: int) -> None:
        r, world = self.r, self.world
        if kind == "grasp":
            world.attach(part, r.choice([arm.links[5], world.body(f"{arm.name}/flange")]))
        elif kind == "release":
            world.attach(part, None)
        elif kind == "put":
            near = r.choice(self.sensors).body if r.random() < 0.5 else arm.links[5]
            seen = world.pose(near if near.exists(now) else arm.links[4])
            world.place(part, seen @ Pose(r.uniform(-0.05, 0.05), 0, r.uniform(-0.05, 0.3)))
        elif kind == "onto":
            world.place(part, world.pose(world.body(f"box{r.randint(0, 6)}")) @ Pose(0, 0, r.uniform(0.0, 0.3)))
        elif kind == "ride":
            way = (r.uniform(-0.9, 0.9), r.uniform(-0.9, 0.9), r.choice([0.0, 0.2]))
            world.move(part, Travel(now + r.randint(0, 20_000), now + r.randint(30_000, 500_000), here, way))
        elif kind == "fall":
            world.move(part, Fall(now, now + 300_000, here, (0.1, 0.1, 0.5)))
        elif kind == "tumble":
            there = here.moved(r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3), 0.1) @ Pose.turn_x(r.uniform(-2, 2))
            world.move(part, Sampled([now, now + 100_000, now + 250_000], [here, there, here]))
        elif kind == "remove" and r.random() < 0.4:
            world.remove(part)
            fresh = LiveBody(f"{part.name}+", part.shape, part.material, part=True)
            self.parts[self.parts.index(part)] = world.add(fresh, None, here)

    def _program(self) -> None:
        for _ in range(6):
            delay(self.r.uniform(0.01, 0.1))
            self._happening()
        delay(SPAN * 1e-6 - self.kernel.now * 1e-6)

    def report(self) -> list[str]:
        self.cell.run()
        return [record.json() for record in self.kernel.journal.records]


def difference(found: list[str], wanted: list[str]) -> tuple[str | None, str | None] | None:
    """The first lines in which two journals differ."""
    return next((pair for pair in zip_longest(found, wanted) if pair[0] != pair[1]), None)


# A dozen cells each time; `make soak` goes through many more.
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(12, 150))])
def test_skipping_equals_not_skipping(seed: int) -> None:
    eager, lazy = Story(seed, skip=False), Story(seed, skip=True)
    wanted, found = eager.report(), lazy.report()
    assert difference(found, wanted) is None
    assert len(wanted) > 20 or seed >= 12  # crowded enough to be meaningful
    assert lazy.looks < eager.looks
    assert [sensor.samples for sensor in lazy.sensors] == [sensor.samples for sensor in eager.sensors]
    read = [[each.reading.value for each in story.sensors if each.body.exists(SPAN)] for story in (lazy, eager)]
    assert read[0] == read[1]


@pytest.mark.parametrize("seed", range(2))
def test_a_search_in_default_order_finds_the_same(seed: int) -> None:
    assert difference(Story(seed, skip=True, chosen=True).report(), Story(seed, skip=False).report()) is None
