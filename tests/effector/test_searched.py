"""A search finds what the paper found: without numbers, a reply is taken for that of another command; with them, never.

After a change that is meant to change the printed findings, look at the difference and write the files anew with

    DRYCELL_RENEW=1 .venv/bin/python -m pytest tests/devices/effector/test_searched.py
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from drycell import Effector
from drycell.base import mm, s
from drycell.cell import Cell, CellSource
from drycell.cli.main import main
from drycell.effector.link import connect
from drycell.verify import Verdict, verify

EXAMPLES = Path(__file__).parents[2] / "examples" / "60_end_effector"


@cache
def searched(name: str) -> Verdict:
    return verify(EXAMPLES / name, budget=100)


@pytest.mark.parametrize("name", ["no_numbers", "numbers"])
def test_a_search_agrees_with_the_example(name: str) -> None:
    text = re.sub(r", \d+\.\d s", "", f"{searched(name)}\n")
    file = EXAMPLES / name / "expected.txt"
    if "DRYCELL_RENEW" in os.environ:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_without_numbers_a_reply_is_taken_for_that_of_another_move() -> None:
    finding = searched("no_numbers").finding
    assert finding is not None
    assert finding.fault.kind == "assertion"
    assert "asked for 20 mm, got 30 mm" in finding.fault.lines[0]


def test_the_usual_run_does_not_show_it() -> None:
    assert CellSource.find(EXAMPLES / "no_numbers").build(seed=1).run().ending == "finished"


def test_the_run_with_the_fault_is_replayed_byte_for_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finding = verify(EXAMPLES / "no_numbers", budget=100, out=tmp_path).finding
    assert finding is not None
    assert main(["replay", str(finding.recording)]) == 0
    assert capsys.readouterr().out.startswith("identical: ")


def test_with_numbers_all_orders_are_seen_and_none_is_at_fault() -> None:
    verdict = searched("numbers")
    assert verdict.clean
    assert verdict.scope.by_corners == ()


@pytest.mark.parametrize("numbered", [False, True])
def test_the_true_end_effector_shows_the_same_at_the_limits_of_its_delays(numbered: bool) -> None:
    def build(cell: Cell) -> None:
        cell.add("gripper", Effector(at=(0, 0, 0.5), carries=(0.001 * s, 1 * s)))

        @cell.program
        def planner() -> None:
            with connect("cell:gripper", numbered=numbered) as gripper:
                gripper.calls.begin("INI", {}, dict).wait()
                moves = {gap: gripper.move_to(gap) for gap in (20 * mm, 30 * mm)}
                for gap, ticket in moves.items():
                    assert abs(ticket.wait().gap - gap) < 1 * mm

    verdict = verify(build, budget=200)
    assert (verdict.finding is None) == numbered
    if verdict.finding is not None:
        assert verdict.finding.fault.kind == "assertion"
