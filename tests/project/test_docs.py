"""The documentation is correct: every cell file in it is valid, every link, path and call it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from drycell.cell import Model

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
CELL_FILE = (ROOT / "docs" / "cell-file.md").read_text()
BLOCKS = [
    pytest.param(match[1], id=f"line{CELL_FILE.count(chr(10), 0, match.start()) + 1}")
    for match in re.finditer(r"^```yaml(?: file=\S+)?\n(.*?)^```$", CELL_FILE, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("text", BLOCKS)
def test_every_cell_file_in_the_documentation_reads_and_saves(text: str) -> None:
    model = Model.read(text)
    assert Model.read(model.text()) == model


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_the_map_names_every_package_and_only_files_that_exist() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    source = ROOT / "src" / "drycell"
    for package in sorted(path.name for path in source.iterdir() if (path / "__init__.py").exists()):
        assert f"`{package}`" in text, package
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", text):
        assert (source / name).exists() or (ROOT / name).exists(), name


WALKS = (ROOT / "docs" / "map.md").read_text().partition("## Five walks")[2].partition("\n## ")[0]
STEPS = [" ".join(step.split()) for step in re.findall(r"^\d\. (.+(?:\n   .+)*)", WALKS, re.MULTILINE)]
REMARK = re.compile(r"\*\((?:implementations|registered)\b[^)]*\)\* ")
FUNCTION = re.compile(r"(?:`([\w/]+\.py)` )?`([\w.]+)`")


@cache
def functions(file: str) -> dict[str, ast.AST]:
    """The functions and methods of a file of the package by qualified name."""
    found: dict[str, ast.AST] = {}

    def enter(scope: ast.AST, prefix: str) -> None:
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if not isinstance(node, ast.ClassDef):
                    found[prefix + node.name] = node
                enter(node, f"{prefix}{node.name}.")

    path = ROOT / "src" / "drycell" / file
    enter(ast.parse(path.read_text() if path.is_file() else ""), "")
    return found


def calls(function: ast.AST, name: str) -> bool:
    """Whether a function calls another, as far as the name shows: a method after a dot, a class for its __init__."""
    owner, _, last = name.rpartition(".")
    if last == "__init__":
        owner, last = "", owner
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    attributes = {each.attr for each in called if isinstance(each, ast.Attribute)}
    return last in attributes or (not owner and last in {each.id for each in called if isinstance(each, ast.Name)})


def wrong_arrows(step: str) -> list[str]:
    """The mistakes in a step of a walk: wrong notation, unknown functions, and calls that do not exist."""
    wrong, file, left = list[str](), "", None
    for part in step.partition(" — ")[0].split(" → "):
        direct = REMARK.match(part) is None
        right = None
        for written in REMARK.sub("", part, count=1).split(", "):
            match = FUNCTION.fullmatch(written)
            if match is None:
                return [*wrong, f"not a function: {written}"]
            file, name = match[1] or file, match[2]
            right = functions(file).get(name)
            if right is None:
                return [*wrong, f"{file} has no function {name}"]
            if left is not None and direct and not calls(left, name):
                wrong.append(f"{left.name} does not call {name}")
        left = right
    return wrong


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.split("`")[3])
def test_every_arrow_of_the_walks_in_the_map_is_a_call(step: str) -> None:
    assert "→" in step
    assert wrong_arrows(step) == []


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("`cell/cell.py` `Cell.run` → `Cell.add`", "run does not call Cell.add"),
        ("`cell/cell.py` `Cell.run` → `cell/running.py` `start`", "cell/running.py has no function start"),
        ("`cell/cell.py` `Cell.run` → the rest", "not a function: the rest"),
    ],
)
def test_a_wrong_arrow_is_found(step: str, message: str) -> None:
    assert wrong_arrows(step) == [message]


def test_every_decision_is_listed_and_says_what_was_rejected() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        assert f"decisions/{page.name}" in index
        text = page.read_text()
        for part in ("## Context", "## Decision", "jected", "## Consequences"):
            assert part in text, f"{page.name}: {part}"


def test_the_glossary_has_each_term_once_in_alphabetical_order() -> None:
    terms = re.findall(r"^\*\*(.+?)\*\*:", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    assert terms == sorted(set(terms), key=str.lower)
