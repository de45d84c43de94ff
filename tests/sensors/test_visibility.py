"""What bodies are made of decides whether, and how far, they are detected."""

import math

import pytest

from drycell.base import IDENTITY, Pose, deg, mm
from drycell.geometry import Box, Cylinder, Shape
from drycell.sensors import Beam, SensorModel, TraceLines, look
from drycell.world import LiveBody, Material, Scene, World


class Now:
    now = 0


def plate(material: str, z: float, shape: Shape | None = None) -> Scene:
    """A plate whose near face is at z."""
    world = World(Now())
    world.add(LiveBody("plate", shape or Box(0.5, 0.5, 0.01), material=material), None, Pose(0, 0, z + 0.005))
    return Scene(world)


def farthest(model: SensorModel, material: str, z: float) -> None:
    """Asserts that a material is detected just nearer than z, and not just farther."""
    assert look(model, plate(material, z * (1 - 1e-6)), IDENTITY).seen
    assert not look(model, plate(material, z * (1 + 1e-6)), IDENTITY).seen


INDUCTIVE = SensorModel(type="proximity", senses="metal", volume=Cylinder(9 * mm, 5 * mm))


def test_steel_trips_the_inductive_sensor_and_wood_never_does() -> None:
    farthest(INDUCTIVE, "steel", 5 * mm)
    for z in (-5.0, 0.0, 0.1, 4.9):
        reading = look(INDUCTIVE, plate("beech", z * mm), IDENTITY)
        assert reading.value is False
        assert reading.seen == ()


def test_other_metals_are_detected_less_far_by_their_reduction_factor() -> None:
    farthest(INDUCTIVE, "brass", 0.45 * 5 * mm)
    farthest(INDUCTIVE, "copper", 0.35 * 5 * mm)
    sheet = SensorModel(type="proximity", senses="metal", volume=Cylinder(9 * mm, 5 * mm), factors={"brass": 0.5})
    farthest(sheet, "brass", 0.5 * 5 * mm)


@pytest.mark.parametrize("lines", [None, TraceLines(count=1), TraceLines(count=5, spread=3 * deg)])
def test_foam_shortens_an_ultrasonic_range_by_the_root_of_what_it_gives_back(lines: TraceLines | None) -> None:
    kind = "proximity" if lines is None else "range"
    model = SensorModel(type=kind, senses="sound", volume=Beam(2.0, 5 * deg), trace_lines=lines)  # type: ignore[arg-type]
    farthest(model, "foam", 2.0 * math.sqrt(1 - 0.75))  # foam absorbs 75 %: half the range
    farthest(model, "steel", 2.0 * math.sqrt(1 - 0.02))
    if lines is not None:
        reading = look(model, plate("foam", 1.2), IDENTITY)
        assert reading.lines[0].lost == "foam absorbs 75% of the sound and is only detected up to 1000.000 mm"


def test_diffuse_light_reaches_as_the_root_of_the_reflectivity() -> None:
    model = SensorModel(type="proximity", senses="light", volume=Cylinder(10 * mm, 300 * mm), reference=0.9)
    farthest(model, "rubber", 0.3 * math.sqrt(0.05 / 0.9))
    farthest(model, "aluminium", 0.3 * math.sqrt(0.75 / 0.9))


def test_a_brighter_target_than_the_reference_is_not_seen_farther_than_the_data_sheet_says() -> None:
    model = SensorModel(type="proximity", senses="light", volume=Cylinder(10 * mm, 300 * mm), reference=0.18)
    farthest(model, "aluminium", 0.3)


def test_red_light_sees_the_red_of_a_colour() -> None:
    for light, share in (("red", 0.9), ("green", 0.55), ("blue", 0.1), ("white", (0.9 + 0.55 + 0.1) / 3)):
        model = SensorModel(type="proximity", senses="light", light=light, volume=Cylinder(10 * mm, 300 * mm))  # type: ignore[arg-type]
        farthest(model, "paint", 0.3 * math.sqrt(share / 0.9))


def test_a_capacitive_sensor_sees_metals_farthest_and_everything_somewhat() -> None:
    model = SensorModel(type="proximity", senses="dielectric", volume=Cylinder(9 * mm, 8 * mm))
    farthest(model, "steel", 8 * mm)
    farthest(model, "beech", 0.4 * 8 * mm)


def test_a_material_the_cell_adds_is_judged_by_its_own_figures() -> None:
    scene = plate("steel", 1.0)
    felt = Material("felt", 200, 0.5, 0.1, False, 0.36, 1e-4, 0.3, (0.5, 0.5, 0.5))
    scene.world.materials.add(felt)
    scene.world.add(LiveBody("felt", Box(0.1, 0.1, 0.01), material="felt"), None, Pose(0, 0, 0.805))
    model = SensorModel(type="range", senses="sound", volume=Beam(1.01, 5 * deg))
    assert look(model, scene, IDENTITY).distance == pytest.approx(0.8, abs=1e-9)  # 1.01 · sqrt(0.64) = 0.808


def test_wood_before_steel_does_not_hide_it_from_a_coil() -> None:
    scene = plate("steel", 4 * mm)
    scene.world.add(LiveBody("veneer", Box(0.1, 0.1, 0.001), material="beech"), None, Pose(0, 0, 2 * mm))
    assert look(INDUCTIVE, scene, IDENTITY).value is True
    lined = SensorModel(type="range", senses="metal", volume=Cylinder(9 * mm, 5 * mm))
    assert look(lined, scene, IDENTITY).distance == pytest.approx(4 * mm, abs=1e-9)


def test_glass_and_rubber_both_interrupt_a_through_beam() -> None:
    beam = SensorModel(type="proximity", senses="light", beam="through", trace_lines=TraceLines(count=1, reach=1.0))
    dark = SensorModel(
        type="proximity", senses="light", beam="through", dark_on=True, trace_lines=TraceLines(count=1, reach=1.0)
    )
    for material in ("glass", "rubber"):
        for model, on in ((beam, False), (dark, True)):
            reading = look(model, plate(material, 0.9), IDENTITY)
            assert reading.value is on
            assert reading.why == "the beam is interrupted by 'plate'"
    free = look(beam, plate("glass", 1.1), IDENTITY)
    assert (free.value, free.why) == (True, "the beam is free")
