"""``drycell verify``: its output, its files, and the exit code that CI jobs use."""

from pathlib import Path

import pytest

from drycell.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "31_verify"


def test_a_fault_is_reported_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["verify", str(EXAMPLES / "exact_tie"), "--budget", "100", "--time", "10s", "--out", str(out)]) == 2
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0].startswith("Searching event orders: 4 programs, 2 declared intervals … found in run ")
    assert "  DEADLOCK at 5.000 s" in lines
    assert lines[-1] == f"  replay: drycell replay {out / 'exact_tie-1.dry'}"
    assert printed.err == ""
    assert main(["replay", str(out / "exact_tie-1.dry")]) == 0


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("work.py", "def work():\n    raise ValueError('no part')\n"),
        ("work.pas", "var a: array[1..3] of integer; i: integer; begin a[i] := 1 end."),
    ],
)
def test_an_error_is_replayed_wherever_the_recording_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    (tmp_path / file).write_text(text)
    (tmp_path / "cell.yaml").write_text(f"name: press\nprograms: {{work: {{file: {file}}}}}\n")
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "cell.yaml", "--out", "out"]) == 2
    (recording,) = Path("out").iterdir()
    assert main(["replay", str(recording)]) == 0


def test_a_second_search_keeps_the_recording_of_the_first(tmp_path: Path) -> None:
    for _ in range(2):
        main(["verify", str(EXAMPLES / "lost_pulse"), "--out", str(tmp_path)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lost_pulse-1.dry", "lost_pulse-2.dry"]


def test_a_clean_cell_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["verify", str(EXAMPLES / "wrong_branch_corrected"), "--out", str(out)]) == 0
    assert "nothing found, all orders seen in" in capsys.readouterr().out
    assert not out.exists()


def test_a_spent_budget_has_its_own_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = str(EXAMPLES / "exact_tie_corrected")
    assert main(["verify", cell, "--budget", "5", "--out", str(tmp_path)]) == 3
    assert "NOT covered: the remaining orders (the budget of 5 runs is spent)" in capsys.readouterr().out


def test_kinds_and_signals_can_be_left_out(tmp_path: Path) -> None:
    cell = str(EXAMPLES / "wrong_branch")
    assert main(["verify", cell, "--ignore", "order", "--out", str(tmp_path)]) == 0
    assert main(["verify", cell, "--outcome", "height_mm", "--out", str(tmp_path)]) == 0
    assert main(["verify", cell, "--outcome", "tall_ones", "--out", str(tmp_path)]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no cell"),
        (["exact_tie", "--ignore", "dedlock"], "did you mean 'deadlock'"),
        (["exact_tie", "--outcome", "left_has_nets"], "did you mean 'left_has_nest'"),
        (["exact_tie", "--time", "5"], "unit"),
    ],
)
def test_an_unsearchable_cell_is_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / arguments[0]), *arguments[1:]]) == 1
    assert words in capsys.readouterr().err


def test_a_budget_of_no_runs_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(EXAMPLES / "exact_tie"), "--budget", "0"])
    assert ended.value.code == 1
