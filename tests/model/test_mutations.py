"""Mutated cell files: each is either read, and then reads back equal when saved, or rejected with positions."""

import random
import re
from pathlib import Path

import pytest

from drycell.base import CellFileError
from drycell.cell import Model

ROOT = Path(__file__).parents[2]
FILES = sorted(ROOT.glob("examples/**/cell.yaml"))
JUNK = (
    "0",
    "-1",
    "1e400",
    "true",
    "~",
    "''",
    "[]",
    "{}",
    "[1, 2]",
    "5 mm",
    "90 deg",
    "2 s",
    "nowhere",
    "*",
    "&a 1",
    "!!x",
    "\t",
)


def mutated(text: str, r: random.Random) -> str:
    """A text with one to three random typos."""
    for _ in range(r.randint(1, 3)):
        lines = text.split("\n")
        at = r.randrange(len(lines))
        match r.randrange(8):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[r.randrange(len(lines))])
            case 2:
                lines[at] = re.sub(r": .*$", f": {r.choice(JUNK)}", lines[at])
            case 3:
                lines[at] = re.sub(r"\b(mm|deg|s|m)\b", r.choice(["deg", "mm", "", "kg"]), lines[at], count=1)
            case 4:
                lines[at] = " " * r.randint(0, 6) + lines[at].lstrip()
            case 5 if lines[at]:
                where = r.randrange(len(lines[at]))
                lines[at] = lines[at][:where] + r.choice(":{}[],#'\"- xé\0") + lines[at][where + r.randint(0, 1) :]
            case 6:
                words = re.findall(r"[a-z_0-9]+", lines[at])
                if words:
                    word = r.choice(words)
                    lines[at] = lines[at].replace(word, r.choice([word[::-1], word + "x", *words]), 1)
            case _ if lines[at]:
                where = r.randrange(len(lines[at]))
                lines[at] = lines[at][:where] + lines[at][where + r.randint(1, 3) :]
        text = "\n".join(lines)
    return text


def check(seeds: range) -> tuple[int, int]:
    """How many were read, and how many rejected."""
    read = rejected = 0
    texts = [(path, path.read_text(encoding="utf-8")) for path in FILES]
    for seed in seeds:
        r = random.Random(seed)
        path, whole = r.choice(texts)
        text = mutated(whole, r)
        try:
            model = Model.read(text, path, trusted=True)
        except CellFileError as error:
            assert error.mistakes, f"seed {seed}: {error}"  # noqa: PT017
            for each in error.mistakes:
                assert each.line is not None, f"seed {seed}: {each}"
                assert each.column is not None, f"seed {seed}: {each}"
                assert 1 <= each.line <= text.count("\n") + 1, f"seed {seed}: {each}"
            rejected += 1
        else:
            assert Model.read(model.text(), path, trusted=True) == model, f"seed {seed}"
            read += 1
    return read, rejected


def test_mutated_cell_files_read_back_equal_or_are_rejected_with_their_places() -> None:
    read, rejected = check(range(150))
    assert read > 10
    assert rejected > 50


@pytest.mark.soak
def test_three_thousand_mutated_cell_files(capsys: pytest.CaptureFixture[str]) -> None:
    read, rejected = check(range(3000))
    with capsys.disabled():
        print(f"\n3000 mutated cell files: {read} read back equal, {rejected} rejected with line and column")
    assert read > 200
