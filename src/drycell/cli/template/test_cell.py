"""Tests for the cell. Run them with `pytest`: drycell's plug-in provides `drycell_cell`."""

import pytest

from drycell.testing import verify


@pytest.mark.seeds(range(3))  # three runs, each with different arrival times
def test_every_part_reaches_the_bin(drycell_cell):
    bench = drycell_cell(".")
    result = bench.run(until=60)
    assert result.no_near_miss
    assert result.parts_lost == 0
    assert bench.signal("bin.count").value >= 6


def test_the_arm_does_not_move_without_the_light_barrier(drycell_cell):
    bench = drycell_cell(".")
    bench.cell.fault("part_at_pick", "stuck_off", at=0)
    result = bench.run(until=20)
    assert bench.signal("bin.count").value == 0
    assert [program.waits_for for program in result.waiting] == ["part_at_pick"]


def test_no_sampled_arrival_time_leads_to_a_fault(drycell_cell):
    # Arrival times move parts, so only samples of them can be tried: 40 runs do not cover them all.
    verdict = verify(drycell_cell("."), until=12, budget=40)
    assert not verdict.faults, verdict
