"""Every error says what, where and what to try, and can be passed between processes."""

import ast
import pickle
import re
from pathlib import Path

import pytest

from drycell.base import CellFileError, DrycellError, Mistake, MotionError, UnknownName, did_you_mean, errors


def test_an_error_has_three_parts() -> None:
    error = MotionError("elbow needs 141.2 deg, limit -130.0..130.0 deg", where="41.250 s, seed 7", hint="elbow=down")
    assert str(error) == "elbow needs 141.2 deg, limit -130.0..130.0 deg\n  at 41.250 s, seed 7\n  try: elbow=down"


def test_where_can_be_filled_in_later() -> None:
    error = MotionError("cannot reach 'mill/fixture'")
    assert str(error) == "cannot reach 'mill/fixture'"
    error.where = "41.250 s"
    assert str(error) == "cannot reach 'mill/fixture'\n  at 41.250 s"


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("tabel", ["table", "block"], "did you mean 'table'?"),
        ("TABLE", ["table", "block"], "did you mean 'table'?"),
        ("xyz", ["table", "block"], "choose one of: 'block', 'table'"),
        ("xyz", [], "there are none yet; define one first"),
        ("xyz", [*"abcdefghijklmn"], "choose one of: " + ", ".join(map(repr, "abcdefghijkl")) + " and 2 more"),
    ],
)
def test_an_unknown_name_gets_the_nearest_known_ones(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint


def test_unknown_name_says_what_kind_of_thing_is_missing() -> None:
    error = UnknownName("robot", "amr", ["arm", "gantry"], where="cell.yaml, line 3")
    assert str(error) == "there is no robot 'amr'\n  at cell.yaml, line 3\n  try: did you mean 'arm'?"
    assert error.known == ["arm", "gantry"]


def test_one_mistake_in_a_file_reads_as_one_error() -> None:
    mistake = Mistake("'300' has no unit", field="robots.arm.at", line=14, column=12, hint="write '150 mm'")
    error = CellFileError.of("cell.yaml", [mistake])
    assert str(error) == (
        "cell.yaml:14:12: robots.arm.at: '300' has no unit\n  at cell.yaml, line 14\n  try: write '150 mm'"
    )
    assert error.mistakes == (mistake,)


def test_several_mistakes_are_listed_together() -> None:
    error = CellFileError.of("cell.yaml", [Mistake("too long", "name", 1, 7), Mistake("odd", "run", 4, 1, "leave it")])
    assert str(error) == (
        "cell.yaml has 2 mistakes\n"
        "  cell.yaml:1:7: name: too long\n"
        "  cell.yaml:4:1: run: odd\n"
        "    try: leave it\n"
        "  at cell.yaml, line 1"
    )


def test_the_first_ten_of_many_mistakes_are_shown() -> None:
    error = CellFileError.of("cell.yaml", [Mistake("odd", line=n + 1) for n in range(12)])
    assert "cell.yaml:10: odd\n  … and 2 more" in str(error)
    assert len(error.mistakes) == 12


@pytest.mark.parametrize(
    "error",
    [
        DrycellError("what", where="here", hint="that"),
        UnknownName("body", "tabel", ["table"]),
        CellFileError.of("cell.yaml", [Mistake("odd", "run", 4, 1, "leave it")]),
    ],
)
def test_errors_cross_process_borders(error: DrycellError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_the_error_tree_in_the_docstring_is_correct() -> None:
    classes = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, Exception)]
    for kind in classes:
        assert issubclass(kind, DrycellError)
        assert kind.__name__ in (errors.__doc__ or "")


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    """Compares with the source, not with the loaded classes: errors not imported yet belong to the tree, too."""
    drawn, above = set(), {0: "DrycellError"}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ([│├└─ ]+)(\w+)", line)
        if found and "── " in found[1]:
            depth = len(found[1]) // 4
            above[depth] = found[2]
            drawn.add((above[depth - 1], found[2]))
    classes = [
        each
        for file in (Path(errors.__file__).parents[1]).rglob("*.py")
        for each in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(each, ast.ClassDef)
    ]
    real, waiting = set(), ["DrycellError"]
    while waiting:
        parent = waiting.pop()
        below = {each.name for each in classes if parent in [ast.unparse(base).split(".")[-1] for base in each.bases]}
        real |= {(parent, name) for name in below}
        waiting += below
    assert drawn == real
