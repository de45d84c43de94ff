"""Timers and the order of one instant."""

import pytest

from drycell.base import BusyWait, KernelError
from drycell.kernel import Kernel, Rank, delay, wait


def test_order_at_one_instant_is_motions_sensors_devices_programs_requests() -> None:
    kernel = Kernel()
    order: list[str] = []

    def program() -> None:
        delay(1)
        order.append("program")

    kernel.spawn(program, daemon=True)
    for rank in reversed(Rank):
        kernel.at(1_000_000, lambda rank=rank: order.append(rank.name.lower()), rank)
    kernel.run(until=1_000_000)
    assert order == ["motion", "sensor", "device", "program", "program", "outside"]


def test_cancelled_timers_do_not_fire_or_extend_the_run() -> None:
    kernel = Kernel()
    fired: list[int] = []
    timer = kernel.at(5_000_000, lambda: fired.append(kernel.now))
    kernel.at(1_000_000, timer.cancel)
    outcome = kernel.run()
    assert fired == []
    assert not timer.alive
    assert outcome.time == 1_000_000  # not 5 s, because nothing happened then


def test_timers_in_the_past_are_refused() -> None:
    kernel = Kernel()
    kernel.at(2_000_000, lambda: kernel.at(1_500_000, print, owner="belt"))
    with pytest.raises(KernelError, match=r"belt asks for 1\.500000 s, but it is already 2\.000000 s"):
        kernel.run()


def test_events_at_the_time_limit_happen_and_later_ones_do_not() -> None:
    kernel = Kernel()
    fired: list[int] = []
    for time in (1_000_000, 2_000_000, 2_000_001):
        kernel.at(time, lambda: fired.append(kernel.now))
    outcome = kernel.run(until=2_000_000)
    assert fired == [1_000_000, 2_000_000]
    assert (outcome.ending, outcome.time) == ("until", 2_000_000)


def test_cancelled_timeouts_are_removed_from_the_queue() -> None:
    kernel = Kernel()
    toggle = kernel.signal("toggle", False, quiet=True)
    longest = []

    def program() -> None:
        for _ in range(5000):
            wait(toggle.changes(), timeout=3600)
            longest.append(len(kernel.queue))

    kernel.every(1000, lambda: toggle.set(not toggle.value))
    kernel.spawn(program)
    kernel.run()
    assert max(longest) < 1000


def test_timers_that_follow_each_other_endlessly_at_one_instant_are_found() -> None:
    kernel = Kernel()

    def again() -> None:
        kernel.at(kernel.now, again, owner="hopper")

    kernel.at(3_000_000, again, owner="hopper")
    with pytest.raises(BusyWait, match="'hopper' stops the clock") as caught:
        kernel.run()
    assert "3.000000 s" in str(caught.value)
