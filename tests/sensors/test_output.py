"""From a quantity to what is published: transfer functions, formats, limits, hysteresis, steps and noise."""

import math
import statistics

import pytest
from hypothesis import given, strategies as st

from drycell import Body, Cell, Sensor
from drycell.base import IDENTITY, FieldError, Pose, deg, mm
from drycell.geometry import Box, Cylinder
from drycell.sensors import (
    Beam,
    Law,
    Noise,
    Output,
    SensorModel,
    TraceLines,
    deviates,
    disturbed,
    law_names,
    look,
    register_law,
    respond,
    sampled,
)
from drycell.world import LiveBody, Scene, World


class Now:
    now = 0


def ranging(**fields: object) -> SensorModel:
    return SensorModel(type="range", volume=Beam(1.0, 8 * deg), **fields)


def published(output: Output, quantity: float | None) -> bool | int | float:
    return respond(ranging(output=output), quantity, quantity is not None).value


def plate(z: float) -> Scene:
    world = World(Now())
    world.add(LiveBody("plate", Box(0.5, 0.5, 0.01), material="steel"), None, Pose(0, 0, z + 0.005))
    return Scene(world)


# ---------------------------------------------------------------- transfer functions


def test_table_4_of_the_thesis_makes_eight_bits_of_half_a_metre() -> None:
    eight = Output(kind="integer", from_=(0, 500 * mm), to=(0, 255), default=255)
    assert [published(eight, d * mm) for d in (0, 1, 250, 500)] == [0, 1, 128, 255]  # 0.51 and 127.5 round up
    assert published(eight, 600 * mm) == 255
    assert published(eight, None) == 255


def test_integers_round_half_away_from_zero() -> None:
    two_sided = Output(kind="integer", from_=(0, 1), to=(-2, 2))
    assert [published(two_sided, d) for d in (0.125, 0.375, 0.625, 0.875)] == [-2, -1, 1, 2]


def test_a_default_does_not_go_through_the_transfer_function() -> None:
    assert published(Output(kind="real", from_=(0, 0.5), to=(0, 5), default=10.0), None) == 10.0
    assert published(Output(kind="integer", law="polaroid-frank2", default=10), None) == 10


def test_without_a_default_no_detection_reads_as_the_full_reach() -> None:
    assert published(Output(), None) == 1.0
    assert published(Output(kind="integer", from_=(0, 2), to=(0, 200)), None) == 100


def test_without_clipping_a_value_out_of_range_counts_as_nothing() -> None:
    output = Output(kind="real", from_=(0.1, 0.5), to=(1, 5), default=-1.0, clip=False)
    assert [published(output, d) for d in (0.09, 0.1, 0.5, 0.51)] == [-1.0, 1.0, 5.0, -1.0]


def test_a_table_is_linear_between_its_rows() -> None:
    sharp = Output(kind="real", table=((0.06, 3.1), (0.1, 2.3), (0.2, 1.3), (0.8, 0.4)), unit="V")
    assert published(sharp, 0.1) == 2.3
    assert published(sharp, 0.15) == pytest.approx(1.8, abs=1e-9)
    assert published(sharp, 0.9) == 0.4
    assert published(sharp, 0.01) == 3.1


def test_the_polaroids_law_is_clipped_below_33_5_cm_and_out_of_range_beyond_2_m() -> None:
    frank = Output(kind="integer", law="polaroid-frank2", default=0)

    def by_hand(d: float) -> int:
        return round(4095 * (math.exp((1 - d / 200) ** 2) - 1))

    assert [published(frank, d / 100) for d in (50, 100, 150, 200)] == [by_hand(d) for d in (50, 100, 150, 200)]
    assert by_hand(100) == 1163
    assert published(frank, 0.34) == by_hand(34) < 4095
    assert published(frank, 0.33) == 4095
    assert published(frank, 2.01) == 0  # the formula would rise again


def test_a_custom_law_keeps_its_name() -> None:
    inverse = Law(lambda d: 0.24 / (d + 0.02), least=0.1, most=0.8, source="a triangulation sensor")
    register_law("inverse-for-a-test", inverse)
    assert "inverse-for-a-test" in law_names()
    output = Output(law="inverse-for-a-test", default=0.0)
    assert published(output, 0.28) == pytest.approx(0.8, abs=1e-9)
    assert published(output, 0.05) == 2.0  # held where the law begins
    assert published(output, 0.9) == 0.0
    with pytest.raises(FieldError, match="another law 'inverse-for-a-test' already exists"):
        register_law("inverse-for-a-test", Law(abs))


def test_without_a_transfer_function_the_quantity_is_published_in_its_unit() -> None:
    assert published(Output(unit="mm"), 0.3) == 300.0
    assert published(Output(unit="in", kind="integer"), 0.3) == 12
    assert published(Output(), 0.3) == 0.3


@given(st.floats(0.0, 1.0))
def test_a_linear_output_is_monotonous_and_within_its_limits(quantity: float) -> None:
    output = Output(kind="integer", from_=(0.1, 0.7), to=(0, 1023))
    lower, value = published(output, quantity * 0.99), published(output, quantity)
    assert 0 <= lower <= value <= 1023


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"from_": (0, 1)}, "'from' and 'to' need each other"),
        ({"from_": (1, 0), "to": (0, 1)}, "'from' goes from 1 to 0, but must increase"),
        ({"table": ((0.2, 1), (0.1, 2))}, "increasing in the first column"),
        ({"table": ((0.1, 1), (0.2, 2)), "law": "polaroid-frank2"}, "2 transfer functions are given (table, law)"),
        ({"default": "5 V"}, "Output.default: expected a number, true or false, not '5 V'"),
    ],
)
def test_an_output_that_contradicts_itself_is_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(FieldError) as caught:
        Output(**fields)  # type: ignore[arg-type]
    assert said in caught.value.what
    assert caught.value.hint


# ---------------------------------------------------------------- switches, limits, hysteresis


def test_a_switch_publishes_the_levels_of_the_real_device() -> None:
    levels = SensorModel(type="proximity", volume=Cylinder(0.01, 0.1), output=Output(kind="real", on=5.0, off=0.0))
    assert look(levels, plate(0.05), IDENTITY).value == 5.0
    assert look(levels, plate(0.15), IDENTITY).value == 0.0
    opens = SensorModel(type="proximity", volume=Cylinder(0.01, 0.1), output=Output(on=False, off=True))
    assert look(opens, plate(0.05), IDENTITY).value is False


@pytest.mark.parametrize("hysteresis", ["10 %", 10 * mm])
def test_a_proximity_sensor_that_is_on_holds_on_a_little_farther(hysteresis: float) -> None:
    model = SensorModel(type="proximity", volume=Cylinder(0.01, 0.1), hysteresis=hysteresis)
    for z, from_off, from_on in ((0.099, True, True), (0.105, False, True), (0.111, False, False)):
        assert look(model, plate(z), IDENTITY, was_on=False).on is from_off
        assert look(model, plate(z), IDENTITY, was_on=True).on is from_on


@pytest.mark.parametrize("kind", [{"beam": "through"}, {"dark_on": True}, {"beam": "reflector", "dark_on": True}, {}])
def test_before_its_first_look_no_switch_holds(kind: dict[str, object]) -> None:
    model = SensorModel(type="proximity", trace_lines=TraceLines(count=1, reach=0.1), hysteresis="10 %", **kind)
    for z, found in ((0.099, True), (0.105, False)):
        assert bool(look(model, plate(z), IDENTITY).seen) is found
        cell = Cell("first look")
        cell.add("wall", Body(Box(1, 1, 0.1), at=(0, 0, z + 0.05)))
        sensor = cell.add("eye", Sensor(model))
        cell.run(until=0.5)
        assert (sensor.value != sensor.initial) is found


def test_levels_of_a_switch_are_of_one_type_even_if_one_is_written_as_a_whole_number() -> None:
    model = SensorModel(type="proximity", volume=Cylinder(0.01, 0.1), output=Output(on=5.0, off=0))
    found = [look(model, plate(z), IDENTITY).value for z in (0.05, 0.15)]
    assert [(type(value), value) for value in found] == [(float, 5.0), (float, 0.0)]


def test_a_limit_on_a_distance_has_a_hysteresis_in_metres() -> None:
    model = ranging(output=Output(kind="boolean", below=200 * mm), hysteresis=5 * mm)
    for d, from_off, from_on in ((0.2, True, True), (0.203, False, True), (0.206, False, False)):
        assert respond(model, d, True, was_on=False).on is from_off
        assert respond(model, d, True, was_on=True).on is from_on
    assert respond(model, None, False, was_on=True).value is False


def test_limits_on_both_sides_make_a_window() -> None:
    model = ranging(output=Output(kind="boolean", above=100 * mm, below=200 * mm))
    assert [respond(model, d, True).value for d in (0.09, 0.1, 0.15, 0.2, 0.21)] == [False, True, True, True, False]


# ---------------------------------------------------------------- noise and steps


def test_noise_belongs_to_the_sample_and_not_to_what_was_drawn_before() -> None:
    model = ranging(noise=Noise(sigma=1 * mm))
    reading = look(model, plate(0.3), IDENTITY)
    backwards = [sampled(model, reading, 7, "eye", k).value for k in (9, 3, 5)]
    assert [sampled(model, reading, 7, "eye", k).value for k in (5, 3, 9)] == backwards[::-1]
    assert sampled(model, reading, 8, "eye", 3) != sampled(model, reading, 7, "eye", 3)
    assert sampled(model, reading, 7, "ear", 3) != sampled(model, reading, 7, "eye", 3)


def test_deviates_are_normal_and_even() -> None:
    normal, even = zip(*(deviates(1, "eye", k) for k in range(20_000)), strict=True)
    assert statistics.fmean(normal) == pytest.approx(0.0, abs=0.02)
    assert statistics.stdev(normal) == pytest.approx(1.0, abs=0.02)
    assert sum(abs(each) < 1.959964 for each in normal) / 20_000 == pytest.approx(0.95, abs=0.005)
    assert (min(even), max(even)) == (pytest.approx(-1, abs=0.001), pytest.approx(1, abs=0.001))
    assert statistics.stdev(even) == pytest.approx(1 / math.sqrt(3), abs=0.01)


def test_offset_and_gain_shift_and_stretch_and_draw_nothing() -> None:
    noise = Noise(offset=2 * mm, gain=1.01)
    assert noise.disturbed(0.3, 1, "eye", 1) == pytest.approx(0.305, abs=1e-12)
    assert not noise.random
    growing = Noise(share=0.02)
    normal, _ = deviates(1, "eye", 4)
    assert growing.disturbed(0.3, 1, "eye", 4) == pytest.approx(0.3 + 0.006 * normal, abs=1e-12)


def test_a_quantum_makes_whole_steps_of_what_was_measured() -> None:
    model = ranging(quantum=3 * mm)
    assert [disturbed(model, d * mm, 1, "eye", 0) for d in (1.4, 1.6, 7.4, 7.6)] == pytest.approx(
        [0.0, 3 * mm, 6 * mm, 9 * mm], abs=1e-12
    )


def test_no_noise_makes_a_distance_negative() -> None:
    model = ranging(noise=Noise(offset=-10 * mm))
    assert disturbed(model, 4 * mm, 1, "eye", 0) == 0.0


def test_nothing_detected_has_no_noise() -> None:
    model = SensorModel(
        type="range",
        trace_lines=TraceLines(count=1, reach=0.1),
        noise=Noise(sigma=5 * mm),
        output=Output(default=9.0),
    )
    assert sampled(model, look(model, plate(0.3), IDENTITY), 1, "eye", 0).value == 9.0
