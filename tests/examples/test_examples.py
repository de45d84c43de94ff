"""Every example with a cell runs, prints what its ``expected.txt`` says, and writes the journal whose hash is pinned.

After a change that is meant to change them, look at the difference and write both files anew with

    DRYCELL_RENEW=1 .venv/bin/python -m pytest tests/examples
"""

import os
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from drycell.cell import CellSource, Result

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(
    folder
    for folder in (
        *FOLDER.iterdir(),
        *FOLDER.glob("20_sensors/*"),
        *FOLDER.glob("50_parts/*"),
        *FOLDER.glob("51_flow/**/*"),
        *FOLDER.glob("70_learning/*"),
    )
    if any((folder / name).is_file() for name in ("cell.py", "cell.yaml"))
)
RENEW = "DRYCELL_RENEW" in os.environ


@cache
def ran(folder: Path) -> tuple[str, Result]:
    """What an example prints, its result's summary below, and the result."""
    printed = StringIO()
    with redirect_stdout(printed):
        result = CellSource.find(folder).build().run()
    return f"{printed.getvalue()}{result.summary()}\n", result


def compare(file: Path, text: str) -> None:
    if RENEW:
        file.write_text(text, encoding="utf-8")
    assert file.is_file(), f"{file} is missing: DRYCELL_RENEW=1 writes it"
    assert text == file.read_text(encoding="utf-8")


def test_there_are_examples() -> None:
    assert EXAMPLES[0].name == "00_first_cell"


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.relative_to(FOLDER).as_posix())
def test_an_example_prints_what_it_says(folder: Path) -> None:
    compare(folder / "expected.txt", ran(folder)[0])


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.relative_to(FOLDER).as_posix())
def test_an_examples_journal_is_pinned_by_its_hash(folder: Path) -> None:
    compare(folder / "expected.sha256", f"{ran(folder)[1].journal_hash}\n")


def test_the_first_cell_touches_down_and_reports_the_planted_near_miss() -> None:
    text, result = ran(EXAMPLES[0])
    assert result.clean
    (near,) = result.near_misses
    assert {near.a, near.b} == {"block", "post"}
    # The post ends 15 mm from x = 498 mm, the block 30 mm from x = 450 mm: 483 mm − 480 mm.
    assert near.distance == pytest.approx(0.003, abs=1e-6)
    # The block is held at half its height of 50 mm, and touches the table.
    assert "with the tool 25.00 mm above it" in text
