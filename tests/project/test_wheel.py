"""The wheel with only the core's dependencies, as after pip install, runs and searches cells and serves the studio."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BARE = ROOT / ".venv" / "bare"


def plain_environment() -> dict[str, str]:
    """The environment of a program started by hand: without the variables of Python, make and pytest."""
    ours = ("PYTHON", "MAKE", "PYTEST", "NICEGUI")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


class Installed:
    """drycell from the wheel, in an environment that holds what requirements.lock names and nothing else."""

    def __init__(self, site: Path, folder: Path) -> None:
        self.folder = folder
        own = {"PYTHONPATH": str(site), "PYTHONUNBUFFERED": "1", "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
        self.environment = {**plain_environment(), **own}
        self.command = [str(BARE / "bin" / "python"), str(site / "bin" / "drycell")]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *arguments],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet"]
    with (ROOT / "requirements.lock").open() as lock:  # one worker at a time: both may find it out of date
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "-s", "-C", str(ROOT), "-o", ".venv/.core", ".venv/bare/.ready"]
        subprocess.run(make, env=plain_environment(), check=True)
        subprocess.run(
            [sys.executable, *pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)],
            env=plain_environment(),
            check=True,
        )
    (wheel,) = folder.glob("drycell-*.whl")
    target = folder / "site"
    install = [str(BARE / "bin" / "python"), *pip, "install", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(install, env=plain_environment(), check=True)
    return target


@pytest.fixture
def installed(site: Path, tmp_path: Path) -> Installed:
    for name in ("30_event_cell", "31_verify"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Installed(site, tmp_path)


def test_a_cell_runs_and_gives_the_same_journal_picture_and_recording(installed: Installed) -> None:
    done = installed.run("run", "30_event_cell", "--until", "2min", "--seed", "7", "--json",
                         "--journal", "a.journal", "--record", "a.dry", "--picture", "a.svg")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["duration_s"] == 120
    assert "<svg" in (installed.folder / "a.svg").read_text()
    here = [sys.executable, "-m", "drycell.cli.main", "run", str(ROOT / "examples" / "30_event_cell")]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(
        [*here, "--until", "2min", "--seed", "7", "--journal", "b.journal"],
        cwd=installed.folder, env=path, check=True, capture_output=True,
    )  # fmt: skip
    one, other = (hashlib.sha256((installed.folder / f"{name}.journal").read_bytes()).digest() for name in "ab")
    assert one == other
    assert installed.run("replay", "a.dry").returncode == 0


def test_event_orders_are_searched(installed: Installed) -> None:
    done = installed.run("verify", "31_verify/exact_tie")
    assert done.returncode == 2, done.stderr
    assert "deadlock" in done.stdout.lower()


def test_a_new_cell_is_made_and_runs(installed: Installed) -> None:
    assert installed.run("new", "first").returncode == 0
    done = installed.run("run", "first", "--until", "20s")
    assert done.returncode == 0, done.stderr
    assert "taken to bin" in done.stdout


def test_the_studio_serves_its_page(installed: Installed) -> None:
    with subprocess.Popen(
        [*installed.command, "studio", "30_event_cell", "--no-browser", "--port", "0"],
        cwd=installed.folder, env=installed.environment, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            with urllib.request.urlopen(found[0], timeout=60) as answer:
                assert answer.status == 200
                assert "drycell" in answer.read().decode()
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("sensors", "hc-sr04", "--plot", "a.svg"), "plot"),
        (("film", "30_event_cell", "-o", "a.mp4"), "film"),
        (("run", "30_event_cell", "--picture", "a.png"), "film"),
    ],
)
def test_errors_about_missing_extras_name_the_extra(
    installed: Installed, arguments: tuple[str, ...], extra: str
) -> None:
    done = installed.run(*arguments)
    assert done.returncode == 1
    assert f"pip install 'path/to/drycell[{extra}]'" in done.stderr


def test_benchmarks_and_tests_are_not_in_it(site: Path) -> None:
    assert sorted(path.name for path in site.iterdir() if not path.name.endswith(".dist-info")) == ["bin", "drycell"]
