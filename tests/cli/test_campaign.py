"""`drycell campaign` as it is typed."""

import shlex
from pathlib import Path

import pytest

from drycell.campaign import Results, campaign as module
from drycell.cli.main import main
from tests.campaign.conftest import CELL, PROGRAM
from tests.campaign.in_process import InProcess


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a cell in it, and campaigns that run in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "LocalEngine", InProcess)
    Path("toy").mkdir()
    Path("toy", "cell.yaml").write_text(CELL)
    Path("toy", "work.py").write_text(PROGRAM)


def test_a_campaign_prints_intervals_files_and_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["campaign", "toy", "--seeds", "0..3", "--vary", "work.args.pause=1,4", "--out", "out"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "toy (toy): 8 runs (2 variants × 4 seeds)" in printed
    assert "work.args.pause = 4  4     100.0% (51.0% to 100.0%)" in printed
    assert "waited, work.args.pause: 4 minus 1: +3 ± " in printed
    assert "drycell campaign report out" in printed
    assert main(words) == 0
    assert "8 of them done before" in capsys.readouterr().out


def test_the_exit_code_says_whether_all_runs_were_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", "toy", "--seeds", "0", "--vary", "work.args.pause=2,14", "--out", "out"]) == 2
    printed = capsys.readouterr().out
    assert "1 × deadlock: work waits for ~ready" in printed
    assert "recorded  out/kept/" in printed


def test_an_interrupted_campaign_says_how_to_continue(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    rows = InProcess.rows
    monkeypatch.setattr(InProcess, "rows", interrupt)
    words = ["campaign", "toy", "--seeds", "0..3", "--out", "out"]
    assert main(words) == 3
    assert "4 runs are missing; the same command continues" in capsys.readouterr().out
    monkeypatch.setattr(InProcess, "rows", rows)
    assert main(words) == 0


def test_results_are_shown_repeated_reported_and_exported(capsys: pytest.CaptureFixture[str]) -> None:
    main(["campaign", "toy", "--seeds", "0..3", "--vary", "work.args.pause=2,13", "--out", "out"])
    capsys.readouterr()
    assert main(["campaign", "show", "out"]) == 2
    assert "toy: 8 of 8 runs" in capsys.readouterr().out
    key = Path("out", "table.csv").read_text().splitlines()[1].split(",")[0]
    assert main(["campaign", "show", "out", key]) == 0
    assert "again: drycell run out/cell/cell.yaml --seed 0 --set work.args.pause=2" in capsys.readouterr().out
    assert main(["campaign", "again", "out", key, "--record", "run.dry"]) == 0
    assert "identical: work.args.pause = 2, seed 0" in capsys.readouterr().out
    assert main(["replay", "run.dry", "out/cell"]) == 0
    assert main(["campaign", "report", "out"]) == 0
    assert "<h1>toy</h1>" in Path("out", "report.html").read_text()
    assert main(["campaign", "table", "out", "-o", "copy.csv"]) == 0
    assert Path("copy.csv").read_text() == Path("out", "table.csv").read_text()


def test_the_printed_command_repeats_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fast.py").write_text(PROGRAM)
    words = ["campaign", "toy", "--seeds", "3", "--until", "5s", "--program", "work=fast.py", "--fault"]
    assert main([*words, "ready: {stuck_off: 0 s}", "--out", "out"]) == 0
    results = Results.read("out")
    assert len(results.runs) == 2
    for run in results.runs:
        capsys.readouterr()
        assert main([*shlex.split(results.command(run))[1:], "--json"]) == 0
        assert f'"journal_sha256": "{run.row.journal}"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["toy"], "--out"),
        (["toy", "toy", "--out", "out"], "one cell, not 2"),
        (["toy", "--out", "out", "--vary", "work"], "PATH=VALUES"),
        (["toy", "--out", "out", "--vary", "a=1", "--vary", "a=2"], "varied twice"),
        (["toy", "--out", "out", "--precise", "x"], "FIGURE=WIDTH"),
        (["toy", "--out", "out", "--design", "sobol"], "grid, list, random, lhs"),
        (["toy", "--out", "out", "--vary", "wrok.args.pause=1"], "wrok"),
        (["show"], "FOLDER [RUN]"),
        (["show", "nowhere"], "not the folder of a campaign"),
        (["table", "nowhere"], "not the folder of a campaign"),
    ],
)
def test_mistakes_are_explained(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", *words]) == 1
    assert message in capsys.readouterr().err
