"""Run a page of the documentation as a reader would: its code blocks in order, in one folder and one session.

The fence determines what happens with a block:

* ``python`` is executed; all such blocks of a page share their names. A ``text`` block after it is the expected output.
* ``python file=NAME``, ``yaml file=NAME``, … is written to a file, which must be valid. ``yaml`` alone must be a valid
  cell file.
* ``console`` contains commands after ``$ ``, each followed by its expected output. A command must succeed, unless
  ``# exit code N`` after it says otherwise.
* ``emula`` is a session at EMULA's console, with input after its prompts.

Every other fence is an error. ``NOT_RUN`` lists the blocks that are only shown, with the reason.
``…`` in expected output matches anything. Wall-clock times are not compared.
"""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from drycell.cell import Model
from drycell.cli.main import main
from drycell.languages.emula import SessionOptions, run_console, workstation

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_EXIT = re.compile(r"# exit code (\d+)$")
_WALL = re.compile(r"in [\d.]+ ?s( \(\d+ × real time\)| \([\d:]+\))?")  # the last format is pytest's, after a minute

# Blocks that the tests do not run: page and beginning of the first line, with the reason.
NOT_RUN = {
    ("README.md", "$ make studio"): "opens a browser; the tests of the studio do, too",
    ("README.md", "$ pip install"): "the path depends on the reader; the tests of the package install a wheel",
    ("tutorial.md", "$ drycell studio"): "opens a browser",
    ("studio.md", "drycell studio"): "opens a browser",
    (
        "cell-file.md",
        "CellFileError",
    ): "an error of a file that is not shown; the tests of cell files check the message",
    ("cell-file.md", "uses: [press.py]"): "examples/36_own_device has the file",
    ("cell-file.md", "# yaml-language-server"): "a comment for editors",
    ("messages.md", "DRY1 PGMOV"): "lines of a connection; the tests of messages read and write them",
    ("recording.md", "from drycell.record"): "names parts of another cell; the tests of recordings use all of it",
    ("recording.md", "import json"): "tests/recording/test_docs.py runs it",
    ("real-cell.md", "$ drycell run"): "needs an arm at a serial line",
    ("real-cell.md", "$ drycell emulate"): "two processes; the tests of serial lines run both",
    ("real-cell.md", "counts_per_degree"): "a calibration, not a cell",
    ("campaigns.md", "drycell worker"): "three processes; the tests of campaigns run all of them",
    ("sensors.md", "type: range"): "a sensor, not a cell; the Python below it is equal",
    ("end-effector.md", "$ drycell device gripper --picture"): "two processes; the tests of the example run both",
    ("end-effector.md", "while not move.within"): "part of a program",
    ("end-effector.md", "DRY1 PGMOV"): "lines of a connection; the tests of messages read and write them",
    ("end-effector.md", "$ cc -std=c99"): "needs a device that runs; the tests of the example do this",
    ("end-effector.md", "$ bash -c"): "needs a device that runs; the tests of the example do this",
    ("end-effector.md", "$ drycell device tactile"): "three processes; the tests of the proxy do this",
    ("end-effector.md", "there$"): "two hosts",
    ("end-effector.md", "$ drycell verify"): "takes long; the tests of the example do this",
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the number of its first line."""

    kind: str
    file: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page that run. A fence that is not understood fails the test."""
    text = page.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    inside = {position for match in found for position in (match.start(), match.end() - 3)}
    for fence in _ANY_FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 1
        assert fence.start() in inside, f"{page.name}:{line}: write ```KIND, or ```KIND file=NAME, or ``` at the end"
    every = [Block(m["kind"], m["file"], m["text"], text.count("\n", 0, m.start()) + 2) for m in found]
    return [block for block in every if reason(page, block) is None]


def reason(page: Path, block: Block) -> str | None:
    """Return the reason for which a block does not run, or None if it does."""
    return next(
        (why for (name, first), why in NOT_RUN.items() if name == page.name and block.text.startswith(first)), None
    )


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield line, command and expected output of each command in a console block."""
    assert block.text.startswith("$ "), f"line {block.line}: a console block starts with a command after '$ '"
    for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield block.line + block.text.count("\n", 0, match.start()), match[1], match[2]


class Session:
    """One reader: a folder with the examples, and one Python session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}

    def read(self, page: Path) -> None:
        """Run all blocks of a page and compare the expected with the actual output."""
        following = blocks(page)
        while following:
            block = following.pop(0)
            place = f"{page.name}:{block.line}"
            if block.file is not None:
                self.write(block)
            elif block.kind == "python":
                expected = following.pop(0).text if following and following[0].kind == "text" else ""
                compare(place, expected, self.execute(block.text, place))
            elif block.kind == "console":
                for line, command, expected in commands(block):
                    code, printed = self.command(command)
                    compare(f"{page.name}:{line}: {command}", expected, printed)
                    declared = _EXIT.search(command)
                    allowed = int(declared[1]) if declared else 0
                    assert code == allowed, f"{page.name}:{line}: {command}: exit code {code}\n{printed}"
            elif block.kind == "emula":
                compare(place, block.text, self.converse(block.text))
            elif block.kind == "yaml":
                Model.read(block.text)
            else:
                pytest.fail(f"{place}: '{block.kind}' is not a kind of block that runs: see NOT_RUN", pytrace=False)

    def write(self, block: Block) -> None:
        path = self.folder / str(block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if path.suffix == ".py":
            compile(block.text, path.name, "exec")
        elif path.name == "cell.yaml" and "uses:" not in block.text:  # files under `uses` follow on the page
            Model.load(path)
        elif block.kind == "yaml":
            yaml.safe_load(block.text)

    def execute(self, code: str, place: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            try:
                exec(compile(code, "example.py", "exec"), self.names)
            except Exception as error:
                error.add_note(f"in the example of {place}")
                raise
        return printed.getvalue()

    def command(self, line: str) -> tuple[int, str]:
        """Run a command and return its exit code and output.

        ``drycell`` runs in this process to save time, except for pictures.
        """
        words = shlex.split(line, comments=True)
        if words[0] == "drycell" and words[1] != "picture" and "--picture" not in words:
            with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
                code = main(words[1:])
            return code, printed.getvalue()
        if words[0] == "make":  # runs in the project folder; its output goes to the reader's folder
            words = ["make", "-C", str(ROOT), "-s", "-o", ".venv/.core", *words[1:], f"OUT={self.folder}/out"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        # Graphics drivers write warnings to stderr; the tests of the commands check what drycell writes there.
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.replace(f"{self.folder}/", "")

    def converse(self, transcript: str) -> str:
        """Type the input of a transcript at EMULA's console and return the new transcript."""
        cell, robot = workstation()
        lines = iter(transcript.splitlines())
        printed: list[str] = []

        def read(prompt: str) -> str:
            for line in lines:
                if line.startswith(prompt):
                    printed.append(line)
                    return line.removeprefix(prompt)
            raise EOFError

        run_console(read, cell, robot, SessionOptions(echo=printed.append), lambda session: None)
        return "\n".join(printed)


def compare(place: str, expected: str, found: str) -> None:
    found = "".join(f"{line.rstrip()}\n" for line in found.strip("\n").splitlines())
    pattern = ".*".join(map(re.escape, _WALL.sub("in … s", expected).split("…")))
    if not re.fullmatch(pattern, _WALL.sub("in 0 s", found), re.DOTALL):
        pytest.fail(f"{place}\n--- expected\n{expected}\n--- actual\n{found}", pytrace=False)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return Session(tmp_path)
