"""Every part is accounted for: arrived = stored + sunk + inside + lost, whatever happens."""

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Body, Cell, Conveyor, Sink, Source, Store, delay
from drycell.base import Pose, UnknownName, mm
from drycell.geometry import Box
from drycell.record import figures
from drycell.world import lineage

ACTIONS = st.lists(
    st.tuples(
        st.integers(0, 3000),
        st.sampled_from(["store", "sink", "edge", "out", "machine", "belt", "back", "stop", "start"]),
        st.integers(0, 100),
    ),
    max_size=25,
)


def cell_of_everything(seed: int) -> Cell:
    cell = Cell("all", seed=seed)
    cell.add("belt", Conveyor(length=0.6, width=0.2, speed=100 * mm))
    cell.add("feed", Source(kinds=Box(50 * mm, 40 * mm, 20 * mm), on="belt", every=2, law="exponential", limit=12))
    cell.add("shelf", Store(shape=Box(0.4, 0.4, 0.02), grid=(3, 3), pitch=(0.1, 0.1), at=(0, 0.6, 0)))
    cell.add("bin", Sink(shape=Box(0.3, 0.3, 0.02), at=(0, -0.6, 0)))
    table = cell.add("table", Body(Box(0.3, 0.3, 0.02), at=(0.8, 0, 0)))
    cell.add("spare", Body(Box(40 * mm, 40 * mm, 40 * mm), on=table.name))
    return cell


@settings(max_examples=60, deadline=None)
@given(story=ACTIONS, seed=st.integers(0, 5))
def test_nothing_is_unaccounted_for(story, seed: int) -> None:
    cell = cell_of_everything(seed)
    ever = {body for body in cell.world.bodies.values() if body.part}
    cell.world.subscribe(lambda body: ever.add(body) if body.part else None)

    def balance() -> None:
        parts = figures.parts(cell.record, cell.kernel.now)
        assert parts.arrived == parts.stored + parts.sunk + parts.inside + parts.lost
        # Counted by hand, from the world itself.
        here = [body for body in cell.world.bodies.values() if body.part]
        stored = [body for body in here if cell.body("shelf") in lineage(body)]
        fallen = [body for body in cell.gravity.lost if body in here]
        assert parts.arrived == cell.devices["feed"].count.peek() + 1
        assert parts.stored == len(stored)
        assert parts.sunk == cell.devices["bin"].count.peek()
        assert parts.inside == len(here) - len(stored) - len(fallen)
        assert parts.lost == len(ever) - len(here) - parts.sunk + len(fallen)
        assert len({each.name for each in parts.records}) == parts.arrived

    def put(part, x: float, y: float) -> None:
        cell.world.place(part, Pose(x, y, 0.06))
        cell.gravity.release(part)

    @cell.program
    def live() -> None:
        for wait, action, number in story:
            delay(wait / 1000)
            loose = [body for body in cell.world.bodies.values() if body.part and not cell.gravity.falls(body)]
            if not loose:
                continue
            part = loose[number % len(loose)]
            if action == "store":
                put(part, (number % 3 - 1) * 0.1, 0.6 + (number % 2) * 0.1)
            elif action == "sink":
                put(part, 0, -0.6)
            elif action == "edge":
                put(part, 2, 2)
            elif action == "out":
                cell.world.remove(part)
            elif action == "machine":
                cell.part_tracking.machined(part, "mill")
            elif action in ("belt", "back"):
                put(part, -0.2 if action == "back" else 0.2, 0)
            else:
                cell.devices["belt"].run.set(action == "start")
            delay(0.3)
            balance()
        delay(5)
        balance()

    result = cell.run()
    balance()
    assert result.parts.kept


def test_a_record_reports_the_life_of_a_part() -> None:
    cell = cell_of_everything(0)

    @cell.program
    def live() -> None:
        delay(1)
        part = cell.world.body("part1")
        cell.part_tracking.machined(part, "lathe")
        delay(1)
        cell.part_tracking.machined(part, "mill")
        cell.world.place(part, Pose(0, 0.6, 0.03))
        cell.gravity.release(part)
        delay(1)

    result = cell.run()
    record = result.parts["part1"]
    assert (record.kind, record.source, record.arrived) == ("part", "feed", 0.0)
    assert [(each.by, each.time) for each in record.machined] == [("lathe", 1.0), ("mill", 2.0)]
    assert (record.end, record.where) == ("stored", "shelf")
    spare = result.parts["spare"]
    assert (spare.source, spare.arrived, spare.end, spare.where, spare.time) == ("", 0.0, "inside", "table", 3.0)
    others = result.parts.arrived - 1
    line = f"{result.parts.arrived} arrived · 1 machined and stored · {others} in the cell · 0 lost"
    assert line in result.summary()
    assert result.as_json()["parts"] == {
        "arrived": others + 1, "machined": 1, "stored": 1, "sunk": 0, "inside": others, "lost": 0,
    }  # fmt: skip


def test_a_cell_without_sources_stores_and_sinks_counts_but_says_nothing() -> None:
    cell = Cell("plain")
    table = cell.add("table", Body(Box(0.3, 0.3, 0.02)))
    cell.add("block", Body(Box(40 * mm, 40 * mm, 40 * mm), on=table.name))
    cell.program(lambda: delay(1), name="clock")
    result = cell.run()
    assert result.parts.inside == 1
    assert "arrived" not in result.summary()


def test_asking_for_a_part_that_never_was_names_those_that_were() -> None:
    parts = cell_of_everything(0).run(until=1).parts
    with pytest.raises(UnknownName, match=r"there is no part 'par1'\n  try: did you mean 'part1'"):
        _ = parts["par1"]
