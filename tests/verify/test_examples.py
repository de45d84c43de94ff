"""The planted faults are found, reported as in the examples, and replayed byte for byte; the corrected cells are clean.

After a change that is meant to change the report, look at the difference and write the files anew with

    DRYCELL_RENEW=1 .venv/bin/python -m pytest tests/verify/test_examples.py
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from drycell.cell import CellSource
from drycell.cli.main import main
from drycell.verify import Verdict, verify

EXAMPLES = Path(__file__).parents[2] / "examples" / "31_verify"
PLANTED = {
    "exact_tie": "deadlock",
    "lost_pulse": "lost signal",
    "wide_sensors": "lost signal",
    "wrong_branch": "order",
}
FOLDERS = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())


@cache
def searched(name: str) -> Verdict:
    return verify(EXAMPLES / name, budget=100)


def test_every_fault_has_its_corrected_twin() -> None:
    assert sorted(PLANTED) == [name for name in FOLDERS if not name.endswith("_corrected")]
    assert [f"{name}_corrected" for name in sorted(PLANTED)] == [name for name in FOLDERS if name not in PLANTED]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_search_agrees_with_the_example(name: str) -> None:
    printed = re.sub(r", \d+\.\d s", "", f"{searched(name)}\n")
    file = EXAMPLES / name / "expected.txt"
    if "DRYCELL_RENEW" in os.environ:
        file.write_text(printed, encoding="utf-8")
    assert printed == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "kind"), PLANTED.items())
def test_a_planted_fault_is_found_within_100_runs_and_10_s(name: str, kind: str) -> None:
    verdict = searched(name)
    assert verdict.finding is not None
    assert verdict.finding.fault.kind == kind
    assert verdict.runs <= 100
    assert verdict.seconds < 10


@pytest.mark.parametrize("name", PLANTED)
def test_the_usual_run_does_not_show_a_planted_fault(name: str) -> None:
    assert CellSource.find(EXAMPLES / name).build(seed=1).run().ending == "finished"


@pytest.mark.parametrize("name", PLANTED)
def test_a_corrected_cell_is_exhausted_clean(name: str) -> None:
    verdict = searched(f"{name}_corrected")
    assert verdict.clean
    assert verdict.scope.by_corners == ()


@pytest.mark.parametrize("name", PLANTED)
def test_the_run_with_the_fault_is_replayed_byte_for_byte(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verify(EXAMPLES / name, budget=100, out=tmp_path)
    assert verdict.finding is not None
    assert verdict.finding.recording == tmp_path / f"{name}-1.dry"
    assert main(["replay", str(verdict.finding.recording)]) == 0
    assert capsys.readouterr().out.startswith("identical: ")


@pytest.mark.parametrize("name", PLANTED)
def test_two_searches_say_the_same(name: str) -> None:
    again = verify(EXAMPLES / name, budget=100)
    assert (again.runs, again.finding) == (searched(name).runs, searched(name).finding)
