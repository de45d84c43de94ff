import math

import pytest

from drycell.base import Pose, UnknownName, WorldError
from drycell.geometry import Box, Capsule, Cylinder, Sphere
from drycell.world import LiveBody, Scene, Travel


@pytest.fixture
def scene(world):
    world.add(LiveBody("table", Box(1.0, 1.0, 0.1)), None, Pose(0, 0, -0.05))
    world.add(LiveBody("cube", Box(0.1, 0.1, 0.1)), None, Pose(0, 0, 0.05))
    world.add(LiveBody("ball", Sphere(0.05)), None, Pose(0.3, 0, 0.25))
    world.add(LiveBody("frame"), None, Pose())
    return Scene(world)


def test_distance_and_witness_points_by_hand(scene):
    assert scene.distance("ball", "table") == pytest.approx(0.2, abs=1e-9)
    near = scene.closest("ball", "table")
    assert near.distance == pytest.approx(0.2, abs=1e-9)
    assert near.point_a == pytest.approx((0.3, 0.0, 0.2), abs=1e-8)
    assert near.point_b == pytest.approx((0.3, 0.0, 0.0), abs=1e-8)
    assert near.normal == pytest.approx((0.0, 0.0, -1.0), abs=1e-8)


def test_an_overlap_is_a_negative_distance_and_has_a_volume(world, scene):
    world.place(world.body("cube"), Pose(0, 0, 0.04))
    assert scene.distance("cube", "table") == pytest.approx(-0.01, abs=1e-7)
    assert scene.interference("cube", "table").volume == pytest.approx(0.1 * 0.1 * 0.01, rel=1e-6)


def test_two_faces_touch_at_the_corners_of_their_intersection(scene):
    assert scene.distance("cube", "table") == pytest.approx(0.0, abs=1e-9)
    points = scene.contacts("cube", "table", margin=1e-6)
    assert sorted({(round(p.point[0], 6), round(p.point[1], 6)) for p in points}) == [
        (-0.05, -0.05), (-0.05, 0.05), (0.05, -0.05), (0.05, 0.05),
    ]  # fmt: skip


def test_a_gap_of_a_hundredth_of_a_millimetre_is_one(world, scene):
    world.place(world.body("cube"), Pose(0, 0, 0.05 + 1e-5))
    assert scene.distance("cube", "table") == pytest.approx(1e-5, abs=1e-9)
    assert [touch.body.name for touch in scene.touching("cube")] == []
    assert [touch.body.name for touch in scene.touching("cube", margin=2e-5)] == ["table"]


def test_queries_about_the_past_see_the_past(clock, world, scene):
    clock.now = 1_000_000
    world.place(world.body("ball"), Pose(0.3, 0, 0.05))
    world.move(world.body("cube"), Travel(1_000_000, 2_000_000, Pose(0, 0, 0.05), (0.2, 0, 0)))
    clock.now = 3_000_000
    assert scene.distance("ball", "table", 999_999) == pytest.approx(0.2, abs=1e-9)
    assert scene.distance("ball", "cube", 2_000_000) == pytest.approx(0.0, abs=1e-9)
    assert scene.distance("ball", "cube", 1_500_000) == pytest.approx(0.1, abs=1e-9)
    assert [touch.body.name for touch in scene.touching("ball", 500_000)] == []
    assert [touch.body.name for touch in scene.touching("ball", 3_000_000)] == ["cube", "table"]
    assert scene.containing((0.0, 0.0, 0.05), 0)[0].name == "cube"
    assert scene.containing((0.0, 0.0, 0.05)) == []


def test_a_ray_meets_the_nearest_body(world, scene):
    hit = scene.ray((0.3, 0.0, 1.0), (0, 0, -2.0), 2.0)
    assert hit.body.name == "ball"
    assert hit.distance == pytest.approx(0.7)
    assert hit.normal == pytest.approx((0, 0, 1))
    through = scene.ray((0.3, 0.0, 1.0), (0, 0, -1), 2.0, ignore=[world.body("ball")])
    assert through.body.name == "table"
    assert through.distance == pytest.approx(1.0)
    assert scene.ray((0.3, 0.0, 1.0), (0, 0, -1), 0.69) is None
    assert scene.ray((0.3, 0.0, 1.0), (0, 0, 1), 2.0) is None
    inside = scene.ray((0.3, 0.0, 0.25), (1, 0, 0), 1.0)
    assert inside.inside
    assert inside.distance == 0.0


def test_a_ray_needs_a_direction(scene):
    with pytest.raises(WorldError, match="a ray needs a direction"):
        scene.ray((0, 0, 0), (0, 0, 0), 1.0)


def test_rays_meet_moving_bodies_where_they_are(clock, world, scene):
    world.add(
        LiveBody("rider", Box(0.1, 0.1, 0.1)), None, motion=Travel(0, 10_000_000, Pose(-1, 0.5, 0.05), (0.1, 0, 0))
    )
    assert scene.ray((-0.5, 0.5, 1.0), (0, 0, -1), 0.95, t=0) is None
    hit = scene.ray((-0.5, 0.5, 1.0), (0, 0, -1), 2.0, t=5_000_000)
    assert hit.body.name == "rider"
    assert hit.distance == pytest.approx(0.9)


def test_bodies_that_reach_into_a_volume_are_found(scene):
    found = scene.inside(Cylinder(0.4, 0.2), Pose(0, 0, 0.3))
    assert [touch.body.name for touch in found] == ["ball"]
    assert found[0].distance < 0


def test_one_body_wholly_inside_another_touches_it(world, scene):
    world.add(LiveBody("shell", Box(0.5, 0.5, 0.5)), None, Pose(0, 0, 2.0))
    world.add(LiveBody("pip", Capsule(0.01, 0.02)), None, Pose(0, 0, 2.0))
    assert [touch.body.name for touch in scene.touching("pip")] == ["shell"]
    assert scene.distance("pip", "shell") < -0.2


def test_names_and_shapes_are_checked(scene):
    with pytest.raises(UnknownName, match="there is no body 'tabel'"):
        scene.distance("tabel", "cube")
    with pytest.raises(WorldError, match="'frame' has no shape"):
        scene.distance("frame", "cube")


def test_bodies_are_found_only_while_they_are_in_the_cell(clock, world, scene):
    clock.now = 10
    late = world.add(LiveBody("late", Sphere(0.1)), None, Pose(0, 0, 0.1))
    names = [touch.body.name for touch in scene.touching("cube")]
    assert names == ["late", "table"]
    assert [touch.body.name for touch in scene.touching("cube", 5)] == ["table"]
    clock.now = 20
    world.remove(late)
    assert [touch.body.name for touch in scene.touching("cube")] == ["table"]


def test_a_carried_part_is_found_with_its_carrier(clock, world, scene, arm_kit):
    arm = arm_kit.stand(world, shapes=[Sphere(0.03)] * 6)
    part = world.add(LiveBody("part", Box(0.02, 0.02, 0.02)), arm.links[5], Pose(0, 0, 0.03))
    x, y, z = world.pose(part).position
    arm.follow(arm_kit.ease(0, arm.joints(0), [1.0, -1.2, 1.2, -1.5, -1.57, 0.0], 1.0))
    clock.now = 1_000_000
    moved = (math.cos(1.0) * x - math.sin(1.0) * y, math.sin(1.0) * x + math.cos(1.0) * y, z)
    assert part in scene.containing(moved)
    assert part not in scene.containing(moved, 0)


def test_a_collision_check_at_an_instant(clock, world, scene):
    ball, cube, table = (world.body(name) for name in ("ball", "cube", "table"))
    near = scene.clearances([ball], 0.22)
    assert [(each.a, each.b) for each in near] == [(ball, table)]
    assert near[0].distance == pytest.approx(0.2, abs=1e-9)
    assert scene.clearances([ball, table], 0.1, ignore=[cube]) == []
    clock.now = 1_000_000
    world.place(ball, Pose(0.0, 0.0, 0.14))
    world.move(cube, Travel(clock.now, 2_000_000, Pose(0, 0, 0.05), (0.0, 0.0, 0.01)))
    clock.now = 3_000_000
    assert {(each.b.name, round(each.distance, 6)) for each in scene.clearances([ball], 0.1)} == {
        ("cube", -0.02),
        ("table", 0.09),
    }
    assert scene.clearances([ball], 0.1, 0) == []
    assert [each.b for each in scene.clearances([ball], 0.22, 500_000)] == [table]


def test_a_query_about_the_past_does_not_affect_the_present(clock, world, scene):
    clock.now = 10
    world.place(world.body("ball"), Pose(0.3, 0, 0.35))
    for _ in range(2):
        assert scene.distance("ball", "table", 9) == pytest.approx(0.2, abs=1e-9)
        assert scene.distance("ball", "table") == pytest.approx(0.3, abs=1e-9)
    world.remove(world.body("cube"))
    with pytest.raises(UnknownName):
        scene.distance("cube", "table")
