"""Hours of the event cell: nothing is lost, loading comes first, and no machine is idle without reason."""

import pytest

from drycell.base import hour, minute
from drycell.kernel import seconds

from .outcome import MACHINES, built, check_flow, unloads
from .spans import needlessly_idle

POLLED = 1.4
"""The longest an arm may stand by, in seconds. robot.pas asks for sensor 1 every 200 ms + 1000 ms, and acts on what it
has seen when such a round is over: 2.4 s after a part has come there at the latest. By then the part, 40 mm further at
40 mm/s, has been at sensor 2 for 1.4 s. With machines to wait for it looks once a second."""


@pytest.mark.parametrize(
    ("program", "time", "longest", "least"),
    [
        ("robot.pas", hour, POLLED, 55),
        ("robot.py", 30 * minute, 0.0, 26),  # it waits for events and never polls
        pytest.param("robot.pas", 8 * hour, POLLED, 460, marks=pytest.mark.soak),
        pytest.param("robot.py", 8 * hour, 0.0, 460, marks=pytest.mark.soak),
    ],
)
def test_a_shift_goes_well(program: str, time: float, longest: float, least: int) -> None:
    cell = built("30_event_cell", program)
    result = cell.run(time)
    check_flow(cell, result)
    assert result.parts.sunk >= least
    assert len(list(unloads(cell))) - result.parts.sunk in (0, 1)  # one may be in transit
    idle = {name: [seconds(end - begin) for begin, end in needlessly_idle(cell, name)] for name in MACHINES}
    for name, spans in idle.items():
        greatest, total = max(spans, default=0.0), sum(spans)
        print(f"{program}: {name} idle without need {len(spans)} times, {greatest:.3f} s at most, {total:.1f} s in all")
        assert greatest <= longest
