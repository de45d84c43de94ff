"""Volumes of any shape: where they are, how lines end in them, and what lines miss."""

import math
from pathlib import Path

import pytest

from drycell.base import IDENTITY, Pose, deg, mm
from drycell.geometry import Box, Capsule, Cylinder, MeshFile, Prism, Shape, Sphere, save_mesh
from drycell.sensors import Beam, SensorModel, TraceLines, Volume, look
from drycell.world import LiveBody, Scene, World


class Now:
    now = 0


def scene_of(**things: tuple[Shape, Pose]) -> Scene:
    world = World(Now())
    for name, (shape, pose) in things.items():
        world.add(LiveBody(name, shape, material="steel"), None, pose)
    return Scene(world)


def proximity(*volumes: Volume) -> SensorModel:
    return SensorModel(type="proximity", volume=volumes)


SQUARE = ((-0.02, -0.02), (0.02, -0.02), (0.02, 0.02), (-0.02, 0.02))


@pytest.mark.parametrize(
    ("volume", "end", "half_width"),
    [
        (Beam(0.1, 30 * deg), 0.1, 0.1 * math.tan(30 * deg)),
        (Cylinder(0.02, 0.1), 0.1, 0.02),
        (Box(0.04, 0.04, 0.1), 0.1, 0.02),
        (Sphere(0.05), 0.1, 0.0),
        (Capsule(0.02, 0.06), 0.1, 0.0),
        (Prism(SQUARE, 0.1), 0.1, 0.02),
    ],
)
def test_a_volume_begins_at_the_origin_and_ends_along_z(volume: Volume, end: float, half_width: float) -> None:
    model = proximity(volume)
    small = Sphere(1 * mm)
    assert look(model, scene_of(ball=(small, Pose(0, 0, end + 0.9 * mm))), IDENTITY).value is True
    assert look(model, scene_of(ball=(small, Pose(0, 0, end + 1.1 * mm))), IDENTITY).value is False
    assert look(model, scene_of(ball=(small, Pose(0, 0, -1.1 * mm))), IDENTITY).value is False
    if half_width:
        high = end - 1e-6
        assert look(model, scene_of(ball=(small, Pose(half_width + 0.9 * mm, 0, high))), IDENTITY).value is True
        assert look(model, scene_of(ball=(small, Pose(half_width + 1.1 * mm, 0, high))), IDENTITY).value is False


@pytest.mark.parametrize(
    ("volume", "reach"),
    [
        (Beam(0.5, 10 * deg), 0.5 / math.cos(5 * deg)),
        (Cylinder(0.02, 0.5), 0.02 / math.sin(5 * deg)),
        (Box(0.1, 0.1, 0.5), 0.5 / math.cos(5 * deg)),
        (Sphere(0.25), 0.5 * math.cos(5 * deg)),
    ],
)
def test_a_line_ends_where_it_leaves_the_volume(volume: Volume, reach: float) -> None:
    model = SensorModel(type="range", volume=volume, trace_lines=TraceLines(count=2, spread=5 * deg))
    assert model.probe.reaches == pytest.approx((reach, reach), abs=1e-12)


def test_lines_and_volume_agree_at_the_very_end() -> None:
    model = SensorModel(type="range", volume=Beam(0.5, 8 * deg), trace_lines=TraceLines(count=1))
    for z, seen in ((0.499999, True), (0.500001, False)):
        reading = look(model, scene_of(wall=(Box(1, 1, 0.01), Pose(0, 0, z + 0.005))), IDENTITY)
        assert (reading.distance is not None) is seen
        assert bool(reading.seen) is seen


def test_several_volumes_are_watched_together_and_lines_end_in_the_last() -> None:
    two = (Cylinder(0.01, 0.1), Volume(Cylinder(0.01, 0.1), at=(0.0, 0.0, 0.2)))
    model = SensorModel(type="range", volume=two)
    assert model.probe.reaches == pytest.approx((0.3,), abs=1e-12)
    switch = proximity(*two)
    for z, on in ((0.05, True), (0.15, False), (0.25, True)):
        assert look(switch, scene_of(ball=(Sphere(0.01), Pose(0, 0, z))), IDENTITY).value is on


def test_a_volume_can_be_moved_and_turned() -> None:
    aside = proximity(Volume(Cylinder(0.01, 0.1), at=(0.05, 0, 0), rpy=(0, 90 * deg, 0)))  # along +x
    assert look(aside, scene_of(ball=(Sphere(0.01), Pose(0.14, 0, 0))), IDENTITY).value is True
    assert look(aside, scene_of(ball=(Sphere(0.01), Pose(0.05, 0, 0.1))), IDENTITY).value is False


def test_a_volume_from_a_mesh_file_is_found_from_the_folder_of_its_description(tmp_path: Path) -> None:
    save_mesh(Box(20 * mm, 20 * mm, 100 * mm), tmp_path / "beam.stl", units="mm")
    model = proximity(Volume(MeshFile("beam.stl", "mm"), at=(0, 0, 0.05))).located(tmp_path)
    assert look(model, scene_of(ball=(Sphere(0.01), Pose(0, 0, 0.109))), IDENTITY).value is True
    assert look(model, scene_of(ball=(Sphere(0.01), Pose(0, 0, 0.111))), IDENTITY).value is False


def test_a_body_in_the_volume_but_on_no_line_is_reported() -> None:
    model = SensorModel(type="range", volume=Beam(0.5, 8 * deg), trace_lines=TraceLines(count=5, spread=6 * deg))
    scene = scene_of(
        plate=(Box(1, 1, 0.01), Pose(0, 0, 0.305)),
        post=(Box(0.002, 0.002, 0.002), Pose(0.012, 0.012, 0.25)),
    )
    reading = look(model, scene, IDENTITY)
    assert [body.name for body in reading.seen] == ["plate", "post"]
    assert [body.name for body in reading.missed] == ["post"]
    assert reading.why == "'plate' is 300.000 mm away; 'post' is in the volume, but no trace-line hits it"
    quick = look(model, scene, IDENTITY, thorough=False)
    assert (quick.value, quick.lines, quick.missed) == (reading.value, reading.lines, ())


def test_ignored_bodies_are_looked_through() -> None:
    model = SensorModel(type="range", volume=Beam(0.5, 8 * deg))
    scene = scene_of(near=(Box(1, 1, 0.01), Pose(0, 0, 0.105)), far=(Box(1, 1, 0.01), Pose(0, 0, 0.205)))
    reading = look(model, scene, IDENTITY, ignore=[scene.world.body("near")])
    assert reading.distance == pytest.approx(0.2, abs=1e-9)
    assert reading.body is scene.world.body("far")
