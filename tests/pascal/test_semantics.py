"""Small programs with results computed by hand: they have the usual meaning of Pascal."""

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from drycell.languages.kit import SourceText
from drycell.languages.pascal import PascalError, load_pascal, translator
from drycell.languages.pascal.program import parse_program

CASES = re.findall(
    r"^== (.*)\n((?:.*\n)*?)--\n((?:(?!==).*\n)*)", (Path(__file__).parent / "semantics.txt").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(("text", "printed"), [pytest.param(*each[1:], id=each[0]) for each in CASES])
def test_a_program_prints_what_it_should(shown: Callable[[str], str], text: str, printed: str) -> None:
    lines = [line.rstrip() for line in shown(text).split("\n")]
    assert lines == printed.removesuffix("\n").removesuffix("\n").split("\n")


def test_programs_that_are_compiled_in_pieces_print_the_same(
    shown: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translator, "_LONG", 1)
    for name, text, printed in CASES:
        lines = [line.rstrip() for line in shown(text).split("\n")]
        assert lines == printed.removesuffix("\n").removesuffix("\n").split("\n"), name


def long_program(statements: int, last: str = "") -> SourceText:
    added = "".join(f"  x := x + {each % 2};\n" for each in range(statements))
    return SourceText(f"program long;\nvar x: integer;\nbegin\n{added}{last}end.\n", "long.pas")


def test_the_memory_for_a_long_program_is_a_few_kilobytes_a_statement() -> None:
    checked = parse_program(long_program(5_000))
    tracemalloc.start()
    try:
        translator.translate(checked)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / 5_000 < 5_000  # 16 kB if the syntax trees of all statements are kept


def test_a_mistake_in_a_long_program_is_reported_like_in_a_short_one() -> None:
    printed: list[str] = []
    program = load_pascal(long_program(2_500, "  writeln(x);\n  x := x div (x - x)\n"), echo=printed.append)
    with pytest.raises(PascalError, match=r"long\.pas:2505:\d+: .*zero") as caught:
        program()
    assert printed == ["1250"]
    assert caught.value.calls == ()


def test_there_are_many_of_them() -> None:
    assert len(CASES) >= 80


def test_a_program_starts_anew_each_time() -> None:
    lines: list[str] = []
    program = load_pascal(SourceText("var n: integer; begin n := n + 1; writeln(n) end."), echo=lines.append)
    program()
    program()
    assert lines == ["1", "1"]
