"""How moves end: a part between the jaws stops and is pressed by them; the first condition that holds ends a move."""

import pytest

from drycell.base import Pose, mm, ms
from drycell.effector.messages.vocabulary import AT_BEAM, AT_FORCE, AT_GAP, AT_PROXIMITY, AT_TIME
from drycell.kernel import delay, now

ABORTED, NOT_INITIALISED, BLOCKED, LOST_HOLD, MISSED = 1, 2, 4, 5, 8


def moved(bench, kind: str = "position", **reals: float) -> dict[str, float]:
    """The reply to a move that starts fully open and at rest, without what comes before and after it."""
    reply: dict[str, float] = {}

    def planner() -> None:
        bench.initialise()
        delay(2)
        bench.move(kind, **reals)
        reply.update(bench.receive())

    bench.run(planner)
    return reply


def test_a_gap_is_reached_when_the_servo_stays_near_it(bench) -> None:
    reply = moved(bench, gap=20 * mm)
    assert (reply["letters"], reply["ended_by"]) == ("DON", AT_GAP)
    # (10 mm + 100 mm/s·t)·e^(−20t) is 0.05 mm after 0.338868 s; before it 0.403125 s, see test_servo.
    assert reply["elapsed"] == pytest.approx(0.403125 + 0.338868, abs=5e-6)
    assert reply["gap"] == pytest.approx(20.05 * mm, abs=1e-6)
    assert reply["force"] == 0.0


def test_force_grows_with_the_stiffness_from_the_instant_of_contact(bench) -> None:
    block = bench.part(30 * mm)
    reply = moved(bench, "force", gap=10 * mm, force=20)
    # Contact at 30 mm after 0.403125 s, at 100 mm/s: 10 N/mm · 100 mm/s are 1 N a millisecond.
    assert reply["elapsed"] == pytest.approx(0.423125, abs=5e-6)
    assert reply["gap"] == pytest.approx(30 * mm, abs=1e-6)
    assert reply["force"] == pytest.approx(20, abs=1e-9)
    assert reply["ended_by"] == AT_FORCE
    assert bench.effector.jaw.held is block


def test_a_fixed_body_takes_the_force_and_is_not_held(bench) -> None:
    block = bench.part(30 * mm)
    block.part = False
    reply = moved(bench, "force", gap=10 * mm, force=20)
    assert reply["elapsed"] == pytest.approx(0.423125, abs=5e-6)  # as with a part
    assert reply["gap"] == pytest.approx(30 * mm, abs=1e-6)
    assert reply["force"] == pytest.approx(20, abs=0.01)
    assert bench.effector.jaw.held is None
    assert bench.effector.jaw.obstacle is block


def test_the_jaws_open_again_after_a_fixed_body(bench) -> None:
    bench.part(30 * mm).part = False
    gaps = []

    def cycle() -> None:
        bench.effector.jaw.start_close()
        delay(2.0)
        gaps.append(bench.effector.jaw.gap)
        bench.effector.jaw.start_open()
        delay(2.0)
        gaps.append(bench.effector.jaw.gap)

    bench.run(cycle)
    assert gaps == [pytest.approx(30 * mm, abs=1e-6), pytest.approx(65 * mm, abs=1e-6)]
    assert bench.effector.jaw.obstacle is None


def test_the_jaws_can_close_further_when_a_fixed_body_is_taken_away(bench) -> None:
    block = bench.part(30 * mm)
    block.part = False
    gaps = []

    def take() -> None:
        bench.effector.jaw.start_close()
        delay(2.0)
        bench.world.place(block, Pose(0, 200 * mm, 30 * mm))
        gaps.append((bench.effector.jaw.gap, bench.effector.jaw.force))
        bench.effector.jaw.start_close()
        delay(2.0)
        gaps.append((bench.effector.jaw.gap, bench.effector.jaw.force))

    bench.run(take)
    assert gaps == [(pytest.approx(30 * mm, abs=1e-6), 0.0), (pytest.approx(0.0, abs=1e-6), 0.0)]


def test_a_softer_pad_takes_longer_to_the_same_force(effector_bench) -> None:
    bench = effector_bench({"stiffness": 2e3})
    bench.part(30 * mm)
    # 2 N/mm: 15 N after 7.5 mm of the drive, at 22.5 mm, still at 100 mm/s.
    assert moved(bench, "force", gap=5 * mm, force=15)["elapsed"] == pytest.approx(0.403125 + 75 * ms, abs=1e-5)


def test_nothing_is_grasped_that_is_not_between_the_jaws(bench) -> None:
    bench.part(30 * mm, y=100 * mm)
    reply = moved(bench, "force", gap=10 * mm, force=20)
    assert (reply["ended_by"], reply["force"]) == (AT_GAP, 0.0)
    assert bench.effector.jaw.held is None


def test_a_position_move_that_is_in_the_way_of_a_part_fails_at_the_greatest_force(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, gap=10 * mm)
    assert (reply["letters"], reply["reason"]) == ("FAI", BLOCKED)
    assert reply["force"] == pytest.approx(60)


def test_a_part_that_keeps_the_fingers_from_their_gap_blocks_a_move_however_softly(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, gap=29.5 * mm)
    assert (reply["letters"], reply["reason"]) == ("FAI", BLOCKED)
    assert (reply["gap"], reply["force"]) == (pytest.approx(30 * mm, abs=1e-6), pytest.approx(5, abs=0.01))


def test_a_gap_that_equals_the_width_of_a_part_is_reached(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, gap=29.96 * mm)
    assert (reply["letters"], reply["ended_by"]) == ("DON", AT_GAP)


def test_neither_the_gap_nor_the_force_reached_is_blocked(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "force", gap=26 * mm, force=50)
    assert (reply["letters"], reply["reason"], reply["force"]) == ("FAI", BLOCKED, pytest.approx(40, abs=0.01))


def test_a_force_is_reached_just_before_the_gap(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "force", gap=26 * mm, force=39.8)
    assert (reply["letters"], reply["ended_by"], reply["force"]) == ("DON", AT_FORCE, pytest.approx(39.8))


def test_a_rate_move_does_not_pass_a_gap_that_its_fingers_are_held_off(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "rate", gap=28 * mm, speed=-20 * mm, ends=AT_GAP | AT_FORCE)
    assert (reply["letters"], reply["ended_by"], reply["force"]) == ("DON", AT_FORCE, pytest.approx(60))


def test_a_pressing_move_that_stops_in_the_air_has_missed(bench) -> None:
    reply = moved(bench, gap=20 * mm, ends=AT_FORCE)
    assert (reply["letters"], reply["reason"]) == ("FAI", MISSED)
    assert reply["gap"] == pytest.approx(20 * mm, abs=1e-6)


def test_an_end_by_time_without_a_time_is_refused(bench) -> None:
    reply = moved(bench, gap=20 * mm, ends=AT_TIME)
    assert reply["letters"] == "LIMIT"
    assert "the time is 0 s" in reply["what"]


def test_a_force_beyond_the_jaws_is_refused_and_never_counts_as_reached(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "force", gap=10 * mm, force=61)
    assert reply["letters"] == "LIMIT"
    assert reply["what"] == "gripper cannot press with 61 N: its maximum force is 60 N"


def test_gains_that_would_ring_are_refused_with_those_that_would_not(bench) -> None:
    reply = {}

    def planner() -> None:
        bench.send("GAI", position_gain=10_000, rate_gain=1)
        reply.update(bench.receive())

    bench.run(planner)
    assert reply["letters"] == "LIMIT"
    # Damping is rate gain / (2·√position gain): 0.2 of critical takes 0.4·100 1/s, all of it 200 1/s.
    assert "a rate gain of 40 1/s or more; 200 1/s does not overshoot" in reply["what"]


def test_a_rate_move_ends_at_the_force_with_which_it_meets_something(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "rate", speed=-20 * mm, force=10)
    assert (reply["ended_by"], reply["force"]) == (AT_FORCE, pytest.approx(10))
    # v = 20 mm/s·(1 − e^(−40t)): 35 mm and 1 mm more of the pad, 0.5 mm behind: 36.5 mm / 20 mm/s.
    assert reply["elapsed"] == pytest.approx(1.825, abs=1e-5)


def test_a_rate_move_on_nothing_ends_where_the_fingers_meet(bench) -> None:
    reply = moved(bench, "rate", speed=-50 * mm)
    assert (reply["ended_by"], reply["gap"]) == (AT_FORCE, pytest.approx(0, abs=1e-6))


def test_a_rate_move_without_a_gap_ends_where_it_is_stopped(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "rate", speed=-20 * mm, ends=AT_TIME, time=10)
    assert (reply["ended_by"], reply["force"]) == (AT_FORCE, pytest.approx(60))


def test_a_rate_move_that_cannot_reach_its_gap_is_blocked(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "rate", speed=-20 * mm, gap=10 * mm, ends=AT_GAP)
    assert (reply["letters"], reply["reason"]) == ("FAI", BLOCKED)


def test_a_rate_move_can_end_at_a_gap_on_its_way(bench) -> None:
    reply = moved(bench, "rate", speed=-20 * mm, gap=45 * mm, ends=AT_GAP)
    assert (reply["ended_by"], reply["gap"]) == (AT_GAP, pytest.approx(45 * mm, abs=1e-6))


def test_time_ends_a_move_and_the_jaws_brake(bench) -> None:
    reply = moved(bench, gap=20 * mm, time=0.3)
    assert (reply["ended_by"], reply["elapsed"]) == (AT_TIME, pytest.approx(0.3))
    # At 100 mm/s it takes 1 m/s² from 100 to 25 mm/s, 4.6875 mm, and 25/40 mm more.
    assert reply["gap"] - bench.effector.jaw.target == pytest.approx(4.6875 * mm + 0.625 * mm, abs=0.01 * mm)


def test_a_broken_beam_ends_a_move(bench) -> None:
    bench.part(30 * mm, height=10 * mm)  # below the beam, which is 20 mm above the table
    assert moved(bench, gap=40 * mm, ends=AT_GAP | AT_BEAM)["ended_by"] == AT_GAP


def test_a_beam_that_is_broken_already_ends_a_move_at_once(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, gap=40 * mm, ends=AT_GAP | AT_BEAM)
    assert (reply["ended_by"], reply["elapsed"]) == (AT_BEAM, 0.0)


def test_something_near_a_finger_ends_a_move(bench) -> None:
    bench.part(30 * mm)
    reply = moved(bench, "rate", speed=-20 * mm, ends=AT_PROXIMITY)
    assert reply["ended_by"] == AT_PROXIMITY
    # 5 mm before each finger are a gap of 40 mm; seen in steps of 0.1 mm each side, every 5 ms.
    assert reply["gap"] == pytest.approx(40 * mm, abs=0.25 * mm)


def test_a_ratchet_only_ever_closes_further(bench) -> None:
    gaps = []

    def planner() -> None:
        bench.initialise()
        for gap in (40, 50, 35, 60):
            bench.move("ratchet", gap=gap * mm)
            assert bench.receive()["letters"] == "DON"
            delay(1)
            gaps.append(round(bench.effector.jaw.gap / mm, 3))

    bench.run(planner)
    assert gaps == [40, 40, 35, 35]


def test_a_ratchet_reported_to_open_only_ever_opens(bench) -> None:
    gaps = []

    def planner() -> None:
        bench.initialise()
        bench.move(gap=20 * mm)
        bench.receive()
        for gap in (30, 10, 40):
            bench.move("ratchet", gap=gap * mm, speed=50 * mm)
            assert bench.receive()["letters"] == "DON"
            delay(1)
            gaps.append(round(bench.effector.jaw.gap / mm, 3))

    bench.run(planner)
    assert gaps == [30, 30, 40]


def test_a_ratchet_keeps_what_a_servo_that_overshoots_has_gained(effector_bench) -> None:
    narrowest = {}
    for kind in ("position", "ratchet"):
        bench = effector_bench({"gains": (400.0, 10.0)})

        def planner(bench=bench, kind=kind) -> None:
            bench.initialise()
            delay(5)
            bench.move(kind, gap=40 * mm)
            bench.receive()
            delay(5)
            narrowest[kind] = bench.effector.jaw.gap

        bench.run(planner)
    assert narrowest["position"] == pytest.approx(40 * mm, abs=1e-6)
    assert narrowest["ratchet"] < 39 * mm


def test_a_part_is_released_when_the_drive_returns_to_the_fingers(bench) -> None:
    block, seen = bench.part(30 * mm), []

    def planner() -> None:
        bench.initialise()
        delay(2)
        bench.move("force", gap=10 * mm, force=20)
        bench.receive()
        delay(1)
        began = now()
        bench.move(gap=60 * mm)
        # Pads give 2 mm at 20 N: with 1 m/s² that takes √(2·2 mm / 1 m/s²) = 63.2 ms.
        for wait in (63.0 * ms, 0.5 * ms):
            delay(wait)
            seen.append((round(now() - began, 4), bench.effector.jaw.holding.value))
        assert bench.receive()["ended_by"] == AT_GAP

    bench.run(planner)
    assert seen == [(0.063, True), (0.0635, False)]
    assert block.parent is bench.table


def test_a_second_grip_with_less_force_relaxes_the_jaws(bench) -> None:
    bench.part(30 * mm)
    forces = []

    def planner() -> None:
        bench.initialise()
        for force in (40, 15, 25):
            bench.move("force", gap=10 * mm, force=force)
            forces.append(bench.receive()["force"])

    bench.run(planner)
    assert forces == pytest.approx([40, 15, 25])


def test_a_part_that_is_taken_away_fails_the_move_that_held_it(bench) -> None:
    block = bench.part(30 * mm)
    reply = {}

    def planner() -> None:
        bench.initialise()
        delay(2)
        bench.move("force", gap=10 * mm, force=50)
        delay(0.42)
        assert bench.effector.jaw.holding.value
        bench.world.attach(block, bench.table)
        reply.update(bench.receive())

    bench.run(planner)
    assert (reply["letters"], reply["reason"], reply["force"]) == ("FAI", LOST_HOLD, 0.0)


def test_a_part_off_the_middle_is_pushed_and_then_pressed(bench) -> None:
    block = bench.part(20 * mm, x=8 * mm)
    reply = moved(bench, "force", gap=5 * mm, force=20)
    assert (reply["ended_by"], reply["gap"]) == (AT_FORCE, pytest.approx(20 * mm, abs=1e-6))
    assert block.pose.x == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("blocks", "stands"),
    [
        ([(30, 0, 0)], 30),
        ([(30, 2, 0)], 30),  # off the middle: pushed by one finger until it meets the other
        ([(30, 0, 100)], 27.0),  # beside the jaws
        ([(10, -6, 0), (18, 9, 0)], 28),  # two with 1 mm between them
        ([(24, 0, 0)], 27.0),  # not so far
    ],
)
def test_an_abort_reports_where_the_jaws_stop_with_what_is_ahead_of_them(bench, blocks, stands) -> None:
    for number, (width, x, y) in enumerate(blocks):
        bench.part(width * mm, x=x * mm, y=y * mm, name=f"block {number}")
    reply = {}

    def planner() -> None:
        bench.initialise()
        delay(2)
        bench.move(gap=5 * mm)
        # At 32.3125 mm and 100 mm/s; it brakes in 5.3125 mm, see above.
        delay(0.403125 - 0.023125)
        bench.send("ABT")
        assert bench.receive()["letters"] == "FAI"
        reply.update(bench.receive())
        delay(1)

    bench.run(planner)
    assert reply["letters"] == "ABT"
    assert reply["gap"] == pytest.approx(stands * mm, abs=0.01 * mm)
    assert bench.effector.jaw.gap == pytest.approx(reply["gap"], abs=1e-6)


def test_gains_change_the_move_under_way(bench) -> None:
    times = []

    def planner() -> None:
        bench.initialise()
        delay(2)
        bench.move(gap=20 * mm)
        delay(0.1)
        bench.send("GAI", position_gain=100, rate_gain=20)
        assert bench.receive()["letters"] == "GAI"
        times.append(bench.receive()["elapsed"])

    bench.run(planner)
    # p = 10 1/s: the last 20 mm are slower.
    assert times[0] > 1.0


def test_without_messages_it_closes_and_opens_like_any_gripper(bench) -> None:
    block, jaw = bench.part(30 * mm), bench.effector.jaw

    def program() -> None:
        assert jaw.close()
        assert (jaw.held, jaw.gap) == (block, pytest.approx(30 * mm, abs=1e-6))
        jaw.open()
        assert (jaw.held, jaw.gap) == (None, pytest.approx(65 * mm, abs=1e-6))

    bench.run(program)
