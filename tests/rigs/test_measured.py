"""Measured data: read as they stand, and refused with file and line."""

import pytest

from drycell.base import FileError, deg, mm
from drycell.rigs import read_measured
from drycell.rigs.beam import MOST_POINTS, MeasuredPoint

GOOD = "distance_mm,angle_deg,value\n# a remark\n100,0,0.5\n\n250.5,-10,1e1\n"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "beam.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_columns_can_have_any_order_and_others_are_ignored(file):
    wanted = [MeasuredPoint(100 * mm, 0.0, 0.5), MeasuredPoint(250.5 * mm, -10 * deg, 10.0)]
    assert read_measured(file(GOOD)) == wanted
    assert read_measured(file("note,value,angle_deg,distance_mm\na,0.5,0,100\n,1e1,-10,250.5\n")) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no points"),
        ("distance_mm,angle_deg,value\n", "has no points"),
        ("100,0,0.5\n", "beam.csv:1: the first line must name the columns distance_mm, angle_deg, value; missing: "),
        ("distance_mm;angle_deg;value\n100;0;0,5\n", "separate columns with commas"),
        (GOOD.replace("100,", "near,"), "beam.csv:3: distance_mm: 'near' is not a number"),
        (GOOD.replace("100,", "nan,"), "beam.csv:3: distance_mm: 'nan' is not a number"),
        (GOOD.replace("100,", "-5,"), "beam.csv:3: distance_mm: -5 mm is not a distance in front of the sensor"),
        (GOOD.replace("-10", "-200"), "beam.csv:5: angle_deg: -200 deg is not within -180..180 deg"),
        (GOOD.replace("100,0,0.5", "100,0"), "beam.csv:3: value: only 2 columns"),
        (GOOD + '1,2,"3', "beam.csv:6: this is not CSV"),
        (GOOD + "#" * 1_000_000, "is longer than 1000000 characters"),
        (GOOD.splitlines()[0] + "\n1,1,1" * (MOST_POINTS + 1), f"more than {MOST_POINTS} points"),
    ],
)
def test_errors_name_the_file_and_the_line(file, text, said):
    with pytest.raises(FileError) as caught:
        read_measured(file(text))
    assert said in str(caught.value)


def test_at_most_five_wrong_lines_are_reported(file):
    with pytest.raises(FileError) as caught:
        read_measured(file("distance_mm,angle_deg,value\n" + "x,0,0\n" * 100))
    assert str(caught.value).count("is not a number") == 5


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        read_measured(tmp_path / "none.csv")
