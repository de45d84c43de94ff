"""A released part falls in physical time, rests on the body below it, and is lost if there is none."""

import math
from collections.abc import Callable

import pytest

from drycell.base import Pose, WorldError, deg
from drycell.geometry import Box, Cone, Cylinder, Shape, Sphere
from drycell.kernel import JournalLine, Kernel, delay
from drycell.world import Gravity, LiveBody, Rest, Scene, Travel, World

SECOND = 1_000_000


class Drop:
    """A floor with its top at z = 0, and a cube of 20 mm that is released at some height above it."""

    def __init__(self, floor: bool = True, gravity: tuple[float, float, float] | None = None) -> None:
        self.kernel = Kernel()
        self.world = World(self.kernel)
        scene = Scene(self.world)
        self.gravity = Gravity(self.kernel, scene) if gravity is None else Gravity(self.kernel, scene, gravity)
        self.floor = self.fixed("floor", Box(2, 2, 0.1), Pose(0, 0, -0.05)) if floor else None

    def fixed(self, name: str, shape: Shape, at: Pose) -> LiveBody:
        return self.world.add(LiveBody(name, shape), None, at)

    def cube(self, height: float, x: float = 0.0, y: float = 0.0, name: str = "cube") -> LiveBody:
        """Its bottom at a height."""
        return self.world.add(LiveBody(name, Box(0.02, 0.02, 0.02), part=True), None, Pose(x, y, height + 0.01))

    def let_go(self, body: LiveBody, *others: Callable[[], object], after: float = 0.0) -> None:
        def release() -> None:
            delay(after)
            self.gravity.release(body)

        for program in (release, *others, lambda: delay(4.0)):
            self.kernel.spawn(program)
        self.kernel.run()

    def report(self) -> list[tuple[str, int, object]]:
        """The journal's records about parts: kind, time, and support."""
        records: list[JournalLine] = [r for r in self.kernel.journal.records if r.kind in ("falls", "rests", "lost")]
        return [(record.kind, record.time, record.fields.get("on")) for record in records]


def bottom(body: LiveBody) -> float:
    return round(body.pose.z - 0.01, 8)


@pytest.mark.parametrize(
    ("height", "lands"),
    [
        (0.1, 142_809),  # √(2 · 0.1 / 9.80665) = 0.142 808 7 s
        (1.0, 451_601),  # √(2 · 1.0 / 9.80665) = 0.451 600 7 s
        (4.903325, 1_000_000),
    ],
)
def test_a_fall_takes_the_physical_time_to_the_tick(height: float, lands: int) -> None:
    drop = Drop()
    cube = drop.cube(height)
    drop.let_go(cube)
    assert drop.report() == [("falls", 0, None), ("rests", lands, "floor")]
    # Within one tick at the speed it lands with.
    assert bottom(cube) == pytest.approx(0.0, abs=9.80665 * lands / SECOND * 1e-6 + 1e-9)


def test_half_way_in_time_is_a_quarter_of_the_way_down() -> None:
    drop = Drop()
    cube = drop.cube(4.903325)
    drop.let_go(cube)
    assert drop.world.pose(cube, SECOND // 2).z - 0.01 == pytest.approx(4.903325 * 0.75, abs=1e-12)


def test_a_part_released_in_contact_rests_at_once() -> None:
    drop = Drop()
    cube = drop.cube(0.0)
    drop.let_go(cube, after=0.5)
    assert drop.report() == [("rests", SECOND // 2, "floor")]
    assert cube.parent is drop.floor


def test_a_landed_part_is_carried_along() -> None:
    drop = Drop()
    cube = drop.cube(0.1)

    def push_the_floor() -> None:
        delay(1.0)
        drop.world.translate(drop.floor, x=0.3)

    drop.let_go(cube, push_the_floor)
    assert cube.pose.x == pytest.approx(0.3)


def test_a_part_rests_on_the_highest_body_below_it() -> None:
    drop = Drop()
    drop.fixed("shelf", Box(0.1, 0.1, 0.01), Pose(0, 0, 0.2))
    drop.fixed("aside", Box(0.1, 0.1, 0.01), Pose(0.2, 0, 0.3))
    cube = drop.cube(0.305)
    drop.let_go(cube)
    # From 305 mm to the shelf's top at 205 mm.
    assert drop.report() == [("falls", 0, None), ("rests", 142_809, "shelf")]


def test_one_part_rests_on_another() -> None:
    drop = Drop()
    lower = drop.cube(0.0, name="lower")
    upper = drop.cube(0.12, name="upper")
    drop.let_go(upper)
    assert drop.report()[-1] == ("rests", 142_809, "lower")
    drop.world.translate(lower, x=0.5)
    assert upper.pose.x == pytest.approx(0.5)


def test_attached_bodies_fall_and_land_with_a_part() -> None:
    drop = Drop()
    cube = drop.cube(0.2)
    peg = drop.world.add(LiveBody("peg", Cylinder(0.002, 0.1)), cube, Pose(0, 0, -0.06))
    drop.let_go(cube)
    # The peg's foot is 100 mm below the cube's bottom.
    assert drop.report()[0] == ("falls", 0, None)
    assert drop.report()[1][1] == 142_809
    assert peg.pose.z == pytest.approx(0.05, abs=2e-6)
    assert cube.parent is drop.floor


def test_a_part_falling_over_nothing_at_the_end_counts_as_lost() -> None:
    drop = Drop(floor=False)
    cube = drop.cube(1.0)
    drop.kernel.spawn(lambda: (drop.gravity.release(cube), delay(0.5)))
    drop.kernel.run()
    drop.gravity.close()
    assert list(drop.gravity.lost) == [cube]


def test_a_part_falling_onto_something_at_the_end_is_not_lost() -> None:
    drop = Drop()
    cube = drop.cube(1.0)
    drop.kernel.spawn(lambda: (drop.gravity.release(cube), delay(0.1)))
    drop.kernel.run()
    drop.gravity.close()
    assert list(drop.gravity.lost) == []


def test_a_part_with_nothing_below_it_is_lost_after_two_seconds() -> None:
    drop = Drop(floor=False)
    cube = drop.cube(1.0)
    drop.let_go(cube, after=0.25)
    assert drop.report() == [("falls", SECOND // 4, None), ("lost", SECOND * 9 // 4, None)]
    assert list(drop.gravity.lost) == [cube]
    assert "cube" not in drop.world.bodies
    # Its past can still be read: 1 s after its release it had fallen 4.903325 m.
    assert drop.world.pose(cube, SECOND * 5 // 4).z == pytest.approx(1.01 - 4.903325)


def test_a_part_does_not_land_on_a_shelf_pulled_away_in_time() -> None:
    drop = Drop()
    shelf = drop.fixed("shelf", Box(0.1, 0.1, 0.01), Pose(0, 0, 0.5))
    cube = drop.cube(1.0)

    def pull() -> None:
        delay(0.3)  # it would be met at √(2 · 0.495 / 9.80665) = 0.3177 s
        drop.world.translate(shelf, x=0.5)

    drop.let_go(cube, pull)
    assert drop.report() == [("falls", 0, None), ("rests", 451_601, "floor")]


def test_a_part_does_not_land_on_a_removed_shelf() -> None:
    drop = Drop()
    shelf = drop.fixed("shelf", Box(0.1, 0.1, 0.01), Pose(0, 0, 0.5))
    cube = drop.cube(1.0)

    def take() -> None:
        delay(0.3)
        drop.world.remove(shelf)

    drop.let_go(cube, take)
    assert drop.report() == [("falls", 0, None), ("rests", 451_601, "floor")]


def test_a_tray_pushed_under_a_falling_part_catches_it() -> None:
    drop = Drop()
    tray = drop.fixed("tray", Box(0.1, 0.1, 0.01), Pose(0.5, 0, 0.5))
    cube = drop.cube(1.0)

    def push() -> None:
        delay(0.3)
        drop.world.translate(tray, x=-0.5)

    drop.let_go(cube, push)
    # 495 mm: √(2 · 0.495 / 9.80665) = 0.317 729 3 s
    assert drop.report() == [("falls", 0, None), ("rests", 317_730, "tray")]


def test_a_rising_lift_catches_a_falling_part_and_carries_it() -> None:
    drop = Drop()
    lift = drop.fixed("lift", Box(0.1, 0.1, 0.1), Pose(0, 0, -0.05))
    drop.world.move(lift, Travel(0, 1 * SECOND, Pose(0, 0, -0.05), (0, 0, 0.5)))
    cube = drop.cube(0.4)
    drop.let_go(cube)
    # 0.4 − g t²/2 = 0.5 t: t = (−0.5 + √(0.25 + 2 · 9.80665 · 0.4)) / 9.80665 = 0.239 146 2 s
    expected = (-0.5 + math.sqrt(0.25 + 2 * 9.80665 * 0.4)) / 9.80665
    assert drop.report() == [("falls", 0, None), ("rests", math.ceil(expected * SECOND), "lift")]
    assert bottom(cube) == pytest.approx(0.5, abs=1e-5)


def test_a_belt_carries_parts_that_land_on_it() -> None:
    drop = Drop()
    belt = drop.fixed("belt", Box(4, 0.2, 0.02), Pose(0, 0, 0.09))
    drop.world.move(belt, Travel(0, 4 * SECOND, Pose(0, 0, 0.09), (0.1, 0, 0)))
    cube = drop.cube(0.2)
    drop.let_go(cube)
    assert drop.report()[-1] == ("rests", 142_809, "belt")
    assert cube.pose.x == pytest.approx((4 - 0.142809) * 0.1, abs=1e-9)


@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_grazing_a_wall_is_not_landing(side: tuple[int, int]) -> None:
    drop = Drop()
    # The face of the wall is in the plane of the cube's side, and begins below it: they touch during the fall.
    drop.fixed("wall", Box(0.1, 0.1, 0.05), Pose(0.06 * side[0], 0.06 * side[1], 0.025))
    cube = drop.cube(1.0)
    drop.let_go(cube)
    assert drop.report() == [("falls", 0, None), ("rests", 451_601, "floor")]


def test_sliding_down_between_two_walls_is_not_landing() -> None:
    drop = Drop()
    for side in (-1, 1):
        drop.fixed(f"wall{side}", Box(0.1, 0.1, 0.02), Pose(side * 0.06, 0, 0.01))
    cube = drop.cube(0.01)
    drop.let_go(cube)
    # √(2 · 0.01 / 9.80665) = 0.045 160 1 s
    assert drop.report() == [("falls", 0, None), ("rests", 45_161, "floor")]


def test_a_blocking_body_stops_a_fall_even_if_it_is_steep() -> None:
    drop = Drop()
    # A needle of a cone: its flank is 85.4 degrees steep. A ball that falls beside its tip runs up against it.
    drop.fixed("needle", Cone(0.04, 0.5), Pose(0, 0, 0.25))
    ball = drop.world.add(LiveBody("ball", Sphere(0.01), part=True), None, Pose(0.03, 0, 0.8))
    drop.let_go(ball)
    assert [kind for kind, _, _ in drop.report()] == ["falls", "rests"]
    assert ball.parent is drop.world.body("needle")


def test_a_ball_rests_on_a_slope_of_thirty_degrees_where_it_first_touches() -> None:
    drop = Drop()
    drop.fixed("ramp", Box(1, 1, 0.1), Pose(0, 0, 0.2) @ Pose.turn_y(30 * deg))
    ball = drop.world.add(LiveBody("ball", Sphere(0.01), part=True), None, Pose(0, 0, 0.5))
    drop.let_go(ball)
    # The ball's centre ends 60 mm from the ramp's middle plane, measured along its normal: 60 mm / cos 30° above it.
    height = 0.2 + 0.06 / math.cos(30 * deg)
    assert ball.pose.z == pytest.approx(height, abs=5e-6)
    assert drop.report()[-1][1] == math.ceil(math.sqrt(2 * (0.5 - height) / 9.80665) * SECOND)


def test_a_part_caught_in_the_air_no_longer_falls() -> None:
    drop = Drop()
    cube = drop.cube(1.0)
    hand = drop.fixed("hand", Box(0.01, 0.01, 0.01), Pose(1, 0, 1))

    def catch() -> None:
        delay(0.2)
        drop.world.attach(cube, hand)

    drop.let_go(cube, catch)
    assert drop.report() == [("falls", 0, None)]
    assert bottom(cube) == pytest.approx(1.0 - 9.80665 * 0.02)  # after 0.2 s


def test_a_part_removed_while_it_falls_is_not_lost() -> None:
    drop = Drop()
    cube = drop.cube(1.0)

    def take() -> None:
        delay(0.2)
        drop.world.remove(cube)

    drop.let_go(cube, take)
    assert drop.report() == [("falls", 0, None)]
    assert list(drop.gravity.lost) == []


def test_a_part_released_again_in_the_air_starts_a_new_fall() -> None:
    drop = Drop()
    cube = drop.cube(0.1)

    def hold_and_let_go() -> None:
        delay(0.1)
        drop.world.move(cube, Rest(cube.pose))
        delay(0.05)
        drop.gravity.release(cube)

    drop.let_go(cube, hold_and_let_go)
    # 100 mm − 49.03325 mm are left: √(2 · 0.05096675 / 9.80665) = 0.101 952 3 s
    assert drop.report() == [("falls", 0, None), ("falls", 150_000, None), ("rests", 251_953, "floor")]


def test_a_part_released_in_motion_keeps_its_velocity() -> None:
    drop = Drop()
    sled = drop.world.add(LiveBody("sled"), None, motion=Travel(0, SECOND, Pose(0, 0, 0.5), (0.0, 0.3, 0.2)))
    cube = drop.cube(0.0)
    drop.world.place(cube, Pose(), sled)

    def let_go() -> None:
        delay(0.1)
        drop.world.attach(cube, None)
        drop.gravity.release(cube)
        delay(0.1)
        # From (0, 30, 520) mm: 0.1 s on at 0.3 m/s, and up by 0.2 · 0.1 − 9.80665 · 0.01 / 2 = −29.03325 mm.
        x, y, z = cube.pose.position
        assert (x, y) == pytest.approx((0.0, 0.06), abs=1e-7)
        assert z == pytest.approx(0.52 - 0.02903325, abs=1e-6)

    drop.kernel.spawn(let_go)
    drop.kernel.run()


def test_gravity_can_have_another_direction() -> None:
    drop = Drop(floor=False, gravity=(1.62, 0, 0))
    drop.fixed("wall", Box(0.1, 1, 1), Pose(0.87, 0, 1))  # its face is at x = 0.82
    cube = drop.cube(1.0)
    drop.let_go(cube)
    # 810 mm at 1.62 m/s²: 1 s.
    assert drop.report() == [("falls", 0, None), ("rests", 1_000_000, "wall")]


def test_two_parts_that_fall_together_stay_apart_and_land_in_order() -> None:
    drop = Drop()
    low, high = drop.cube(0.1, name="low"), drop.cube(0.3, name="high")

    def both() -> None:
        drop.gravity.release(high)

    drop.let_go(low, both)
    assert drop.report()[2] == ("rests", 142_809, "floor")
    # 300 mm less the cube of 20 mm that lies there by then: √(2 · 0.28 / 9.80665) = 0.238 964 7 s
    assert drop.report()[3] == ("rests", 238_965, "low")


def test_a_gap_below_a_micrometre_is_contact_and_a_larger_one_a_fall() -> None:
    for height, kinds in ((0.5e-6, ["rests"]), (2e-6, ["falls", "rests"])):
        drop = Drop()
        cube = drop.cube(height)
        drop.let_go(cube)
        assert [kind for kind, _, _ in drop.report()] == kinds


def test_one_body_can_have_its_own_gravity() -> None:
    drop = Drop()
    wall = drop.fixed("wall", Box(0.02, 2, 2), Pose(0.51, 0, 1))  # its face at x = 0.5
    cube = drop.cube(0.5)

    def sideways() -> None:
        drop.gravity.release(cube, (9.80665, 0.0, 0.0))
        assert drop.gravity.falls(cube)

    drop.kernel.spawn(sideways)
    drop.kernel.spawn(lambda: delay(1.0))
    drop.kernel.run()
    # 0.49 m from face to face: √(2 · 0.49 / 9.80665) = 0.316 120 7 s
    assert drop.report() == [("falls", 0, None), ("rests", 316_121, "wall")]
    assert cube.parent is wall
    assert not drop.gravity.falls(cube)


def test_nothing_falls_without_gravity() -> None:
    drop = Drop()
    cube = drop.cube(0.5)
    with pytest.raises(WorldError, match="a gravity of"):
        drop.gravity.release(cube, (0.0, 0.0, 0.0))
