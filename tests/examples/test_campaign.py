"""The second gripper of examples/90_campaign pays, by as much as the times say."""

import runpy
from pathlib import Path

import pytest

from drycell.campaign import campaign as module
from tests.campaign.in_process import InProcess

FOLDER = Path(__file__).parents[2] / "examples" / "90_campaign"


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LocalEngine", InProcess)


def test_the_second_gripper_pays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FOLDER / "pays.py"))["main"](tmp_path / "out")
    one, two, gain = capsys.readouterr().out.splitlines()
    # A cycle takes 26 + 3 + 5 + 4 + 4 = 42 s on average with one gripper, 26 + 3 + 1.5 + 4 = 34.5 s with two.
    assert float(one.split(": ")[1].split()[0]) == pytest.approx(3600 / 42, rel=0.02)
    assert float(two.split(": ")[1].split()[0]) == pytest.approx(3600 / 34.5, rel=0.02)
    assert "(n = 30, paired)" in gain
    assert float(gain.split()[4]) == pytest.approx(3600 / 34.5 - 3600 / 42, rel=0.03)


def test_the_optimum_is_where_the_times_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna")
    runpy.run_path(str(FOLDER / "optimise.py"))["main"](tmp_path / "out", trials=12)
    found = float(capsys.readouterr().out.split()[-2])
    # 75 parts in 3,600 s are 48 s each: (20 + x)/2 + 8.5 = 48 gives x = 59.
    assert 30 < found <= 59.5
