"""Runs a page of the documentation as a reader would: its blocks of code in order, in one folder and one session.

What a block is, its fence says:

* ``python`` is executed; all such blocks of a page share their names. A ``text`` block after it is what it prints.
* ``python file=NAME``, ``yaml file=NAME``, … is written to a file. ``yaml`` alone must read as a cell file.
* ``console`` holds commands after ``$ ``, each followed by what it prints.
* ``emula`` is a session at EMULA's console, with what is typed after its prompts.
* a fence without a word is not looked at.

``…`` in expected output stands for anything. Wall time is left out of the comparison.
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

from drycell.cell import Model
from drycell.cli.main import main
from drycell.languages.emula import SessionOptions, run_console, workstation

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<kind>\w*)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_WALL = re.compile(r"in [\d.]+ ?s( \(\d+ × real time\))?")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the line of its first line of text."""

    kind: str
    file: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m["kind"], m["file"], m["text"], text.count("\n", 0, m.start()) + 2) for m in _FENCE.finditer(text)]


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Line, command and expected output of each command of a console block."""
    for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield block.line + block.text.count("\n", 0, match.start()), match[1], match[2]


class Session:
    """One reader: a folder of their own that holds the examples, and one Python session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}

    def read(self, page: Path) -> None:
        """Does all a page asks for, and compares what it says with what happens."""
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
                    compare(f"{page.name}:{line}: {command}", expected, self.command(command))
            elif block.kind == "emula":
                compare(place, block.text, self.converse(block.text))
            elif block.kind == "yaml":
                Model.read(block.text)
            else:
                assert not block.kind, f"{place}: nothing is known of blocks of {block.kind}"

    def write(self, block: Block) -> None:
        path = self.folder / str(block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def execute(self, code: str, place: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            try:
                exec(compile(code, "example.py", "exec"), self.names)
            except Exception as error:
                error.add_note(f"in the example of {place}")
                raise
        return printed.getvalue()

    def command(self, line: str) -> str:
        """What a command prints. ``drycell`` is run in this process, to save its start; pictures and others are not."""
        words = shlex.split(line, comments=True)
        if words[0] == "drycell" and words[1] != "picture" and "--picture" not in words:
            with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
                main(words[1:])
            return printed.getvalue()
        if words[0] == "make":  # in the project's own folder; what it makes goes to the reader's
            words = ["make", "-C", str(ROOT), "-s", "-o", ".venv/.core", *words[1:], f"OUT={self.folder}/out"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        # Complaints of graphics drivers are not drycell's: what goes to stderr is looked at by the tests of commands.
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout.replace(f"{self.folder}/", "")

    def converse(self, transcript: str) -> str:
        """The transcript of a session at EMULA's console in which the same is typed: whatever follows a prompt."""
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
        pytest.fail(f"{place}\n--- the page says\n{expected}\n--- it is\n{found}", pytrace=False)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return Session(tmp_path)
