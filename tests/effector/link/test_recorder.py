"""The record of all traffic, and its timing diagram."""

import json
import resource
import signal
from dataclasses import replace

import pytest

from drycell.base import FileError, WriteError
from drycell.effector.link import Recorder, connect, draw_timing, read_traffic, traffic as timing
from drycell.effector.link.traffic import spans
from drycell.effector.messages import ZEROS, Code, MailboxPair, Message, Refusal, Traffic
from drycell.kernel import Kernel

DONE = (0.01, 0.0, 1.0, 2.0, 0.0, 0.0)


def recorded(path) -> list[Traffic]:
    """A program of a cell, recorded: a move that takes two seconds, two status requests, and a message refused."""
    kernel = Kernel()
    pair = MailboxPair(kernel, "hand")
    seen: list[Traffic] = []

    def serve() -> None:
        while (envelope := pair.take()) is not None:
            if envelope.message.command == "STA":
                envelope.reply("STA", (0.0,) * 6)
            else:
                kernel.at(kernel.now + 2_000_000, lambda e=envelope: e.reply("DON", DONE), writes=pair.replies)

    def program() -> None:
        gripper = connect("cell")
        ticket = gripper.move_to(0.01)
        gripper.status()
        gripper.calls.channel.send(Message.of("PGXXX", sequence=99))
        ticket.wait()
        gripper.status()

    pair.subscribe(serve)
    with Recorder(path) as recorder:
        pair.watchers += [recorder, seen.append]
        kernel.spawn(program)
        assert kernel.run().ending == "finished"
    return seen


def test_a_record_is_read_as_it_was_seen(tmp_path):
    seen = recorded(tmp_path / "traffic.jsonl")
    assert read_traffic(tmp_path / "traffic.jsonl") == seen
    assert [each.event for each in seen].count("refused") == 1
    assert any(isinstance(each.message, Refusal) for each in seen)


def test_every_line_of_a_record_is_json_that_others_can_read(tmp_path):
    recorded(tmp_path / "traffic.jsonl")
    first = json.loads((tmp_path / "traffic.jsonl").read_text().splitlines()[0])
    assert first == {
        "time": 0.0,
        "peer": "hand.desk1",
        "event": "sent",
        "message": "PGMOV",
        "reals": [0.0, 0.01, 0.0, 1.0, 0.0, 0.0],
        "number": 1,
    }


def test_the_same_run_gives_the_same_record(tmp_path):
    recorded(tmp_path / "a.jsonl")
    recorded(tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_the_previous_record_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "traffic.jsonl"
    path.write_text("previous\n")
    event = Traffic(0.0, "a", "closed", None)
    recorder = Recorder(path)
    recorder(event)
    assert path.read_text() == "previous\n"
    recorder.close()
    recorder(event)  # later traffic is not written
    assert read_traffic(path) == [event]
    assert [each.name for each in tmp_path.iterdir()] == ["traffic.jsonl"]


def test_a_full_disk_names_the_record_and_keeps_the_previous_one(tmp_path):
    path = tmp_path / "traffic.jsonl"
    path.write_text("previous\n")
    event = Traffic(0.0, "a" * 100_000, "closed", None)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, limits[1]))
        with Recorder(path) as recorder:
            recorder(event)
            recorder(event)  # no space for a third
            with pytest.raises(WriteError, match=r"cannot write .*traffic.jsonl: File too large"):
                recorder(event)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_text() == "previous\n"
    assert [each.name for each in tmp_path.iterdir()] == ["traffic.jsonl"]


def test_real_time_traffic_is_recorded_too(serve, tmp_path):
    with Recorder(tmp_path / "traffic.jsonl") as recorder:
        server = serve(watchers=(recorder,))
        with connect(str(server.address)) as gripper:
            gripper.move_to(0.01).wait()
        server.close()
    events = [each.event for each in read_traffic(tmp_path / "traffic.jsonl")]
    assert events == ["connected", "sent", "delivered", "closed"]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "{}",
        "3",
        '{"time": 0, "peer": "a", "event": "eaten"}',
        '{"time": 0, "peer": "a", "event": "sent", "code": "X"}',
    ],
)
def test_an_invalid_record_is_reported_with_its_line(tmp_path, line):
    (tmp_path / "x.jsonl").write_text('{"time": 0, "peer": "a", "event": "closed"}\n' + line + "\n")
    with pytest.raises(FileError, match="line 2"):
        read_traffic(tmp_path / "x.jsonl")


def test_a_command_lasts_from_sending_to_its_reply(tmp_path):
    made, troubles = spans(recorded(tmp_path / "traffic.jsonl"))
    assert [(span.message.command, span.start, span.end) for span in made] == [
        ("MOV", 0.0, 2.0),
        ("STA", 0.0, 0.0),
        ("STA", 2.0, 2.0),
    ]
    assert [trouble.event for trouble in troubles] == ["refused"]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_timing_diagram_is_drawn(tmp_path, ending):
    draw_timing(recorded(tmp_path / "traffic.jsonl"), tmp_path / f"timing.{ending}")
    draw_timing([], tmp_path / f"empty.{ending}")
    assert (tmp_path / f"timing.{ending}").stat().st_size > 5000
    if ending == "svg":
        assert "hand.desk1" in (tmp_path / "timing.svg").read_text()


def test_a_last_line_truncated_by_a_kill_is_omitted(tmp_path):
    path = tmp_path / "traffic.jsonl"
    seen = recorded(path)
    path.write_text(path.read_text()[:-9])
    assert read_traffic(path) == seen[:-1]


def test_refusals_are_listed_in_their_panel_and_panels_in_order_of_arrival(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(timing, "save_plot", lambda path, panels, **_: drawn.extend(panels))
    asked = Message.of("PGSTA", ZEROS, 1)
    seen = [Traffic(0.1 * number, f"connection {number}", "sent", asked) for number in range(1, 11)]
    seen.append(Traffic(2.0, "connection 11", "refused", Refusal(Code.DEVICE, "nobody", 1)))
    timing.draw_timing(seen, tmp_path / "timing.svg")
    assert [panel.title for panel in drawn] == [f"connection {number}" for number in range(1, 12)]
    last = drawn[-1]
    (place,) = last.series[0].y
    assert last.y_range[1] < place < last.y_range[0]
    assert last.y_names == {place: "refused"}


def test_panels_of_two_programs_share_their_time_axis_and_their_colours(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(timing, "save_plot", lambda path, panels, **_: drawn.extend(panels))
    seen = recorded(tmp_path / "traffic.jsonl")
    later = [replace(each, peer="another", time=each.time + 1) for each in seen if each.event != "refused"]
    timing.draw_timing([*seen, *later], "")
    one, two = drawn
    assert one.x_range == two.x_range
    colours = [{series.label: series.colour for series in panel.series} for panel in drawn]
    assert colours[0]["reply"] == colours[1]["reply"] is not None
