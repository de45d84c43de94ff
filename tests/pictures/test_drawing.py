"""Line drawings show every visible edge and no hidden one."""

import math
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from drycell.base import IDENTITY, DrycellError, Pose, UnknownName
from drycell.geometry import Box, Capsule, Compound, Cylinder, Mesh, Placed, Shape, Sphere, merge, ray
from drycell.pictures import Camera, LineDrawing, Style
from drycell.pictures.camera import Projection
from drycell.world import LiveBody, Travel, World

Place = tuple[float, float]
Segment = tuple[Place, Place]


class Clock:
    now = 0


def world_of(*shapes: tuple[Shape, Pose]) -> World:
    world = World(Clock())
    for number, (shape, pose) in enumerate(shapes):
        world.add(LiveBody(f"body{number}", shape), pose=pose)
    return world


def drawn(drawing: LineDrawing, layer: int | None = None) -> list[Segment]:
    """The straight lines on the page, in pixels: of one layer (even: edges, odd: outlines), or all."""
    layers = drawing.page().layers
    return [
        ((a / 100, b / 100), (c / 100, d / 100))
        for each in (layers if layer is None else [layers[layer]])
        for stroke in each.strokes
        for (a, b), (c, d) in pairwise(stroke)
    ]


def exposed(world: World, **options: object) -> LineDrawing:
    drawing = LineDrawing(world, **options)  # type: ignore[arg-type]
    drawing.expose(0)
    return drawing


def lengths(segments: list[Segment]) -> list[float]:
    return [math.dist(*segment) for segment in segments]


def extent(segments: list[Segment]) -> tuple[float, float]:
    points = np.array(segments).reshape(-1, 2)
    width, height = np.ptp(points, axis=0).tolist()
    return width, height


# -------------------------------------------------------------------- single solids, by hand


def test_a_cube_in_general_view_shows_nine_of_twelve_edges() -> None:
    drawing = exposed(world_of((Box(1, 1, 1), IDENTITY)))
    assert len(drawn(drawing, 0)) == 3  # those that meet in the corner nearest to the eye
    assert len(drawn(drawing, 1)) == 6  # the outline
    assert len({place for segment in drawn(drawing) for place in segment}) == 7  # corners; the eighth is behind


@given(st.tuples(*[st.floats(-math.pi, math.pi)] * 3))
def test_a_cube_in_any_orientation_shows_nine_edges(rpy: tuple[float, float, float]) -> None:
    pose = Pose.of_rpy(*rpy)
    back = np.array((0.75, -1.0, 0.55)) / math.hypot(0.75, 1.0, 0.55)
    assume(min(abs(back @ pose.rotation)) > 0.05)  # otherwise a side is seen edge-on
    drawing = exposed(world_of((Box(1, 1, 1), pose)), parallel=True)
    assert (len(drawn(drawing, 0)), len(drawn(drawing, 1))) == (3, 6)


def test_a_cube_straight_from_the_front_is_a_square() -> None:
    drawing = exposed(world_of((Box(1, 1, 1), IDENTITY)), camera=Camera("front"), parallel=True, size=(500, 400))
    assert lengths(drawn(drawing)) == pytest.approx([360.0] * 4, abs=0.02)  # nine tenths of the page's height


def test_in_perspective_what_is_farther_is_smaller() -> None:
    world = world_of((Box(1, 0.01, 1), Pose(0, -2, 0)), (Box(1, 0.01, 1), Pose(3, 2, 0)))
    heights = sorted(abs(a[1] - b[1]) for a, b in drawn(exposed(world, camera=Camera("front"))) if a[0] == b[0])
    assert heights[0] < 0.95 * heights[-1]
    flat = drawn(exposed(world, camera=Camera("front"), parallel=True))
    heights = [abs(a[1] - b[1]) for a, b in flat if a[0] == b[0]]
    assert max(heights) == pytest.approx(min(heights), abs=0.02)


def test_the_outline_of_a_cylinder_is_two_lines_and_half_of_each_rim() -> None:
    radius, length = 0.1, 0.5
    drawing = exposed(world_of((Cylinder(radius, length), IDENTITY)), parallel=True)
    height = math.asin(0.55 / math.hypot(0.75, 1.0, 0.55))  # of the eye
    width, high = extent(drawn(drawing))
    scale = width / (2 * radius)
    assert high == pytest.approx(scale * (length * math.cos(height) + 2 * radius * math.sin(height)), abs=0.5)
    straight = [size for size in lengths(drawn(drawing, 1)) if size > 100]
    assert straight == pytest.approx([scale * length * math.cos(height)] * 2, abs=0.5)
    upper_rim_in_front = drawn(drawing, 0)
    assert extent(upper_rim_in_front)[0] == pytest.approx(2 * radius * scale, rel=0.01)
    # The rear of the lower rim is hidden: with it, the lower rim would extend upwards by half its height.
    lowest = max(place[1] for segment in drawn(drawing) for place in segment)
    middle_of_lower_rim = lowest - scale * radius * math.sin(height)
    beyond = [a for a, _ in drawn(drawing, 1) if middle_of_lower_rim - 25 < a[1] < middle_of_lower_rim - 3]
    assert beyond == []


@pytest.mark.parametrize("view", ["iso", "front", "top"])
@pytest.mark.parametrize("radius", [0.02, 3.0])
def test_a_ball_is_one_circle(view: str, radius: float) -> None:
    world = world_of((Sphere(radius), Pose(0.4, 0, 0)), (Box(8 * radius, 0.1, 0.1), Pose(0, 0, -10 * radius)))
    drawing = LineDrawing(world, camera=Camera(view), parallel=True)
    drawing.expose(0, [world.bodies["body0"]])
    edges, outline = drawing.page().layers
    assert not edges.strokes
    (circle,) = outline.strokes
    assert circle[0] == circle[-1]
    places = np.array(circle) / 100
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    away = np.linalg.norm(places - middle, axis=1)
    assert np.ptp(away) < 0.3


def test_a_capsule_has_no_edge_where_its_ends_begin() -> None:
    drawing = exposed(world_of((Capsule(0.1, 0.3), IDENTITY)))
    edges, outline = drawing.page().layers
    assert (len(edges.strokes), len(outline.strokes)) == (0, 1)


def test_flush_parts_of_a_compound_have_no_seam() -> None:
    whole = exposed(world_of((Box(2, 1, 1), IDENTITY)))
    halves = Compound(((Pose(-0.25, 0, 0), Box(1.5, 1, 1)), (Pose(0.5, 0, 0), Box(1, 1, 1))))
    assert sorted(lengths(drawn(exposed(world_of((halves, IDENTITY)))))) == pytest.approx(sorted(lengths(drawn(whole))))


def test_the_far_rim_of_a_hole_is_seen_through_it() -> None:
    plate = merge([(IDENTITY, Box(1, 1, 0.1))], [(IDENTITY, Box(0.5, 0.5, 1))])
    drawing = exposed(world_of((plate, IDENTITY)), camera=Camera("top"))  # in perspective: the far rim is smaller
    sides = sorted(round(length) for length in lengths(drawn(drawing)))
    upper = [side for side in sides if side == sides[-1]]
    assert len(upper) == 4  # the plate's own outline
    assert sum(1 for a, b in drawn(drawing) if math.dist(a, b) > 0.4 * sides[-1]) == 12  # and both rims


def test_an_open_surface_is_drawn_from_both_sides() -> None:
    square = Mesh(np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), np.array([(0, 1, 2), (0, 2, 3)]))
    assert len(drawn(exposed(world_of((square, IDENTITY))))) == 4
    assert len(drawn(exposed(world_of((square, Pose.turn_x(math.pi)))))) == 4


# -------------------------------------------------------------------- what hides what


def test_a_box_behind_another_is_not_drawn() -> None:
    world = world_of((Box(1, 0.1, 1), IDENTITY), (Box(0.3, 0.3, 0.3), Pose(0.1, 1, 0.1)))
    alone = LineDrawing(world, camera=Camera("front"))
    alone.include(0)
    alone.expose(0, [world.bodies["body0"]])
    assert exposed(world, camera=Camera("front")).svg() == alone.svg()


def test_a_line_that_passes_behind_a_post_is_drawn_on_either_side_of_it() -> None:
    world = world_of((Box(4, 0.1, 0.2), Pose(0, 1, 0)), (Box(1, 0.1, 1), IDENTITY))
    drawing = LineDrawing(world, camera=Camera("front"), parallel=True)
    drawing.expose(0, [world.bodies["body0"]])
    scale = 0.9 * 900 / 4
    level = sorted(
        length for (a, b), length in zip(drawn(drawing), lengths(drawn(drawing)), strict=True) if a[1] == b[1]
    )
    assert level == pytest.approx([1.5 * scale] * 4, abs=0.02)


def test_a_box_sunk_into_another_looks_like_a_box_that_stands_on_it() -> None:
    base = (Box(1, 1, 0.4), IDENTITY)
    sunk = exposed(world_of(base, (Box(0.3, 0.3, 0.6), Pose(0, 0, 0.2))))
    stands = exposed(world_of(base, (Box(0.3, 0.3, 0.3), Pose(0, 0, 0.35))))
    assert sorted(lengths(drawn(sunk))) == pytest.approx(sorted(lengths(drawn(stands))), abs=0.35)


def test_the_lower_edge_of_a_resting_part_is_visible() -> None:
    world = world_of((Box(1, 1, 0.1), Pose(0, 0, -0.05)), (Box(0.2, 0.2, 0.2), Pose(0, 0, 0.1)))
    drawing = LineDrawing(world)
    drawing.expose(0, [world.bodies["body1"]])
    assert len(drawn(drawing)) == 9


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("parallel", [False, True])
def test_drawn_points_are_those_from_which_a_ray_reaches_the_eye(seed: int, parallel: bool) -> None:
    """Against the rays of the geometry, which know nothing of triangles on a page."""
    dice = random.Random(seed)
    shapes: list[tuple[Shape, Pose]] = []
    for number in range(9):
        kind = (Box(0.3, 0.25, 0.2), Cylinder(0.1, 0.3), Sphere(0.12))[number % 3]
        place = [dice.uniform(-0.35, 0.35) for _ in range(3)]
        shapes.append((kind, Pose(*place) @ Pose.of_rpy(*(dice.uniform(-3, 3) for _ in range(3)))))
    world = world_of(*shapes)
    placed = [Placed(shape) for shape, _ in shapes]
    for solid, (_, pose) in zip(placed, shapes, strict=True):
        solid.place(pose)
    compared = 0
    for number in range(0, 9, 3):
        drawing = LineDrawing(world, parallel=parallel)
        drawing.expose(0, [world.bodies[f"body{number}"]])
        ink = np.array([(*a, *b) for a, b in drawn(drawing)]).reshape(-1, 4)
        corners = np.concatenate([box_corners(shape.bounds, pose) for shape, pose in shapes])
        projection = Projection.framing(Camera(), corners, drawing.size, parallel)
        edges = box_edges(*shapes[number])
        on_page = projection.points(np.array(edges).reshape(-1, 3))[:, :2].reshape(-1, 4)
        for which, (a, b) in enumerate(edges):
            others = np.delete(on_page, which, axis=0)
            verdicts = []
            for share in np.linspace(0.03, 0.97, 60):
                point = a + share * (b - a)
                towards = projection.eye if parallel else projection.eye - point
                towards = towards / np.linalg.norm(towards)
                start = point + 1e-6 * towards
                clear = all(ray(solid, tuple(start), tuple(towards), 100.0) is None for solid in placed)
                place = projection.points(point[None])[0, :2]
                verdicts.append((clear, distance_to(ink, place), distance_to(others, place) < 1.0))
            inked = 0
            for before, (clear, gap, crowded), after in zip(verdicts, verdicts[1:], verdicts[2:], strict=False):
                if before[0] == clear == after[0] and not crowded:  # not where the line just passes behind another body
                    assert gap < 0.5 or not clear
                    inked += gap < 0.5 and not clear
                    compared += 1
            assert inked <= 8  # where the curve of a crossing runs over it, or it grazes another surface from below
    assert compared > 300


def box_corners(bounds: tuple[tuple[float, ...], tuple[float, ...]], pose: Pose) -> np.ndarray:
    low, high = bounds
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    return np.array(corners) @ pose.rotation.T + pose.translation


def box_edges(shape: Shape, pose: Pose) -> list[tuple[np.ndarray, np.ndarray]]:
    corners = box_corners(shape.bounds, pose)  # the k-th corner has the bits of k
    return [(corners[k], corners[k | bit]) for k in range(8) for bit in (1, 2, 4) if not k & bit]


def distance_to(ink: np.ndarray, place: np.ndarray) -> float:
    if not len(ink):
        return math.inf
    start, along = ink[:, :2], ink[:, 2:] - ink[:, :2]
    share = np.clip(np.einsum("ij,ij->i", place - start, along) / np.einsum("ij,ij->i", along, along), 0, 1)
    return float(np.linalg.norm(start + share[:, None] * along - place, axis=1).min())


# -------------------------------------------------------------------- exposures


def moving_world() -> World:
    world = world_of((Box(2, 1, 0.1), IDENTITY))
    cube = LiveBody("cube", Box(0.2, 0.2, 0.2))
    world.add(cube, motion=Travel(0, 1_000_000, Pose(-0.8, 0, 0.25), (1.6, 0.0, 0.0)))
    return world


def test_a_later_exposure_of_what_moved_adds_its_nine_lines() -> None:
    world = moving_world()
    drawing = exposed(world)
    drawing.include(1_000_000)
    once = drawn(drawing)
    moved = drawing.moved(0, 1_000_000)
    assert [body.name for body in moved] == ["cube"]
    drawing.expose(1_000_000, moved)
    assert drawn(drawing)[: len(once)] == once
    assert len(drawn(drawing)) == len(once) + 9


def test_exposures_do_not_hide_each_other_but_bodies_in_front_do() -> None:
    world = moving_world()
    world.add(LiveBody("wall", Box(0.4, 0.02, 1)), pose=Pose(0.8, -0.4, 0.5))
    drawing = LineDrawing(world, camera=Camera("front"), parallel=True)
    for at, seen in ((0, 4), (1_000, 4), (1_000_000, 0)):  # at the end the cube is behind the wall
        drawing.clear()
        drawing.expose(at, [world.bodies["cube"]])
        assert len(drawn(drawing)) == seen
    drawing.expose(0, [world.bodies["cube"]])
    drawing.expose(1_000, [world.bodies["cube"]])
    assert len(drawn(drawing)) == 8


def test_a_lighter_exposure_is_paler_thinner_and_at_the_bottom() -> None:
    world = moving_world()
    drawing = exposed(world, style=Style(ink="#000000", paper="#ffffff", contour=2.0, edge=1.0))
    drawing.expose(500_000, weight=0.25)
    assert [(layer.colour, layer.width) for layer in drawing.page().layers] == [
        ("#bfbfbf", 0.625), ("#bfbfbf", 1.25), ("#000000", 1.0), ("#000000", 2.0),
    ]  # fmt: skip


def test_exposures_remain_when_the_world_changes() -> None:
    world = moving_world()
    drawing = exposed(world)
    before = drawing.svg()
    world.bodies["cube"].shape = Sphere(0.3)
    world.remove(world.bodies["body0"])
    assert drawing.svg() == before


def test_drawings_with_room_for_the_same_times_share_a_viewpoint() -> None:
    world = moving_world()
    table = world.bodies["body0"]
    pages = []
    for at in (0, 1_000_000):
        drawing = LineDrawing(world)
        drawing.include(0)
        drawing.include(1_000_000)
        drawing.expose(at, [table])
        pages.append({segment for segment in drawn(drawing) if math.dist(*segment) > 300})
    assert pages[0] & pages[1]


def test_holes_and_absent_bodies_are_not_drawn() -> None:
    world = moving_world()
    world.add(LiveBody("hole", Box(0.1, 0.1, 5), hole=True))
    late = LiveBody("late", Box(1, 1, 1))
    world.add(late)
    late.born = 2_000_000
    assert exposed(world).svg() == exposed(moving_world()).svg()


# -------------------------------------------------------------------- the file


def test_the_same_world_gives_the_same_bytes_in_any_process() -> None:
    code = (
        "from drycell import Cell, Robot; from drycell.pictures import LineDrawing; import hashlib\n"
        "cell = Cell(); cell.add('arm', Robot('box-frame/detailed')); drawing = LineDrawing(cell.world)\n"
        "drawing.expose(0)\n"
        "print(hashlib.sha256(drawing.svg().encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_the_file_is_small_and_well_formed_and_escapes_its_texts(tmp_path: Path) -> None:
    dice = random.Random(3)
    shapes = (Box(0.2, 0.1, 0.1), Cylinder(0.05, 0.2), Sphere(0.06), Capsule(0.04, 0.1))
    places = [Pose(*(dice.uniform(-0.5, 0.5) for _ in range(3))) for _ in range(30)]
    drawing = exposed(
        world_of(*((shapes[k % 4], place) for k, place in enumerate(places))), title="a < b", caption="2 & 3"
    )
    drawing.save(tmp_path / "new" / "heap.svg")
    text = (tmp_path / "new" / "heap.svg").read_text()
    assert text == drawing.svg()
    assert len(text) < 60_000
    root = ET.fromstring(text)
    assert root.get("viewBox") == "0 0 900 700"
    assert [element.text for element in root.iter() if element.text and element.text.strip()] == ["a < b", "2 & 3"]


def test_zooming_in_draws_only_what_is_on_the_page() -> None:
    world = moving_world()
    for _, place in ((0, a) for segment in drawn(exposed(world, camera=Camera("iso", 6.0))) for a in segment):
        assert -0.01 <= place[0] <= 900.01
        assert -0.01 <= place[1] <= 700.01
    near = exposed(world, camera=Camera("iso", 4.0, focus=(-0.8, 0.0, 0.25)))
    assert max(lengths(drawn(near))) > 200


def test_mistakes_are_reported() -> None:
    world = moving_world()
    with pytest.raises(DrycellError, match="nothing to draw"):
        LineDrawing(world).svg()
    with pytest.raises(DrycellError, match=r"line drawings are SVG files, not 'picture\.png'"):
        exposed(world).save("picture.png")
    with pytest.raises(DrycellError, match="an exposure cannot have the weight 0"):
        LineDrawing(world).expose(0, weight=0.0)
    with pytest.raises(DrycellError, match="a page cannot have 5 × 700 pixels"):
        LineDrawing(world, size=(5, 700))
    with pytest.raises(DrycellError, match="'blue' is not a colour"):
        exposed(world, style=Style(ink="blue")).svg()
    with pytest.raises(DrycellError, match="cannot zoom by -1"):
        Camera("iso", -1.0)
    with pytest.raises(UnknownName, match="there is no view 'isometric'"):
        Camera("isometric")


def test_a_mark_is_a_circle_around_its_point_over_everything() -> None:
    drawing = exposed(world_of((Box(1, 1, 1), IDENTITY)))
    plain = drawing.svg()
    drawing.mark([(0.0, 0.0, 0.0)])
    last = drawing.page().layers[-1]
    (circle,) = last.strokes
    x, y = (sum(corner[axis] for corner in circle[:-1]) / (len(circle) - 1) / 100 for axis in (0, 1))
    assert last.colour == "#c62828"
    assert circle[0] == circle[-1]
    # The centre of the cube is inside its outline and hidden behind its faces.
    places = [place for segment in drawn(exposed(world_of((Box(1, 1, 1), IDENTITY)))) for place in segment]
    assert min(place[0] for place in places) < x < max(place[0] for place in places)
    assert min(place[1] for place in places) < y < max(place[1] for place in places)
    drawing.clear()
    drawing.expose(0)
    assert drawing.svg() == plain
