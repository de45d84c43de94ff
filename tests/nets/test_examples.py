"""The examples of nets print what their ``expected.txt`` says; DRYCELL_RENEW=1 rewrites these files."""

import os
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest

from drycell.cell import CellSource
from drycell.cli.main import main
from drycell.nets import Net, load_net
from drycell.verify import verify

FOLDER = Path(__file__).parents[2] / "examples" / "32_nets"


@pytest.mark.parametrize("name", ["steered", "unsteered"])
def test_an_example_runs_as_it_says(name: str) -> None:
    with redirect_stdout(StringIO()) as printed:
        result = CellSource.find(FOLDER / name).build().run()
    text, file = f"{printed.getvalue()}{result.summary()}\n", FOLDER / name / "expected.txt"
    if "DRYCELL_RENEW" in os.environ:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
    assert result.ending == {"steered": "finished", "unsteered": "deadlock"}[name]


def test_with_a_supervisor_no_order_of_events_blocks_the_cell(tmp_path: Path) -> None:
    verdict = verify(FOLDER / "steered", out=tmp_path)
    assert verdict.finding is None
    assert verdict.exhausted


def test_the_net_files_are_those_of_the_tests(fms: Callable[[int], Net], two_takers: Net) -> None:
    for name, net in {"fms2": fms(2), "two_takers": two_takers}.items():
        found = load_net(FOLDER / f"{name}.pnml")
        assert (found.name, found.places, found.transitions) == (net.name, net.places, net.transitions)


def test_the_command_reports_the_reachable_states_of_a_net(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["net", str(FOLDER / "fms2.pnml"), "--reach", "--picture", str(tmp_path / "fms.svg")]) == 0
    assert "states    3,444, 16,311 firings" in capsys.readouterr().out
    assert (tmp_path / "fms.svg").read_text().startswith("<svg")
    assert main(["net", str(FOLDER / "two_takers.pnml"), "--invariants"]) == 2
    text = capsys.readouterr().out
    assert "deadlocks 1; the nearest after 2 firings: left takes nest, right takes tool" in text
    assert "constant  nest + left 1 + left 2 + right 2 = 1" in text
    assert main(["net", str(FOLDER / "two_takers.pnml"), "--play", "4"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("      4  ")


def test_the_command_says_what_it_knows_of_a_net_with_too_many_invariants(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nodes, arcs = "", ""  # 2 to the 20th ways to choose a place of each rung
    for rung, after in ((rung, (rung + 1) % 20) for rung in range(20)):
        nodes += f'<transition id="t{rung}"/>'
        for side in "ab":
            marked = "" if rung else "<initialMarking><text>1</text></initialMarking>"
            nodes += f'<place id="{side}{rung}">{marked}</place>'
            arcs += f'<arc source="{side}{rung}" target="t{rung}"/><arc source="t{rung}" target="{side}{after}"/>'
    (tmp_path / "ladder.pnml").write_text(f'<pnml><net id="ladder" type="ptnet">{nodes}{arcs}</net></pnml>')
    assert main(["net", str(tmp_path / "ladder.pnml"), "--invariants"]) == 0
    printed = capsys.readouterr().out
    assert "states    20, 20 firings" in printed
    assert "constant  not known: net 'ladder' has more than 5000 intermediate invariants" in printed
    assert "rounds    t0 + t1 + t2 + " in printed


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--picture", "net.png"], "nets are drawn as SVG files, not 'net.png'"),
        (["--play", "-1"], "argument --play: at least one, not -1"),
        (["--limit", "0"], "argument --limit: at least one, not 0"),
    ],
)
def test_the_command_refuses_impossible_options(
    options: list[str], what: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):  # so does argparse
        assert main(["net", str(FOLDER / "two_takers.pnml"), *options]) == 1
    printed = capsys.readouterr()
    assert what in printed.err
    assert not printed.out
    assert not list(tmp_path.iterdir())


def test_the_command_reports_what_it_cannot_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.pnml").write_text("<pnml>\n<net")
    assert main(["net", str(tmp_path / "bad.pnml")]) == 1
    assert "bad.pnml:2:" in capsys.readouterr().err
