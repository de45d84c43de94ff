"""Random edits of every YAML file in the repository work as intended; damaged files are read or rejected."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from drycell.base import FileError, Node
from drycell.base.yamldoc import append, cut, parse, put, rename, substitute

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for folder in ("examples", "src", "tests") for path in (ROOT / folder).rglob("*.y*ml") if path.is_file()
)
# What the files in the repository do not contain.
ODD = """\
# top
list: &list
- a   # first
-
- &item {k: 1, 'quoted': "x"}   # in brackets
# between
-   # empty
- - nested
  - *item
  # below nested
  -
    deep: |+
      kept

    more: >-
      folded
      text
flow: {   # opened
  # about one
  one: 1,   # one
  two: [1,
    2,   # two
  ], 3: {}, four, "five":5,
  # last
}
copy: *list   # the same
empty:   # nothing
none: ~
text: several
  lines
? asked
: answer
'é 😀': {ü: [é, 😀]}   # ß
end: [[], [[]], {a: {b: c}}]"""

Path_ = tuple[str | int, ...]
VALUES: list[Any] = [
    None, True, 3, -0.5, "word", "two words", "a: #b", "", "it's", "12", "line\nbreak", "😀", [], {}, [1, "a", [2]],
    {"k": 1}, {"k": {"l": [1, {"m": "n"}]}, "o p": 2}, {"long": "x" * 60, "longer": "y" * 60},
]  # fmt: skip


def texts() -> list[str]:
    found = [ODD]
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        try:
            parse(text, path.name)
        except FileError:
            continue  # the example of a broken file in a test
        found.append(text)
    return found


def nodes(node: Node, path: Path_ = ()) -> Iterator[tuple[Path_, Node]]:
    yield path, node
    for step, inner in node.value.items() if isinstance(node.value, dict) else ():
        yield from nodes(inner, (*path, step))
    for index, item in enumerate(node.value) if isinstance(node.value, list) else ():
        yield from nodes(item, (*path, index))


def comments(text: str) -> Counter[str]:
    return Counter(line.strip() for line in re.split(r"\r?\n", text) if line.lstrip().startswith("#"))


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def at(data: Any, path: Path_) -> Any:
    for step in path:
        data = data[step]
    return data


Edit = tuple[str, Any, Path_]  # the new text, its expected data, and the path below which it may differ


def random_edit(text: str, chance: random.Random) -> Edit | None:
    """A random edit, or None if the chosen place does not allow it."""
    tree = parse(text, "file")
    path, node = chance.choice(list(nodes(tree)))
    data, value = deepcopy(tree.plain()), deepcopy(chance.choice(VALUES))
    fresh = chance.choice(["new", "x y", "7", "é", "a:b", "on"])
    match chance.choice(["put", "put", "insert", "insert", "parents", "cut", "cut", "append", "rename", "substitute"]):
        case "put" if path:
            at(data, path[:-1])[path[-1]] = value
            return put(text, "file", path, value), data, path
        case "insert" if isinstance(node.value, dict) and fresh not in node.value:
            at(data, path)[fresh] = value
            return put(text, "file", (*path, fresh), value), data, path
        case "parents" if isinstance(node.value, dict) and fresh not in node.value:
            at(data, path)[fresh] = {"a": {"b": value}}
            return put(text, "file", (*path, fresh, "a", "b"), value), data, path
        case "cut" if path:
            del at(data, path[:-1])[path[-1]]
            return cut(text, "file", path), data, path[:-1]
        case "append" if isinstance(node.value, list):
            at(data, path).append(value)
            return append(text, "file", path, value), data, path
        case "rename" if path and isinstance(path[-1], str) and fresh not in at(data, path[:-1]):
            holder = at(data, path[:-1])
            items = [(fresh if key == path[-1] else key, item) for key, item in holder.items()]
            holder.clear()
            holder.update(items)
            return rename(text, "file", [(path, fresh)]), data, path[:-1]
        case "substitute":
            places = [each for each, inner in nodes(tree) if each and not isinstance(inner.value, dict | list)]
            chosen = [each for each in places if chance.random() < 0.3]
            for each in chosen:
                at(data, each[:-1])[each[-1]] = value
            return substitute(text, "file", [(each, value) for each in chosen]), data, ()
    return None


def check_edit(old: str, new: str, data: Any, path: Path_, aliases: bool) -> None:
    assert same(parse(new, "file").plain(), data)
    assert ("\r\n" in new) == ("\r\n" in old) or new.count("\n") == 0
    assert "\r\n" not in old or not re.search(r"(?<!\r)\n", new)
    tree = parse(old, "file")
    node = tree.find(path)
    assert node is not None
    lost = comments(old) - comments(new)
    assert lost - comments(old[node.start : node.end]) == Counter()
    if path and not aliases:  # all lines before and after are unchanged
        named = next((path[:count] for count in range(len(path), 0, -1) if isinstance(path[count - 1], str)), ())
        start = old.rfind("\n", 0, tree.place(named, key=True).start) + 1
        end = old.find("\n", node.end)
        assert new.startswith(old[:start])
        assert end < 0 or new.endswith(old[end:])


def make_edits(count: int, seed: int) -> Counter[str]:
    """Edit random files, some of them repeatedly; return the number of edits."""
    chance, known, made = random.Random(seed), texts(), Counter[str]()
    while made["edits"] < count:
        text = chance.choice(known)
        if chance.random() < 0.3:
            text = text.replace("\n", "\r\n")
        if chance.random() < 0.2:
            text = text.rstrip()
        for _ in range(chance.randint(1, 4)):
            edit = random_edit(text, chance)
            if edit is not None:
                new, data, path = edit
                check_edit(text, new, data, path, "&" in text)
                text = new
                made["edits"] += 1
    return made


def test_random_edits_change_the_data_as_meant_and_keep_comments() -> None:
    assert len(FILES) > 50
    make_edits(200, seed=1)


@pytest.mark.soak
def test_many_random_edits(capsys: pytest.CaptureFixture[str]) -> None:
    made = make_edits(5000, seed=2)
    with capsys.disabled():
        print(f"\n{made['edits']} random edits on {len(texts())} YAML texts: data as meant, comments kept")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_without_libyaml_the_tree_is_the_same(newline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [text.replace("\n", newline) for text in [ODD, f"\ufeff{ODD}", *random.Random(5).sample(texts(), 8)]]
    fast = [list(flat(parse(text, "file"))) for text in known]
    monkeypatch.delattr("yaml.CSafeLoader")
    assert [list(flat(parse(text, "file"))) for text in known] == fast


def flat(node: Node) -> Iterator[tuple[Any, ...]]:
    """All attributes of every node."""
    for path, inner in nodes(node):
        keys = [(key.line, key.column, key.start, key.end) for key in inner.keys.values()]
        value = inner.value if not isinstance(inner.value, dict | list) else type(inner.value)
        yield path, value, inner.line, inner.column, inner.start, inner.end, inner.flow, keys


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(text) + 1)
        match chance.randrange(4):
            case 0:
                text = text[:place] + text[place + chance.randint(1, 5) :]
            case 1:
                text = (
                    text[:place]
                    + chance.choice("\t\n\r :,-[]{}&*!|>'\"%@`?#\\~\x00\x07\x85\u2028\ufeff\ud800😀")
                    + text[place:]
                )
            case 2:
                other = chance.randrange(len(text) + 1)
                text = text[:place] + text[other : other + chance.randint(1, 30)] + text[place:]
            case _:
                text = (
                    text[:place]
                    + chance.choice(["&x ", "*x", "<<: ", "!!x ", "\n---\n", "? ", "|+\n", "\n- "])
                    + text[place:]
                )
    return text


def read_damaged(count: int, seed: int) -> Counter[str]:
    """Read and edit damaged files: only FileError may be raised."""
    chance, known, seen = random.Random(seed), texts(), Counter[str]()
    for _ in range(count):
        text = damaged(chance.choice([ODD, *known])[: chance.choice([300, 3000])], chance)
        try:
            parse(text, "file")
        except FileError as error:
            seen["refused" if error.mistakes else "refused without a place"] += 1
            continue
        try:
            edit = random_edit(text, chance)
        except FileError:
            seen["edits refused"] += 1
            continue
        seen["read"] += 1
        if edit is not None:
            assert same(parse(edit[0], "file").plain(), edit[1])
            seen["edited"] += 1
    return seen


def test_damaged_texts_are_read_or_refused() -> None:
    seen = read_damaged(300, seed=3)
    assert seen["refused"] > 50
    assert seen["refused without a place"] == 0
    assert seen["edited"] > 5


@pytest.mark.soak
def test_many_damaged_texts(capsys: pytest.CaptureFixture[str]) -> None:
    seen = read_damaged(10_000, seed=4)
    with capsys.disabled():
        print(f"\n10000 damaged YAML texts: {dict(seen)}")
