"""Quantities are read with their unit or rejected, and written so that they read back bit for bit."""

import contextlib
import math
import re

import pytest
from hypothesis import given, strategies as st

from drycell.base import (
    DIMENSIONS,
    UnitError,
    deg,
    format_angle,
    format_length,
    format_time,
    hour,
    minute,
    mm,
    parse,
    render,
    s,
)
from drycell.base.units import pattern


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("150 mm/s", "speed", 0.15),
        ("150mm / s", "speed", 0.15),
        ("90 deg", "angle", math.pi / 2),
        ("90°", "angle", math.pi / 2),
        ("-2.5e2 mm", "length", -0.25),
        (".5 m", "length", 0.5),
        ("3. m", "length", 3.0),
        ("1 in", "length", 0.0254),
        ("4 µm", "length", 4e-6),  # the micro sign
        ("4 μm", "length", 4e-6),  # the Greek letter
        ("30 min", "time", 1800.0),
        ("8 h", "time", 28800.0),
        ("2 m/s^2", "acceleration", 2.0),
        ("2 m/s2", "acceleration", 2.0),
        ("400 deg/s^2", "angular acceleration", 400 * math.pi / 180),
        ("7.85 g/cm^3", "density", 7850.0),
        ("10 N", "force", 10.0),
        ("2 Nm", "torque", 2.0),
        ("24 Hz", "frequency", 24.0),
        ("0.5 %", "ratio", 0.005),
        ("0.5", "ratio", 0.5),
    ],
)
def test_quantities_read_as_si(text: str, dimension: str, value: float) -> None:
    assert parse(text, dimension) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("number", [1, 35, 150, 1e-3, 0.3])
def test_a_file_and_a_python_program_give_the_same_float(number: float) -> None:
    assert parse(f"{number} mm", "length") == number * mm
    assert parse(f"{number} mm/s", "speed") == number * mm / s
    assert parse(f"{number} deg", "angle") == number * deg


@pytest.mark.parametrize(
    ("text", "dimension", "what", "hint"),
    [
        ("300", "length", "'300' has no unit, but a length needs one", "write for example '150 mm'"),
        ("300", "angle", "'300' has no unit, but an angle needs one", "write for example '90 deg'"),
        ("90 deg", "length", "'90 deg' is not a length", "write for example '150 mm'"),
        ("5 mm/s", "acceleration", "'5 mm/s' is not an acceleration", "write for example '2 m/s^2'"),
        ("5 mn", "length", "unknown unit 'mn' in '5 mn'", "write for example '150 mm'; units are m, mm, cm, um, in"),
        ("3 m s", "time", "unknown unit 'm s' in '3 m s'", "write for example '2.5 s'; units are s, ms, us, min, h"),
        ("much", "length", "'much' is not a length", "write a number and a unit, such as '150 mm'"),
        ("", "time", "'' is not a time", "write a number and a unit, such as '2.5 s'"),
        ("nan mm", "length", "'nan mm' is not a length", "write a number and a unit, such as '150 mm'"),
        ("1,5 mm", "length", "'1,5 mm' is not a length", "write one number with a decimal point, as in '150 mm'"),
        ("1 000 mm", "length", "'1 000 mm' is not a length", "write one number with a decimal point, as in '150 mm'"),
        ("1e400 m", "length", "'1e400 m' is too large for a number", "write for example '150 mm'"),
        ("5 %", "length", "'5 %' is not a length", "write for example '150 mm'"),
    ],
)  # fmt: skip
def test_errors_describe_what_is_wrong_with_a_quantity(text: str, dimension: str, what: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse(text, dimension)
    assert (caught.value.what, caught.value.hint) == (what, hint)


@given(st.text(max_size=200), st.sampled_from(sorted(DIMENSIONS)))
def test_any_text_is_a_finite_quantity_or_a_unit_error(text: str, dimension: str) -> None:
    with contextlib.suppress(UnitError):
        assert math.isfinite(parse(text, dimension))


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(sorted(DIMENSIONS)))
def test_a_written_quantity_reads_back_bit_for_bit(value: float, dimension: str) -> None:
    assert parse(render(value, dimension), dimension) == value


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (150 * mm, "length", "150 mm"),
        (90 * deg, "angle", "90 deg"),
        (0.1 + 0.2, "length", "0.30000000000000004 m"),
        (8 * hour, "time", "8 h"),
        (45.0, "time", "45 s"),
        (0.001, "time", "1 ms"),
        (2.0, "ratio", "2"),
        (0.0, "length", "0 mm"),
    ],
)
def test_quantities_are_written_as_people_write_them(value: float, dimension: str, text: str) -> None:
    assert render(value, dimension) == text


def test_nan_and_infinity_are_not_written() -> None:
    with pytest.raises(UnitError, match="nan cannot be written as a quantity"):
        render(math.nan, "length")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.25, "3.250 s"),
        (-1e-9, "0.000 s"),
        (59.9994, "59.999 s"),
        (59.9996, "1 min 00.0 s"),
        (12 * minute + 4.2, "12 min 04.2 s"),
        (3599.94, "59 min 59.9 s"),
        (3599.96, "1 h 00 min"),
        (8 * hour, "8 h 00 min"),
    ],
)
def test_spans_of_time_read_well_up_to_their_edges(seconds: float, text: str) -> None:
    assert format_time(seconds) == text


def test_lengths_and_angles_read_well() -> None:
    assert format_length(12.5 * mm) == "12.500 mm"
    assert format_length(-1e-9) == "0.000 mm"
    assert format_length(-1e-9, 2) == "0.00 mm"
    assert format_angle(45 * deg) == "45.0 deg"
    assert format_angle(-1e-6) == "0.0 deg"


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_pattern_for_editors_matches_exactly_what_is_read(dimension: str) -> None:
    texts = [example for _, example in DIMENSIONS.values()]
    texts += [
        "1",
        "-1.5e3 mm",
        " .5cm ",
        "2 m/s/s",
        "3 m/s2",
        "4 g / cm^3",
        "1 m^1",
        "1,5 mm",
        "1 mm2",
        "1 N/kg",
        "x mm",
    ]
    texts += ["7 %", "1 Hz", "2 kg/s^2", "1 deg/s^2/s", "3 °", "5 μm", "1 in/min", "1 mm mm", "mm", "1 s/mm"]
    for text in texts:
        try:
            parse(text, dimension)
        except UnitError:
            assert not re.search(pattern(dimension), text), text
        else:
            assert re.search(pattern(dimension), text), text
