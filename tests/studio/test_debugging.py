"""Debugging in the studio: variables of a stopped program, and errors in a text before it is saved."""

import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from drycell.base import UnknownName
from drycell.cell import Cell, CellSource
from drycell.studio.host.diagnosis import diagnose
from drycell.studio.host.session import HostSession

from .asking import answered

EVENT_CELL = Path(__file__).parents[2] / "examples" / "30_event_cell"


def found(file: str | Path, text: str, cell: Cell | None = None) -> list[tuple[str, str]]:
    """The findings in a text: the underlined piece and the message."""
    lines = text.split("\n")
    return [
        (lines[each.line - 1][each.column - 1 : each.end_column - 1 if each.end_line == each.line else None], each.text)
        for each in diagnose(Path(file), text, cell).findings
    ]


# -------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    "path", sorted(EVENT_CELL.parent.glob("*/*.*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_nothing_is_wrong_with_the_examples(path: Path) -> None:
    if path.suffix in (".py", ".pas", ".arl", ".eml", ".yaml"):
        assert found(path, path.read_text()) == []


def test_a_syntax_error_of_python_is_shown_at_its_place() -> None:
    assert found("a.py", "x = 1\ndef f(:\n") == [(":", "invalid syntax")]
    assert found("a.py", "x = 'ä' +* 2\n") == [("*", "invalid syntax")]
    assert found("a.py", "return 1\n") == [("return 1", "'return' outside function")]
    assert found("a.py", "x = '\0'\n")[0][1] == "source code string cannot contain null bytes"


def test_an_unknown_name_is_reported_once_with_the_nearest() -> None:
    text = "from drycell import delay\n\ndef f():\n    dely(1)\n    dely(2)\n    return ü and count\n\ncount = 1\n"
    (first, second) = diagnose(Path("a.py"), text).findings
    assert (first.line, first.column, first.end_column, first.hint) == (4, 5, 9, "did you mean 'delay'?")
    assert (second.line, second.column, second.end_column) == (6, 12, 13)


@pytest.mark.parametrize(
    "text",
    [
        "from math import *\nprint(sine(1))\n",
        "def f(a, *b, c=1, **d):\n    return [a + x + y for x in b for y in d if (z := c)], z\n",
        "class A:\n    size = 1\n    def f(self):\n        return __class__, __name__\n",
        "def f():\n    global made\n    made = 1\n\ndef g():\n    return made\n",
        "import os.path as p, sys\ntry:\n    import foo\nexcept ImportError as error:\n    print(p, sys, error)\n",
        "def f():\n    def g():\n        nonlocal x\n        x += 1\n    x = 1\n    return g\n",
        "match 3:\n    case [a, *b] | {'k': a, **b}:\n        print(a, b)\n",
    ],
)
def test_names_that_are_there_are_not_complained_about(text: str) -> None:
    assert [each for each in found("a.py", text) if "no name" in each[1]] == []


def test_dependence_on_the_outside_world_causes_a_warning() -> None:
    text = "import time\nfrom random import uniform\n\ndef f():\n    time.sleep(uniform(0, 1))\n"
    assert [(piece, what.split()[0]) for piece, what in found("a.py", text)] == [
        ("time.sleep", "time.sleep()"),
        ("uniform", "random.uniform()"),
    ]


def test_parameters_of_a_program_must_name_things_of_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "tend.py"
    path.write_text("def tend(lamp):\n    pass\n")
    (tmp_path / "cell.yaml").write_text("name: demo\nsignals: {lamp: false}\nprograms:\n  tend: {file: tend.py}\n")
    cell = CellSource.find(tmp_path).build()
    assert found(path, "def tend(lamp):\n    pass\n", cell) == []
    assert found(path, "def tend(lamp, lmp, spare=1):\n    pass\n", cell) == [("lmp", "there is no 'lmp' in the cell")]
    assert found(path, "def tend(lamp):\n    yield 1\n", cell)[0][1].startswith("tend() is a generator")


def test_all_mistakes_of_a_pascal_program_and_of_a_unit_are_shown(tmp_path: Path) -> None:
    text = "program p;\nvar n: integer;\nbegin\n  n := 'a';\n  m := 2\nend.\n"
    assert [piece for piece, _ in found(tmp_path / "p.pas", text)] == ["'a'", "m"]
    unit = "unit u;\ninterface\nprocedure A;\nimplementation\nprocedure A;\nbegin\n  x := 1\nend;\nend.\n"
    assert [piece for piece, _ in found(tmp_path / "u.pas", unit)] == ["x"]
    (tmp_path / "u.pas").write_text(unit)
    ((_, reported),) = found(tmp_path / "q.pas", "program q;\nuses u;\nbegin\n  A\nend.\n")
    assert "u.pas:7:3" in reported


def test_mistakes_of_arla_and_emula_are_shown(tmp_path: Path) -> None:
    assert found("a.arl", "PROGRAM 1\n10 JUMP TO 30\n20 WEAVE ON\n") == [
        ("30", "PROGRAM 1 has no instruction 30"),
    ]
    assert found("a.arl", "PROGRAM 1\n20 WEAVE ON\n") == [
        ("20 WEAVE ON", "WEAVE ON is not supported and has no effect")
    ]
    assert [piece for piece, _ in found("a.eml", "a: NEW 1;\nb = = 2;\n")] == ["="]


def test_each_mistake_of_a_cell_file_has_its_line() -> None:
    text = "name: demo\nbodies:\n  table: {shape: box, size: [1 m, 1 m]}\nrobtos: {}\nrobots:\n  arm: {model: 3}\n"
    assert {each.line for each in diagnose(Path("cell.yaml"), text).findings} >= {4}
    assert [each.line for each in diagnose(Path("cell.yaml"), "name: demo\n  x: [\n").findings] == [2]


@pytest.mark.parametrize("ending", [".py", ".pas", ".arl", ".eml", ".yaml", ".txt"])
@pytest.mark.parametrize("text", ["", "\n", "\0", "((((" * 2000, "x" * 3_000_000, "é\U0001f600'\n", "\ud800"])
def test_no_text_causes_more_than_mistakes(ending: str, text: str) -> None:
    for each in diagnose(Path(f"cell{ending}"), text).findings:
        assert 1 <= each.line <= text.count("\n") + 1
        assert (each.end_line, each.end_column) > (each.line, each.column)


def test_the_lines_that_can_be_stopped_at_come_with_the_diagnosis() -> None:
    assert diagnose(Path("a.py"), "def f():\n    # why\n\n    return 1\n").stops == {4}
    assert diagnose(Path("a.pas"), "program p;\nvar n: integer;\nbegin\n  n := 1\nend.\n").stops == {4}
    assert diagnose(Path("a.arl"), "PROGRAM 1\n10 LET R1 = 1\n").stops == {2}
    assert diagnose(Path("a.eml"), "a: NEW 1;\n\nb: NEW 2;\n").stops == {1, 3}
    assert diagnose(Path("a.py"), "def f(:\n").stops is None


# -------------------------------------------------------------------- a run held at a line


class Held:
    """A cell stopped at a breakpoint, inspected on its own thread as the host does."""

    def __init__(self, folder: Path, file: str, line: int) -> None:
        self.session = HostSession(folder, lambda event: None)
        self.session.open_cell(CellSource.find(folder).build(), path=folder / "cell.yaml")
        self.session.breakpoints[str(folder / file)] = {line}
        self.session.speed = None
        self.pace = self.session.start()
        self.thread = threading.Thread(target=self.session.perform)

    def __enter__(self) -> "Held":
        self.thread.start()
        at = self.pace.wait_for("paused", 20)
        assert at is not None
        self.line = at.line
        return self

    def __exit__(self, *error: object) -> None:
        self.session.require_cell().kernel.stop("seen")
        self.pace.resume()
        self.thread.join(20)

    def ask(self, name: str, **arguments: Any) -> Any:
        answers: list[Any] = []
        done = threading.Event()

        def look() -> None:
            try:
                answers.append(answered(self.session, name, arguments)[0])
            except Exception as error:
                answers.append(error)
            done.set()

        assert self.session.inspect(look)
        assert done.wait(60)
        if isinstance(answers[0], Exception):
            raise answers[0]
        return answers[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cell.yaml").write_text(
        "name: demo\nsignals: {lamp: false}\nprograms:\n  tend: {file: tend.py}\n  other: {file: robot.pas}\n"
    )
    (tmp_path / "tend.py").write_text(
        textwrap.dedent("""\
        from drycell import delay, wait

        def tend(lamp):
            count = 3
            delay(1)
            wait(lamp)
        """)
    )
    (tmp_path / "robot.pas").write_text("program p;\nvar n: integer;\nbegin\n  n := 7;\n  n := n + 1\nend.\n")
    return tmp_path


def test_variables_of_a_held_python_program_and_of_one_that_waits_meanwhile(folder: Path) -> None:
    with Held(folder, "robot.pas", 5) as held:
        assert held.line == 5
        reported = held.ask("debugging.variables", process="other")
        assert [(each["name"], Path(each["file"]).name, each["line"]) for each in reported["stack"]] == [
            ("p", "robot.pas", 5)
        ]
        assert reported["scopes"] == [
            {"name": "program p", "variables": [{"name": "n", "type": "integer", "value": "7", "parts": []}]}
        ]
        waiting = held.ask("debugging.variables", process="tend")
        assert [(each["name"], each["line"]) for each in waiting["stack"]] == [("tend", 5)]
        values = {each["name"]: each["value"] for each in waiting["scopes"][0]["variables"]}
        assert values == {"count": "3", "lamp": "Signal lamp = False"}


def test_an_idle_program_has_no_variables_and_a_missing_one_is_reported(folder: Path) -> None:
    session = HostSession(folder, lambda event: None)
    session.open_cell(CellSource.find(folder).build())
    assert answered(session, "debugging.variables", {"process": "tend"})[0] == {"stack": [], "scopes": []}
    with pytest.raises(UnknownName, match="tnd"):
        answered(session, "debugging.variables", {"process": "tnd"})


def test_looking_at_variables_changes_nothing_in_the_run(folder: Path) -> None:
    hashes = set()
    for looks in (0, 3):
        with Held(folder, "robot.pas", 5) as held:
            for _ in range(looks):
                held.ask("debugging.variables", process="other")
                held.ask("debugging.check", file=str(folder / "tend.py"), text="def tend(lamp:\n")
            held.session.require_cell().kernel.inspect(lambda: None)
        hashes.add(held.session.require_cell().kernel.journal.sha256())
    assert len(hashes) == 1
