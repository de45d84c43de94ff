"""Wrist, tactile pad and stand-in share their basis; and the checker that watches several devices."""

import pytest

from drycell.base import mm
from drycell.cell import Cell
from drycell.effector import Checker, Effector, Pad, StandIn, Wrist
from drycell.effector.messages import VOCABULARY, LinkTrouble, Message
from drycell.kernel import delay


def ask(device, letters: str, sequence: int | None = None, **reals: float) -> dict[str, float]:
    """The reply of a device to a command, by name."""
    table = device.table
    desk = device.pair.client()
    desk.send(Message("P", table.letter, letters, table.command(letters).pack(**reals), sequence))
    answer = desk.receive()
    return VOCABULARY.entry(answer).unpack(answer)


def grip(bench, force: float = 20.0) -> None:
    bench.initialise()
    bench.move("force", gap=5 * mm, force=force)
    assert bench.receive()["letters"] == "DON"


def test_a_wrist_measures_the_weight_of_attached_bodies_and_can_be_tared(bench) -> None:
    wrist = bench.cell.add("wrist", Wrist(at=(0.5, 0, 0.5)))
    tool = bench.cell.add("tool", Effector(parent="wrist"))
    bodies = [tool.jaw.palm, *tool.jaw.fingers]
    mass = sum(bench.world.materials[each.material].density * each.shape.volume for each in bodies)

    def planner() -> None:
        reply = ask(wrist, "STA")
        assert reply["force_z"] == pytest.approx(-9.80665 * mass, abs=0.05)
        assert (reply["force_x"], reply["force_y"]) == (0, 0)
        ask(wrist, "TAR")
        assert set(ask(wrist, "STA").values()) == {0.0}

    bench.run(planner)


def test_a_pad_reports_which_of_its_cells_are_touched_and_how_hard(bench) -> None:
    bench.part(30 * mm)  # 10 mm across
    pad = bench.cell.add("pad", Pad(of="gripper"))

    def planner() -> None:
        assert ask(pad, "STA")["cells"] == 0
        grip(bench, 18)
        reply = ask(pad, "STA")
        # Cells are 3 mm: of six columns those at ±1.5 and ±4.5 mm are within ±5 mm, in all six rows.
        assert reply["cells"] == 24
        assert reply["force"] == pytest.approx(18)
        assert reply["area"] == pytest.approx(24 * 9e-6)
        assert reply["peak"] == pytest.approx(18 / (24 * 9e-6))
        assert (reply["centre_x"], reply["centre_y"]) == pytest.approx((0, 0), abs=1e-9)
        row = ask(pad, "ROW", row=1)
        assert [value > 0 for value in row.values()] == [False, True, True, True, True, False]

    bench.run(planner)


def test_a_part_held_above_the_pad_touches_none_of_it_and_rows_begin_at_the_tip(bench) -> None:
    # The tool centre point is 25 mm above the table, the tip 14 mm: the block reaches from 14 to 25 mm of the finger.
    bench.part(30 * mm, height=25 * mm)
    pad = bench.cell.add("pad", Pad(of="gripper", finger=2))

    def planner() -> None:
        grip(bench)
        touched = {row for row, _ in pad.touched()}
        assert touched == {1, 2, 3}
        assert ask(pad, "STA")["centre_y"] == pytest.approx(4.5 * mm)

    bench.run(planner)


def test_a_holding_jaw_and_an_untouched_pad_are_reported_as_a_conflict(bench) -> None:
    # The block is low, and the pad is mounted so far up the finger that it cannot touch it.
    bench.part(30 * mm, height=20 * mm)
    pad = bench.cell.add("pad", Pad(of="gripper", shift=-25 * mm))
    checker = Checker([bench.effector, pad])

    def planner() -> None:
        grip(bench)
        ask(pad, "STA")
        bench.move(gap=60 * mm)
        bench.receive()
        ask(pad, "STA")

    bench.run(planner)
    (found,) = checker.found
    assert (found.kind, found.devices) == ("conflicting", ("gripper", "pad"))
    assert "something is held: gripper presses on something since " in found.text
    assert found.text.endswith("but pad is touched by nothing")


def test_a_jaw_and_a_pad_that_agree_are_not_reported(bench) -> None:
    bench.part(30 * mm)
    pad = bench.cell.add("pad", Pad(of="gripper"))
    checker = Checker([bench.effector, pad])

    def planner() -> None:
        grip(bench)
        ask(pad, "STA")

    bench.run(planner)
    assert checker.found == []


@pytest.mark.parametrize("numbered", [False, True])
def test_a_reply_that_fits_two_commands_is_ambiguous_unless_it_has_a_number(bench, numbered: bool) -> None:
    checker = Checker([bench.effector])

    def planner() -> None:
        bench.initialise()
        for number, gap in enumerate((40, 50), 1):
            bench.move(gap=gap * mm, sequence=number if numbered else None)
        for _ in range(2):
            bench.receive()

    bench.run(planner)
    assert [found.kind for found in checker.found] == ([] if numbered else ["ambiguous"])


def test_a_doubled_reply_is_redundant(effector_bench) -> None:
    bench = effector_bench({"trouble": LinkTrouble(doubled=1.0, latest=0.01)})
    checker = Checker([bench.effector])

    def planner() -> None:
        bench.send("STA", 5)
        bench.receive()
        delay(1)

    bench.run(planner)
    assert {found.kind for found in checker.found} == {"redundant"}
    assert "gripper answers STA 5, but no command waits for this reply" in str(checker.found[0])


def test_a_stand_in_answers_for_any_device_of_the_table_after_its_time() -> None:
    cell = Cell()
    gripper = cell.add("gripper", StandIn(takes=(0.5, 0.5)))
    wrist = cell.add("wrist", StandIn(table="wrist"))

    def planner() -> None:
        done = ask(gripper, "MOV", gap=20 * mm)
        assert (cell.kernel.now, done["gap"]) == (500_000, 20 * mm)
        assert ask(gripper, "STA")["gap"] == 20 * mm
        assert set(ask(wrist, "STA").values()) == {0.0}
        assert ask(gripper, "QUI")["dropped"] == 0

    cell.kernel.spawn(planner)
    cell.kernel.run()
