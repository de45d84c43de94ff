"""Parts arrive according to their law, with the given kinds and weights, and wait until there is room."""

from statistics import fmean, pstdev

import pytest

from drycell import Body, Cell, Conveyor, Sink, Source, delay
from drycell.base import FieldError, Pose, deg, mm, s
from drycell.devices import Every, PartKind
from drycell.geometry import Box, Cylinder
from drycell.kernel import Kernel, RandomWalkChooser
from drycell.world import Travel

PLATE = Box(50 * mm, 40 * mm, 20 * mm)


def cell_with_belt(seconds: float, **belt: object) -> Cell:
    cell = Cell("feed", seed=3)
    cell.add("belt", Conveyor(**{"length": 1.0, "width": 0.2, "speed": 100 * mm, **belt}))
    cell.program(lambda: delay(seconds), name="clock")
    return cell


def times(cell: Cell, kind: str = "arrives") -> list[float]:
    return [record.time / 1e6 for record in cell.kernel.journal.records if record.kind == kind]


def test_parts_arrive_at_fixed_intervals_on_the_belts_entry() -> None:
    cell = cell_with_belt(10)
    source = cell.add("feed", Source(kinds=PLATE, on="belt", every=3 * s, first=1 * s))
    cell.run()
    assert times(cell) == [1, 4, 7, 10]
    assert source.count.value == 4
    first = cell.world.body("part1")
    # Its rear end was at the start of the belt: the middle 25 mm further, 20 mm thick on a belt 100 mm high.
    assert cell.world.pose(first, 1_000_000).position == pytest.approx((-0.475, 0, 0.06))
    assert cell.world.pose(first, 2_000_000).position == pytest.approx((-0.375, 0, 0.06))


def test_a_part_can_be_turned_and_set_aside() -> None:
    cell = cell_with_belt(1)
    at = Pose(10 * mm, 30 * mm, 0) @ Pose.turn_z(90 * deg) @ Pose.turn_x(90 * deg)
    cell.add("feed", Source(kinds=Cylinder(10 * mm, 60 * mm), on="belt", every=100 * s, at=at))
    cell.run()
    # The roll lies along the belt, 60 mm long and 10 mm thick each way.
    assert cell.world.pose(cell.world.body("part1"), 0).position == pytest.approx((-0.46, 0.03, 0.06))


def test_no_more_come_than_the_limit() -> None:
    cell = cell_with_belt(30)
    cell.add("feed", Source(kinds=PLATE, on="belt", every=2 * s, limit=3))
    cell.add("nothing", Source(kinds=PLATE, on="belt", every=2 * s, limit=0))
    cell.run()
    assert times(cell) == [0, 2, 4]


def test_a_source_waits_for_the_instant_the_entry_is_free() -> None:
    cell = cell_with_belt(10)
    source = cell.add("feed", Source(kinds=PLATE, on="belt", every=0.2 * s))
    cell.run(until=2.1)
    # The previous part has moved its own length of 50 mm after half a second.
    assert times(cell) == [0, 0.5, 1, 1.5, 2]
    assert source.waits == 4
    assert times(cell, "waits") == [0.2, 0.7, 1.2, 1.7]
    assert [(t / 1e6, on) for t, on, _ in source.waiting.history[:5]] == [
        (0, False), (0.2, True), (0.5, False), (0.7, True), (1, False),
    ]  # fmt: skip


def test_the_instant_is_found_anew_when_the_belt_stops_and_starts() -> None:
    cell = cell_with_belt(10)
    cell.add("feed", Source(kinds=PLATE, on="belt", every=0.2 * s, limit=2))
    belt = cell.devices["belt"]

    @cell.program
    def stops() -> None:
        delay(0.3)
        belt.stop()
        delay(3)
        belt.start()

    cell.run()
    assert times(cell) == [0, 3.5]


def test_a_blocked_source_goes_on_when_a_part_is_taken_from_the_queue() -> None:
    cell = cell_with_belt(10, length=0.12)
    cell.add("feed", Source(kinds=PLATE, on="belt", every=1 * s))

    @cell.program
    def take() -> None:
        delay(5)
        cell.world.remove(cell.world.body("part1"))

    cell.run()
    # Two fit on the belt. After the first has left, the second must move 30 mm + 20 mm until the entry is free.
    assert times(cell) == [0, 1, 5.3]


def test_two_sources_share_one_entry() -> None:
    cell = cell_with_belt(2)
    cell.add("a", Source(kinds={"a": PLATE}, on="belt", every=1 * s, first=0.1 * s, limit=1))
    cell.add("b", Source(kinds={"b": PLATE}, on="belt", every=1 * s, first=0.2 * s, limit=1))
    cell.add("c", Source(kinds={"c": PLATE}, on="belt", every=1 * s, first=0.3 * s, limit=1))
    cell.run()
    assert times(cell) == [0.1, 0.6, 1.1]
    assert [name for name in cell.world.bodies if name != "belt"] == ["a1", "b1", "c1"]


def test_no_event_is_spent_on_waiting() -> None:
    cell = cell_with_belt(1000, length=0.06)
    cell.add("feed", Source(kinds=PLATE, on="belt", every=1 * s))
    cell.run()
    assert cell.kernel.sequence < 60


def test_parts_can_be_put_on_a_place_and_wait_until_what_lies_there_has_gone() -> None:
    cell = Cell("place")
    table = cell.add("table", Body(Box(400 * mm, 400 * mm, 20 * mm)))
    source = cell.add("feed", Source(kinds=PLATE, on=table.name, every=1 * s, at=(50 * mm, 0), limit=2))

    @cell.program
    def take() -> None:
        delay(3)
        part = cell.world.body("part1")
        # Up at 10 mm/s: its bottom passes the next one's top, 20 mm higher, after 2 s.
        cell.world.move(part, Travel(3_000_000, 9_000_000, part.pose, (0, 0, 10 * mm)))
        delay(7)

    cell.run()
    assert cell.world.body("part2").pose.position == pytest.approx((0.05, 0, 0.02))
    assert times(cell)[0] == 0
    assert times(cell)[1] == pytest.approx(5, abs=1e-3)
    assert source.waits == 1


def draws(every: Every, count: int = 4000) -> list[float]:
    kernel = Kernel(7)
    return [every.draw(kernel, "feed") for _ in range(count)]


def test_laws_have_the_mean_and_spread_they_are_given() -> None:
    assert set(draws(Every((5.0,)))) == {5.0}
    uniform = draws(Every((10.0, 20.0), "uniform"))
    assert min(uniform) > 10 < max(uniform) < 20
    assert fmean(uniform) == pytest.approx(15, abs=0.2)
    assert pstdev(uniform) == pytest.approx(10 / 12**0.5, abs=0.1)
    exponential = draws(Every((5.0,), "exponential"))
    assert fmean(exponential) == pytest.approx(5, abs=0.3)
    assert pstdev(exponential) == pytest.approx(5, abs=0.4)
    normal = draws(Every((5.0,), "normal", sigma=1.0))
    assert fmean(normal) == pytest.approx(5, abs=0.06)
    assert pstdev(normal) == pytest.approx(1, abs=0.05)
    assert min(draws(Every((1.0,), "normal", sigma=1.0, least=0.5))) >= 0.5


def test_a_declared_interval_is_for_the_chooser_to_decide() -> None:
    kernel = Kernel(0, RandomWalkChooser(1))
    every = Every((2.0, 4.0))
    assert {every.draw(kernel, "feed") for _ in range(20)} == {2.0, 4.0}
    assert {record.subject for record in kernel.journal.records} == {"feed.interval"}


def test_a_source_draws_from_a_stream_of_its_own() -> None:
    def arrivals(others: int) -> list[float]:
        cell = cell_with_belt(60)
        cell.add(
            "feed", Source(kinds={"a": PartKind(PLATE, weight=2.0), "b": PLATE}, on="belt", every=9, law="exponential")
        )
        for number in range(others):
            cell.add(
                f"other{number}",
                Source(kinds={"o": Box(1 * mm, 1 * mm, 1 * mm)}, on="belt", every=7, law="exponential", at=(0, 0.09)),
            )
        cell.run()
        records = cell.kernel.journal.records
        return [(r.time, r.subject) for r in records if r.kind == "arrives" and r.fields["source"] == "feed"]

    assert arrivals(0) == arrivals(2)
    assert len(arrivals(0)) > 3


def test_kinds_arrive_in_proportion_to_their_weights() -> None:
    cell = cell_with_belt(10_000, speed=1.0, end="fall")
    cell.add("bin", Sink(shape=Box(1.0, 1.0, 0.01), at=(1.0, 0, -0.5)))
    kinds = {"plate": PartKind(PLATE, "steel", 3.0), "block": PartKind(PLATE, "brass", 1.0)}
    cell.add("feed", Source(kinds=kinds, on="belt", every=10))
    parts = cell.run().parts
    plates = [each for each in parts.records if each.kind == "plate"]
    assert parts.arrived == 1001
    assert len(plates) / parts.arrived == pytest.approx(0.75, abs=0.04)
    assert [each.name for each in plates[:2]] == ["plate1", "plate2"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"times": (1.0, 2.0, 3.0)}, "the law 'interval' needs 1 or 2 times, not 3"),
        ({"times": (1.0,), "law": "uniform"}, "the law 'uniform' needs 2 times, not 1"),
        ({"times": (3.0, 2.0)}, "the limits 3.000 s and 2.000 s are in the wrong order"),
        ({"times": (0.0,)}, "the time between two arrivals must be above 0 s, not 0.000 s"),
        ({"times": (1.0,), "sigma": 2.0}, "'sigma' of 2.000 s does not suit the law 'interval'"),
        ({"times": (1.0,), "law": "normal", "sigma": 1.0, "least": 2.0},
         "a normal law cannot have values of at least 2.000 s with a mean of 1.000 s"),
        ({"times": (1.0,), "law": "poisson"}, "'poisson' is not a law of intervals"),
    ],
)  # fmt: skip
def test_laws_that_make_no_sense_are_refused(given, text: str) -> None:
    with pytest.raises(FieldError) as raised:
        Every(**given)
    assert raised.value.what == text


def test_a_source_of_large_parts_is_not_starved_by_one_of_small_parts() -> None:
    cell = Cell("fair")
    belt = cell.add("belt", Conveyor(length=1.0, width=0.3, speed=0.1, end="fall"))
    cell.add("bin", Sink(shape=Box(1.0, 1.0, 0.1), at=(1.0, 0, -1.0)))
    small = cell.add("small", Source(kinds=Box(0.1, 0.05, 0.05), on=belt.name, every=0.7))
    large = cell.add("large", Source(kinds=Box(0.2, 0.05, 0.05), on=belt.name, every=0.5))
    aside = cell.add("aside", Source(kinds=Box(0.1, 0.05, 0.05), on=belt.name, every=2.0, at=(0, 0.1)))
    cell.run(until=9.5)
    # They take turns: a large part finds 0.2 m free 2 s after a small one arrived, a small part 1 s after a large one.
    assert [time for time, _, _ in small.count.history[1:]] == [0, 3_000_000, 6_000_000, 9_000_000]
    assert [time for time, _, _ in large.count.history[1:]] == [2_000_000, 5_000_000, 8_000_000]
    assert aside.waits == 0  # in a lane of its own, nothing is in its way
