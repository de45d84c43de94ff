"""Small programs with results computed by hand: they have the usual meaning of Pascal."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from drycell.languages.kit import SourceText
from drycell.languages.pascal import load_pascal

CASES = re.findall(
    r"^== (.*)\n((?:.*\n)*?)--\n((?:(?!==).*\n)*)", (Path(__file__).parent / "semantics.txt").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(("text", "printed"), [pytest.param(*each[1:], id=each[0]) for each in CASES])
def test_a_program_prints_what_it_should(shown: Callable[[str], str], text: str, printed: str) -> None:
    lines = [line.rstrip() for line in shown(text).split("\n")]
    assert lines == printed.removesuffix("\n").removesuffix("\n").split("\n")


def test_there_are_many_of_them() -> None:
    assert len(CASES) >= 80


def test_a_program_starts_anew_each_time() -> None:
    lines: list[str] = []
    program = load_pascal(SourceText("var n: integer; begin n := n + 1; writeln(n) end."), echo=lines.append)
    program()
    program()
    assert lines == ["1", "1"]
