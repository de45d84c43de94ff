"""Fans and volumes give, bit for bit, the results of querying every body, however the world changes in between."""

import math
import random

import pytest

from drycell import geometry
from drycell.base import IDENTITY, GeometryError, Pose
from drycell.geometry import TOUCH, Box, Capsule, Compound, Cone, Cylinder, Fan, Mesh, Placed, Prism, Sphere, merge
from drycell.world import Fall, Hit, LiveBody, Sampled, Scene, Travel, World

SECOND = 1_000_000
L = ((0.0, 0.0), (0.2, 0.0), (0.2, 0.1), (0.1, 0.1), (0.1, 0.2), (0.0, 0.2))
RING = merge([(IDENTITY, Cylinder(0.15, 0.1))], [(IDENTITY, Cylinder(0.1, 0.2))])
BALL = Mesh(*Sphere(0.15).triangles(5e-3))


def shapes(r: random.Random) -> list[geometry.Shape]:
    a, b, c = (r.choice((0.05, 0.1, 0.2, r.uniform(0.02, 0.3))) for _ in range(3))
    return [
        Box(a, b, c), Cylinder(a, b), Sphere(a), Capsule(a, b), Cone(a, b), Cone(a, b, c), Prism(L, a), RING, BALL,
        Compound(((Pose(a, 0, 0), Box(b, b, c)), (Pose(0, 0, c), Sphere(a)), (Pose.turn_y(0.3), Cylinder(b, c)))),
    ]  # fmt: skip


def spot(r: random.Random, tidy: bool) -> Pose:
    """On a grid and square to it, so that lines graze, touch and start on surfaces; or anywhere."""
    if tidy:
        x, y, z = (0.05 * r.randint(-7, 7) for _ in range(3))
        turn = r.choice((Pose.turn_x, Pose.turn_y, Pose.turn_z))(r.choice((0.0, math.pi / 2, math.pi)))
        return Pose(x, y, z) @ turn
    return Pose.of_rpy(*(r.uniform(-3, 3) for _ in range(3)), at=[r.uniform(-0.4, 0.4) for _ in range(3)])


def fan(r: random.Random, tidy: bool) -> Fan:
    axes = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0)]
    origin = tuple(0.05 * r.randint(-4, 4) for _ in range(3)) if tidy else (r.uniform(-0.3, 0.3), 0.0, 0.1)
    lines = []
    for _ in range(r.randint(1, 6)):
        if r.random() < 0.2:
            origin = (0.05 * r.randint(-4, 4), 0.0, 0.0)
        lines.append((origin, r.choice(axes) if tidy else [r.uniform(-1, 1) for _ in range(3)]))
    return Fan(lines, [r.uniform(0.1, 1.5) for _ in lines] if r.random() < 0.3 else r.choice((0.2, 0.5, 1.0, 2.0)))


def motion(r: random.Random, now: int, tidy: bool) -> Travel | Fall | Sampled:
    here, end = spot(r, tidy), now + r.randint(1, 3) * SECOND
    kind = r.randrange(5)
    if kind == 0:
        return Fall(now, end, here)
    if kind == 1:
        return Sampled((now, end), (here, spot(r, tidy)))
    return Travel(now - r.randint(0, SECOND), end, here, [r.choice((0.0, 0.05, 0.5, -0.2)) for _ in range(3)])


def populate(world: World, arm_kit, r: random.Random, tidy: bool) -> None:
    for k in range(r.randint(0, 20)):
        body = LiveBody(f"b{r.randrange(1000)}-{k}", r.choice(shapes(r)), part=r.random() < 0.3, hole=r.random() < 0.05)
        parent = r.choice([None, None, *world.bodies.values()])
        if r.random() < 0.5:
            world.add(body, parent, spot(r, tidy))
        else:
            world.add(body, parent, motion=motion(r, 0, tidy))
    if r.random() < 0.2:
        arm_kit.stand(world, "arm", spot(r, tidy), [Capsule(0.05, 0.1)] * 6, 0.5)


def change(clock, world: World, arm_kit, r: random.Random, tidy: bool) -> None:
    """Time passes, and something happens."""
    clock.now += r.choice((0, 1, 100_000, SECOND))
    for arm in world.linkages.values():
        joints = [r.uniform(-1, 1) for _ in range(6)]
        if r.random() < 0.3:
            arm.jump(joints)
        elif r.random() < 0.5:
            arm.cut(clock.now)
            arm.follow(arm_kit.ease(clock.now, arm.joints(), joints, 0.5))
    bodies = [body for body in world.bodies.values() if not body.name.startswith("arm")]
    if not bodies:
        return
    body = r.choice(bodies)
    deed = r.randrange(5)
    if deed == 0:
        world.place(body, spot(r, tidy))
    elif deed == 1:
        world.move(body, motion(r, clock.now, tidy))
    elif deed == 2:
        world.remove(body)
    elif deed == 3:
        free = [each for each in world.bodies.values() if each not in world.subtree(body)]
        world.attach(body, r.choice([None, *free]))


def plainly(world: World, lines: Fan, pose: Pose, t: int, ignore: list[LiveBody]) -> list[list[Hit]]:
    every = []
    for (origin, direction), reach in zip(lines.lines, lines.reaches, strict=True):
        hits = []
        for body in world.bodies.values():
            if body.shape is not None and not body.hole and body not in ignore and body.exists(t):
                placed = Placed(body.shape, world.pose(body, t))
                hit = geometry.ray(placed, pose.point(origin), pose.direction(direction), reach)
                if hit is not None:
                    hits.append(Hit(hit.distance, hit.normal, body, hit.inside))
        every.append(sorted(hits, key=lambda hit: (hit.distance, hit.body.name)))
    return every


def present(
    world: World, volume: Placed, t: int, margin: float, ignore: list[LiveBody]
) -> list[tuple[LiveBody, float]]:
    found = []
    for body in sorted(world.bodies.values(), key=lambda body: body.name):
        if body.shape is not None and not body.hole and body not in ignore and body.exists(t):
            distance = geometry.distance(volume, Placed(body.shape, world.pose(body, t)), margin)
            found += [(body, distance)] if distance <= margin else []
    return found


def look(seed: int, make_world, arm_kit) -> int:
    r = random.Random(seed)
    tidy = r.random() < 0.5
    clock, world = make_world()
    populate(world, arm_kit, r, tidy)
    scene = Scene(world)
    eyes = [(fan(r, tidy), spot(r, tidy)) for _ in range(3)]
    seen = 0
    for _ in range(5):
        t = max(0, clock.now + r.choice((0, 0, 0, 1, SECOND, -100_000)))
        for lines, pose in eyes:
            pose = pose if r.random() < 0.8 else spot(r, tidy)
            ignore = [body for body in world.bodies.values() if r.random() < 0.1]
            every = plainly(world, lines, pose, t, ignore)
            assert scene.fans.cast_each(lines, pose, t, ignore) == every
            first = [hits[0] if hits else None for hits in every]
            assert scene.fans.cast(lines, pose, t, ignore) == first
            origin, reach = pose.point(lines.lines[0][0]), lines.reaches[0]
            assert scene.ray(origin, pose.direction(lines.lines[0][1]), reach, t, ignore) == first[0]
            seen += sum(map(len, every))
            volume, margin = r.choice(shapes(r)[:6]), r.choice((TOUCH, 0.0, 0.01))
            known = present(world, Placed(volume, pose), t, margin, ignore) if r.random() < 0.3 else None
            for _ in range(0 if known is None else 2):
                found = scene.inside(volume, pose, t, margin, ignore)
                assert [touch.body for touch in found] == [body for body, _ in known]
                assert [touch.distance for touch in found[:1]] == pytest.approx(
                    [depth for _, depth in known[:1]], abs=1e-9
                )
        change(clock, world, arm_kit, r, tidy)
    return seen


def test_culling_and_caching_never_change_the_hits(make_world, arm_kit) -> None:
    assert sum(look(seed, make_world, arm_kit) for seed in range(60)) > 400


@pytest.mark.soak
def test_culling_and_caching_never_change_the_hits_in_many_worlds(make_world, arm_kit) -> None:
    assert sum(look(seed, make_world, arm_kit) for seed in range(60, 1500)) > 7_000


def test_the_nearest_body_is_hit(world) -> None:
    world.add(LiveBody("plate", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, 1))
    world.add(LiveBody("ball", Sphere(0.1)), None, Pose(0, 0, 0.5))
    lines = Fan([((0, 0, 0), (0, 0, 1)), ((0.2, 0, 0), (0, 0, 1)), ((2, 0, 0), (0, 0, 1))], 2.0)
    scene = Scene(world)
    for _ in range(3):  # the first query, the one that caches bodies at rest, and one from the cache
        axis, beside, past = scene.fans.cast(lines, IDENTITY, 0)
        assert axis == Hit(pytest.approx(0.4, abs=1e-12), (0.0, 0.0, -1.0), world.body("ball"))
        assert beside == Hit(pytest.approx(0.95, abs=1e-12), (0.0, 0.0, -1.0), world.body("plate"))
        assert past is None
    along, *_ = scene.fans.cast_each(lines, IDENTITY, 0)
    assert [(hit.body.name, hit.distance) for hit in along] == [
        ("ball", pytest.approx(0.4)), ("plate", pytest.approx(0.95)),
    ]  # fmt: skip
    ignored = scene.fans.cast(lines, IDENTITY, 0, [world.body("ball")])[0]
    assert ignored is not None
    assert ignored.body.name == "plate"


def test_at_equal_distances_the_first_body_by_name_is_hit(clock, world) -> None:
    world.add(LiveBody("b", Box(0.2, 0.2, 0.2)), None, Pose(0, 0, 1))
    moved = world.add(LiveBody("c", Box(0.2, 0.2, 0.2)), None, Pose(0, 0, 5))
    scene, lines = Scene(world), Fan([((0, 0, 0), (0, 0, 1))], 2.0)
    for name in ("c", "a"):
        other = moved if name == "c" else world.add(LiveBody("a", Box(0.2, 0.2, 0.2)))
        world.move(other, Travel(0, SECOND, Pose(1, 0, 1), (-1.0, 0, 0)))
        for _ in range(3):
            hit = scene.fans.cast(lines, IDENTITY, SECOND)[0]
            assert hit is not None
            assert hit.body.name == min(name, "b")


def test_each_line_has_its_own_reach(world) -> None:
    world.add(LiveBody("plate", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, 1))
    lines = Fan([((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (0, 0, 1))], [0.9, 1.0])
    assert [hit is not None for hit in Scene(world).fans.cast(lines, IDENTITY, 0)] == [False, True]
    with pytest.raises(
        GeometryError, match=r"fan: 2 rays, but 3 reaches\n  try: give one reach for all, or one for each ray"
    ):
        Fan(lines.lines, [1.0, 2.0, 3.0])
