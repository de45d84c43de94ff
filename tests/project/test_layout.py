"""The tree stays readable: modules have docstrings and clear subjects, and no text has a path of a machine."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
TEXTS = sorted(
    path
    for place in ("src", "tests", "docs", "examples", ".ci", "*.md", "*.toml", "*.lock", "Makefile", ".gitignore")
    for top in ROOT.glob(place)
    for path in (top.rglob("*") if top.is_dir() else [top])
    if path.is_file() and path.suffix not in (".pyc", ".png", ".stl", ".dry") and "__pycache__" not in path.parts
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_says_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text()))
    assert docstring, "the first line of a module says what the reader gets"


def test_no_module_is_a_dustbin() -> None:
    assert [path for path in MODULES if path.stem in ("utils", "util", "helpers", "common", "manager", "misc")] == []


def test_nothing_is_left_for_later() -> None:
    words = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
    assert [str(path) for path in TEXTS if words.search(path.read_text())] == []


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    folder = re.compile(r"(?<![\w.>}])/(?:home|Users|root|tmp|work|var)/\w|[A-Z]:\\\\?Users")
    found = []
    for path in TEXTS:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if folder.search(line) or str(ROOT) in line:
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []


def test_the_commands_of_the_makefile_are_all_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in ("demo", "test", "check", "bench", "soak", "lock", "clean", "help"):
        assert re.search(rf"^{command}:.*## \S", makefile, re.MULTILINE), command
    assert "exec make test" in (ROOT / ".ci" / "run").read_text()
