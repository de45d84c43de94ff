"""The cell with two kinds of parts: each kind is always machined on its own machine."""

import pytest

from drycell.base import hour, minute

from .outcome import built

BELONGS = {"low": "machine1", "tall": "machine2"}
SHORT = [("robot.pas", 1), ("robot.pas", 2), ("robot.py", 3)]
LONG = [(program, seed) for program in ("robot.pas", "robot.py") for seed in range(10, 15)]


@pytest.mark.parametrize(
    ("program", "seed", "time", "least"),
    [
        *((*each, 10 * minute, 4) for each in SHORT),
        *(pytest.param(*each, hour, 28, marks=pytest.mark.soak) for each in LONG),
    ],
)
def test_every_kind_ends_in_its_own_machine(program: str, seed: int, time: float, least: int) -> None:
    cell = built("35_two_kinds", program, seed)
    result = cell.run(time)
    assert result.collisions == ()
    assert result.parts.lost == 0
    assert result.parts.sunk >= least
    for part in result.parts.records:
        done = [each.by for each in part.machined]
        assert done == [BELONGS[part.kind]] if part.end == "sunk" else done in ([], [BELONGS[part.kind]])
        assert not part.where.startswith("machine") or part.where == f"{BELONGS[part.kind]}/rotary"
    assert {part.kind for part in result.parts.records if part.machined} == set(BELONGS)
