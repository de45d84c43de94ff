"""The examples of exceptions print what their ``expected.txt`` says; DRYCELL_RENEW=1 rewrites these files."""

import os
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from drycell.cell import CellSource

FOLDER = Path(__file__).parents[2] / "examples" / "33_exceptions"


@pytest.mark.parametrize("name", ["broken_machine", "missing_part"])
def test_an_example_recovers_as_it_says(name: str) -> None:
    with redirect_stdout(StringIO()) as printed:
        result = CellSource.find(FOLDER / name).build().run()
    text, file = f"{printed.getvalue()}{result.summary()}\n", FOLDER / name / "expected.txt"
    if "DRYCELL_RENEW" in os.environ:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
