"""The oracle's baseline covers every example, and its renames can be reverted."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("oracle", ROOT / "tools" / "oracle.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def baseline(oracle: ModuleType) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(oracle.BASELINE.read_text(encoding="utf-8"))
    return read


def test_every_example_has_its_items(oracle: ModuleType, baseline: dict[str, Any]) -> None:
    groups = {"cell": ("journals", "json", "recordings"), "emula": ("journals",), "search": ("recordings",)}
    for case in oracle.cases():
        for group in groups[case.kind]:
            covered = {name.partition(", ")[0] for name in baseline[group]}
            assert case.name in covered, f"add {case.name}: python tools/oracle.py record --missing"


def test_every_folder_of_examples_has_a_case(oracle: ModuleType) -> None:
    run = {case.name.partition("/")[0] for case in oracle.cases()}
    folders = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()}
    assert folders <= run


def test_every_broken_input_has_its_item(oracle: ModuleType, baseline: dict[str, Any]) -> None:
    assert baseline["errors"].keys() == oracle.BROKEN.keys()


def test_the_baseline_is_small() -> None:
    assert (ROOT / "tools" / "oracle.json").stat().st_size < 1_000_000


def test_renames_can_be_reverted(oracle: ModuleType, baseline: dict[str, Any]) -> None:
    oracle.check_renames(baseline["words"], exact=False)


@pytest.mark.parametrize("words", [[], ["record"], ["compare"], ["bench"]], ids=" ".join)
def test_every_command_has_its_help(
    oracle: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle.py", *words, "--help"])
    with pytest.raises(SystemExit) as ended:
        oracle.main()
    assert ended.value.code == 0
    assert "usage: oracle.py" in capsys.readouterr().out
