"""Looks in a recording: a recording shows what the cell showed, and a changed file is refused."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from drycell import Box, Cell, Conveyor, Machine, Robot, Sensor, Sink, mm, s
from drycell.base import RecordingError
from drycell.kernel import ticks
from drycell.looks import look_bytes, look_of
from drycell.recording import Recording
from drycell.recording.container import DocumentNode
from drycell.recording.looks import look_data, look_from


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cell, Path]:
    cell = Cell()
    cell.add("belt", Conveyor(length=800 * mm, width=200 * mm, speed=100 * mm / s))
    mill = cell.add("mill", Machine(duration=2 * s, door=True, at=(2, 0, 0)))
    cell.add("bin", Sink(Box(200 * mm, 150 * mm, 60 * mm), at=(0, 2, 0)))
    cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85", at=(-2, 0, 0)))
    cell.add("eye", Sensor("tl-x5", at=(0, 3, 0)))
    mill.start.set(True)
    path = tmp_path_factory.mktemp("run") / "run.dry"
    cell.run(until=6, record=path)
    return cell, path


def test_a_recording_shows_the_looks_and_channels_of_its_cell(ran: tuple[Cell, Path]) -> None:
    cell, path = ran
    with Recording.open(path) as recording:
        assert {body.name for body in recording.bodies} == set(cell.world.bodies)
        for body in recording.bodies:
            own, other = look_of(cell.world.bodies[body.name]), look_of(body)
            assert (own is None) == (other is None)
            if own is None or other is None:
                continue
            assert look_bytes(own) == look_bytes(other), body.name
            for name, channel in own.channels.items():
                for t in map(ticks, (0.0, 1.3, 3.1, 6.0)):
                    assert channel.source.at(cell.record, body.name, t) == pytest.approx(
                        other.channels[name].source.at(recording, body.name, t)
                    ), (body.name, name)


@pytest.fixture(scope="module")
def written() -> Any:
    cell = Cell()
    belt = cell.add("belt", Conveyor(length=800 * mm, width=200 * mm, speed=100 * mm / s))
    look = look_of(belt.body)
    assert look is not None
    return json.loads(json.dumps(look_data(look, lambda shape: 0)))


def test_a_look_is_read_as_it_was_written(written: Any) -> None:
    found = look_from(DocumentNode(written, ""), ())
    assert json.loads(json.dumps(look_data(found, lambda shape: 0))) == written


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("form", "dodecahedron", "form"),
        ("numbers", [1.0], "numbers"),
        ("numbers", [1e9, 1.0, 1.0, 0.0], "numbers"),
        ("material", "unobtainium", "unobtainium"),
        ("tint", "javascript:alert(1)", "colour"),
        ("shade", 7.0, "shade"),
        ("channel", "nothing", "channel"),
        ("pose", [1.0], "pose"),
    ],
)
def test_a_changed_look_is_refused(written: Any, key: str, value: Any, text: str) -> None:
    changed = copy.deepcopy(written)
    place = next(number for number, each in enumerate(changed["parts"]) if each["form"] == "box")
    changed["parts"][place][key] = value
    with pytest.raises(RecordingError, match=text):
        look_from(DocumentNode(changed, ""), ())
