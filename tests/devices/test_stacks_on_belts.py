"""The room that a part takes on a belt includes everything stacked on it."""

from drycell.base import Pose, mm
from drycell.geometry import Box
from drycell.world import LiveBody


def test_the_queue_keeps_clear_of_the_third_storey_and_closes_up_when_it_is_taken_off(belt_bench) -> None:
    bench = belt_bench()
    tray = bench.put("tray", 700 * mm, length=100 * mm)
    crate = bench.world.add(LiveBody("crate", Box(80 * mm, 40 * mm, 50 * mm), part=True), tray, Pose(0, 0, 40 * mm))
    plank = bench.world.add(LiveBody("plank", Box(200 * mm, 40 * mm, 20 * mm), part=True), crate, Pose(0, 0, 35 * mm))
    last = bench.put("last", 300 * mm)
    bench.at(20, lambda: bench.world.place(plank, Pose(0, 2, 0)))
    bench.run(30)
    # The plank is 50 mm longer at either end: it stops at 1000 mm, and is stopped at 800 mm.
    assert [bench.front(part, 15) for part in (tray, last)] == [950, 800]
    assert [bench.front(part) for part in (tray, last)] == [1000, 900]
