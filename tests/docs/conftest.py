"""Run a page of the documentation as a reader would: its code blocks in order, in one folder and one session.

The fence determines what happens with a block:

* ``python`` is executed; all such blocks of a page share their names. A ``text`` block after it is the expected output.
* ``python file=NAME``, ``yaml file=NAME``, … is written to a file. ``yaml`` alone must be a valid cell file.
* ``console`` contains commands after ``$ ``, each followed by its expected output.
* ``emula`` is a session at EMULA's console, with input after its prompts.
* a fence without a language is ignored.

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

from drycell.cell import Model
from drycell.cli.main import main
from drycell.languages.emula import SessionOptions, run_console, workstation

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<kind>\w*)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_WALL = re.compile(r"in [\d.]+ ?s( \(\d+ × real time\))?")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the number of its first line."""

    kind: str
    file: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m["kind"], m["file"], m["text"], text.count("\n", 0, m.start()) + 2) for m in _FENCE.finditer(text)]


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield line, command and expected output of each command in a console block."""
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
                    compare(f"{page.name}:{line}: {command}", expected, self.command(command))
            elif block.kind == "emula":
                compare(place, block.text, self.converse(block.text))
            elif block.kind == "yaml":
                Model.read(block.text)
            else:
                assert not block.kind, f"{place}: unknown kind of block: {block.kind}"

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
        """Run a command and return its output. ``drycell`` runs in this process to save time, except for pictures."""
        words = shlex.split(line, comments=True)
        if words[0] == "drycell" and words[1] != "picture" and "--picture" not in words:
            with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
                main(words[1:])
            return printed.getvalue()
        if words[0] == "make":  # in the project folder; its output goes to the reader's
            words = ["make", "-C", str(ROOT), "-s", "-o", ".venv/.core", *words[1:], f"OUT={self.folder}/out"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        # Graphics drivers write warnings to stderr; the tests of the commands check what drycell writes there.
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout.replace(f"{self.folder}/", "")

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
