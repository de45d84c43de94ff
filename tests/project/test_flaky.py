"""A browser test that fails is rerun once, alone; what passes only then is listed, and a real failure stays one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
TESTS = """
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def server():
    with Path("servers").open("a") as file:
        file.write("x")


def test_first(server):
    pass


def test_sometimes(server):
    marker = Path("ran")
    first, _ = not marker.exists(), marker.touch()
    assert not first, "the browser was slow"


def test_never(server):
    assert 1 == 2


def test_last(server):
    pass
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_browser_test_is_rerun_once_and_then_listed_as_flaky(tmp_path: Path, workers: str) -> None:
    folder = tmp_path / "tests" / "studio" / "browser"
    folder.mkdir(parents=True)
    shutil.copy(CONFTEST, tmp_path / "tests" / "conftest.py")
    (folder / "test_it.py").write_text(TESTS)
    (tmp_path / "tests" / "test_elsewhere.py").write_text("def test_fails():\n    assert False\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", workers, "--dist", "loadfile", "tests"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert "2 failed, 3 passed" in said, said
    assert "FLAKY: 1 passed only when rerun" in said
    listed = [line for line in said.splitlines() if line.startswith("FLAKY tests")]
    assert listed == ["FLAKY tests/studio/browser/test_it.py::test_sometimes"]
    assert "the browser was slow" in said
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 2
    assert (tmp_path / "servers").read_text() == "xxx"  # each rerun has its own
