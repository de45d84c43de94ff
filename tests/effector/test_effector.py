"""Commands by messages: queued commands and those answered at once, their order and their numbers."""

import pytest

from drycell import Effector
from drycell.base import Pose, mm
from drycell.cell import Cell
from drycell.effector.device import DEBUG_KINDS, QUEUE
from drycell.effector.link import connect
from drycell.effector.messages import LinkTrouble, unpack_proximity
from drycell.effector.messages.vocabulary import REASONS
from drycell.kernel import delay, now


def reason(reply: dict[str, float]) -> str:
    return REASONS[int(reply["reason"])]


def test_three_queued_moves_are_watched_through_status_and_seen_in_order(bench) -> None:
    seen: list[tuple[float, float]] = []
    done: list[int] = []

    def planner() -> None:
        bench.initialise()
        for number, gap in enumerate((20, 50, 30), 1):
            bench.move(gap=gap * mm, sequence=number)
        while len(done) < 3:
            bench.send("STA", 99)
            while (reply := bench.receive(0.0)) is not None or not seen:
                if reply is None:
                    reply = bench.receive()
                if reply["letters"] == "STA":
                    seen.append((round(reply["target"] / mm), reply["gap"] / mm))
                else:
                    done.append(reply["sequence"])
            delay(0.05)

    bench.run(planner)
    assert done == [1, 2, 3]
    targets = list(dict.fromkeys(target for target, _ in seen))
    assert [each for each in targets if each != 65] == [20, 50, 30]
    for target, wide in ((20, False), (50, True), (30, False)):
        gaps = [gap for aimed, gap in seen if aimed == target]
        assert len(gaps) > 5
        assert gaps == sorted(gaps, reverse=not wide)


def test_status_is_answered_at_the_same_instant_while_moves_wait(bench) -> None:
    def planner() -> None:
        bench.initialise()
        bench.move(gap=20 * mm)
        bench.move(gap=50 * mm)
        delay(0.2)
        before = now()
        bench.send("STA", 7)
        reply = bench.receive()
        assert (reply["letters"], reply["sequence"], now()) == ("STA", 7, before)
        assert (reply["position_gain"], reply["rate_gain"]) == (400, 40)

    bench.run(planner)


def test_a_move_before_initialise_fails(bench) -> None:
    def planner() -> None:
        bench.move(gap=20 * mm)
        assert reason(bench.receive()) == "not initialised"

    bench.run(planner)


def test_initialise_finds_the_end_of_the_stroke_by_feeling_it(bench) -> None:
    def planner() -> None:
        bench.effector.jaw.put(40 * mm)
        bench.send("INI")
        reply = bench.receive()
        assert (reply["letters"], reply["gap"]) == ("DON", pytest.approx(65 * mm))
        assert reply["elapsed"] > 0.25
        delay(1)
        assert bench.effector.jaw.force == 0.0

    bench.run(planner)


def test_abort_stops_and_every_command_fails_by_itself(bench) -> None:
    def planner() -> None:
        bench.initialise()
        for number in (1, 2, 3):
            bench.move(gap=20 * mm, sequence=number)
        delay(0.3)
        bench.send("ABT", 4)
        answers = [bench.receive() for _ in range(4)]
        assert [each["sequence"] for each in answers] == [1, 2, 3, 4]
        assert [reason(each) for each in answers[:3]] == ["aborted"] * 3
        assert (answers[3]["letters"], answers[3]["dropped"]) == ("ABT", 3)
        delay(1)
        assert bench.effector.jaw.gap == pytest.approx(answers[3]["gap"], abs=1e-6)
        assert not bench.effector.jaw.moving.value
        bench.move(gap=30 * mm)
        assert bench.receive()["letters"] == "DON"

    bench.run(planner)


def test_abort_reports_where_the_fingers_stand_on_what_they_hold(bench) -> None:
    bench.part(30 * mm)

    def planner() -> None:
        bench.initialise()
        bench.move("force", gap=0, force=15)
        bench.receive()
        for pause in (0.0, 0.01):
            bench.move(gap=60 * mm)
            delay(pause)
            bench.send("ABT")
            assert reason(bench.receive()) == "aborted"
            assert bench.receive()["gap"] == pytest.approx(30 * mm, abs=1e-6)
        bench.send("ABT")
        assert bench.receive()["gap"] == pytest.approx(30 * mm, abs=1e-6)

    bench.run(planner)


def test_quit_lets_what_is_queued_fail_and_refuses_what_comes_later(bench) -> None:
    def planner() -> None:
        bench.initialise()
        bench.move(gap=20 * mm)
        bench.move(gap=30 * mm)
        delay(0.1)
        bench.send("QUI")
        replies = [bench.receive() for _ in range(3)]
        assert [reason(each) for each in replies[:2]] == ["quitting"] * 2
        assert replies[2]["dropped"] == 2
        assert bench.effector.gone.value
        bench.send("STA")
        assert bench.receive()["letters"] == "GONE"

    bench.run(planner)


def test_a_gap_beyond_the_stroke_is_refused_at_once_with_the_limits(bench) -> None:
    def planner() -> None:
        bench.initialise()
        bench.move(gap=80 * mm)
        reply = bench.receive()
        assert reply["letters"] == "LIMIT"
        assert reply["what"] == "gripper cannot move to 80.000 mm: 80.000 mm is not between 0.000 mm and 65.000 mm"

    bench.run(planner)
    assert bench.effector.pair.tally.refusals == 1


def test_gains_that_would_ring_are_refused_and_change_nothing(bench) -> None:
    def planner() -> None:
        bench.send("GAI", position_gain=400, rate_gain=1)
        assert bench.receive()["letters"] == "LIMIT"
        bench.send("STA")
        assert bench.receive()["rate_gain"] == 40

    bench.run(planner)


def test_a_full_queue_refuses_one_more(bench) -> None:
    def planner() -> None:
        bench.initialise()
        for _ in range(QUEUE + 1):
            bench.move(gap=20 * mm)
            delay(1e-6)
        bench.move(gap=20 * mm)
        assert bench.receive()["letters"] == "FULL"

    bench.run(planner)


def test_a_command_without_a_number_gets_a_reply_without_one(bench) -> None:
    def planner() -> None:
        bench.initialise()
        bench.move(gap=60 * mm)
        assert bench.receive()["sequence"] is None

    bench.run(planner)


def outcomes(effector_bench, seed: int) -> list[str]:
    bench = effector_bench({"trouble": LinkTrouble(failing=0.3)}, seed=seed)
    results = []

    def planner() -> None:
        while True:
            bench.send("INI")
            if bench.receive()["letters"] == "DON":
                break
        for number in range(30):
            bench.move(gap=(40 + number % 2) * mm)
            answer = bench.receive()
            results.append(answer["letters"] if answer["letters"] == "DON" else reason(answer))

    bench.run(planner)
    return results


def test_random_failures_are_the_same_for_a_seed_and_others_for_another(effector_bench) -> None:
    once = outcomes(effector_bench, 1)
    assert set(once) == {"DON", "random failure"}
    assert once == outcomes(effector_bench, 1)
    assert once != outcomes(effector_bench, 2)


def test_fingers_report_how_far_something_is_before_each_and_nothing_beyond_the_other(bench) -> None:
    bench.part(20 * mm, x=5 * mm)
    bench.part(10 * mm, x=-55 * mm, name="outside")
    seen = []

    def planner() -> None:
        bench.initialise()
        bench.send("STA")
        reply = bench.receive()
        seen.append((unpack_proximity(reply["proximity"]), reply["crossfire"]))

    bench.run(planner)
    # Finger 1 is at 32.5 mm, the block from −5 to 15 mm.
    assert seen == [((pytest.approx(17.5 * mm, abs=0.05 * mm), pytest.approx(27.5 * mm, abs=0.05 * mm)), 1)]


def test_a_body_beyond_the_other_finger_is_not_between_them(bench) -> None:
    block = bench.part(10 * mm, y=200 * mm)

    def planner() -> None:
        bench.initialise()
        bench.move(gap=20 * mm)
        bench.receive()
        bench.world.place(block, Pose(-30 * mm, 0, 30 * mm))  # finger 2 ends at −22 mm
        delay(0.1)
        bench.send("STA")
        reply = bench.receive()
        assert (unpack_proximity(reply["proximity"]), reply["crossfire"]) == ((None, None), 0)
        bench.world.place(block, Pose(0, 0, 30 * mm))
        delay(0.1)
        bench.send("STA")
        reply = bench.receive()
        assert (unpack_proximity(reply["proximity"]), reply["crossfire"]) == ((0.005, 0.005), 1)

    bench.run(planner)


def test_a_fault_on_a_detector_shows_in_the_status() -> None:
    cell = Cell()
    cell.add("hand", Effector(at=(0, 0, 0.5)))
    cell.fault("hand.beam", "stuck_on")
    cell.fault("hand.left", "stuck", value=0.012)

    @cell.program
    def planner() -> None:
        with connect("cell:hand") as hand:
            state = hand.status()
            assert (state.left, state.right, state.beam_broken) == (0.012, None, True)

    assert cell.run().ending == "finished"


@pytest.mark.parametrize("kind", DEBUG_KINDS)
def test_each_kind_of_debugging_output_is_switched_by_itself(bench, kind: str) -> None:
    records = []
    bench.effector.debugging.listeners.append(records.append)

    def planner() -> None:
        bench.initialise()
        bench.send("DBG", **{each: 1 if each == kind else -1 for each in DEBUG_KINDS})
        reply = bench.receive()
        assert {each: reply[each] for each in DEBUG_KINDS} == {each: float(each == kind) for each in DEBUG_KINDS}
        bench.move(gap=50 * mm)
        bench.receive()
        bench.send("DBG", **{each: 0 if each == kind else -1 for each in DEBUG_KINDS})
        bench.receive()
        count = len(records)
        bench.move(gap=40 * mm)
        bench.receive()
        assert len(records) == count

    bench.run(planner)
    assert {record.kind for record in records} == {kind}
    assert {record.fields["output"] for record in bench.records("debug")} == {kind}


def test_two_runs_write_the_same_journal(effector_bench) -> None:
    journals = []
    for _ in range(2):
        bench = effector_bench({"trouble": LinkTrouble(late=0.2, doubled=0.2), "hesitates": (0.0, 0.1)}, seed=5)
        bench.part(30 * mm)

        def planner(bench=bench) -> None:
            bench.initialise()
            for gap in (40, 10, 60):
                bench.move("force", gap=gap * mm, force=20)
                bench.receive()
            delay(3)

        bench.run(planner)
        journals.append([str(record) for record in bench.kernel.journal.records])
    assert journals[0] == journals[1]
