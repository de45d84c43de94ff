"""Directivity: a beam diagram as a table, or the law of a round piston."""

import math

import pytest
from scipy.special import j1

from drycell.base import IDENTITY, FieldError, Pose, deg, mm
from drycell.geometry import Sphere
from drycell.sensors import Beam, Directivity, Piston, SensorModel, TraceLines, look
from drycell.world import LiveBody, Scene, World

TABLE = Directivity(table=((0.0, 1.0), (10 * deg, 0.8), (20 * deg, 0.2)))


class Now:
    now = 0


def ball(radius: float, distance: float, angle: float) -> Scene:
    """A ball whose surface is at a distance, at an angle off the axis."""
    world = World(Now())
    r = distance + radius
    world.add(LiveBody("ball", Sphere(radius)), None, Pose(r * math.sin(angle), 0.0, r * math.cos(angle)))
    return Scene(world)


def test_a_table_is_linear_between_its_rows_and_nothing_beyond() -> None:
    assert TABLE.fraction(0.0) == 1.0
    assert TABLE.fraction(5 * deg) == pytest.approx(0.9)
    assert TABLE.fraction(15 * deg) == pytest.approx(0.5)
    assert TABLE.fraction(20 * deg) == pytest.approx(0.2)
    assert TABLE.fraction(21 * deg) == 0.0


def test_a_piston_follows_the_two_way_bessel_law() -> None:
    piston = Directivity(piston=Piston(radius=19 * mm, frequency=49.4e3))
    ka = 2 * math.pi * 49.4e3 / 343.0 * 0.019
    assert piston.fraction(0.0) == 1.0
    for angle in (1 * deg, 5 * deg, 12 * deg, 30 * deg):
        x = ka * math.sin(angle)
        assert piston.fraction(angle) == pytest.approx((2 * j1(x) / x) ** 2, abs=1e-12)
    first_null = math.asin(3.8317059702075125 / ka)
    assert piston.fraction(first_null) == pytest.approx(0.0, abs=1e-12)
    assert piston.fraction(1e-9) == pytest.approx(1.0, abs=1e-12)
    assert piston.fraction(91 * deg) == 0.0


def test_lines_off_the_axis_reach_as_far_as_the_directivity_says() -> None:
    model = SensorModel(type="range", trace_lines=TraceLines(count=5, spread=15 * deg, reach=2.0), directivity=TABLE)
    assert model.probe.reaches == pytest.approx((2.0, 1.0, 1.0, 1.0, 1.0), abs=1e-12)
    assert look(model, ball(0.01, 0.999, 15 * deg), IDENTITY).distance == pytest.approx(0.999, abs=1e-9)
    assert look(model, ball(0.01, 1.001, 15 * deg), IDENTITY).distance is None


def test_lines_in_a_cone_end_where_its_lobe_does() -> None:
    model = SensorModel(
        type="range", volume=Beam(2.0, 20 * deg), trace_lines=TraceLines(count=5, spread=15 * deg), directivity=TABLE
    )
    assert model.probe.reaches == pytest.approx([2.0, *[2.0 * TABLE.fraction(15 * deg)] * 4])


def test_the_volume_is_the_lobe_that_the_directivity_cuts_from_the_cone() -> None:
    model = SensorModel(type="proximity", volume=Beam(2.0, 20 * deg), directivity=TABLE)
    for angle in (0.0, 10 * deg, 15 * deg):
        edge = 2.0 * TABLE.fraction(angle)
        assert look(model, ball(1 * mm, edge * 0.97, angle), IDENTITY).value is True
        assert look(model, ball(1 * mm, edge * 1.02, angle), IDENTITY).value is False


def test_a_table_must_rise_and_its_shares_lie_between_0_and_1() -> None:
    with pytest.raises(FieldError, match="must increase from row to row"):
        Directivity(table=((10 * deg, 0.7), (0.0, 1.0)))
    with pytest.raises(FieldError, match=r"a directivity of 3 at 0 deg: fractions are 0…1"):
        Directivity(table=((0.0, 3.0),))
    with pytest.raises(FieldError, match="a table or a piston"):
        Directivity()
