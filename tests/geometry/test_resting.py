"""Stable states: which facets a solid rests on, how high the passes between them are, and how likely each is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import Array, GeometryError, Pose, UnknownName, mm
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    Prism,
    Shape,
    Sphere,
    StableState,
    StableStates,
    convex_outline,
    inside_outline,
    least_turn,
    minkowski_sum,
    nearest_on_outline,
    outline_area,
    resting_hull,
    stable_states,
)

L_BRACKET = Prism(
    ((0, 0), (60 * mm, 0), (60 * mm, 10 * mm), (10 * mm, 10 * mm), (10 * mm, 40 * mm), (0, 40 * mm)), length=30 * mm
)


def random_hull(seed: int, corners: int = 12) -> Mesh:
    rng = np.random.default_rng(seed)
    return Mesh(rng.normal(size=(corners, 3)) * 10 * mm, np.array([(0, 1, 2)])).hull()


def test_a_box_rests_on_its_six_sides_and_rolls_over_its_edges() -> None:
    states = stable_states(Box(60 * mm, 40 * mm, 20 * mm))
    assert [state.name for state in states] == ["A", "B", "C", "D", "E", "F"]
    assert [round(state.height / mm, 9) for state in states] == [10, 10, 20, 20, 30, 30]
    # Pythagoras: over the long edge from the large side, √(10² + 20²) − 10 mm.
    assert states["A"].barrier == pytest.approx(math.hypot(10, 20) * mm - 10 * mm)
    assert states["C"].barrier == pytest.approx(math.hypot(10, 20) * mm - 20 * mm)
    assert states["E"].barrier == pytest.approx(math.hypot(10, 30) * mm - 30 * mm)
    assert sum(state.probability for state in states) == pytest.approx(1.0)
    assert outline_area(states["C"].footprint) == pytest.approx(60 * 20 * mm * mm)


@pytest.mark.parametrize("law", ["quench", "quasi-static"])
def test_the_sides_of_a_cube_are_equally_likely(law: str) -> None:
    assert [s.probability for s in stable_states(Box(0.02, 0.02, 0.02), law)] == pytest.approx([1 / 6] * 6, abs=0.002)  # type: ignore[arg-type]


def test_the_mirror_image_of_a_part_has_mirrored_states() -> None:
    shape = random_hull(3)
    vertices, faces = shape.triangles()
    mirrored = Mesh(vertices * (-1.0, 1.0, 1.0), faces[:, ::-1])
    for law in ("quench", "quasi-static"):
        one, other = stable_states(shape, law), stable_states(mirrored, law)
        assert [s.height for s in one] == pytest.approx([s.height for s in other])
        assert [s.barrier for s in one] == pytest.approx([s.barrier for s in other])
        assert [s.probability for s in one] == pytest.approx([s.probability for s in other], abs=0.01)


@pytest.mark.parametrize(
    ("shape", "heights"),
    [
        (Cylinder(5 * mm, 60 * mm), [5, 30, 30]),
        (Sphere(8 * mm), [8]),
        (Capsule(5 * mm, 20 * mm), [5]),
        # On its side, the centre of mass of a cone, a quarter of the way up, is at ¾ L · sin of half its angle.
        (Cone(10 * mm, 30 * mm), [0.75 * 30 * 10 / math.hypot(10, 30), 7.5]),
        (Compound(((Pose(x=3 * mm), Cylinder(5 * mm, 60 * mm)),)), [5, 30, 30]),
    ],
    ids=["cylinder", "sphere", "capsule", "cone", "compound"],
)
def test_a_part_that_rolls_has_one_state_for_its_round_side(shape: Shape, heights: list[float]) -> None:
    states = stable_states(shape)
    assert [state.height / mm for state in states] == pytest.approx(heights)
    assert [state.rolls for state in states] == [True] + [False] * (len(heights) - 1)


def test_a_faceted_cylinder_of_a_mesh_rolls_too() -> None:
    angles = [2 * math.pi * k / 64 for k in range(64)]
    states = stable_states(Prism(tuple((5 * mm * math.cos(a), 5 * mm * math.sin(a)) for a in angles), 60 * mm))
    assert [state.rolls for state in states] == [True, False, False]


def test_a_coin_lies_on_its_faces() -> None:
    states = stable_states(Cylinder(50 * mm, 1 * mm))
    assert [(state.rolls, round(state.height / mm, 3)) for state in states] == [(False, 0.5)] * 2


def test_a_part_rolls_to_the_state_whose_side_is_below_its_centre() -> None:
    states = stable_states(L_BRACKET)
    for state in states:
        assert states.at(state.pose) is state
    leaning = Pose.of_rpy(0.2, -0.1, 0.7) @ states["A"].pose
    assert states.at(leaning) is states["A"]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 30))
def test_every_state_rests_with_its_centre_of_mass_above_its_support(seed: int, corners: int) -> None:
    shape = random_hull(seed, corners)
    states: StableStates = stable_states(shape)
    state: StableState
    for state in states:
        placed = shape.triangles()[0] @ state.pose.rotation.T + state.pose.translation
        x, y, z = state.pose.point(shape.centre_of_mass)
        assert placed[:, 2].min() == pytest.approx(0.0, abs=1e-9)
        assert (x, y, z) == pytest.approx((0.0, 0.0, state.height), abs=1e-9)
        assert inside_outline(state.support, (0.0, 0.0), 1e-9)
        assert all(inside_outline(state.footprint, (px, py), 1e-9) for px, py in placed[:, :2].tolist())


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_quasi_static_probabilities_are_those_of_trimesh(seed: int) -> None:
    import trimesh

    shape = random_hull(seed)
    hull = trimesh.Trimesh(*shape.triangles())
    poses, shares = trimesh.poses.compute_stable_poses(hull, center_mass=shape.centre_of_mass, n_samples=1)
    found = np.zeros(len(stable_states(shape)))
    states = stable_states(shape, "quasi-static")
    for pose, share in zip(poses, shares, strict=True):
        state = states.at(Pose.of(pose[:3, :3], pose[:3, 3]))
        found[list(states).index(state)] += share
    assert [state.probability for state in states] == pytest.approx(found.tolist(), abs=0.02)


def test_passes_are_the_lowest_ways_out_by_brute_force() -> None:
    for shape in (L_BRACKET, random_hull(5), random_hull(8, 20), Box(60 * mm, 40 * mm, 20 * mm)):
        hull = resting_hull(shape)
        lowest = _lowest_ways(np.array(hull.vertices), [hull.normals[k] for k in hull.bottoms])
        for found, number in zip(lowest, range(len(hull.bottoms)), strict=True):
            # On a grid a way passes a saddle at some distance, so it is higher, by less than 0.02 R here.
            assert hull.passes[number] - 1e-9 <= found <= hull.passes[number] + 0.02 * hull.radius


def _lowest_ways(vertices: Array, bottoms: list[tuple[float, float, float]], count: int = 12_000) -> list[float]:
    """For each bottom, the lowest height at which a flood over a grid of directions joins it to any other."""
    from scipy.spatial import ConvexHull, cKDTree

    k = np.arange(count) + 0.5
    z = 1 - 2 * k / count
    angle = math.pi * (1 + 5**0.5) * k
    grid = np.column_stack((np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z))
    height = (grid @ vertices.T).max(axis=1)
    edges = {tuple(sorted((a, b))) for each in ConvexHull(grid).simplices.tolist() for a in each for b in each if a < b}
    start = cKDTree(grid).query(np.array(bottoms))[1].tolist()
    group = list(range(count))

    def root(n: int) -> int:
        while group[n] != n:
            group[n] = group[group[n]]
            n = group[n]
        return n

    found = [math.inf] * len(bottoms)
    for a, b in sorted(edges, key=lambda pair: max(height[pair[0]], height[pair[1]])):
        top = max(height[a], height[b])
        one, other = root(a), root(b)
        if one == other:
            continue
        ours = [n for n, each in enumerate(start) if root(each) == one]
        theirs = [n for n, each in enumerate(start) if root(each) == other]
        if ours and theirs:
            for n in ours + theirs:
                found[n] = min(found[n], float(top))
        group[one] = other
    return found


def test_states_can_be_named_by_the_direction_that_points_down() -> None:
    states = stable_states(Box(60 * mm, 40 * mm, 20 * mm)).named(
        {"flat": (0.0, 0.1, -1.0), "upright": (-1.0, 0.0, 0.0)}
    )
    assert [state.name for state in states] == ["flat", "B", "C", "D", "upright", "F"]
    assert states["upright"].height == pytest.approx(30 * mm)
    with pytest.raises(GeometryError, match="given to the same stable state"):
        states.named({"one": (0.0, 0.0, -1.0), "two": (0.1, 0.0, -1.0)})
    with pytest.raises(GeometryError, match="is that of another stable state"):
        states.named({"C": (0.0, 0.0, -1.0)})
    with pytest.raises(UnknownName, match="stable state"):
        _ = states["Z"]


def test_an_open_mesh_has_no_stable_states() -> None:
    vertices, faces = Box(0.02, 0.02, 0.02).triangles()
    with pytest.raises(GeometryError, match="3 open edges has no centre of mass"):
        stable_states(Mesh(vertices, faces[:-1]))


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_the_least_turn_takes_one_direction_to_the_other(numbers: list[float]) -> None:
    a, b = np.array(numbers[:3]), np.array(numbers[3:])
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    turn = least_turn(tuple(a.tolist()), tuple(b.tolist()))
    assert turn.direction(a) == pytest.approx(b, abs=1e-7)
    angle = math.hypot(*turn.rotation_vector)
    assert angle == pytest.approx(math.atan2(np.linalg.norm(np.cross(a, b)), float(a @ b)), abs=1e-6)


def test_the_sum_of_two_squares_is_a_square_of_both_sides() -> None:
    square = convex_outline([(0, 0), (1, 0), (0.5, 0.2), (1, 1), (0, 1), (0.5, 0)])
    assert square == ((0, 0), (1, 0), (1, 1), (0, 1))
    assert outline_area(minkowski_sum(square, square)) == pytest.approx(4.0)
    assert nearest_on_outline(square, (0.9, 0.5)) == (1.0, 0.5)
    assert inside_outline(square, (1.05, 0.5), 0.1)
    assert not inside_outline(square, (1.05, 0.5))
