"""The waiting programs are a figure of the record: during a run, at its end, in a deadlock and from a file."""

from drycell import Cell, delay, wait
from drycell.record import figures
from drycell.recording import Recording


def test_all_programs_of_a_deadlock_wait_at_its_end() -> None:
    cell = Cell("deadlock")
    nest, tool = cell.signal("nest", False), cell.signal("tool", False)

    @cell.program
    def left() -> None:
        delay(1)
        wait(nest)
        tool.set(True)

    @cell.program
    def right() -> None:
        delay(2)
        wait(tool)
        nest.set(True)

    deadlocked = cell.run()
    waiting = figures.waiting(deadlocked.record, deadlocked.outcome.time)
    blocked = deadlocked.outcome.blocked
    assert [(w.process, w.condition, w.line) for w in waiting] == [(b.process, b.waits_for, b.line) for b in blocked]
    assert [(w.seconds, w.over) for w in waiting] == [(1.0, False), (0.0, False)]


def test_a_wait_counts_from_its_start_to_its_end(tmp_path) -> None:
    cell = Cell("waits")
    door = cell.signal("door", False)

    @cell.program
    def enter() -> None:
        delay(1)
        wait(door)

    @cell.program
    def opens() -> None:
        delay(3)
        door.set(True)

    live = cell.run(record=tmp_path / "run.dry").record
    with Recording.open(tmp_path / "run.dry") as recorded:
        for record in (live, recorded):
            waits = {t: [(w.process, w.seconds) for w in figures.waiting(record, t * 1_000_000)] for t in range(4)}
            assert waits == {0: [], 1: [("enter", 0.0)], 2: [("enter", 1.0)], 3: []}


def test_the_totals_of_moves_are_the_sums_of_the_moves() -> None:
    from drycell import Robot

    cell = Cell("moves")
    arm = cell.add("arm", Robot("scara"))

    @cell.program
    def work() -> None:
        arm.move([0.5, 0, 0, 0])
        arm.move([0, 0, 0, 0])

    result = cell.run()
    totals = figures.move_totals(result.record, "arm", result.outcome.time)
    moves = result.moves["arm"]
    assert totals.kinds == {"joint": 2}
    assert totals.distance == sum(move.distance for move in moves) > 0.1
    assert totals.top_speed == max(move.top_speed for move in moves) > 0.1
    assert totals.longest in moves
    none = figures.move_totals(result.record, "arm", -1)
    assert (none.distance, none.top_speed, none.longest, none.kinds) == (0, 0.0, None, {})
