"""Parts end in sinks and lie in the slots of stores; both are recorded."""

import pytest

from drycell import Body, Box, Cell, Sink, Store, delay
from drycell.base import FieldError, Pose, ProgramError, WorldError, mm
from drycell.devices.sink import Taken
from drycell.devices.store import Stay
from drycell.record import figures

BLOCK = (20 * mm, 20 * mm, 20 * mm)


def shelf(cell: Cell, grid: tuple[int, int] = (3, 2)):
    return cell.add("shelf", Store(shape=Box(200 * mm, 100 * mm, 10 * mm), grid=grid, pitch=(50 * mm, 40 * mm)))


def lay(cell: Cell, name: str, x: float, y: float) -> None:
    """Lays a block on the shelf, as a gripper that opens does."""
    part = cell.add(name, Body(Box(*BLOCK), at=(x, y, 15 * mm), part=True))
    cell.gravity.release(part)


def test_slots_are_numbered_row_by_row_with_workpoints_that_point_down() -> None:
    store = shelf(Cell("store"))
    places = [tuple(round(v / mm, 6) for v in slot.workpoint.local.position) for slot in store.slots]
    assert places == [(-50, -20, 5), (0, -20, 5), (50, -20, 5), (-50, 20, 5), (0, 20, 5), (50, 20, 5)]
    assert store.slot(4).workpoint.name == "shelf.slot4"
    assert store.slot(4).workpoint.local.direction((0, 0, 1)) == pytest.approx((0, 0, -1))
    with pytest.raises(ProgramError, match=r"shelf has no slot 7: 7 is not between 1 and 6"):
        store.slot(7)


def test_a_store_tracks_its_parts_and_the_next_free_slot() -> None:
    cell = Cell("store")
    store = shelf(cell)
    free = []

    @cell.program
    def fill() -> None:
        free.append(store.next_free.name)
        lay(cell, "a", -48 * mm, -18 * mm)
        delay(1)
        free.append(store.next_free.name)
        lay(cell, "b", 52 * mm, 20 * mm)
        delay(1)
        cell.world.place(cell.body("a"), Pose(0, 1, 0))
        delay(1)
        free.append(store.next_free.name)

    result = cell.run()
    assert free == ["shelf.slot1", "shelf.slot2", "shelf.slot1"]
    assert store.stays == [Stay("a", "a", (), 1, 0.0, 2.0), Stay("b", "b", (), 6, 1.0, None)]
    assert [part.name for part in store.parts] == ["b"]
    assert [(t / 1e6, value) for t, value, _ in store.count.history] == [(0, 0), (0, 1), (1, 2), (2, 1)]
    assert (result.parts.stored, result.parts.inside) == (1, 1)
    assert (result.parts["b"].end, result.parts["b"].where, result.parts["b"].time) == ("stored", "shelf", 1.0)


def test_a_full_store_says_so() -> None:
    cell = Cell("store")
    store = shelf(cell, (1, 1))
    lay(cell, "a", 0, 0)

    @cell.program
    def more() -> None:
        delay(1)
        assert store.full.value is True
        store.next_free  # noqa: B018

    with pytest.raises(ProgramError) as raised:
        cell.run()
    assert raised.value.what == "shelf is full: 1 of 1 slots are taken"
    assert raised.value.hint == "wait for a free slot first: wait(~shelf.full)"


def test_a_part_beside_the_slots_or_in_a_taken_one_is_stored_without_a_slot() -> None:
    cell = Cell("store")
    store = shelf(cell, (1, 1))
    for name, x in (("a", 0), ("b", 22 * mm), ("c", 80 * mm)):
        lay(cell, name, x, 0)
    cell.program(lambda: delay(1), name="clock")
    assert cell.run().parts.stored == 3
    assert [stay.slot for stay in store.stays] == [1, None, None]


def test_a_sink_takes_out_what_comes_to_rest_on_it() -> None:
    cell = Cell("sink")
    cell.settling = "keep"
    sink = cell.add("bin", Sink(shape=Box(200 * mm, 200 * mm, 10 * mm)))
    part = cell.add("part7", Body(Box(*BLOCK), at=(0, 0, 15 * mm + 4.903325 * mm), part=True))
    cell.part_tracking.machined(part, "mill")
    cell.check_collisions(clearance=5 * mm)

    @cell.program
    def drop() -> None:
        delay(1)
        cell.gravity.release(part)
        delay(1)

    result = cell.run()
    # 4.903325 mm take sqrt(2 · 0.004903325 / 9.80665) = 31.623 ms.
    (taken,) = sink.taken
    assert taken.time == pytest.approx(1.031623, abs=2e-6)
    assert taken == Taken(taken.time, "part7", "part", ("mill",))
    assert sink.count.value == 1
    assert "part7" not in cell.world.bodies
    assert (result.parts.sunk, result.parts.machined, result.parts.lost) == (1, 1, 0)
    assert not result.near_misses
    assert result.clean


def test_a_sink_takes_what_lies_on_a_part_with_it() -> None:
    cell = Cell("sink")
    sink = cell.add("bin", Sink(shape=Box(200 * mm, 200 * mm, 10 * mm)))
    tray = cell.add("tray", Body(Box(80 * mm, 80 * mm, 10 * mm), at=(0, 0, 10 * mm), part=True))
    cell.add("nut", Body(Box(*BLOCK), on=tray.name))
    cell.gravity.release(tray)
    cell.program(lambda: delay(1), name="clock")
    assert cell.run().parts.sunk == 2
    assert [taken.part for taken in sink.taken] == ["tray", "nut"]


def test_an_invalid_store_is_refused() -> None:
    cell = Cell("store")
    with pytest.raises(FieldError) as raised:
        shelf(cell, (0, 2))
    assert raised.value.what == "Store.grid: a grid of 0 × 2 has no slots"
    cell = Cell("twice")
    shelf(cell)
    with pytest.raises(WorldError, match="there is already a store 'shelf'"):
        shelf(cell)


def test_parts_on_a_stored_part_are_stored_and_leave_with_it() -> None:
    cell = Cell("stack")
    store = shelf(cell)
    tray = cell.add("tray", Body(Box(40 * mm, 30 * mm, 10 * mm), on="shelf", at=(-50 * mm, -20 * mm)))
    cell.add("top", Body(Box(*BLOCK), on=tray.name))
    counts = []

    @cell.program
    def clear() -> None:
        delay(1)
        counts.append((store.count.value, figures.parts(cell.record, cell.kernel.now).stored))
        cell.world.place(tray, Pose(0, 1, 0))
        delay(1)
        counts.append((store.count.value, figures.parts(cell.record, cell.kernel.now).stored))

    cell.run()
    assert counts == [(2, 2), (0, 0)]
    assert [(stay.part, stay.slot, stay.since, stay.until) for stay in store.stays] == [
        ("tray", 1, 0.0, 1.0),
        ("top", None, 0.0, 1.0),
    ]


def test_a_part_between_a_taken_slot_and_a_free_one_uses_the_free_one() -> None:
    cell = Cell("between")
    store = shelf(cell)

    @cell.program
    def fill() -> None:
        lay(cell, "a", -50 * mm, -20 * mm)
        lay(cell, "b", -25 * mm, -20 * mm)
        delay(1)

    cell.run()
    assert [stay.slot for stay in store.stays] == [1, 2]
    assert store.next_free.name == "shelf.slot3"
