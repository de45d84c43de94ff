"""The rig that scans an object: flat parts right to the noise, corners wrong for the reasons it gives."""

import math
from itertools import pairwise
from statistics import fmean

import pytest

from drycell.base import DrycellError, deg, mm
from drycell.geometry import Prism
from drycell.rigs import STRETCHES, SurfaceScan, scan, stretch_at
from drycell.rigs.scanning import LENGTH, corner_distance, distance_of, height_at, solids
from drycell.sensors import load_sensor

SPREAD = 3 * deg  # of the honeywell-942's outer lines
HEIGHT = 400 * mm


@pytest.fixture(scope="module")
def clean() -> SurfaceScan:
    """A scan without noise."""
    return scan(load_sensor("honeywell-942"), height=HEIGHT, speed=20 * mm, noise=0.0)


def over(found: SurfaceScan, name: str) -> list:
    return [each for each in found.soundings if stretch_at(each.place).name == name]


def test_the_profile_agrees_with_the_solids():
    assert all(before.end == after.start for before, after in pairwise(STRETCHES))
    assert STRETCHES[-1].end == LENGTH
    assert height_at(60 * mm) == 30 * mm
    assert height_at(120 * mm) == 90 * mm  # at a step, what follows
    assert height_at(275 * mm) == pytest.approx(70 * mm)  # half way down the slope
    assert height_at(415 * mm) == 0.0
    assert corner_distance(130 * mm) == pytest.approx(10 * mm)
    area = sum((each.first + each.last) / 2 * (each.end - each.start) for each in STRETCHES)
    assert sum(Prism(tuple(piece), 1.0).volume for piece in solids()) == pytest.approx(area, rel=1e-9)


def test_samples_come_at_the_sensors_period_and_the_machines_speed(clean):
    steps = [b.place - a.place for a, b in zip(clean.soundings[5:], clean.soundings[6:-5], strict=False)]
    assert steps == pytest.approx([0.350 * 20 * mm] * len(steps), abs=1e-6)


def test_readings_over_flat_parts_are_exact_without_noise(clean):
    calm = clean.undisturbed()
    assert len(calm) > 30
    assert {stretch_at(each.place).flat for each in calm} == {True}
    assert max(abs(each.error) for each in calm) < 1e-6


def test_readings_over_flat_parts_differ_only_by_noise():
    sigma = 2 * mm
    errors = [each.error for each in scan(load_sensor("honeywell-942"), noise=sigma, speed=10 * mm).undisturbed()]
    assert len(errors) > 60
    assert abs(fmean(errors)) < 4 * sigma / math.sqrt(len(errors))
    spread = math.sqrt(fmean([each**2 for each in errors]))
    assert spread == pytest.approx(sigma, rel=0.3)


def test_a_step_up_is_seen_early_by_a_line_beside_the_axis(clean):
    # An outer line is 310 mm × tan 3° ahead of the axis where it meets the higher level.
    ahead = (HEIGHT - 90 * mm) * math.tan(SPREAD)
    for each in over(clean, "low flat"):
        early = 120 * mm - each.place < ahead
        assert each.cause == ("beside" if early else "axis")
        if early:
            assert each.clean == pytest.approx(310 * mm / math.cos(SPREAD), abs=1e-6)


def test_a_slope_reads_near_by_the_sine_rule(clean):
    # The perpendicular distance, divided by the cosine of the remaining slope for the line that leans towards it.
    slope = math.atan2(40, 110)
    for each in over(clean, "slope"):
        if 30 * mm < each.place - 220 * mm < 80 * mm:
            assert each.cause == "beside"
            assert each.clean == pytest.approx(each.true * math.cos(slope) / math.cos(slope - SPREAD), abs=1e-6)


def test_a_gap_narrower_than_the_beam_is_filled(clean):
    assert {each.cause for each in over(clean, "gap")} == {"beside"}
    for each in over(clean, "gap"):
        assert each.clean == pytest.approx(350 * mm / math.cos(SPREAD), abs=1e-6)


def test_on_a_flank_steeper_than_the_limit_the_echo_is_lost(clean):
    causes = [each.cause for each in over(clean, "steep flank")]
    assert set(causes) <= {"lost", "nothing"}
    assert "nothing" in causes
    assert all(each.measured is None for each in clean.soundings if each.cause == "nothing")


def test_sensors_that_do_not_fit_the_rig_are_refused():
    with pytest.raises(DrycellError, match="tl-x5 is of the type 'proximity', but the rig measures distances"):
        scan(load_sensor("tl-x5"))
    with pytest.raises(DrycellError, match="a height of 900 mm is outside the machine's range: 200 to 450 mm"):
        scan(load_sensor("honeywell-942"), height=0.9)
    with pytest.raises(DrycellError, match="has no output that is linear in the distance"):
        distance_of(load_sensor("gp2y0a21"), 1.0)


def test_a_published_value_is_read_back_as_a_distance():
    assert distance_of(load_sensor("honeywell-942"), 1.24) == pytest.approx(310 * mm)
    assert distance_of(load_sensor("hc-sr04"), 310.0) == pytest.approx(310 * mm)
