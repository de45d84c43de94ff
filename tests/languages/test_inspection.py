"""Stopped at a line of a program, in every language: its position, its calls, and its variables."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from drycell.kernel import Kernel, Location, Pace, ShownLimit, Variable, VariableScope, delay, load_program
from drycell.kernel.inspection import MOST, variable
from drycell.languages.arla import RecordingMachine, load_arla
from drycell.languages.emula import Emulation, Interpreter, workstation
from drycell.languages.kit import SourceText
from drycell.languages.pascal import load_pascal

LIMIT = 60.0


@dataclass
class Stop:
    """The state seen at a stop."""

    line: int | None = None
    stack: list[tuple[str, str, int]] = field(default_factory=list)
    scopes: list[VariableScope] = field(default_factory=list)

    def values(self, scope: str) -> dict[str, str]:
        return {each.name: each.value for each in self._named(scope).variables}

    def variable(self, scope: str, name: str) -> Variable:
        return next(each for each in self._named(scope).variables if each.name == name)

    def _named(self, scope: str) -> VariableScope:
        (found,) = (each for each in self.scopes if each.name == scope)
        return found


def stops(kernel: Kernel, *breaks: tuple[Path, int], level: int = 0) -> list[Stop]:
    """Run a kernel with a program ``robot`` to its end, and inspect it at every stop."""
    pace, seen = Pace(), list[Stop]()
    for file, line in breaks:
        pace.break_at(str(file), line)

    def look() -> None:
        (robot,) = (each for each in kernel.processes.living() if each.name == "robot")
        calls = robot.calls()
        stack = [(each.name, Path(each.file).name, each.line) for each in calls]
        seen.append(Stop(pace.position.line, stack, list(calls[level].look())))
        pace.resume()

    def watch() -> None:
        while (at := pace.wait_for("paused", LIMIT)) is not None and at.line is not None:
            kernel.inspect(look)
            while pace.position == at and len(seen) < 100:
                pace.wait_for("running", 0.01)
            if pace.wait_for("ended", 0.01) is not None:
                return

    thread = Thread(target=watch, daemon=True)
    thread.start()
    kernel.run(pace=pace)
    return seen


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


# -------------------------------------------------------------------- Python


PYTHON = """
import math
from dataclasses import dataclass, field
from drycell import Pose, delay

total = 3

class Rude:
    def __init__(self):
        self.size = 2
    def __repr__(self):
        raise SystemExit("nobody may call this")

@dataclass
class Part:
    name: str
    places: list[int] = field(default_factory=list)

def robot():
    count = 4
    part = Part("wheel", [1, 2])
    rude = Rude()
    _hidden = 1
    where = Pose(0.1, 0.2, 0.3)
    lift(part, 0.5)

def lift(part, height):
    done = {"a": True}
    delay(height)
"""


def test_a_python_program_shows_its_locals_its_files_values_and_its_calls(tmp_path: Path) -> None:
    path = written(tmp_path, "robot.py", PYTHON)
    for level, wanted in (
        (0, {"part": "Part(name='wheel', places=[1, 2])", "height": "0.5", "done": "{'a': True}"}),
        (1, {"count": "4", "part": "Part(name='wheel', places=[1, 2])", "rude": "Rude(size=2)"}),
    ):
        kernel = Kernel()
        kernel.spawn(load_program(path).function("robot"), name="robot")
        (stop,) = stops(kernel, (path, 29), level=level)
        assert stop.line == 29
        assert stop.stack == [("lift", "robot.py", 29), ("robot", "robot.py", 25)]
        found = stop.values("locals")
        shown = found.pop("where", "")
        assert found == wanted
        assert stop.values("globals") == {"total": "3"}
        assert level == 0 or "0.1" in shown or "100" in shown


def test_the_displayed_part_of_a_value_is_bounded() -> None:
    endless: list[object] = []
    endless.append(endless)
    wide = [[[0] * 500] * 500] * 500
    for value in (endless, wide, "x" * 10**6, 10**5000, dict.fromkeys(range(50), wide)):
        shown = variable("v", value, ShownLimit())
        assert len(shown.value) <= 120
        assert count(shown) <= MOST + 1


def count(each: Variable) -> int:
    return 1 + sum(map(count, each.parts))


# -------------------------------------------------------------------- Pascal


PASCAL = """program Demo;
uses Tools;
type
  Colour = (red, green, blue);
  Point = record x, y: real; tag: string end;
var
  n: integer;
  c: Colour;
  p: Point;
  a: array[1..3] of byte;
  s: array[Colour] of boolean;
  t: string; w: set of Colour;

function Twice(k: integer; var m: integer): integer;
var inner: char;
begin
  inner := 'z';
  m := m + k;
  Twice := 2 * k;
end;

begin
  n := 1; c := green; p.x := 1.5; p.tag := 'it''s';
  a[2] := 7; s[blue] := true; t := 'go'; w := [blue, red];
  n := Twice(n, n);
  Count(5)
end.
"""
UNIT = """unit Tools;
interface
var counted: integer;
procedure Count(by: integer);
implementation
procedure Count(by: integer);
begin
  counted := counted + by;
  by := 0
end;
end.
"""


def pascal(folder: Path) -> tuple[Path, Path, Kernel]:
    path, unit = written(folder, "robot.pas", PASCAL), written(folder, "tools.pas", UNIT)
    kernel = Kernel()
    kernel.spawn(load_pascal(path), name="robot")
    return path, unit, kernel


def test_a_pascal_function_shows_its_variables_with_pascals_names_types_and_values(tmp_path: Path) -> None:
    path, _, kernel = pascal(tmp_path)
    (stop,) = stops(kernel, (path, 19))
    assert stop.stack == [("Twice", "robot.pas", 19), ("Demo", "robot.pas", 25)]
    assert stop.values("function Twice") == {"k": "1", "m": "2", "inner": "'z'", "result of Twice": "0"}
    assert stop.values("program Demo") == {
        "n": "2",
        "c": "green",
        "p": "(x: 1.5; y: 0.0; tag: 'it''s')",
        "a": "(0, 7, 0)",
        "s": "(false, false, true)",
        "t": "'go'",
        "w": "[red, blue]",
    }
    assert stop.variable("program Demo", "a").type == "array[1..3] of byte"
    assert [(each.name, each.type, each.value) for each in stop.variable("program Demo", "a").parts][1] == (
        "[2]",
        "byte",
        "7",
    )


def test_breakpoints_stop_in_units_beside_a_program(tmp_path: Path) -> None:
    _, unit, kernel = pascal(tmp_path)
    (stop,) = stops(kernel, (unit, 9))
    assert stop.stack == [("Count", "tools.pas", 9), ("Demo", "robot.pas", 26)]
    assert stop.values("procedure Count") == {"by": "5"}
    assert stop.values("unit Tools") == {"counted": "5"}


def test_a_program_that_has_not_started_is_at_its_first_line(tmp_path: Path) -> None:
    path, _, kernel = pascal(tmp_path)
    assert next(iter(kernel.processes)).where() == Location(str(path), 22, "Demo")


# -------------------------------------------------------------------- ARLA


def test_an_arla_program_shows_registers_and_positions(tmp_path: Path) -> None:
    text = "PROGRAM 1\n10 LET R1 = 4\n20 CALL PROG 2\nPROGRAM 2\n10 STORE POSITION 3\n20 LET R2 = R1 + R7\n"
    path = written(tmp_path, "robot.arl", f"{text}30 RETURN\n40 POS V=5.0% #8\nPOSITIONS\n#8 X=10.0 Y=0.0 Z=5.0\n")
    kernel = Kernel()
    kernel.spawn(load_arla(path, RecordingMachine()), name="robot")
    (stop,) = stops(kernel, (path, 7))
    assert stop.stack == [("PROGRAM 2", "robot.arl", 7), ("PROGRAM 1", "robot.arl", 3)]
    assert stop.values("registers") == {"R1": "4", "R2": "4", "R7": "0"}
    assert stop.values("taught positions") == {"#8": "X=10.0 Y=0.0 Z=5.0"}
    assert list(stop.values("stored positions")) == ["3"]


# -------------------------------------------------------------------- EMULA


def test_an_emula_program_stops_at_its_lines_and_shows_its_variables(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "part.eml",
        "a: NEW <1,2.5,'x'>;\ntwice: SUBR(k);\n  m: NEW 2*k;\n  RETURN(m);\nEND;\nb: NEW 0;\nb = twice(4);\n",
    )
    cell, arm = workstation()
    session = Interpreter(Emulation(cell, arm, echo=lambda line: None), echo=lambda line: None)
    cell.kernel.spawn(lambda: session.run(SourceText.read(path)), name="robot")
    stop, *_ = stops(cell.kernel, (path, 4))
    assert stop.stack == [("twice", "part.eml", 4), ("program", "part.eml", 7)]
    assert stop.values("subroutine twice") == {"k": "4", "m": "8"}
    assert stop.values("session") == {"a": "<1,2.5,'x'>", "b": "0"}


# -------------------------------------------------------------------- all of them, waiting


def test_the_line_of_a_waiting_program_is_its_own_in_every_language(tmp_path: Path) -> None:
    python = written(tmp_path, "wait.py", "from drycell import delay\n\ndef robot():\n    delay(1)\n    delay(5)\n")
    pas = written(tmp_path, "wait.pas", "program w;\nuses Crt;\nbegin\n  Delay(1);\n  Delay(5)\nend.\n")
    arl = written(tmp_path, "wait.arl", "PROGRAM 1\n10 WAIT 1.0 S\n20 WAIT 5.0 S\n")

    class Machine(RecordingMachine):
        def delay(self, seconds: float) -> None:
            delay(seconds)

    starts: dict[str, Callable[..., object]] = {
        "wait.py": load_program(python).function("robot"),
        "wait.pas": load_pascal(pas, routines={"delay": delay}),
        "wait.arl": load_arla(arl, Machine()),
    }
    kernel, places = Kernel(), list[Location]()
    for name, start in starts.items():
        kernel.spawn(start, name=name)
    kernel.at(3_000_000, lambda: places.extend(each.where() for each in kernel.processes.living()))
    kernel.run()
    assert [(Path(each.file).name, each.line) for each in places] == [("wait.py", 5), ("wait.pas", 5), ("wait.arl", 3)]
