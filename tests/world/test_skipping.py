"""Skipping equals not skipping: every pair at every instant of the grid, against the monitor as it is."""

import random
from itertools import combinations

import pytest

from drycell.base import Pose
from drycell.geometry import Box, Capsule, Compound, Cylinder, Sphere
from drycell.kernel import Tracks
from drycell.world import CollisionMonitor, Fall, LiveBody, Sampled, Travel, collision_monitor as monitors, lineage
from drycell.world.pair_state import APART, Attached, Observation


class Bench:
    """A run to be watched by several monitors, and a journal for each."""

    def __init__(self):
        self.running, self.lines = True, []
        self.journal = self
        self.tracks = Tracks()

    def late(self, time, kind, subject, **fields):
        self.lines.append((time, kind, tuple(sorted((k, repr(v)) for k, v in fields.items()))))

    def add_observer(self, observer):
        self.observer = observer


class BruteForce(CollisionMonitor):
    """Looks at every watched pair at every instant of the grid, and at every instant of attaching."""

    everyone: dict

    def _note(self, body):
        """Looks once, at the end."""

    def observe(self, start, end):
        bodies = [b for b in self.everyone if b.shape is not None and not b.hole]
        marks = {
            b: self._attachments.between(b, max(start, b.born), min(end, b.gone))
            for b in bodies
            if b.born < end and start < b.gone
        }
        first = -(-start // self._grid) * self._grid
        looks = [(t, True) for t in range(first, end, self._grid)]
        looks += sorted({(t, False) for found in marks.values() for t in found})
        looks.sort()
        seen = {}
        for t, on_grid in looks:
            here = [(b, lineage(b, t)) for b in bodies if b.exists(t)]
            here.sort(key=lambda item: item[0].name)
            for (a, la), (b, lb) in combinations(here, 2):
                kind = max(marks[a].get(t, Attached.NO), marks[b].get(t, Attached.NO))
                if not on_grid and not kind:
                    continue
                near = self._watched_pairs.near(la, lb, t)
                if near is None:
                    continue
                d = self._scene.gap(a, b, t)
                if d <= max(self.rules.farthest, APART):
                    seen.setdefault((a, b), []).append(
                        Observation(t, t, d, near) if on_grid else Observation(t, t, d, near, kind, False)
                    )
        return seen


def link_shapes():
    along = Pose(0.2, 0, 0) @ Pose.turn_y(1.5707963)
    return [
        Capsule(0.06, 0.1),
        Compound(((along, Capsule(0.05, 0.36)),)),
        Compound(((along, Capsule(0.045, 0.33)),)),
        Sphere(0.05),
        Cylinder(0.04, 0.08),
        Capsule(0.035, 0.06),
    ]


def crowd(random_, world, count):
    shapes = [Box(0.1, 0.15, 0.3), Sphere(0.08), Cylinder(0.06, 0.3), Box(0.4, 0.05, 0.05), Capsule(0.04, 0.2)]
    for i in range(count):
        angle, reach = random_.uniform(-3.1, 3.1), random_.uniform(0.3, 0.75)
        pose = Pose.turn_z(angle) @ Pose(reach, 0, random_.uniform(0.0, 0.5))
        world.add(LiveBody(f"box{i}", shapes[i % len(shapes)]), None, pose @ Pose.turn_x(random_.uniform(-1, 1)))


def findings(monitor):
    return (
        [(c.time, c.end, c.a, c.b, round(c.depth, 8)) for c in monitor.collisions],
        [(m.time, m.end, m.a, m.b, round(m.distance, 8)) for m in monitor.near_misses],
    )


def story(seed, clock, world, arm_kit, ease, seconds=1.2):
    """A script of random happenings: (instant, action), to be played in order."""
    r = random.Random(seed)
    arms = [arm_kit.stand(world, "arm", shapes=link_shapes())]
    if seed % 3 == 0:
        arms.append(arm_kit.stand(world, "two", Pose(0.9, 0.2, 0) @ Pose.turn_z(3.0), shapes=link_shapes(), scale=0.8))
    crowd(r, world, 6)
    parts = []
    for i in range(3):
        ride = Travel(0, r.randint(500_000, 1_500_000), Pose(-0.6 + 0.2 * i, 0.45, 0.1), (r.uniform(0.2, 0.6), 0, 0))
        parts.append(world.add(LiveBody(f"part{i}", Box(0.08, 0.06, 0.05), part=True), None, motion=ride))
    plan = []

    def move(arm, start):
        def act():
            target = [
                r.uniform(-2, 2),
                r.uniform(-2.0, -0.4),
                r.uniform(0.3, 2.0),
                r.uniform(-2, 1),
                r.uniform(-2, 2),
                0.0,
            ]
            arm.follow(ease(clock.now, arm.joints(), target, r.uniform(0.3, 0.8)))

        plan.append((start, act))

    for arm in arms:
        for start in range(r.randint(0, 5) * 1000 + r.randint(0, 1) * 137, int(seconds * 1e6), 450_000):
            move(arm, start)
        plan.append((r.randint(1, int(seconds * 1e6)), lambda arm=arm: arm.cut(clock.now + r.randint(0, 50_000))))
        if r.random() < 0.5:
            jump = [r.uniform(-1, 1) for _ in range(6)]
            plan.append((r.randint(1, int(seconds * 1e6)), lambda arm=arm, jump=jump: arm.jump(jump)))

    def happening():
        part = r.choice(parts)
        if world.bodies.get(part.name) is not part:
            return
        kind = r.choice(["grasp", "grasp", "release", "teleport", "ride", "fall", "tumble", "remove", "onto"])
        here = world.pose(part)
        if kind == "grasp":
            world.attach(part, r.choice(arms).links[5])
        elif kind == "release":
            world.attach(part, None)
        elif kind == "teleport":
            world.place(
                part,
                world.pose(r.choice(arms).links[r.randint(2, 5)]).moved(r.uniform(-0.1, 0.1), 0, r.uniform(-0.1, 0.1)),
            )
        elif kind == "onto":
            box = world.body(f"box{r.randint(0, 5)}")
            world.place(part, world.pose(box) @ Pose(0, 0, r.uniform(0.0, 0.3)))
        elif kind == "ride":
            world.move(
                part,
                Travel(
                    clock.now + r.randint(0, 20_000),
                    clock.now + 500_000,
                    here,
                    (r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5), 0),
                ),
            )
        elif kind == "fall":
            world.move(part, Fall(clock.now, clock.now + 300_000, here, (0.1, 0.1, 0.5)))
        elif kind == "tumble":
            there = here.moved(r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3), 0.1) @ Pose.turn_x(r.uniform(-2, 2))
            world.move(part, Sampled([clock.now, clock.now + 200_000, clock.now + 400_000], [here, there, here]))
        elif kind == "remove" and r.random() < 0.4:
            world.remove(part)
            fresh = LiveBody(f"{part.name}+", part.shape, part=True)
            parts[parts.index(part)] = world.add(fresh, None, here)

    for _ in range(12):
        plan.append((r.choice([1, 1000]) * r.randint(1, int(seconds * 1e3)), happening))
    plan.sort(key=lambda item: item[0])
    return plan, int(seconds * 1e6)


# A dozen worlds each time; `make soak` goes through many more.
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(12, 150))])
def test_skipping_equals_not_skipping(seed, make_world, arm_kit, monkeypatch):
    monkeypatch.setattr(monitors, "_MOST_UNCHECKED", 150_000)  # looks back by itself, too, in the middle of changes
    clock, world = make_world()
    plan, end = story(seed, clock, world, arm_kit, arm_kit.ease)
    rules = {"clearance": 0.02 * (seed % 3), "allow": [("arm/link6", "part*")] if seed % 2 else []}
    if seed % 4 == 1:
        rules["pairs"] = [("arm", "*"), ("part*", "box*")]
    everyone = {}
    world.subscribe(lambda body: everyone.update(dict.fromkeys(world.subtree(body))))
    everyone.update(dict.fromkeys(world.bodies.values()))
    benches = [Bench() for _ in range(5)]
    once, often, brute, coarse, coarse_brute = (
        CollisionMonitor(world, benches[0], **rules),
        CollisionMonitor(world, benches[1], **rules),
        BruteForce(world, benches[2], **rules),
        CollisionMonitor(world, benches[3], cycle=20_000, **rules),
        BruteForce(world, benches[4], cycle=20_000, **rules),
    )
    brute.everyone = coarse_brute.everyone = everyone
    random_ = random.Random(seed)
    for instant, act in plan:
        clock.now = max(instant, clock.now)
        if random_.random() < 0.7:
            often.settle(clock.now)
        act()
    clock.now = end
    for monitor in (once, often, brute, coarse, coarse_brute):
        monitor.close()
    assert findings(once) == findings(brute)
    assert findings(often) == findings(brute)
    assert benches[0].lines == benches[1].lines == benches[2].lines
    assert once.collisions or once.near_misses or seed >= 12  # crowded enough to be meaningful; a few of many are not
    # Once a cycle, every cycle on its own.
    assert findings(coarse) == findings(coarse_brute)
    assert all(collision.time % 20_000 == 0 and collision.end == collision.time for collision in coarse.collisions)


@pytest.mark.parametrize("seed", range(6))
def test_cached_results_of_repeated_moves_equal_fresh_ones(seed, make_world, arm_kit):
    clock, world = make_world()
    r = random.Random(seed)
    arm = arm_kit.stand(world, "arm", shapes=link_shapes())
    crowd(r, world, 3)
    parts = [
        world.add(LiveBody(f"part{i}", Box(0.2, 0.06, 0.06), part=True), None, Pose(5 + i, 0, 0)) for i in range(2)
    ]
    everyone = dict.fromkeys(world.bodies.values())
    monitor, brute = CollisionMonitor(world, Bench()), BruteForce(world, Bench())
    brute.everyone = everyone
    there, back = ([0.3, -1.2, 1.2, -1.5, -1.57, 0.0], [0.3, -1.2, 2.6, -1.5, 0.5, 0.0])
    arm.jump(there)
    for lap in range(8):
        a, b = (there, back) if lap % 2 == 0 else (back, there)
        start = clock.now
        arm.follow(arm_kit.ease(start, a, b, 0.2))
        for instant in sorted(r.sample(range(start + 1, start + 199_000), 2)):
            clock.now = instant
            part = r.choice(parts)
            if r.random() < 0.6:
                world.place(part, Pose(0.23, 0, r.uniform(-0.05, 0.05)), arm.links[r.choice((1, 2, 4))])
            else:
                world.place(part, Pose(5 + parts.index(part), 0, 0))
        clock.now = start + 200_000
        if r.random() < 0.5:
            monitor.settle(clock.now)
    monitor.close()
    brute.close()
    assert findings(monitor) == findings(brute)
    assert monitor.collisions


@pytest.mark.parametrize("seed", range(6))
def test_cached_results_of_positions_hold_nearby(seed, make_world, arm_kit):
    clock, world = make_world()
    r = random.Random(seed)
    arm = arm_kit.stand(world, "arm", shapes=link_shapes())
    there, back = ([0.3, -1.2, 1.2, -1.5, -1.57, 0.0], [0.3, -1.2, 2.6, -1.5, 0.5, 0.0])
    arm.jump(there)
    held = world.add(LiveBody("held", Box(0.1, 0.06, 0.06), part=True), arm.links[4], Pose(0.12, 0, 0))
    posts = [
        world.add(LiveBody(f"post{i}", Box(0.05, 0.05, 0.4), part=True), None, Pose(5 + i, 0, 0)) for i in range(3)
    ]
    everyone = dict.fromkeys(world.bodies.values())
    monitor, brute = (kind(world, Bench(), clearance=0.002) for kind in (CollisionMonitor, BruteForce))
    brute.everyone = everyone
    # Positions of the held part and the wrist during the move: obstacles stand there, or nearly there.
    arm.follow(arm_kit.ease(0, there, back, 0.2))
    met = [world.pose(body, t).position for body, t in ((held, 60_000), (held, 130_000), (arm.links[2], 100_000))]
    clock.now = 200_000
    for lap in range(10):
        a, b = (there, back) if lap % 2 else (back, there)
        world.place(held, Pose(0.12 + r.uniform(-4e-4, 4e-4), r.uniform(-3e-4, 3e-4), 0), arm.links[4])
        for post, (x, y, z), aside in zip(posts, met, (0.055, 0.06, 0.075), strict=True):
            tilt = Pose.turn_z(r.uniform(-2e-3, 2e-3))
            world.place(post, Pose(x + aside + r.gauss(0, 3e-4), y + r.gauss(0, 3e-4), z) @ tilt)
        start = clock.now
        arm.follow(arm_kit.ease(start, a, b, 0.2))
        clock.now = start + 200_000
        if r.random() < 0.5:
            monitor.settle(clock.now)
    monitor.close()
    brute.close()
    assert findings(monitor) == findings(brute)
    assert monitor.collisions or monitor.near_misses
