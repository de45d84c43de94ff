"""Finds words that drycell's texts avoid: `make check` runs it over sources, tests, examples and pages.

    .venv/bin/python tools/voice.py                  everything
    .venv/bin/python tools/voice.py src/drycell/kernel docs README.md

In Python files it reads comments, strings, docstrings and names; other files it reads whole. A line that needs one of
the words (a quotation, a mathematical sign) says so with ``voice: ok`` in a comment.
"""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PLACES: Final = (
    "README.md",
    "CHANGELOG.md",
    "Makefile",
    "pyproject.toml",
    "benchmarks",
    "docs",
    "examples",
    "src",
    "tests",
    "tools",
)
ENDINGS: Final = (".py", ".md", ".js", ".css", ".html", ".yaml", ".toml", "Makefile")
PASS: Final = "voice: ok"

# What to look for, and what to write instead.
AVOIDED: Final = {
    r"\b(tell|tells|told|telling)\b": "report, show, say, print",
    r"\bhang(s|ing)? on\b|\bhung on\b": "depends on, attached to, mounted on",
    r"\bc(o|a)mes? to (?!rest\b|a stop\b|an end\b|the same\b)": "reaches, results in, amounts to",
    r"\b(any|other|special|typographic|these|many|few) signs\b": "characters",
    r"\bshall\b": "must, should, will",
    r"\bfor ever\b": "indefinitely, permanently",
    r"\bin vain\b": "without effect, without success",
    r"\bso many\b|\bthat many\b": "the number itself",
    r"(?<![Tt]here )\b(is|are|was|were) no (?!longer|more|fewer|less|such|need|way|other|different|better|worse)": (
        "is not a …"
    ),
    r"\bof one's own\b|\bof its own accord\b": "custom, your own, by itself",
    r"\bat leisure\b|\bwhence\b|\bthence\b|\bwherein\b|\bthereof\b|\bherein\b|\bwhereof\b": "plain words",
    r"\b[aA]ffix": "attach",
    r"near-miss distance": "clearance",
    r"\b[lL]edger": "part tracking",
    r"\bunasked\b|\bbear(s)? out\b|\bborne out\b": "plain words",
}
DOCSTRING: Final = {r"^\s*[rf]?\"\"\"The same\b": "say what it is or does"}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and texts of a file: for Python its comments, strings and names, for other files its lines."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    kinds = (tokenize.COMMENT, tokenize.STRING, tokenize.NAME)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            yield from enumerate(token.string.splitlines(), token.start[0])


def findings(path: Path) -> Iterator[str]:
    """What a file should say differently."""
    lines = path.read_text(encoding="utf-8").splitlines()
    patterns = {**AVOIDED, **(DOCSTRING if path.suffix == ".py" else {})}
    for number, text in texts(path):
        if PASS in lines[number - 1]:
            continue
        for pattern, instead in patterns.items():
            for match in re.finditer(pattern, text):
                yield f"{path.relative_to(ROOT)}:{number}: '{match.group().strip()}': write {instead}"


def main() -> int:
    """Prints what was found; 1 if there is anything."""
    places = [ROOT / place for place in (sys.argv[1:] or PLACES)]
    files = sorted(
        path
        for place in places
        for path in ([place] if place.is_file() else place.rglob("*"))
        if path.is_file() and path.name.endswith(ENDINGS) and path != Path(__file__).resolve()
    )
    found = [line for path in files for line in findings(path)]
    print("\n".join(found) if found else f"voice: nothing to mend in {len(files)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
