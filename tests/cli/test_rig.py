"""``drycell rig``: tables, plots and data as a user sees them, and errors."""

import re

import pytest

from drycell.base import DrycellError, mm
from drycell.cli.rig.passing import settings
from drycell.rigs import PassSetting


def numbers(out: str, row: str) -> list[list[float]]:
    """The numbers of every row that begins with a text."""
    found = re.findall(rf"^  {re.escape(row)}((?: +[+-]?[\d.]+)+)$", out, re.MULTILINE)
    return [[float(each) for each in row.split()] for row in found]


def test_the_table_stands_beside_table_11_with_every_residual(drycell, tmp_path):
    said = drycell("rig", "photoelectric", "--passes", 1, "--out", tmp_path)
    assert (said.code, said.err) == (0, "")
    assert numbers(said.out, "speed, mm/s") == [[24, 42, 88], [22, 44, 88]]
    assert numbers(said.out, "sampled at, Hz") == [[2, 4, 4]] * 2
    real, virtual = [18.625, 18.875, 9.25], [18.75, 18.375, 9.5]
    assert numbers(said.out, "thesis, real") == [real] * 2
    assert numbers(said.out, "thesis, virtual") == [virtual] * 2
    for ours, to_real, to_virtual in zip(
        numbers(said.out, "drycell, average of the sets"),
        numbers(said.out, "residual to real"),
        numbers(said.out, "residual to virtual"),
        strict=True,
    ):
        assert to_real == pytest.approx([a - b for a, b in zip(ours, real, strict=True)], abs=1e-3)
        assert to_virtual == pytest.approx([a - b for a, b in zip(ours, virtual, strict=True)], abs=1e-3)
    # The fit reports a residual for each of the twelve values, for both readings of the speeds.
    for table, kind in ((11, "photoelectric"), (12, "inductive")):
        for side in ("real", "virtual"):
            assert len(numbers(said.out, f"table {table} ({kind}), {side}")) == 2
    assert "drycell claims neither" in said.out
    assert "the samples from its first detection to its last" in said.out
    assert (tmp_path / "rig-photoelectric.svg").read_text().startswith("<?xml")
    data = (tmp_path / "rig-photoelectric.csv").read_text().splitlines()
    assert data[0] == "tool_mm,speed_mm_s,rate_hz,time_s,value"
    assert len(data) > 100


def test_other_speeds_and_another_tool_stand_alone(drycell, tmp_path):
    said = drycell(
        "rig", "inductive", "--speeds", "200@20,300@20", "--length", "132mm", "--passes", 2, "--out", tmp_path
    )
    assert said.code == 0
    assert "a tool of 132.0 mm (as given), seen along 150.0 mm" in said.out
    assert "thesis" not in said.out
    assert numbers(said.out, "length seen / mm per sample") == [[15.0, 10.0]]
    assert numbers(said.out, "drycell, average of the sets")[0] == pytest.approx([15.0, 10.0], abs=1.0)


def test_speeds_are_read_with_their_rates_or_those_of_the_tables():
    assert settings("24, 42,88 mm/s") == (
        PassSetting(24 * mm, 2.0),
        PassSetting(42 * mm, 4.0),
        PassSetting(88 * mm, 4.0),
    )
    assert settings("10@5Hz") == (PassSetting(10 * mm, 5.0),)


@pytest.mark.parametrize("text", ["", "fast", "24;42", "0", "1e9", "24@0", "24@", "-5", "nan", "24,,42"])
def test_invalid_speeds_are_refused(text):
    with pytest.raises(DrycellError, match=r"--speeds: .* is not a speed of 1 to 500 mm/s"):
        settings(text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("photoelectric", "--passes", "0"), "--passes is 0 but must be 1 to 1000"),
        (("photoelectric", "--length", "2m"), "--length: a tool of 2000 mm is outside 5 to 500 mm"),
        (("photoelectric", "--length", "12"), "'12' has no unit"),
        (("photoelectric", "--speeds", ",".join(["24"] * 13)), "--speeds has 13 speeds; the limit is 12"),
        (("ultrasonic", "--speed", "1m/s"), "--speed is 1000 mm/s, but the machine moves at 1 to 250 mm/s"),
        (("ultrasonic", "--noise", "1m"), "--noise is 1000 mm but must be 0 to 50 mm"),
        (("ultrasonic", "--sensor", "honeywell"), "there is no sensor 'honeywell'"),
        (("beam", "wrist-force"), "wrist-force is of the type 'force', which has no beam"),
        (("beam", "honeywell-942", "--distances", "1"), "--distances is 1; use 2 to 400"),
        (("beam", "honeywell-942", "--target", "0mm"), "--target is a plate of 0 mm"),
        (("beam", "honeywell-942", "--material", "stel"), "there is no material 'stel'"),
        (("beam", "honeywell-942", "--widest", "0deg"), "--widest is 0 deg"),
        (("beam", "honeywell-942", "--compare", "none.csv"), "there is no file 'none.csv'"),
        (("beam", "none.yaml"), "there is no file 'none.yaml'"),
    ],
)
def test_errors_are_reported_before_anything_is_written(drycell, tmp_path, arguments, text):
    said = drycell("rig", *arguments, "--out", tmp_path / "out")
    assert said.code == 1
    assert text in said.err
    assert not (tmp_path / "out").exists()


def test_the_scan_reports_what_happens_at_corners(drycell, tmp_path):
    said = drycell("rig", "ultrasonic", "--speed", "40mm/s", "--out", tmp_path)
    assert (said.code, said.err) == (0, "")
    assert "flat parts, no corner within the beam" in said.out
    for cause in ("axis", "beside", "lost", "nothing"):
        assert re.search(rf"^  {cause} +\d+   \w", said.out, re.MULTILINE)
    assert (tmp_path / "rig-ultrasonic.svg").exists()
    assert (
        (tmp_path / "rig-ultrasonic.csv").read_text().startswith("place_mm,true_mm,measured_mm,before_noise_mm,cause\n")
    )


def test_a_beam_compared_with_its_own_data_agrees(drycell, tmp_path):
    coarse = ("--distances", 5, "--angles", 3, "--out", tmp_path)
    said = drycell("rig", "beam", "honeywell-942", *coarse)
    assert (said.code, said.err) == (0, "")
    assert re.search(r"^ +0\.0 deg +0\.0 mm +2474\.9 mm", said.out, re.MULTILINE)  # 2500 mm, steel absorbs 2 %
    data = tmp_path / "beam-honeywell-942.csv"
    again = drycell("rig", "beam", "honeywell-942", *coarse, "--compare", data)
    assert "15 points" in again.out
    (rmse,) = re.findall(r"RMSE +(\S+) V", again.out)
    assert float(rmse) < 1e-4


def test_a_beam_compared_with_other_data_reports_the_worst_point(drycell, tmp_path):
    data = tmp_path / "measured.csv"
    data.write_text("distance_mm,angle_deg,value\n500,0,2.0\n1000,0,4.4\n")
    said = drycell(
        "rig", "beam", "honeywell-942", "--distances", 5, "--angles", 3, "--out", tmp_path, "--compare", data
    )
    assert "RMSE      0.2828 V" in said.out  # √((0² + 0.4²)/2)
    assert "worst     -0.4 V at 1000 mm, 0 deg: measured 4.4, model 4" in said.out


def test_a_bad_file_of_measurements_is_reported_with_its_line(drycell, tmp_path):
    data = tmp_path / "measured.csv"
    data.write_text("distance_mm,angle_deg,value\n500,0,two\n")
    said = drycell("rig", "beam", "honeywell-942", "--out", tmp_path, "--compare", data)
    assert said.code == 1
    assert f"{data}:2: value: 'two' is not a number" in said.err
