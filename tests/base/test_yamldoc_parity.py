"""The tree from libyaml has the data and the places of the tree from ruamel.yaml, and the same texts are refused."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from drycell.base.yamldoc import MOST_BYTES, Node, parse
from drycell.datafile import tree
from drycell.errors import FileError

ROOT = Path(__file__).parents[2]


def texts() -> dict[str, str]:
    """Every YAML text of the repository: files, blocks in pages, and texts in tests that may be one."""
    files = [*ROOT.glob("src/**/*.y*ml"), *ROOT.glob("examples/**/*.y*ml"), *ROOT.glob("tests/**/*.y*ml")]
    found = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(files)}
    for page in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]:
        for block in re.finditer(r"^```ya?ml\n(.*?)^```", page.read_text(), re.S | re.M):
            found[f"{page.relative_to(ROOT)}:{block.start()}"] = block[1]
    for path in sorted({*ROOT.glob("tests/**/*.py")} - {*ROOT.glob("tests/base/*.py")}):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\w:\s", node.value):
                found[f"{path.relative_to(ROOT)}:{node.lineno}:{node.col_offset}"] = node.value
    return found


def places(node: tree.Node, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    for step, inner in node.value.items() if isinstance(node.value, dict) else ():
        yield from places(inner, (*path, step))
    for index, item in enumerate(node.value) if isinstance(node.value, list) else ():
        yield from places(item, (*path, index))


def outcome(text: str) -> tuple[tree.Node | FileError, Node | FileError]:
    old: tree.Node | FileError
    new: Node | FileError
    try:
        old = tree.read_tree(text, "file")
    except FileError as error:
        old = error
    try:
        new = parse(text, "file")
    except FileError as error:
        new = error
    return old, new


def differences(text: str) -> list[object]:
    old, new = outcome(text)
    if isinstance(old, FileError) or isinstance(new, FileError):
        if isinstance(old, FileError) and isinstance(new, FileError):
            ours = "not YAML" in old.what or (old.what == new.what and old.hint == new.hint)
            return [] if ours else [old.what, new.what]
        return [str(old)[:200], str(new)[:200]]
    if repr(old.plain()) != repr(new.plain()):
        return [old.plain(), new.plain()]
    found: list[object] = []
    for path in places(old):
        for key in (False, True):
            there = new.place(path, key=key)
            if old.place_of(path, key=key) != (there.line, there.column):
                found.append((path, key, old.place_of(path, key=key), (there.line, there.column)))
    return found


TEXTS = texts()


def test_every_yaml_text_of_the_repository_has_the_same_data_and_places() -> None:
    assert len(TEXTS) > 500
    assert {name: found for name, text in TEXTS.items() if (found := differences(text))} == {}


def test_broken_texts_are_refused_by_both() -> None:
    broken = [
        "", "# nothing\n", "---\n", "a: !!python/name:os [ls]", "a: !thing 1", "a: !!str 1", "a: 1\na: 2", "1.5: 2",
        "true: 2", "~: 2", ": 2", "? [a]\n: 1", "? {a: 1}\n: 1", "a: *x", "a: &x [*x]", "<<: {a: 1}", "a: 1\n---\nb: 1",
        "--- 1\n--- 2", "[" * 1000, "- " * 1000, "{a: " * 1000, "x" * (MOST_BYTES + 1), "a: 1\nb: \x07",
        "é: 😀\nb: \x00", "name: x\nbodies: {table: [1\n", 'a: "\\UFFFFFFFF"', "a: 'x", "a: b: c", "a:\n\tb: 1",
        "a: @x", "a: `x", "a: %x", "%YAML 3.0\n---\na: 1", "a: ]", "a: }", "[a, b", "- a\nb: 1", "a: 1\n- b",
        "a: 1\n b: 2", "a: > x", "&a", "*a", "&a a: 1\n*a : 2", "a: &", "a: *", "?", "a: \ud800",
    ]  # fmt: skip
    for text in broken:
        old, new = outcome(text)
        assert isinstance(old, FileError), text
        assert isinstance(new, FileError), text


@pytest.mark.parametrize(
    "text",
    [
        "a: ! 1", "a: |\n x\n  y\n z", "- ", "-\n-\n", "a:\nb:\n- \n-   # c\n", "{a, b: , 'c': }", "[a: 1, b, c: ]",
        "? a\n? b\n: 1", "a: &x\nb: *x\n", "a: &x {k: [1]}\nb: [*x, *x]", "\ufeffa: 1\nb: é 😀 # c\nc: [😀, x]\n",
        "é: 1\n😀: {b: 😀, c: 2}\n", "a: 1\r\nb:\r\n  - |\r\n    x\r\n  - c: 2\r\n", "a: 'x\n\n  y'\nb: 1\n",
        "--- # c\na: 1\n...\n", "a: x\n  y\nb: >-\n  z\n\n  w\n\nc: |+\n  q\n\nd: 1", "1: {2: 3}\n-4: x\n",
        "- - a\n  - b\n- c: 1",
    ],
)  # fmt: skip
def test_texts_at_the_edge_are_read_alike(text: str) -> None:
    assert differences(text) == []
