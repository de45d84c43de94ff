"""Trace-lines: distances, angles and the minimum, against geometry computed by hand and by brute force."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import IDENTITY, Array, Pose, align_z, deg, mm
from drycell.geometry import Box, Cylinder, Mesh, Prism, Shape, Sphere
from drycell.sensors import Beam, Output, Reading, Row, SensorModel, TraceLines, look
from drycell.sensors.evaluation import incidence
from drycell.world import LiveBody, Scene, World

FIVE = SensorModel(type="range", volume=Beam(500 * mm, 8 * deg), trace_lines=TraceLines(count=5, spread=6 * deg))


class Now:
    now = 0


def scene_of(*things: tuple[Shape, Pose]) -> Scene:
    world = World(Now())
    for number, (shape, pose) in enumerate(things):
        world.add(LiveBody(f"body{number}", shape, material="steel"), None, pose)
    return Scene(world)


def wall(z: float, tilt: float = 0.0) -> tuple[Shape, Pose]:
    """A wall whose near face passes through (0, 0, z), tilted about y."""
    return Box(2.0, 2.0, 0.02), Pose(0, 0, z) @ Pose.turn_y(tilt) @ Pose(0, 0, 0.01)


def test_five_lines_at_a_wall_give_its_distance_over_the_cosine() -> None:
    reading = look(FIVE, scene_of(wall(0.3)), IDENTITY)
    distances = [line.distance for line in reading.lines]
    assert distances == pytest.approx([0.3, *[0.3 / math.cos(6 * deg)] * 4], abs=1e-9)
    assert [line.angle for line in reading.lines] == pytest.approx([0.0, *[6 * deg] * 4], abs=1e-9)
    assert reading.distance == pytest.approx(0.3, abs=1e-9)
    assert reading.value == pytest.approx(0.3, abs=1e-9)


def test_at_a_tilted_wall_the_line_that_leans_towards_it_is_the_shortest() -> None:
    # The wall's normal is at 20° to the axis in the x-z plane; a line at angle a in that plane meets it at
    # 0.3 cos 20° / cos(20° - a): nearest for the one that leans towards the normal.
    reading = look(FIVE, scene_of(wall(0.3, 20 * deg)), IDENTITY)
    along = [0.3 * math.cos(20 * deg) / math.cos(20 * deg - a) for a in (0.0, 6 * deg, -6 * deg)]
    distances = [line.distance for line in reading.lines]
    assert [distances[0], distances[1], distances[3]] == pytest.approx(along, abs=1e-9)
    assert reading.distance == pytest.approx(min(along), abs=1e-9)
    assert [reading.lines[k].angle for k in (0, 1, 3)] == pytest.approx([20 * deg, 14 * deg, 26 * deg], abs=1e-9)


def test_round_bodies_are_met_on_their_true_surface() -> None:
    model = SensorModel(type="range", trace_lines=TraceLines(lines=(((0.01, 0, 0), (0, 0, 1)),), reach=1.0))
    ball = look(model, scene_of((Sphere(0.03), Pose(0, 0, 0.2))), IDENTITY).lines[0]
    assert ball.distance == pytest.approx(0.2 - math.sqrt(0.03**2 - 0.01**2), abs=1e-9)
    assert ball.angle == pytest.approx(math.asin(1 / 3), abs=1e-9)
    rod = look(model, scene_of((Cylinder(0.02, 0.5), Pose(0, 0, 0.2) @ Pose.turn_x(90 * deg))), IDENTITY).lines[0]
    assert rod.distance == pytest.approx(0.2 - math.sqrt(0.02**2 - 0.01**2), abs=1e-9)
    assert rod.angle == pytest.approx(math.asin(0.5), abs=1e-9)


def test_the_angle_is_folded_to_a_right_angle_at_most() -> None:
    assert incidence((0, 0, -1), (0, 0, 1)) == 0.0
    assert incidence((0, 0, 1), (0, 0, 1)) == 0.0
    assert incidence((1, 0, 0), (0, 0, 1)) == pytest.approx(90 * deg, abs=1e-15)
    for angle in (1e-9, 0.3, 1.2):
        leaning = (math.sin(angle), 0.0, math.cos(angle))
        assert incidence(leaning, (0, 0, 1)) == pytest.approx(angle, abs=1e-15)
        assert incidence(leaning, (0, 0, -1)) == pytest.approx(angle, abs=1e-15)


def test_a_row_of_parallel_lines_spans_its_width() -> None:
    model = SensorModel(type="range", trace_lines=TraceLines(row=Row(count=3, width=200 * mm), reach=1.0))
    reading = look(model, scene_of((Box(0.05, 0.05, 0.1), Pose(0.1, 0, 0.5))), IDENTITY)
    assert [line.distance for line in reading.lines] == [None, None, pytest.approx(0.45, abs=1e-9)]


def test_two_lines_lie_either_side_of_the_axis_and_one_on_it() -> None:
    two = TraceLines(count=2, spread=30 * deg).drawn()
    assert [direction for _, direction in two] == [pytest.approx((0.5 * sign, 0, math.sqrt(0.75))) for sign in (1, -1)]
    assert TraceLines(count=1).drawn() == (((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),)


turns = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
places = st.tuples(*[st.floats(-5.0, 5.0)] * 3)


@given(turn=turns, place=places, tilt=st.floats(-1.0, 1.0), roll=st.floats(-3.0, 3.0))
@settings(max_examples=150, deadline=None)
def test_a_reading_does_not_depend_on_the_frame_the_whole_scene_is_seen_from(
    turn: tuple[float, float, float], place: tuple[float, float, float], tilt: float, roll: float
) -> None:
    things = [
        (Box(0.3, 0.2, 0.1), Pose(0.0, 0.0, 0.35) @ Pose.turn_z(roll) @ Pose.turn_y(tilt)),
        (Sphere(0.02), Pose(0.01, 0.012, 0.2)),
    ]
    moved = Pose.of_rotation_vector(turn, place)
    here = look(FIVE, scene_of(*things), IDENTITY)
    there = look(FIVE, scene_of(*[(shape, moved @ pose) for shape, pose in things]), moved)
    for one, other in zip(here.lines, there.lines, strict=True):
        assert (one.distance is None) == (other.distance is None)
        if one.distance is not None:
            assert other.distance == pytest.approx(one.distance, abs=1e-9)
            assert other.angle == pytest.approx(one.angle, abs=1e-9)
    assert there.value == pytest.approx(here.value, abs=2e-9)


# ---------------------------------------------------------------- brute force

WORLDS, VIEWS, LINES = 500, 20, 3


def shapes(random: np.random.Generator) -> list[Shape]:
    """Three bodies whose triangles are exact: a box, a prism and a tetrahedron."""
    a, b, c = random.uniform(0.1, 0.8, 3).tolist()
    angles = np.sort(random.uniform(0, 2 * math.pi, 4)) + np.arange(4) * 0.2
    outline = tuple((a * math.cos(t), a * math.sin(t)) for t in (angles / (angles[-1] + 0.5) * 5.5).tolist())
    corners = np.array(((0, 0, 0), (a, 0, 0), (0, b, 0), (0, 0, c)), dtype=float)
    faces = np.array(((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
    return [Box(a, b, c), Prism(outline, b), Mesh(corners, faces)]


def pose(random: np.random.Generator, size: float) -> Pose:
    x, y, z = random.uniform(-size, size, 3).tolist()
    return Pose.of_quaternion(random.normal(size=4).tolist(), (x, y, z))


def aimed(random: np.random.Generator) -> Pose:
    """A sensor somewhere around, looking at the bodies, more or less."""
    at = random.uniform(-1.0, 1.0, 3)
    return align_z((random.uniform(-0.4, 0.4, 3) - at).tolist(), at.tolist())


def brute(triangles: Array, origins: Array, directions: Array) -> tuple[Array, Array, Array]:
    """Möller and Trumbore for all lines and triangles: distances (inf for none), crossings ahead, cosines."""
    corner = triangles[:, 0]
    u, v = triangles[:, 1] - corner, triangles[:, 2] - corner
    across = np.cross(directions[:, None], v[None])
    turn = np.einsum("lti,ti->lt", across, u)
    safe = np.where(np.abs(turn) < 1e-15, np.nan, turn)
    away = origins[:, None] - corner[None]
    s = np.einsum("lti,lti->lt", away, across) / safe
    other = np.cross(away, u[None])
    r = np.einsum("li,lti->lt", directions, other) / safe
    along = np.einsum("lti,ti->lt", other, v) / safe
    with np.errstate(invalid="ignore"):
        met = (s >= 0) & (r >= 0) & (s + r <= 1) & (along >= 0)
    normals = np.cross(u, v)
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(met, along, np.inf), met, np.abs(directions @ normals.T)


def test_ten_thousand_random_scenes_agree_with_brute_force_over_all_triangles() -> None:
    random = np.random.default_rng(4)
    model = SensorModel(type="range", trace_lines=TraceLines(count=LINES, spread=25 * deg, reach=2.0))
    each = SensorModel(type="range", trace_lines=TraceLines(count=LINES, spread=25 * deg, reach=2.0), occlusion="each")
    fan = np.array([direction for _, direction in TraceLines(count=LINES, spread=25 * deg).drawn()])
    hits = 0
    for number in range(WORLDS):
        things = [(shape, pose(random, 0.5)) for shape in shapes(random)]
        scene = scene_of(*things)
        sensors = [aimed(random) for _ in range(VIEWS)]
        origins = np.repeat([sensor.translation for sensor in sensors], LINES, axis=0)
        directions = np.concatenate([fan @ sensor.rotation.T for sensor in sensors])
        best = np.full(len(origins), np.inf)
        cosine = np.ones(len(origins))
        for shape, at in things:
            vertices, faces = shape.triangles()
            triangles = (vertices @ at.rotation.T + at.translation)[faces]
            found, met, cosines = brute(triangles, origins, directions)
            nearest = found.argmin(axis=1)
            lines = np.arange(len(origins))
            inside = met.sum(axis=1) % 2 == 1  # an odd number of walls ahead: the line starts inside
            distance = np.where(inside, 0.0, found[lines, nearest])
            cosine = np.where(distance < best, np.where(inside, 1.0, cosines[lines, nearest]), cosine)
            best = np.minimum(best, distance)
        best[best > 2.0] = np.inf
        readings = [look(each if number % 10 == 0 else model, scene, sensor) for sensor in sensors]
        check(readings, best, cosine)
        hits += int(np.isfinite(best).sum())
    assert hits > 10_000, "most lines met nothing: the test shows little"


def check(readings: list[Reading], best: Array, cosine: Array) -> None:
    lines = [line for reading in readings for line in reading.lines]
    distances = np.array([math.inf if line.distance is None else line.distance for line in lines])
    angles = np.array([0.0 if line.angle is None else line.angle for line in lines])
    assert np.array_equal(np.isfinite(distances), np.isfinite(best))
    met = np.isfinite(best)
    assert np.abs(distances[met] - best[met]).max(initial=0.0) < 1e-9
    assert np.abs(np.cos(angles[met]) - cosine[met]).max(initial=0.0) < 1e-9
    for reading, ahead in zip(readings, best.reshape(-1, LINES), strict=True):
        nearest = float(ahead.min())
        assert (reading.distance is None) == (nearest == math.inf)
        assert reading.distance is None or abs(reading.distance - nearest) < 1e-9


# ---------------------------------------------------------------- angle limits, blind zone, occlusion


def limited(**fields: object) -> SensorModel:
    return SensorModel(type="range", trace_lines=TraceLines(count=1, reach=1.0), reflects_below=40 * deg, **fields)


def test_an_echo_is_lost_beyond_the_angle_limit_and_kept_on_it() -> None:
    kept, lost = look(limited(), scene_of(wall(0.3, 40 * deg)), IDENTITY), limited()
    assert kept.distance == pytest.approx(0.3, abs=1e-9)
    reading = look(lost, scene_of(wall(0.3, 41 * deg)), IDENTITY)
    assert reading.distance is None
    assert reading.lines[0].distance == pytest.approx(0.3, abs=1e-9)
    assert reading.lines[0].lost == "the angle is 41.0 deg, and it reflects below 40.0 deg"
    assert "trace-line 1 hits 'body0' at 300.000 mm, but the angle is 41.0 deg" in reading.why


def test_through_the_band_of_distortion_a_reading_grows_in_proportion_and_is_then_lost() -> None:
    model = limited(distorts_to=50 * deg, distorts_by=20 * mm)
    for tilt, longer in ((40, 0.0), (42.5, 5 * mm), (45, 10 * mm), (50, 20 * mm)):
        reading = look(model, scene_of(wall(0.3, tilt * deg)), IDENTITY)
        assert reading.distance == pytest.approx(0.3 + longer, abs=1e-9)
        assert reading.lines[0].distance == pytest.approx(0.3, abs=1e-9)
    assert look(model, scene_of(wall(0.3, 50.5 * deg)), IDENTITY).distance is None


def test_a_surface_rougher_than_the_rayleigh_criterion_scatters_at_any_angle() -> None:
    # Steel has a roughness of 1.6 µm: at 60° it is rough for λ below 8 · 1.6 µm · cos 60° = 6.4 µm.
    tilted = scene_of(wall(0.3, 60 * deg))
    assert look(limited(wavelength=6.3e-6), tilted, IDENTITY).distance == pytest.approx(0.3, abs=1e-9)
    assert look(limited(wavelength=6.5e-6), tilted, IDENTITY).distance is None


@pytest.mark.parametrize(("blind", "value"), [("clip", 0.1), ("default", 9.0)])
def test_a_body_that_is_too_near_reads_as_the_nearest_distance_or_as_nothing(blind: str, value: float) -> None:
    model = SensorModel(
        type="range",
        trace_lines=TraceLines(count=1, reach=1.0),
        nearest=100 * mm,
        blind=blind,  # type: ignore[arg-type]
        output=Output(default=9.0),
    )
    assert look(model, scene_of(wall(0.099)), IDENTITY).value == value
    assert look(model, scene_of(wall(0.101)), IDENTITY).value == pytest.approx(0.101, abs=1e-9)


def test_an_oblique_near_surface_hides_what_is_behind_it_unless_each_body_is_judged_alone() -> None:
    scene = scene_of((Box(0.1, 0.1, 0.001), Pose(0, 0, 0.2) @ Pose.turn_y(60 * deg)), wall(0.5))
    assert look(limited(), scene, IDENTITY).distance is None
    literal = look(limited(occlusion="each"), scene, IDENTITY)  # appendix C, as it stands
    assert literal.distance == pytest.approx(0.5, abs=1e-9)
