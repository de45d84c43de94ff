"""What the end of the last program cuts off is searched: it could have come before."""

from collections.abc import Callable

from drycell import Cell, delay, interval, wait
from drycell.verify import verify
from drycell.verify.reduction import Reduction
from drycell.verify.trial import RunLimits, Subject, try_out


def taken_at_the_end(cell: Cell) -> None:
    """A program ends at its first step, unless a daemon takes the zone before."""
    zone = cell.signal("zone", False)

    @cell.program
    def robot() -> None:
        wait(~zone)

    @cell.program(daemon=True)
    def other() -> None:
        delay(0)
        zone.set(True)


def endings(build: Callable[[Cell], None]) -> list[str]:
    """How the runs of the exhaustive search end; without the random runs, which may find the same."""
    subject, reduction = Subject.of(build, None, ()), Reduction(by_order=True)
    found = []
    while not found or reduction.advance():
        trial, _ = try_out(subject, reduction, RunLimits(None, 1000), {})
        found.append(trial.ending)
    return found


def test_a_daemon_may_come_before_the_end_of_a_run() -> None:
    assert set(endings(taken_at_the_end)) == {"finished", "deadlock"}


def late(cell: Cell, comes: float, low: float = 0, high: float = 9) -> None:
    """A program that ends within an interval, beside a daemon that takes a zone for a moment."""
    zone = cell.signal("zone", False)

    @cell.program
    def robot() -> None:
        delay(interval("arrives", low, high))
        assert not zone, "the zone is taken"

    @cell.program(daemon=True)
    def other() -> None:
        delay(comes)
        zone.set(True)
        delay(0.0001)
        zone.set(False)


def test_a_program_could_have_ended_after_a_step_of_a_daemon() -> None:
    # In the usual run, the daemon has done nothing yet when the run ends.
    verdict = verify(lambda cell: late(cell, 5))
    assert [fault.kind for fault in verdict.faults] == ["assertion"]
    assert verify(lambda cell: late(cell, 9.5)).clean


def test_the_end_of_an_earlier_program_can_move_as_well() -> None:
    def build(cell: Cell) -> None:
        late(cell, 5)
        cell.program(lambda: delay(2), name="ends later")

    assert [fault.kind for fault in verify(build).faults] == ["assertion"]


def test_daemons_that_concern_nobody_cost_no_runs() -> None:
    def build(cell: Cell, crowd: int) -> None:
        late(cell, 9.5)
        for number in range(crowd):
            lamp = cell.signal(f"lamp{number}", False)

            def blinks(lamp=lamp) -> None:
                while True:
                    delay(0.1)
                    lamp.set(not lamp.value)

            cell.program(blinks, name=f"blinks{number}", daemon=True)

    alone, crowded = (verify(lambda cell, crowd=crowd: build(cell, crowd)) for crowd in (0, 3))
    assert alone.clean
    assert crowded.clean
    assert crowded.runs <= alone.runs + 20  # at most a few more random runs
