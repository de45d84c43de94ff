"""A YAML text becomes plain data with places, or one clear error: no tag, bomb or broken byte gets further."""

import pytest

from drycell.datafile.tree import MOST_BYTES, MOST_NODES, Node, read_tree
from drycell.errors import FileError


def read(text: str) -> Node:
    return read_tree(text, "cell.yaml")


def test_plain_values() -> None:
    text = "a: 1\nb: 2.5\nc: true\nd: ~\ne: 150 mm\nf: 'true'\ng: [1e3, -.5, 1_000, 0x1F, .inf]\non: yes\n"
    assert read(text).plain() == {
        "a": 1, "b": 2.5, "c": True, "d": None, "e": "150 mm", "f": "true",
        "g": [1000.0, -0.5, "1_000", "0x1F", ".inf"], "on": "yes",
    }  # fmt: skip


def test_places_are_lines_and_columns_from_one() -> None:
    tree = read("name: x\nbodies:\n  table:\n    at: [1, 2]\n  empty:\n")
    assert tree.place_of(("bodies", "table", "at", 1)) == (4, 13)
    assert tree.place_of(("bodies", "table", "at"), key=True) == (4, 5)
    assert tree.place_of(("bodies", "table", "colour")) == (3, 3)  # as far as there is something written
    assert tree.place_of(("bodies", "empty")) == (5, 3)


def test_an_alias_stands_for_its_anchor() -> None:
    assert read("a: &x [1, 2]\nb: *x\n").plain() == {"a": [1, 2], "b": [1, 2]}


def bomb() -> str:
    """Ten lines that would unfold to ten thousand million values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cell.yaml: the file is empty"),
        ("# nothing\n", "cell.yaml: the file is empty"),
        ("a: !!python/name:os [ls]", "cell.yaml:1:4: the tag 'tag:yaml.org,2002:python/name:os' is not read"),
        ("a: !thing 1", "cell.yaml:1:4: the tag '!thing' is not read"),
        ("a: 1\na: 2", "cell.yaml:2:1: 'a' is there twice, first in line 1"),
        ("1.5: 2", "cell.yaml:1:1: a field's name must be a text, but this is 1.5"),
        ("? [a]\n: 1", "cell.yaml:1:3: a field's name must be a text, but this is a list or mapping"),
        ("a: *x", "cell.yaml:1:4: '*x' stands for nothing yet"),
        ("a: &x [*x]", "cell.yaml:1:8: '*x' stands for nothing yet"),
        ("<<: {a: 1}", "cell.yaml:1:1: '<<' (merging) is not read"),
        ("a: 1\n---\nb: 1", "cell.yaml:2:1: there is a second document"),
        ("[" * 1000, "cell.yaml:1:61: nested 61 deep, at most 60 are read"),
        ("- " * 1000, "cell.yaml:1:121: nested 61 deep, at most 60 are read"),
        (bomb(), f"cell.yaml:5:45: there are more than {MOST_NODES} values in it, aliases counted in full"),
        ("x" * (MOST_BYTES + 1), f"cell.yaml: the file has {MOST_BYTES + 1} characters, at most {MOST_BYTES} are read"),
        ("a: 1\nb: \x07", "cell.yaml:2:4: this is not YAML: a control character"),
    ],
)  # fmt: skip
def test_what_is_no_cell_file_is_said_with_its_place(text: str, says: str) -> None:
    with pytest.raises(FileError) as caught:
        read(text)
    assert caught.value.what == says


def test_a_bracket_left_open_is_said_with_its_place_and_what_to_look_at() -> None:
    with pytest.raises(FileError) as caught:
        read("name: x\nbodies: {table: [1\n")
    assert caught.value.what.startswith("cell.yaml:3:1: this is not YAML: while parsing a flow sequence")
    assert caught.value.hint == "look at indents, colons and brackets; put texts with ':' or '#' in quotes"


def test_a_fault_inside_the_parser_is_the_same_mistake() -> None:
    with pytest.raises(FileError, match="this is not YAML: Python int too large"):
        read('a: "\\UFFFFFFFF"')
