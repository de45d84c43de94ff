"""The checker: claims of devices are compared only while they are valid, and each reported conflict is real."""

import pytest

from drycell.base import mm
from drycell.effector import Checker, LivePad, Pad
from drycell.effector.messages import UNDISTURBED, VOCABULARY, ZEROS, LinkTrouble, Message
from drycell.effector.messages.vocabulary import AT_FORCE
from drycell.kernel import delay


def touch(pad: LivePad) -> dict[str, float]:
    """The reply of a pad to a status request."""
    desk = pad.pair.client()
    desk.send(Message("P", "T", "STA", ZEROS))
    answer = desk.receive()
    return VOCABULARY.entry(answer).unpack(answer)


def watched(bench, *, kind: type[LivePad] = LivePad) -> tuple[LivePad, Checker]:
    pad = kind(bench.cell, "pad", Pad(of="gripper"))
    return pad, Checker([bench.effector, pad])


def close_on_nothing(bench, pad: LivePad) -> None:
    bench.move("rate", speed=-50 * mm)
    assert bench.receive()["force"] > 0  # the fingers press on each other
    touch(pad)


def open_to_the_stop(bench, pad: LivePad) -> None:
    bench.move("rate", speed=50 * mm)
    assert bench.receive()["force"] > 0
    touch(pad)


def be_blocked_and_open_again(bench, pad: LivePad) -> None:
    bench.part(30 * mm)
    bench.move(gap=5 * mm)
    assert bench.receive()["letters"] == "FAI"
    assert touch(pad)["force"] > 0
    bench.move(gap=60 * mm)
    assert bench.receive()["force"] == 0


def look_while_the_next_move_opens(bench, pad: LivePad) -> None:
    bench.part(30 * mm)
    bench.move("force", gap=5 * mm, force=15)
    bench.move(gap=60 * mm)
    assert bench.receive()["ended_by"] == AT_FORCE
    delay(0.3)
    assert touch(pad)["cells"] == 0
    bench.receive()


def look_before_a_move_lets_go(bench, pad: LivePad) -> None:
    bench.part(30 * mm)
    bench.move("force", gap=5 * mm, force=15)
    bench.receive()
    bench.move(gap=60 * mm)
    assert touch(pad)["force"] > 0
    assert bench.receive()["force"] == 0


def brake_into_a_part(bench, pad: LivePad) -> None:
    bench.part(30 * mm)
    bench.move(gap=5 * mm, time=0.38)
    assert bench.receive()["force"] == 0
    delay(1)
    assert touch(pad)["force"] > 0


@pytest.mark.parametrize(
    "happens",
    [
        close_on_nothing,
        open_to_the_stop,
        be_blocked_and_open_again,
        look_while_the_next_move_opens,
        look_before_a_move_lets_go,
        brake_into_a_part,
    ],
)
def test_consistent_replies_are_not_a_conflict(bench, happens) -> None:
    pad, checker = watched(bench)

    def planner() -> None:
        bench.initialise()
        delay(1)
        happens(bench, pad)

    bench.run(planner)
    assert [doubt for doubt in checker.found if doubt.kind == "conflicting"] == []


class WeakPad(LivePad):
    """A pad that reports half the force."""

    def on_status(self, *args) -> dict[str, float]:
        reals = super().on_status(*args)
        return {**reals, "force": 0.5 * reals["force"]} if reals else reals


def grip(bench, pad: LivePad) -> None:
    bench.initialise()
    bench.move("force", gap=5 * mm, force=15)
    bench.receive()
    touch(pad)


def test_forces_that_differ_are_a_conflict(bench) -> None:
    bench.part(30 * mm)
    pad, checker = watched(bench, kind=WeakPad)
    bench.run(lambda: grip(bench, pad))
    (doubt,) = checker.found
    assert doubt.kind == "conflicting"
    assert doubt.text.startswith("force between the jaws: gripper presses with 15.0 N since ")
    assert doubt.text.endswith(", but pad is pressed with 7.5 N")


def test_a_pad_that_is_touched_by_what_no_detector_sees_is_a_conflict(bench) -> None:
    bench.part(30 * mm, height=19 * mm)  # the beam is 20 mm above the table, the tip of the pad 16 mm
    pad, checker = watched(bench)

    def planner() -> None:
        grip(bench, pad)
        bench.send("STA")
        bench.receive()

    bench.run(planner)
    (doubt,) = checker.found
    assert doubt.text.startswith("something is between the jaws: pad is touched since ")
    assert doubt.text.endswith(", but gripper sees nothing")


def test_devices_that_report_the_same_do_not_conflict_and_are_named_once(bench) -> None:
    bench.part(30 * mm)
    pad, checker = watched(bench)

    def planner() -> None:
        grip(bench, pad)
        touch(pad)

    bench.run(planner)
    assert checker.found == []
    assert [each.text for each in checker.repeated] == [
        "something is held: gripper presses on something, and pad is pressed",
        "force between the jaws: gripper presses with 15.0 N, and pad is pressed with 15.0 N",
    ]


def test_a_reply_that_is_lost_leaves_no_command_waiting(effector_bench) -> None:
    bench = effector_bench({"trouble": LinkTrouble(lost=1.0)})
    bench.part(30 * mm)
    pad, checker = watched(bench)

    def planner() -> None:
        bench.send("INI", 1)
        bench.effector.pair.disturbance = UNDISTURBED
        bench.initialise()
        bench.move("force", gap=5 * mm, force=15)
        bench.receive()
        touch(pad)

    bench.run(planner)
    assert checker.found == []
    assert [each.text.partition(":")[0] for each in checker.repeated][:1] == ["something is held"]


def test_an_unknown_message_does_no_harm(bench) -> None:
    _, checker = watched(bench)

    def planner() -> None:
        bench.send("INI")
        bench.desk.send(Message("P", "G", "XYZ", ZEROS))
        assert bench.receive()["letters"] == "CMD"
        assert bench.receive()["letters"] == "DON"

    bench.run(planner)
    assert checker.found == []
