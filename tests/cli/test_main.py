"""The command line as a whole: help, versions, exit codes, and errors as text."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from drycell.cli.main import COMMANDS


def test_without_a_command_it_shows_what_there_is(drycell) -> None:
    said = drycell()
    assert said.code == 0
    for name, text in COMMANDS.items():
        assert name in said.out
        assert text.split()[0] in said.out


def test_it_knows_its_version(drycell) -> None:
    assert drycell("--version") == (0, f"drycell {version('drycell')}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(drycell, command: str) -> None:
    said = drycell(command, "--help")
    assert said.code == 0
    assert said.out.startswith(f"usage: drycell {command}")
    # More than the options: a description in sentences.
    module = __import__(f"drycell.cli.{command}", fromlist=["main"])
    assert module.__doc__.strip().splitlines()[0] in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu", "x"], "rnu"),
        (["run"], "the following arguments are required: CELL"),
        (["run", "x", "--speed", "3"], "unrecognized arguments: --speed 3"),
        (["run", "x", "--pace", "fast"], "argument --pace: invalid float value: 'fast'"),
        (["run", "x", "--seed", "1.5"], "argument --seed: invalid int value: '1.5'"),
    ],
)
def test_arguments_that_make_no_sense_end_with_1_and_the_usage(drycell, arguments: list[str], said: str) -> None:
    printed = drycell(*arguments)
    assert printed.code == 1
    assert printed.out == ""
    assert printed.err.startswith("usage: drycell")
    assert said in printed.err


def test_a_missing_cell_ends_with_1(drycell, folder: Path) -> None:
    said = drycell("run", folder / "cel.py")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"CellFileError: there is no cell '{folder / 'cel.py'}'\n  try: did you mean 'cell.py'?\n"


def test_a_file_that_cannot_be_written_is_reported_by_name(drycell, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = drycell("run", folder, "--journal", tmp_path / "file" / "run.journal")
    assert (said.code, said.out) == (1, "")
    assert f"cannot write to the folder {tmp_path / 'file'}: a file with that name exists" in said.err
    assert "Traceback" not in said.err


def test_help_answers_without_loading_anything_heavy() -> None:
    script = (
        "import sys\nfrom drycell.cli.main import main\n"
        "try: main(['run', '--help'])\nexcept SystemExit: pass\n"
        "sys.exit(str({'numpy', 'pinocchio', 'coal', 'pydantic', 'trimesh', 'mujoco', 'rich'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "usage: drycell run" in ran.stdout
    assert ran.stderr.strip() == "set()"
