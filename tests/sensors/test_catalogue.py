"""Sensor files: the fields of the model under a name; mistakes say file, line and field."""

from pathlib import Path

import pytest

from drycell.base import FileError, UnknownName, deg, mm, ms
from drycell.sensors import SensorModel, load_sensor, sensor_from_file, sensor_names
from drycell.sensors.catalogue import read_sensor

OWN = """\
sensor: mine
title: a sensor
  of my own
type: range
volume: {beam: {length: 500 mm, half_angle: 8 deg}}
trace_lines: {count: 5, spread: 6 deg}
every: 350 ms
output: {kind: integer, from: [0 mm, 500 mm], to: [0, 255], default: 255}
"""


def test_a_file_gives_the_model_that_python_would() -> None:
    from drycell.sensors import Beam, Output, TraceLines

    assert read_sensor(OWN) == SensorModel(
        type="range",
        name="mine",
        title="a sensor of my own",
        volume=Beam(500 * mm, 8 * deg),
        trace_lines=TraceLines(count=5, spread=6 * deg),
        every=350 * ms,
        output=Output(kind="integer", from_=(0.0, 500 * mm), to=(0.0, 255.0), default=255),
    )


def test_a_new_sensor_takes_less_than_15_lines() -> None:
    assert len(OWN.splitlines()) < 15


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no sensor 'honeywel'") as caught:
        load_sensor("honeywel")
    assert caught.value.hint == "did you mean 'honeywell-942'?"
    assert "honeywell-942" in sensor_names()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("every: 350", r"mine\.yaml:7:8: every: '350' has no unit, but a time needs one"),
        ("evry: 350 ms", r"mine\.yaml:7:1: evry: there is no such field"),
        ("every: 1 s\nevery: 2 s", r"mine\.yaml:8:1: 'every' is defined twice, first in line 7"),
        ("senses: smell", r"mine\.yaml:7:9: senses: expected 'anything', .*, got 'smell'"),
        (
            "directivity: {table: [[0 deg, 2]]}",
            r"mine\.yaml:7:23: directivity\.table\[0\]: a directivity of 2 at 0 deg",
        ),
    ],
)
def test_mistakes_name_file_line_and_field(line: str, said: str) -> None:
    lines = OWN.splitlines()
    lines[6] = line
    with pytest.raises(FileError, match=said):
        read_sensor("\n".join(lines), "mine.yaml")


def test_an_unknown_law_is_reported_with_its_line() -> None:
    text = "sensor: mine\ntype: range\ntrace_lines: {count: 1, reach: 1 m}\noutput: {law: polaroid}\n"
    with pytest.raises(FileError, match=r"mine\.yaml:4:15: output\.law: unknown transfer law 'polaroid'") as caught:
        read_sensor(text, "mine.yaml")
    assert "did you mean 'polaroid-frank2'?" in str(caught.value)


def test_a_file_that_names_no_sensor_is_refused() -> None:
    with pytest.raises(FileError, match="sensor: this field must be given"):
        read_sensor("type: contact\n")


def test_meshes_are_seen_from_the_file(tmp_path: Path) -> None:
    from drycell.geometry import Box, save_mesh

    (tmp_path / "parts").mkdir()
    save_mesh(Box(0.1, 0.1, 0.2), tmp_path / "parts" / "space.ply", units="m")
    text = "sensor: space\ntype: proximity\nvolume: {mesh: {file: parts/space.ply, units: m}}\n"
    (tmp_path / "space.yaml").write_text(text)
    model = sensor_from_file(tmp_path / "space.yaml")
    shape, _ = model.probe.volumes(1.0)[0]
    assert shape.volume == pytest.approx(0.002)
