"""Response curves, data sheets and pictures of a sensor agree with its model."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from drycell.base import DrycellError, deg, mm
from drycell.cli.sensor_picture import save_sensor_picture
from drycell.cli.sensor_sheet import parameters, principle, range_text
from drycell.geometry import Cylinder
from drycell.sensors import (
    Beam,
    SensorModel,
    TraceLines,
    load_sensor,
    over_angle,
    over_distance,
    over_force,
    reach,
    sensor_names,
)


def test_over_distance_a_linear_sensor_gives_a_line_and_then_its_default() -> None:
    survey = over_distance(load_sensor("honeywell-942"))
    for place, volts in zip(survey.places, survey.found, strict=True):
        wanted = 10.0 if place > 2.5 else max(place, 0.1) * 4.0
        assert volts == pytest.approx(wanted, abs=1e-6)


def test_another_material_is_seen_as_far_as_its_law_says() -> None:
    from drycell.world import Materials

    foam = Materials()["foam"]  # absorbs three quarters of the sound: half the reach
    survey = over_distance(load_sensor("polaroid-6500"), foam)
    farthest = max(place for place, inches in zip(survey.places, survey.found, strict=True) if inches < 255)
    assert farthest == pytest.approx(6477 * mm / 2, abs=6477 * mm / 100)


def test_the_beam_of_a_cone_is_as_wide_as_the_cone() -> None:
    model = SensorModel(type="proximity", volume=Beam(1.0, 20 * deg))
    beam = over_angle(model)
    assert beam.places[0] == pytest.approx(-30 * deg)
    for angle, far in zip(beam.places, beam.found, strict=True):
        if abs(angle) < 18 * deg:
            assert far * math.cos(angle) == pytest.approx(1.0, abs=0.01)
        elif abs(angle) > 28 * deg:
            assert far < 0.15  # the target's half width is 10 mm


def test_a_directivity_shortens_the_beam_off_its_axis() -> None:
    model = load_sensor("hc-sr04")
    assert model.directivity is not None
    beam = dict(
        zip((round(angle / deg, 6) for angle in over_angle(model).places), over_angle(model).found, strict=True)
    )
    assert beam[0.0] == pytest.approx(4.0, abs=0.01)
    assert beam[7.5] == pytest.approx(4.0 * model.directivity.fraction(7.5 * deg), abs=0.01)


def test_pressed_into_a_wall_a_force_sensor_shows_its_spring() -> None:
    survey = over_force(load_sensor("wrist-force"))
    for depth, newtons in zip(survey.places, survey.found, strict=True):
        assert newtons == pytest.approx(min(depth * 20e3, 300.0), abs=1e-6)


def test_the_reach_is_measured_along_the_axis() -> None:
    slanted = SensorModel(type="range", volume=Beam(2.0, 30 * deg), trace_lines=TraceLines(count=2, spread=20 * deg))
    assert reach(slanted) == pytest.approx(2.0)
    assert max(slanted.probe.reaches) == pytest.approx(2.0 / math.cos(20 * deg))


@pytest.mark.parametrize("name", sensor_names())
def test_a_data_sheet_lists_everything_that_is_not_a_default(name: str) -> None:
    model = load_sensor(name)
    report = dict(parameters(model))
    assert report["type"] == model.type
    assert report["every"].endswith("ms")
    assert ("hysteresis" in report) == bool(model.hysteresis)
    assert ("noise" in report) == model.noise.random
    assert ("volume" in report) == bool(model.volumes)
    assert ("trace-lines" in report) == (model.trace_lines is not None)
    assert all(value and "None" not in value for value in report.values())


def test_a_data_sheet_as_text() -> None:
    assert dict(parameters(load_sensor("polaroid-6500"))) == {
        "type": "range",
        "senses": "sound",
        "volume": "beam, 6477 mm long, half-angle 12.5 deg",
        "trace-lines": "5, 8 deg off the axis, reaching 6477 mm to 6540.65 mm",
        "nearest": "431.8 mm; what is nearer reads as if it were there",
        "reflects below": "45 deg of incidence",
        "output": "integer in",
        "default": "255 in when nothing is detected",
        "every": "100 ms",
    }
    assert range_text(load_sensor("wrist-force")) == "0 – 300 N"
    assert principle(load_sensor("light-curtain")) == "light, through"


def test_rare_parameters_are_reported_too() -> None:
    model = replace(
        load_sensor("honeywell-942"), delay=0.02, phase=0.005, occlusion="each", distorts_to=55 * deg, blind="default"
    )
    report = dict(parameters(model))
    assert report["every"] == "350 ms, first at 5 ms, published 20 ms later"
    assert report["occlusion"] == "none: an oblique surface does not hide what is behind it"
    assert report["reflects below"] == "45 deg of incidence, distorted up to 55 deg"
    assert report["nearest"] == "100 mm; what is nearer is not detected"


def test_a_line_drawing_shows_volume_and_lines(tmp_path: Path) -> None:
    model = SensorModel(type="range", title="a beam", volume=Cylinder(20 * mm, 1.0), trace_lines=TraceLines(count=1))
    save_sensor_picture(model, tmp_path / "a.svg")
    save_sensor_picture(model, tmp_path / "b.svg")
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert "a beam" in text
    assert text.count("<path") == 4  # the volume in lighter lines, the sensor and its line in full ones


def test_a_shaded_portrait_lets_the_lines_be_seen_through_the_volume(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    import numpy as np
    from PIL import Image

    save_sensor_picture(load_sensor("honeywell-942"), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    red, blue = pixels[..., 0], pixels[..., 2]
    assert ((blue - red) > 30).mean() > 0.05  # the beam
    assert ((red - blue) > 40).sum() > 500  # the lines within it


def test_a_sensor_without_volume_and_lines_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match="wrist-force measures forces: it has neither a volume nor trace-lines"):
        save_sensor_picture(load_sensor("wrist-force"), tmp_path / "a.svg")
