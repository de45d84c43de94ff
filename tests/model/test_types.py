"""Type checkers see the live thing that ``cell.add`` returns, and the fields of every model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = """\
from drycell import Body, Box, Cell, Conveyor, Machine, Robot, Sensor

cell = Cell()
reveal_type(cell.add("table", Body(Box(1.0, 1.0, 0.1))))
reveal_type(cell.add("belt", Conveyor(length=1.0, width=0.2, speed=0.1, on="table")))
reveal_type(cell.add("mill", Machine(duration=5.0)))
reveal_type(cell.add("arm", Robot("ur5-like")))
reveal_type(cell.add("eye", Sensor("hc-sr04", on="table")))
Conveyor(length=1.0, width=0.2)
Conveyor(length="1 m", width=0.2, speed=0.1)
cell.add("box", Box(1.0, 1.0, 1.0))
"""
LIVE = {4: "Body", 5: "LiveConveyor", 6: "LiveMachine", 7: "LiveRobot", 8: "LiveSensor"}
WRONG = {9, 10, 11}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_mypy_sees_what_add_returns_and_refuses_what_does_not_fit(script: Path) -> None:
    root = Path(__file__).parents[2]
    options = ["--strict", "--no-error-summary", "--config-file", str(root / "pyproject.toml")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(script)], capture_output=True, text=True, cwd=root, check=False
    )
    lines = [line.removeprefix(str(script)).split(":", 2) for line in done.stdout.splitlines() if "script.py" in line]
    for number, live in LIVE.items():
        assert any(int(line) == number and live in text for _, line, text in lines), done.stdout
    assert {int(line) for _, line, text in lines if text.startswith(" error: ")} == WRONG, done.stdout


def test_basedpyright_sees_the_same(script: Path) -> None:
    pytest.importorskip("basedpyright")
    root = Path(__file__).parents[2]
    config = script.with_name("pyrightconfig.json")
    config.write_text(json.dumps({"extraPaths": [str(root / "src")], "typeCheckingMode": "standard"}))
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(config), str(script)],
        capture_output=True,
        text=True,
        check=False,
    )
    diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    seen = {each["range"]["start"]["line"] + 1: each for each in diagnostics}
    for number, live in LIVE.items():
        assert live in seen[number]["message"], diagnostics
    assert {number for number, each in seen.items() if each["severity"] == "error"} == WRONG, diagnostics
