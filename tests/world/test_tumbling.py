"""Tumbling: stable states come up as often as measured, energy never rises, and the bits are the same everywhere."""

import hashlib
import math
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import Pose, WorldError, mm
from drycell.geometry import Box, Capsule, Cone, Cylinder, Mesh, Prism, Shape, Sphere
from drycell.world import Moving, TumbledPath, thrown, tumble, tumbled_states, tumbling_body
from drycell.world.tumbling import GRAVITY, TumblingBody, principal_axes

SHAPES: dict[str, Shape] = {
    "box": Box(60 * mm, 40 * mm, 20 * mm),
    "cylinder": Cylinder(10 * mm, 30 * mm),
    "ball": Sphere(10 * mm),
    "capsule": Capsule(5 * mm, 20 * mm),
    "cone": Cone(10 * mm, 30 * mm),
    "wedge": Prism(((0, 0), (60 * mm, 0), (0, 30 * mm)), 20 * mm),
}


def energy(body: TumblingBody, moving: Moving) -> float:
    """Energy per weight: the height of the centre of mass, and how high its motion can lift it."""
    spin = sum(i * p * p for i, p in zip(body.inertia, moving.spin, strict=True))
    return moving.centre[2] + (sum(v * v for v in moving.velocity) + spin) / (2 * GRAVITY)


@pytest.mark.parametrize(("ratio", "flat"), [(0.354, 0.868), (0.577, 0.590)])
def test_thick_coins_land_flat_as_often_as_measured(ratio: float, flat: float) -> None:
    """1,000 measured flips each; e and µ are those of the table of materials, and nothing is fitted."""
    coin = Cylinder(10 * mm, 20 * mm * ratio)
    states = tumbled_states(coin, restitution=0.3, friction=0.4, drops=400)
    assert sum(state.probability for state in states if not state.rolls) == pytest.approx(flat, abs=0.05)


@pytest.mark.soak
def test_thick_coins_over_several_thousand_drops() -> None:
    for ratio, flat in ((0.354, 0.868), (0.577, 0.590)):
        states = tumbled_states(Cylinder(10 * mm, 20 * mm * ratio), restitution=0.3, friction=0.4, drops=4000)
        found = sum(state.probability for state in states if not state.rolls)
        print(f"thick coin {ratio}: flat {found:.3f}, measured {flat:.3f}")
        assert found == pytest.approx(flat, abs=0.05)


def test_the_sides_of_a_cube_come_up_equally_often() -> None:
    drops = 600
    states = tumbled_states(Box(20 * mm, 20 * mm, 20 * mm), restitution=0.3, friction=0.4, drops=drops)
    for state in states:
        assert state.probability == pytest.approx(1 / 6, abs=3 * math.sqrt(5 / 36 / drops))
        assert state.error == pytest.approx(math.sqrt(5 / 36 / drops), rel=0.2)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 10_000), st.floats(0.0, 1.0), st.floats(0.0, 1.2), st.booleans())
def test_energy_never_rises(name: str, seed: int, restitution: float, friction: float, resting: bool) -> None:
    body = tumbling_body(SHAPES[name])
    start = thrown(body, Random(seed))
    if resting:
        start = start._replace(centre=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0))
    found = tumble(body, start, restitution, friction)
    levels = [energy(body, each) for each in found.path]
    assert max(b - a for a, b in pairwise(levels)) <= 1e-12 + 1e-9 * levels[0]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 10_000))
def test_a_part_ends_flat_on_the_surface_and_never_below_it(name: str, seed: int) -> None:
    body = tumbling_body(SHAPES[name])
    found = tumble(body, thrown(body, Random(seed)), 0.3, 0.4)
    low = [_lowest(body, each) for each in found.path]
    if name != "ball":  # the corners that stand for a ball are outside it
        assert low[-1] == pytest.approx(0.0, abs=1e-6 * mm)
        # Between two steps a corner sinks in by a fraction of a millimetre; a part of 60 mm falls at 2 m/s.
        assert min(low) > -0.5 * mm
    height = body.hull.heights[body.hull.bottoms[found.state]]
    assert found.path[-1].centre[2] == pytest.approx(height, abs=1e-9)


def _lowest(body: TumblingBody, moving: Moving) -> float:
    pose = body.pose(moving)
    return min(pose.point([c + o for c, o in zip(body.hull.centre, v, strict=True)])[2] for v in body.hull.vertices)


def test_a_block_that_leans_over_its_edge_falls_to_the_side_it_leans_to() -> None:
    box = Box(20 * mm, 20 * mm, 60 * mm)  # its centre of mass is above the edge at atan(1/3), 18.4 degrees
    body = tumbling_body(box)
    for degrees, height in ((17.0, 30 * mm), (20.0, 10 * mm)):
        turn = body.turned(Pose.turn_y(math.radians(degrees)))
        start = Moving(0.0, (0.0, 0.0, 0.0), turn, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        end = tumble(body, start, 0.0, 0.6).path[-1]
        assert end.centre[2] == pytest.approx(height)


def test_a_ball_loses_height_by_the_square_of_the_restitution() -> None:
    body = tumbling_body(Sphere(10 * mm))
    start = thrown(body, Random(0))._replace(centre=(0.0, 0.0, 0.21), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0))
    path = tumble(body, start, 0.5, 0.4).path
    levels = [energy(body, each) - 10 * mm for each in path]
    after = next(level for level in levels if level < 0.99 * levels[0])
    assert after == pytest.approx(0.25 * levels[0], rel=1e-3)


def test_principal_axes_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        a = rng.normal(size=(3, 3))
        matrix = a @ a.T
        moments, axes = principal_axes(matrix.tolist())
        assert sorted(moments) == pytest.approx(np.linalg.eigvalsh(matrix).tolist())
        assert np.linalg.det(axes.rotation) == pytest.approx(1.0)
        assert axes.rotation @ np.diag(moments) @ axes.rotation.T == pytest.approx(matrix)


def test_friction_below_zero_and_no_drops_are_errors() -> None:
    body = tumbling_body(SHAPES["box"])
    start = thrown(body, Random(0))
    with pytest.raises(WorldError, match=r"friction of -0\.1 is below 0"):
        tumble(body, start, 0.3, -0.1)
    with pytest.raises(WorldError, match=r"restitution of 1\.5 is not in"):
        tumble(body, start, 1.5, 0.3)
    with pytest.raises(WorldError, match="0 drops are too few"):
        tumbled_states(SHAPES["box"], 0.3, 0.4, drops=0)


def digest(times: int) -> str:
    """The bits of a number of drops of every shape."""
    found = hashlib.sha256()
    for name in sorted(SHAPES):
        body, random = tumbling_body(SHAPES[name]), Random(3)
        for _ in range(times):
            path: TumbledPath = tumble(body, thrown(body, random), 0.36, 0.42)
            found.update(repr((path.state, path.hits, path.path[-2:])).encode())
    return found.hexdigest()


# The bits of ten drops of each shape. They are the same on every processor: only + − × ÷ and square roots decide them.
BITS = "8e7d3e74c6793f09c99c5bf179bc86b4bf1326539f8a3319449bd737aec28ae8"


def test_the_same_drop_has_the_same_bits_on_every_machine() -> None:
    assert digest(10) == BITS


def test_the_same_drop_has_the_same_bits_under_other_processor_flags() -> None:
    flags = {"PYTHONHASHSEED": "77", "OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3"}
    tunables = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}
    code = "from test_tumbling import digest; print(digest(10))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
        env={**os.environ, **flags, **tunables},
    )
    assert done.stdout.strip() == BITS


@pytest.mark.soak
def test_a_thousand_repetitions_have_the_same_bits() -> None:
    body = tumbling_body(SHAPES["wedge"])
    start = thrown(body, Random(9))
    first = tumble(body, start, 0.36, 0.42)
    assert all(tumble(body, start, 0.36, 0.42) == first for _ in range(1000))
    print(f"1,000 repetitions, {len(first.path)} states each: equal")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_random_hulls_come_to_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hull = Mesh(rng.normal(size=(12, 3)) * 10 * mm, np.array([(0, 1, 2)])).hull()
    body = tumbling_body(hull)
    found = tumble(body, thrown(body, Random(seed)), 0.36, 0.42)
    assert len(found.path) < 6000
