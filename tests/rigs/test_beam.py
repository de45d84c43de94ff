"""Beams: where a plate is detected, by hand; and how far a model is from measurements."""

import math

import pytest

from drycell.base import DrycellError, deg, mm
from drycell.geometry import Cylinder
from drycell.rigs import BeamRig, BeamTarget, agreement, first_hole, standard_target
from drycell.rigs.beam import MeasuredPoint
from drycell.rigs.extent import half_angle_of, half_width_of, reach_of
from drycell.sensors import Beam as BeamVolume, Output, SensorModel, TraceLines

RANGE = SensorModel(
    type="range",
    name="ranger",
    volume=BeamVolume(1.0, 10 * deg),
    trace_lines=TraceLines(count=1),
    output=Output(from_=(0.0, 1.0), to=(0, 10), default=-1.0, unit="V"),
)
SWITCH = SensorModel(type="proximity", name="switch", senses="metal", volume=Cylinder(9 * mm, 5 * mm))


def test_on_the_axis_the_output_is_the_transfer_function_of_the_distance():
    beam = BeamRig(RANGE, BeamTarget(100 * mm, "steel"))
    for distance in (0.1, 0.5, 0.999):
        assert beam.response(distance, 0.0).value == pytest.approx(10 * distance, abs=1e-6)
    assert not beam.response(1.001, 0.0).detected
    assert beam.response(1.001, 0.0).value == -1.0


def test_a_single_line_meets_a_plate_within_half_its_side():
    # A plate of 100 mm that faces the sensor 5 deg off its axis covers the axis while tan(5 deg) × distance ≤ 50 mm.
    beam = BeamRig(RANGE, BeamTarget(100 * mm, "steel"))
    edge = 50 * mm / math.tan(5 * deg)
    assert beam.response(edge - 1 * mm, 5 * deg).detected
    assert not beam.response(edge + 1 * mm, 5 * deg).detected
    row = beam.map([0.1 * number for number in range(1, 11)], [5 * deg])[0]
    low, high = beam.span(row)
    assert low < 1 * mm
    assert high == pytest.approx(edge, abs=2e-6)


def test_before_a_coil_the_plate_stays_parallel_to_the_face():
    beam = BeamRig(SWITCH)
    assert beam.target == BeamTarget(18 * mm, "steel", facing=False)
    # 60 deg off the axis, 9 mm away: 4.5 mm ahead, within the 5 mm; 10.1 mm away: 5.05 mm ahead, beyond.
    assert beam.response(9 * mm, 60 * deg).detected
    assert not beam.response(10.1 * mm, 60 * deg).detected
    assert not BeamRig(SWITCH, BeamTarget(18 * mm, "beech", facing=False)).response(1 * mm, 0.0).detected


def test_the_area_contains_the_positions_of_the_targets_centre():
    places = BeamRig(SWITCH).area(20, 21)
    # A plate of 18 mm before a coil that sees 18 mm: its middle may be up to 18 mm aside and 5 mm ahead.
    assert max(ahead for ahead, _ in places) == pytest.approx(5 * mm, abs=5.25 * mm / 20)
    assert max(across for _, across in places) == pytest.approx(18 * mm, abs=2 * 20.7 * mm / 21)
    assert min(across for _, across in places) == -max(across for _, across in places)


def test_standard_targets_are_those_of_data_sheets():
    deep = SensorModel(type="proximity", senses="metal", volume=Cylinder(15 * mm, 15 * mm))
    assert standard_target(deep).side == pytest.approx(45 * mm)  # three times the rated distance is more than 30 mm
    light = SensorModel(type="proximity", senses="light", volume=Cylinder(10 * mm, 300 * mm))
    assert standard_target(light) == BeamTarget(100 * mm, "white paper")
    assert BeamRig(light).response(299 * mm, 0.0).detected  # rated for white paper, so detected up to the end
    assert standard_target(RANGE) == BeamTarget(100 * mm, "steel")


def test_reach_width_and_angle_follow_from_lines_and_volumes():
    assert reach_of(RANGE) == pytest.approx(1.0)
    assert half_angle_of(RANGE) == pytest.approx(10 * deg)
    assert half_width_of(RANGE) == 0.0
    assert half_width_of(SWITCH) == pytest.approx(9 * mm)
    with pytest.raises(DrycellError, match="wrist is of the type 'force', which has no beam"):
        reach_of(SensorModel(type="force", name="wrist"))


def test_a_small_plate_slips_between_two_lines():
    two = SensorModel(type="range", volume=BeamVolume(1.0, 10 * deg), trace_lines=TraceLines(count=2, spread=5 * deg))
    beam = BeamRig(two, BeamTarget(20 * mm, "steel"))
    # The lines are 2 × d × tan(5 deg) apart: on the axis, 20 mm are missed beyond 114 mm.
    rows = beam.map([0.1, 0.2, 0.3], [-5 * deg, 0.0, 5 * deg])
    assert first_hole(rows) == pytest.approx(0.2)
    assert first_hole(rows[:1]) is None


def test_agreement_is_computed_at_the_measured_points():
    beam = BeamRig(RANGE, BeamTarget(100 * mm, "steel"))
    points = [MeasuredPoint(0.1, 0.0, 1.0), MeasuredPoint(0.2, 0.0, 2.3), MeasuredPoint(0.5, 0.0, 4.6)]
    found = agreement(beam, points)
    assert found.rmse == pytest.approx(math.sqrt((0.0 + 0.09 + 0.16) / 3), abs=1e-6)
    assert found.bias == pytest.approx(0.1 / 3, abs=1e-6)
    worst, response = found.worst
    assert worst.distance == 0.5
    assert response.value == pytest.approx(5.0, abs=1e-6)
