"""``drycell sensors``: the list of the library, and the data, curves, plots and pictures of one sensor."""

from pathlib import Path

import pytest

from drycell.sensors import sensor_names


def test_the_list_has_a_row_for_every_sensor(drycell) -> None:
    said = drycell("sensors")
    assert (said.code, said.err) == (0, "")
    head, *rows = said.out.splitlines()[: len(sensor_names()) + 1]
    assert head.split() == ["name", "type", "principle", "range", "every", "title"]
    assert [row.split()[0] for row in rows] == sensor_names()
    curtain = next(row for row in rows if row.startswith("light-curtain"))
    assert curtain.strip().split("  ")[-1] == "safety light curtain, 305 mm high (Omron F3SJ-E0305P25)"
    assert "light, through" in curtain
    assert "15 ms" in curtain


def test_a_sensor_is_shown_with_data_curve_beam_and_source(drycell) -> None:
    said = drycell("sensors", "honeywell-942")
    assert said.code == 0
    assert said.out.startswith("honeywell-942: ultrasonic distance sensor (Honeywell 942-B3A-2D-1C1)\n")
    assert "  volume          beam, 2500 mm long, half-angle 4 deg\n" in said.out
    assert "response to hard plate, 2500 × 2500 mm\n" in said.out
    assert "0 deg │████████████████████████████████████████████████ 2500 mm\n" in said.out
    assert "\nsource  Thesis, sections 6.2 and 6.4" in said.out
    assert max(map(len, said.out.splitlines())) <= 100


@pytest.mark.parametrize("name", sensor_names())
def test_every_sensor_can_be_shown(name: str, drycell) -> None:
    said = drycell("sensors", name)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{name}: ")


@pytest.mark.parametrize("name", ["gp2y0a21", "tl-x5", "limit-switch", "wrist-force"])
def test_every_type_of_sensor_can_be_plotted(name: str, drycell, tmp_path: Path) -> None:
    said = drycell("sensors", name, "--plot", tmp_path / "a.svg")
    assert (said.code, said.err) == (0, "")
    assert (tmp_path / "a.svg").stat().st_size > 5000


def test_a_custom_file_is_shown_and_drawn(drycell, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("sensor: mine\ntype: proximity\nvolume: {box: [20 mm, 20 mm, 80 mm]}\n")
    said = drycell("sensors", file, "--picture", tmp_path / "out" / "mine.svg")
    assert said.code == 0
    assert "box, 20 × 20 × 80 mm" in said.out
    assert (tmp_path / "out" / "mine.svg").read_text().startswith("<svg")


def test_mistakes_are_reported_with_their_place_or_the_nearest_name(drycell, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("sensor: mine\ntype: proximity\nvolume: {ball: 3 mm}\n")
    said = drycell("sensors", tmp_path / "mine.yaml")
    assert said.code == 1
    assert "mine.yaml:3:10: volume.ball: there is no such field" in said.err
    assert "try: did you mean 'tl-x5'?" in drycell("sensors", "tlx5").err
    assert "--plot and --picture need a sensor" in drycell("sensors", "--plot", "a.svg").err
    assert "plots are SVG or PNG files" in drycell("sensors", "bumper", "--plot", tmp_path / "a.pdf").err


def test_the_help_teaches(drycell) -> None:
    said = drycell("sensors", "--help")
    assert "drycell sensors honeywell-942" in said.out
    assert "height: {model: honeywell-942, on: arm/flange}" in said.out
