"""Commands that only look at a cell run no code from a folder that the user does not trust."""

import json
from pathlib import Path

import pytest

from drycell.cell import is_trusted
from drycell.cli.main import main

CELL = "name: small\nbodies:\n  table: {shape: {box: [1 m, 1 m, 20 mm]}}\nprograms:\n  tend: {file: tend.py}\n"
BUILD = "from drycell import Body, Box\n\n\ndef build(cell):\n    cell.add('table', Body(Box(1, 1, 1)))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a cell whose program must not run; no folder is trusted."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    here = tmp_path / "cell"
    here.mkdir()
    (here / "cell.yaml").write_text(CELL)
    (here / "tend.py").write_text("raise SystemExit('it ran')\n")
    return here


def test_show_and_picture_need_no_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder)]) == 0
    assert "programs  tend" in capsys.readouterr().out
    assert main(["picture", str(folder), "-o", str(folder / "out.svg")]) == 0
    assert not is_trusted(folder)


def test_a_picture_of_a_run_needs_trust(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["picture", str(folder), "--at", "1s", "-o", str(folder / "out.svg")]) == 1
    assert "cell.yaml runs code: tend.py" in capsys.readouterr().err


def test_code_is_run_with_trust_which_is_remembered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "cell.yaml").unlink()
    (folder / "cell.py").write_text(BUILD)
    assert main(["show", str(folder)]) == 1
    printed = capsys.readouterr().err
    assert "cell.py runs code: cell.py" in printed
    assert "--trust" in printed
    assert main(["show", str(folder), "--trust"]) == 0
    assert is_trusted(folder)
    assert main(["show", str(folder)]) == 0


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 1), ("n\n", 1)])
def test_on_a_terminal_the_user_is_asked(
    folder: Path, answer: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "kinds.py").write_text("")
    (folder / "cell.yaml").write_text("name: x\nuses: [kinds.py]\n")
    monkeypatch.setattr("sys.stdin", _Terminal(answer))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["show", str(folder)]) == code
    assert f"Trust the code in {folder}? [y/N]" in capsys.readouterr().err
    assert is_trusted(folder) == (code == 0)


class _Terminal:
    def __init__(self, answer: str) -> None:
        self._answer = answer

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self._answer


def test_the_schema_is_printed_for_editors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"].endswith("2020-12/schema")
    assert "bodies" in schema["properties"]
