"""Parts that keep falling off a belt do not hide a deadlock: the effects of a fall are known."""

from drycell import Body, Cell, Conveyor, Sink, Source
from drycell.base import mm, s
from drycell.geometry import Box
from drycell.kernel import delay, wait


def falling() -> Cell:
    """A cell in which parts endlessly arrive, ride, fall into a bin and disappear."""
    cell = Cell("falling")
    cell.add("belt", Conveyor(length=0.6, width=0.2, speed=0.2, end="fall", at=(0, 0, 500 * mm)))
    cell.add("feed", Source(kinds={"block": Box(40 * mm, 40 * mm, 40 * mm)}, on="belt", every=1 * s))
    cell.add("bin", Sink(shape=Box(600 * mm, 400 * mm, 20 * mm), at=(500 * mm, 0)))
    return cell


def test_programs_that_wait_for_each_other_are_found_while_parts_fall() -> None:
    cell = falling()
    one, other = cell.signal("one", False), cell.signal("other", False)

    @cell.program
    def first() -> None:
        delay(10)
        wait(other)
        one.set(True)

    @cell.program
    def second() -> None:
        delay(10.5)
        wait(one)
        other.set(True)

    result = cell.run(60.0)
    assert result.ending == "deadlock"
    assert cell.time < 12.0


def test_a_program_that_waits_for_what_has_fallen_is_not_given_up() -> None:
    cell = falling()

    @cell.program
    def count() -> None:
        wait(cell.kernel.signal_named("bin.count") >= 12)

    assert cell.run(60.0).ending == "finished"


def test_a_program_that_waits_for_a_contact_with_what_falls_is_not_given_up() -> None:
    cell = Cell("watched")
    cell.add("belt", Conveyor(length=0.6, width=0.2, speed=0.2, end="fall", at=(0, 0, 500 * mm)))
    cell.add("part", Body(Box(40 * mm, 40 * mm, 40 * mm), on="belt"))
    cell.add("floor", Body(Box(1.0, 1.0, 20 * mm), at=(500 * mm, 0)))

    @cell.program
    def look() -> None:
        wait(cell.contact("part", "floor"))

    assert cell.run(60.0).ending == "finished"
