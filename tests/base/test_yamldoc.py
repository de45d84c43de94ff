"""YAML is read with positions or rejected with one clear error; an edit changes only its own place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drycell.base import MOST_BYTES, FileError, Node, block, inline, read_text, yamldoc
from drycell.base.yamldoc import MOST_DEPTH, MOST_NODES, Layout, parse


def read(text: str) -> Node:
    return parse(text, "cell.yaml")


def put(text: str, path: tuple[str | int, ...], value: object, layout: Layout = Layout()) -> str:  # noqa: B008
    return yamldoc.put(text, "cell.yaml", path, value, layout)


def cut(text: str, *path: str | int) -> str:
    return yamldoc.cut(text, "cell.yaml", path)


def append(text: str, path: tuple[str | int, ...], item: object) -> str:
    return yamldoc.append(text, "cell.yaml", path, item)


def rename(text: str, *keys: tuple[tuple[str | int, ...], str]) -> str:
    return yamldoc.rename(text, "cell.yaml", keys)


def substitute(text: str, *values: tuple[tuple[str | int, ...], object]) -> str:
    return yamldoc.substitute(text, "cell.yaml", values)


# ---------------------------------------------------------------- reading


def test_plain_values() -> None:
    text = "a: 1\nb: 2.5\nc: true\nd: ~\ne: 150 mm\nf: 'true'\ng: [1e3, -.5, 1_000, 0x1F, .inf]\non: yes\n"
    assert read(text).plain() == {
        "a": 1, "b": 2.5, "c": True, "d": None, "e": "150 mm", "f": "true",
        "g": [1000.0, -0.5, "1_000", "0x1F", ".inf"], "on": "yes",
    }  # fmt: skip


def test_positions_are_lines_and_columns_from_one() -> None:
    tree = read("name: x\nbodies:\n  table:\n    at: [1, 2]\n  empty:\n")

    def place(path: tuple[str | int, ...], key: bool = False) -> tuple[int, int]:
        node = tree.place(path, key=key)
        return node.line, node.column

    assert place(("bodies", "table", "at", 1)) == (4, 13)
    assert place(("bodies", "table", "at"), key=True) == (4, 5)
    assert place(("bodies", "table", "colour")) == (3, 3)  # up to the last written column
    assert place(("bodies", "empty")) == (5, 3)


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_ranges_count_characters(start: str, newline: str) -> None:
    lines = ["ä😀: é", "b: {c: 😀x, d: [1, '']}", "e: |", "  x", "  😀", "", "# c", "f:", "- é", "-"]
    text = start + "".join(line + newline for line in lines)
    tree = read(text)
    found = {path: tree.find(path) for path in [("ä😀",), ("b",), ("b", "c"), ("b", "d", 1), ("e",), ("f",), ("f", 1)]}
    assert [text[node.start : node.end] for node in found.values() if node is not None] == [
        "é", "{c: 😀x, d: [1, '']}", "😀x", "''", newline.join(lines[2:5])[3:], newline.join(lines[8:10]), "",
    ]  # fmt: skip
    assert [text[key.start : key.end] for key in tree.keys.values()] == ["ä😀", "b", "e", "f"]
    assert (tree.keys["f"].line, tree.keys["f"].column) == (8, 1)


def test_an_alias_is_read_as_its_anchor_and_has_its_own_place() -> None:
    tree = read("a: &x [1, 2]\nb: *x\n&k c: 3\nd: *k\n&n 4: 5\ne: *n\n")
    assert tree.plain() == {"a": [1, 2], "b": [1, 2], "c": 3, "d": "c", "4": 5, "e": 4}
    assert (tree.place(("b",)).line, tree.place(("b",)).column) == (2, 4)
    assert (tree.place(("b", 1)).line, tree.place(("b", 1)).column) == (1, 11)


def test_a_place_can_be_looked_up_for_any_path() -> None:
    tree = read("a: [1]\n")
    assert tree.find(("a", 0)) is not None
    assert [tree.find(path) for path in (("a", 1), ("a", -1), ("a", "0"), ("b",), ("a", 0, "c"), (0,))] == [None] * 6


def bomb() -> str:
    """Ten lines that would expand to ten thousand million values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines)


def tower() -> str:
    """Flat lines that would expand to a list nested too deep."""
    return "a0: &a0 [x]\n" + "\n".join(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100))


BROKEN = [
    ("", "cell.yaml: the file is empty"),
    ("# nothing\n", "cell.yaml: the file is empty"),
    ("a: !!python/name:os [ls]", "cell.yaml:1:4: the tag 'tag:yaml.org,2002:python/name:os' is not supported"),
    ("a: !thing 1", "cell.yaml:1:4: the tag '!thing' is not supported"),
    ("a: 1\na: 2", "cell.yaml:2:1: 'a' is defined twice, first in line 1"),
    ("1: 1\n'1': 2", "cell.yaml:2:1: '1' is defined twice, first in line 1"),
    ("1.5: 2", "cell.yaml:1:1: a field name must be text, got 1.5"),
    ("? [a]\n: 1", "cell.yaml:1:3: a field name must be text, got a list or mapping"),
    ("a: *x", "cell.yaml:1:4: the alias '*x' has no anchor above it"),
    ("a: &x [*x]", "cell.yaml:1:8: the alias '*x' has no anchor above it"),
    ("<<: {a: 1}", "cell.yaml:1:1: merging with '<<' is not supported"),
    ("a: 1\n---\nb: 1", "cell.yaml:2:1: the file has a second YAML document"),
    ("[" * 1000, "cell.yaml:1:61: nested 61 levels deep; the limit is 60"),
    ("- " * 1000, "cell.yaml:1:121: nested 61 levels deep; the limit is 60"),
    (tower(), "cell.yaml:60:12: nested 61 levels deep; the limit is 60"),
    (bomb(), f"cell.yaml:5:45: the file has more than {MOST_NODES} values, counting every alias in full"),
    ("x" * (MOST_BYTES + 1), f"cell.yaml: the file has {MOST_BYTES + 1} characters; the limit is {MOST_BYTES}"),
    ("é😀: 1\nb: \x07", "cell.yaml:2:4: invalid YAML: a control character"),
    ("a: 1\nb: \ud800", "cell.yaml:2:4: invalid YAML: a control character"),
]


@pytest.mark.parametrize("parser", ["libyaml", "PyYAML"])
@pytest.mark.parametrize(("text", "says"), BROKEN)
def test_syntax_errors_are_reported_with_their_position(
    text: str, says: str, parser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parser == "PyYAML":
        monkeypatch.delattr("yaml.CSafeLoader")
    with pytest.raises(FileError) as caught:
        read(text)
    assert caught.value.what == says


def test_an_open_bracket_is_reported_with_position_and_hint() -> None:
    with pytest.raises(FileError) as caught:
        read("name: x\nbodies: {table: [1\n")
    assert caught.value.what.startswith("cell.yaml:3:1: invalid YAML: while parsing a flow sequence")
    assert caught.value.hint == "check indentation, colons and brackets; put text with ':' or '#' in quotes"


def test_an_exception_inside_the_parser_becomes_a_file_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="invalid YAML: while parsing a quoted scalar"):
        read('a: "\\UFFFFFFFF"')
    monkeypatch.delattr("yaml.CSafeLoader")
    with pytest.raises(FileError, match="invalid YAML: Python int too large"):
        read('a: "\\UFFFFFFFF"')


def test_data_of_any_allowed_depth_is_read() -> None:
    data = read("[" * MOST_DEPTH + "]" * MOST_DEPTH).plain()
    for _ in range(MOST_DEPTH - 1):
        (data,) = data
    assert data == []


def test_a_text_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    for start in ("", "\ufeff"):
        (tmp_path / "a.yaml").write_text(f"{start}name: Tür", encoding="utf-8")
        assert read_text(tmp_path / "a.yaml") == "name: Tür"


def test_error_for_an_unreadable_file_gives_the_reason(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(FileError, match=r"cell.yaml:2: the file is not UTF-8 text"):
        read_text(tmp_path / "cell.yaml")
    with pytest.raises(FileError, match="there is no file") as caught:
        read_text(tmp_path / "cel.yaml")
    assert caught.value.hint == "did you mean 'cell.yaml'?"
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        read_text(tmp_path)


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"), (True, "true"), (3, "3"), (2.5, "2.5"), (1e-7, "1e-07"), (1e22, "1e+22"), ("150 mm", "150 mm"),
        ("-5.5 deg", "-5.5 deg"), ("true", "'true'"), ("True", "'True'"), ("~", "'~'"), ("", "''"), ("12", "'12'"),
        ("1e3", "'1e3'"), ("0x1F", "0x1F"), ("a b", "a b"), (" a", "' a'"), ("a ", "'a '"), ("a: b", "'a: b'"),
        ("a #b", "'a #b'"), ("it's", '"it\'s"'), ('say "x"', "'say \"x\"'"), ("a\nb", '"a\\nb"'), ("\\", "'\\'"),
        ("\x85\u2028\ufeff\x07\x7f", '"\\x85\\u2028\\ufeff\\x07\\x7f"'), ("Tür 😀", "'Tür 😀'"), ("Tür", "Tür"),
        ("on", "on"), ("../a.py", "../a.py"), (".inf", "'.inf'"),
        ("*", "'*'"), ("part*", "part*"), ("- a", "'- a'"), ("[a]", "'[a]'"), ("é, ü", "'é, ü'"),
        ([1, [2, "a"]], "[1, [2, a]]"), ((), "[]"), ({}, "{}"),
        ({"b c": {"12": 2, "012": 3}}, "{b c: {12: 2, '012': 3}}"),
    ],
)  # fmt: skip
def test_a_value_on_one_line_reads_back_as_itself(value: Any, written: str) -> None:
    assert inline(value) == written
    for text in (f"a: {written}\n", f"[[{written}]]", f"- {written}\n", f"{{a: {written}, b: 1}}"):
        data = read(text).plain()
        inner = data["a"] if isinstance(data, dict) else data[0]
        inner = inner[0] if text.startswith("[[") else inner
        assert repr(inner) == repr(list(value) if isinstance(value, tuple) else value)


def test_a_field_is_written_on_lines_if_it_is_to_be_open_or_is_long() -> None:
    value = {"a": {"b": 1, "c": {}}, "d": [1, 2]}
    assert list(block("x", value, 2, 0)) == ["  x: {a: {b: 1, c: {}}, d: [1, 2]}"]
    assert list(block("x", value, 2, 1)) == ["  x:", "    a: {b: 1, c: {}}", "    d: [1, 2]"]
    assert list(block("x", value, 0, 9, 4)) == ["x:", "    a:", "        b: 1", "        c: {}", "    d: [1, 2]"]
    assert list(block("x", {"a": "y" * 100}, 0, 0)) == ["x:", f"  a: {'y' * 100}"]
    assert list(block("x", {"a": "y\n\nz\n"}, 0, 1)) == ["x:", "  a: |", "    y", "", "    z"]


# ---------------------------------------------------------------- edits

TEXT = """\
# A small cell.
name: small   # its name

bodies:
  # The table comes first.
  table:
    shape: {box: [600 mm, 400 mm, 20 mm]}   # wide
    at: [0.3 m, 0]

  # What is moved.
  block: {on: table, at: [10 cm, 50 mm]}
empty:   # nothing yet
text: |
  # not a comment
  two lines

lists:
  indented:
    - a   # first
    - b: 1
      c: 2
    # in between
    -
      - nested   # deep
      - twice
  plain:
  - x

  - y
  flow: [1, [2, 3], {a: 1}]
several: {
  a: 1,   # one
  # above b
  b: 2,
  c: [1,
      2],  # three
  "d": 'four'
}
"""


def changed(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("name",), "large", "small   #", "large   #"),
        (("name",), {"a": 1}, "name: small   # its name\n", "name:   # its name\n  a: 1\n"),
        (("bodies", "table", "at", 0), "1 m", "0.3 m", "1 m"),
        (("bodies", "table", "shape", "box", 2), 5, "20 mm", "5"),
        (("bodies", "block", "on"), None, "on: table", "on: null"),
        (("bodies", "table"), 3, TEXT[TEXT.index("table:\n") : TEXT.index("\n\n  # What")], "table: 3"),
        (("empty",), "x", "empty:   #", "empty: x   #"),
        (("empty",), {"a": 1}, "empty:   # nothing yet\n", "empty:   # nothing yet\n  a: 1\n"),
        (("empty", "a", "b"), 1, "empty:   # nothing yet\n", "empty:   # nothing yet\n  a:\n    b: 1\n"),
        (("text",), "one", "|\n  # not a comment\n  two lines", "one"),
        (("text",), "a\n\n  b\n", "  # not a comment\n  two lines", "  a\n\n    b"),
        (("text",), "a\n b", "|\n  # not a comment\n  two lines", "|-\n  a\n   b"),
        (("text",), "a \n b", "|\n  # not a comment\n  two lines", '"a \\n b"'),
        (("name",), "a\nb", "small   # its name\n", "|-   # its name\n  a\n  b\n"),
        (("lists", "plain", 1), "a\nb", "- y", "- |-\n    a\n    b"),
        (("lists", "indented", 0), [1, 2], "- a   #", "- [1, 2]   #"),
        (("lists", "indented", 1), "z", "b: 1\n      c: 2", "z"),
        (("lists", "indented", 1, "c"), {"d": 1}, "c: 2", "c: {d: 1}"),
        (("lists", "indented", 2), "z", "-\n      - nested   # deep\n      - twice", "- z"),
        (("lists", "indented", 2, 0), None, "nested ", "null "),
        (("lists", "plain"), [], "plain:\n  - x\n\n  - y", "plain: []"),
        (("lists", "plain", 1), {"k": "v" * 100}, "- y", "- k: " + "v" * 100),
        (("lists", "flow", 1, 1), [], "3]", "[]]"),
        (("several", "b"), {"x": 1}, "b: 2", "b: {x: 1}"),
        (("several", "c"), 3, "[1,\n      2]", "3"),
        (("several", "d"), "it's", "'four'", '"it\'s"'),
        (("several", "d"), "five", "'four'", "'five'"),
        # new fields
        (("new",), 1, '"d": \'four\'\n}\n', '"d": \'four\'\n}\nnew: 1\n'),
        (("new",), {"a": {"b": {"c": 1}}}, '"d": \'four\'\n}\n', '"d": \'four\'\n}\nnew:\n  a:\n    b: {c: 1}\n'),
        (("bodies", "table", "on"), "floor", "    at: [0.3 m, 0]\n", "    at: [0.3 m, 0]\n    on: floor\n"),
        (("bodies", "disc"), {"r": 1}, "50 mm]}\n", "50 mm]}\n  disc:\n    r: 1\n"),
        (("bodies", "block", "x y"), {"a": []}, "50 mm]}", "50 mm], x y: {a: []}}"),
        (("lists", "indented", 1, "d"), 3, "c: 2\n", "c: 2\n      d: 3\n"),
        (("lists", "flow", 2, "b"), 2, "{a: 1}]", "{a: 1, b: 2}]"),
        (("several", "e"), 5, "'four'", "'four', e: 5"),
    ],
)  # fmt: skip
def test_put_changes_its_own_place(path: tuple[str | int, ...], value: object, old: str, new: str) -> None:
    assert put(TEXT, path, value) == changed(old, new)
    windows = put(TEXT.replace("\n", "\r\n"), path, value)
    assert windows == changed(old, new).replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (("name",), "name: small   # its name\n", ""),
        (("bodies", "table"), TEXT[TEXT.index("  table:") : TEXT.index("\n  # What is")], ""),
        (("bodies", "table", "shape"), "    shape: {box: [600 mm, 400 mm, 20 mm]}   # wide\n", ""),
        (("bodies", "table", "shape", "box"), "{box: [600 mm, 400 mm, 20 mm]}", "{}"),
        (("bodies", "table", "shape", "box", 0), "600 mm, ", ""),
        (("bodies", "table", "shape", "box", 2), ", 20 mm", ""),
        (("bodies", "block", "on"), "on: table, ", ""),
        (("bodies", "block", "at"), ", at: [10 cm, 50 mm]", ""),
        (("empty",), "empty:   # nothing yet\n", ""),
        (("text",), "text: |\n  # not a comment\n  two lines\n", ""),
        (("lists", "indented", 0), "    - a   # first\n", ""),
        (("lists", "indented", 1), "    - b: 1\n      c: 2\n", ""),
        (("lists", "indented", 1, "b"), "b: 1\n      c", "c"),
        (("lists", "indented", 1, "c"), "      c: 2\n", ""),
        (("lists", "indented", 2), "    -\n      - nested   # deep\n      - twice\n", ""),
        (("lists", "indented", 2, 0), "      - nested   # deep\n", ""),
        (("lists", "plain", 0), "  - x\n", ""),
        (("lists", "plain", 1), "  - y\n", ""),
        (("lists", "flow", 1), "[2, 3], ", ""),
        (("lists", "flow", 2, "a"), "{a: 1}]", "{}]"),
        (("several", "a"), "  a: 1,   # one\n", ""),
        (("several", "b"), "  b: 2,\n", ""),
        (("several", "c"), "  c: [1,\n      2],  # three\n", ""),
        (("several", "c", 0), "1,\n      2", "\n      2"),
        (("several", "c", 1), "[1,\n      2]", "[1]"),
    ],
)  # fmt: skip
def test_cut_removes_the_lines_of_an_entry(path: tuple[str | int, ...], old: str, new: str) -> None:
    assert cut(TEXT, *path) == changed(old, new)
    assert cut(TEXT.replace("\n", "\r\n"), *path) == changed(old, new).replace("\n", "\r\n")


def test_cut_of_the_last_in_brackets_keeps_the_comment_before_it() -> None:
    assert cut(TEXT, "several", "d") == changed("2],  # three\n  \"d\": 'four'\n", "2]  # three\n")


def test_emptied_containers_are_written_as_brackets_and_keep_comments() -> None:
    assert (
        cut("a:   # things\n  # the first\n  b: 1   # one\nc: 2\n", "a", "b")
        == "a: {}   # things\n  # the first\nc: 2\n"
    )
    assert cut("a:\n- b\nc: 2\n", "a", 0) == "a: []\nc: 2\n"
    assert cut("- - a: 1   # one\n- b\n", 0, 0, "a") == "- - {}\n- b\n"
    assert cut("# top\na: 1\n# end\n", "a") == "# top\n{}\n# end\n"
    assert put("# top\n{}\n# end\n", ("b",), 1) == "# top\nb: 1\n# end\n"
    assert cut("[a: 1, b]", 0, "a") == "[{}, b]"
    assert cut("a: { # c\n  b: 1,   # one\n}\n", "a", "b") == "a: { # c\n}\n"


@pytest.mark.parametrize(
    ("path", "item", "old", "new"),
    [
        (("lists", "indented"), {"d": 1}, "      - twice\n", "      - twice\n    - {d: 1}\n"),
        (("lists", "indented", 2), 7, "      - twice\n", "      - twice\n      - 7\n"),
        (("lists", "plain"), "z", "  - y\n", "  - y\n  - z\n"),
        (("lists", "plain"), {"k": "v" * 100, "l": 1}, "  - y\n", f"  - y\n  - k: {'v' * 100}\n    l: 1\n"),
        (("lists", "flow"), "z", "{a: 1}]", "{a: 1}, z]"),
        (("lists", "flow", 1), [4], "3]", "3, [4]]"),
        (("several", "c"), 3, "2],", "2, 3],"),
        (("empty",), 1, "empty:   #", "empty: [1]   #"),
        (("empty", "a"), 1, "empty:   # nothing yet\n", "empty:   # nothing yet\n  a: [1]\n"),
        (("bodies", "block", "tags"), "x", "50 mm]}", "50 mm], tags: [x]}"),
    ],
)  # fmt: skip
def test_append_adds_to_the_end_of_a_list(path: tuple[str | int, ...], item: object, old: str, new: str) -> None:
    assert append(TEXT, path, item) == changed(old, new)
    assert append(TEXT.replace("\n", "\r\n"), path, item) == changed(old, new).replace("\n", "\r\n")


def test_append_to_an_empty_list() -> None:
    assert append("a: []   # none\n", ("a",), 1) == "a: [1]   # none\n"
    assert append("a: [ # none\n]\n", ("a",), 1) == "a: [1 # none\n]\n"
    assert append("[]", (), "x") == "[x]"
    assert append("- a", (), "x") == "- a\n- x\n"


def test_an_empty_value_can_be_replaced_by_several_lines() -> None:
    assert put("a:\n-\nb:\n", ("a", 0), "x\ny") == "a:\n- |-\n  x\n  y\nb:\n"
    assert put("a:\nb:\n", ("a",), "x\ny\n") == "a: |\n  x\n  y\nb:\n"


def test_rename_exchanges_keys() -> None:
    text = 'a: {"b":1, c: *x}\n12: 2   # two\n'.replace("*x", "3")
    assert rename(text, (("a", "b"), "new"), (("a",), "12"), (("12",), "a")) == "a: 2   # two\n".join(
        ['12: {"new":1, c: 3}\n', ""]
    )
    assert rename(text, (("a", "c"), "a: b")) == text.replace("c:", "'a: b':")
    assert rename(text) == text


def test_substitute_exchanges_values_all_at_once() -> None:
    text = "a: [x, 'y']   # both\nb:\nc:\n  d: 1\n  e: 2   # two\n"
    values = [(("a", 0), 1), (("a", 1), "z"), (("b",), []), (("c", "e"), {"f": "x y"})]
    assert substitute(text, *values) == "a: [1, 'z']   # both\nb: []\nc:\n  d: 1\n  e: {f: x y}   # two\n"
    assert substitute(text, (("c",), None)) == "a: [x, 'y']   # both\nb:\nc: null\n"
    assert substitute(text) == text


# ---------------------------------------------------------------- layout of what is new


def test_new_fields_follow_the_order_of_the_layout() -> None:
    layout = Layout(order=lambda path: "abcd", levels=lambda path: 0)
    text = "x: {}\nb: 1   # b\n\n# about d\nd: 2\n"
    assert put(text, ("c",), {"k": 3}, layout) == text.replace("# b\n", "# b\nc: {k: 3}\n")
    assert put(text, ("a",), 3, layout) == "a: 3\n" + text
    assert put("x:\n  # about b\n  b: 1\n", ("x", "a"), 3, layout) == "x:\n  a: 3\n  # about b\n  b: 1\n"
    assert put("x: {b: 1, d: 2}", ("x", "c"), 3, layout) == "x: {b: 1, c: 3, d: 2}"
    assert put("x: {b: 1, d: 2}", ("x", "a"), 3, layout) == "x: {a: 3, b: 1, d: 2}"
    assert put("- b: 1\n", (0, "a"), 3, layout) == "- a: 3\n  b: 1\n"


def test_new_lines_are_indented_as_the_file_is() -> None:
    assert put("a:\n    b: 1\n", ("c",), {"d": 1}) == "a:\n    b: 1\nc:\n    d: 1\n"
    assert put("a:\n   - b: 1\nc:\n", ("c", "d"), 1) == "a:\n   - b: 1\nc:\n  d: 1\n"
    assert put("a:\n   - b: 1\n", ("a", 0, "c"), 1) == "a:\n   - b: 1\n     c: 1\n"


def test_a_mapping_in_place_of_another_is_edited_field_by_field() -> None:
    text = "a:\n  # about b\n  b: 1   # one\n  c: 2\n  d: {e: 3, f: 4}   # three\n"
    value = {"b": 1, "d": {"e": 3, "f": 5}, "g": 6}
    assert put(text, ("a",), value) == "a:\n  # about b\n  b: 1   # one\n  d: {e: 3, f: 5}   # three\n  g: 6\n"


def test_a_whole_file_can_be_put_in_place_of_another() -> None:
    text = "# top\na: 1   # one\nb: {c: 2}   # two\n"
    assert put(text, (), {"b": {"c": 3}, "d": [4]}) == "# top\nb: {c: 3}   # two\nd: [4]\n"
    assert put(text, (), {"x": 1}) == "# top\nx: 1\n"
    assert put("# top\n", (), {"x": 1}) == "# top\nx: 1\n"
    assert put(text, (), {}) == "# top\n{}\n"
    with pytest.raises(FileError, match="can only be replaced by a mapping"):
        put(text, (), [1])


def test_a_text_may_be_empty_before() -> None:
    assert put("", ("a", "b"), 1) == "a:\n  b: 1\n"
    assert put("# top", ("a",), 1) == "# top\na: 1\n"
    assert put("---\n# top\n", ("a",), 1) == "---\n# top\na: 1\n"


def test_a_last_line_without_a_line_break_gets_one_if_lines_follow() -> None:
    assert put("a: 1", ("a",), 2) == "a: 2"
    assert put("a: 1", ("b",), 2) == "a: 1\nb: 2\n"
    assert put("a: 1\r\nc: 2", ("b",), {"x": {}}) == "a: 1\r\nc: 2\r\nb:\r\n  x: {}\r\n"
    assert put("a:", ("a", "b"), 2) == "a:\n  b: 2\n"
    assert append("a:\n- 1", ("a",), 2) == "a:\n- 1\n- 2\n"
    assert cut("a: 1\nb: 2", "b") == "a: 1\n"


def test_comments_indented_below_an_entry_belong_to_it() -> None:
    text = "a:\n  b: 1\n  # more of a\n# about c\nc: 2\n"
    assert put(text, ("d",), 3, Layout(order=lambda path: "adc")) == text.replace("of a\n", "of a\nd: 3\n")


def test_block_scalars_keep_their_ends() -> None:
    kept = "a: |+\n  x\n\nb: 1\n"
    assert put(kept, ("c",), 1, Layout(order=lambda path: "acb")) == "a: |+\n  x\n\nc: 1\nb: 1\n"
    assert put(kept.replace("|", "&x |"), ("c",), 1, Layout(order=lambda path: "acb")).endswith("x\n\nc: 1\nb: 1\n")
    assert cut(kept, "a") == "b: 1\n"
    assert put("a: >\n  x\n\n\n# c\n", ("b",), 1) == "a: >\n  x\nb: 1\n\n\n# c\n"
    assert put("- |\n  x\n- b\n", (0,), "y") == "- y\n- b\n"


def test_a_block_scalar_does_not_get_the_line_break_that_the_last_line_needs() -> None:
    assert put("a: |\n  x", ("b",), 1) == "a: |-\n  x\nb: 1\n"
    assert put("a:\n  - >+2\n    x", ("b",), 1) == "a:\n  - >2-\n    x\nb: 1\n"
    assert append("- |-\n  x", (), 1) == "- |-\n  x\n- 1\n"


def test_unusual_keys_and_values_can_be_edited() -> None:
    assert put("{a, b: , 'c':1}", ("a",), 1) == "{a: 1, b: , 'c':1}"
    assert put("{a, b: , 'c':1}", ("b",), 1) == "{a, b: 1 , 'c':1}"
    assert put("{a, b: , 'c':1}", ("d",), 1, Layout(order=lambda path: "bd")) == "{a, b: , d: 1 , 'c':1}".replace(
        "b: , d: 1 ,", "b: , d: 1 ,"
    )
    assert put("[a: 1]", (0, "b"), 2) == "[{a: 1, b: 2}]"
    assert put("? a\n: 1\n? b\n: 2\n", ("a",), 3) == "? a\n: 3\n? b\n: 2\n"
    assert cut("? a\n: 1\n? b\n: 2\n", "b") == "? a\n: 1\n"


# ---------------------------------------------------------------- anchors and aliases


def test_an_edit_below_an_alias_replaces_it_with_a_copy() -> None:
    text = "a: &x {k: [1, 2]}   # shared\nb: *x   # b\nc: *x\n"
    assert put(text, ("b", "k", 0), 5) == text.replace("b: *x", "b: {k: [5, 2]}")
    assert cut(text, "c", "k", 1) == text.replace("c: *x", "c: {k: [1]}")
    assert append(text, ("c", "k"), 3) == text.replace("c: *x", "c: {k: [1, 2, 3]}")
    assert rename(text, (("b", "k"), "m")) == text.replace("b: *x", "b: {m: [1, 2]}")
    assert put(text, ("b",), 1) == text.replace("b: *x", "b: 1")
    assert cut(text, "b") == text.replace("b: *x   # b\n", "")


def test_editing_an_anchored_value_keeps_its_aliases() -> None:
    text = "a: &x {k: [1, 2]}   # shared\nb: *x   # b\nc: *x\n"
    rest = "b: &x {k: [1, 2]}   # b\nc: *x\n"
    assert put(text, ("a", "k", 0), 5) == "a: {k: [5, 2]}   # shared\n" + rest
    assert put(text, ("a",), 5) == "a: 5   # shared\n" + rest
    assert put(text, ("a", "m"), 5) == "a: {k: [1, 2], m: 5}   # shared\n" + rest
    assert rename(text, (("a", "k"), "m")) == "a: {m: [1, 2]}   # shared\n" + rest
    assert append(text, ("a", "k"), 3) == "a: {k: [1, 2, 3]}   # shared\n" + rest
    assert cut(text, "a") == rest
    assert rename(text, (("a",), "z")) == text.replace("a:", "z:")


def test_anchors_on_blocks_empty_values_and_keys() -> None:
    text = "a: &x\n  k: 1   # one\nb: *x\n"
    assert put(text, ("a", "k"), 2) == "a:\n  k: 2   # one\nb: &x {k: 1}\n"
    assert put(text, ("b", "k"), 2) == "a: &x\n  k: 1   # one\nb: {k: 2}\n"
    assert put("a: &x\nb: *x\n", ("a",), 2) == "a: 2\nb: &x null\n"
    assert rename("&x a: 1\nb: *x\n", (("a",), "c")) == "c: 1\nb: &x a\n"
    assert cut("a: &x [&y 1, *y]\nb: *y\nc: *x\n", "a") == "b: &y 1\nc: &x [1, 1]\n"
    assert put("- &x 1\n- *x\n", (0,), 2) == "- 2\n- &x 1\n"
    assert put("a: &x 1\n", ("a",), 2) == "a: &x 2\n"  # no alias refers to it: the anchor stays
    assert cut("a: &x\n- 1\n", "a", 0) == "a: &x []\n"


# ---------------------------------------------------------------- refusals


def test_invalid_edits_are_refused_with_their_field() -> None:
    text = "a: 1\nb: [1]\n"
    refused: list[tuple[Callable[[], str], str]] = [
        (lambda: put(text, ("a", "b"), 1), "cell.yaml:1:4: a: this is 1 and has no field 'b'"),
        (lambda: put(text, ("b", 1), 1), "cell.yaml:2:4: b: this is [1] and has no item 1"),
        (lambda: put(text, ("b", "c"), 1), "cell.yaml:2:4: b: this is [1] and has no field 'c'"),
        (lambda: cut(text, "c"), "cell.yaml:1:1: c: there is no such field"),
        (lambda: cut(text, "b", 1), "cell.yaml:2:1: b[1]: there is no such field"),
        (lambda: cut(text), "cell.yaml:1:1: there is no such field"),
        (lambda: append(text, ("a",), 1), "cell.yaml:1:4: a: expected a list to add the item to, got 1"),
        (lambda: rename(text, (("a",), "b")), "cell.yaml:1:4: a: there is already a field 'b'"),
        (lambda: rename(text, (("b", 0), "x")), "cell.yaml:2:5: b[0]: an item of a list has no name"),
        (lambda: substitute(text, (("c",), 1)), "cell.yaml:1:1: c: there is no such field"),
        (lambda: put(text, ("a",), float("nan")), "cell.yaml:1:4: a: nan cannot be written to a file"),
        (lambda: put(text, ("a",), {1, 2}), "cell.yaml:1:4: a: {1, 2} cannot be written to a file"),
        (lambda: put(text, ("a",), 10**18), "cell.yaml:1:4: a: this notation cannot be edited safely"),
        (lambda: put(text, ("a",), "\ud800"), "cell.yaml:1:1: this edit would make the file unreadable (cell.yaml:"),
        (lambda: put(text, ("x" * 2000,), 1), "cell.yaml:1:1: this edit would make the file unreadable"),
    ]
    for edit, says in refused:
        with pytest.raises(FileError) as caught:
            edit()
        assert caught.value.what[: len(says)] == says


def test_a_value_nested_too_deep_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(FileError, match="nested more than 60 deep"):
        put("a: 1\n", ("a",), value)


def _put_list(text: str, items: list[object]) -> str:
    return yamldoc.put(text, "f.yaml", ("at",), items)


def test_replacing_a_list_keeps_the_comments_between_its_items() -> None:
    text = "at:\n  # how far along\n  - 1 m   # x\n  # how far out\n  - '2 m'\n  - 3 m\nend: 1\n"
    assert _put_list(text, ["1 m", "5 m", "3 m"]) == text.replace("2 m", "5 m")
    assert _put_list(text, ["1 m", "3 m"]) == text.replace("  - '2 m'\n", "")
    assert _put_list(text, ["1 m", "2 m", "3 m", "4 m"]) == text.replace("  - 3 m\n", "  - 3 m\n  - 4 m\n")
    assert _put_list("at: [1 m,  # x\n  2 m]\n", ["1 m", "3 m"]) == "at: [1 m,  # x\n  3 m]\n"
    assert _put_list("at: ['1 m',   2 m]\n", ["1 m", "3 m"]) == "at: [1 m, 3 m]\n"  # no layout to keep


def test_lists_of_mappings_are_edited_field_by_field() -> None:
    text = "at:\n  - a: 1   # one\n    b: 2\n  - {a: 3}   # two\n"
    assert _put_list(text, [{"a": 1, "b": 5}, {"a": 3}]) == text.replace("b: 2", "b: 5")
    other = [{"c": 1}, 7, [1, {"a": 2}], 7, 7]
    assert yamldoc.parse(_put_list(text, other), "f").plain() == {"at": other}
