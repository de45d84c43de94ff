"""Check sources, tests, examples and pages for words that drycell's texts avoid.

    .venv/bin/python tools/voice.py                  everything
    .venv/bin/python tools/voice.py src/drycell/kernel docs README.md

In Python files it checks comments, strings, docstrings and names, in other files every line. To allow a word on one
line (a quotation, a name in a pinned journal), write ``voice: ok`` in a comment on that line. Pages also use British
spelling.
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
    r"near[- ]miss distance": "clearance",
    r"\b[Bb]reak points?\b": "breakpoint",
    r"\b[lL]edger": "part tracking",
    r"\bunasked\b|\bbear(s)? out\b|\bborne out\b": "plain words",
}
PAGE: Final = {
    r"\b[Cc]olor|\b[Cc]enter(?!-)|\b[Bb]ehavior|\b[Gg]ray\b|\b[Ff]avor|\b[Mm]eters?\b": "British spelling",
    r"\b(initial|optim|util|synchron|visual|organ|recogn|minim|maxim)iz": "British spelling: -is-",
    r"\b([Aa]nalyz|[Mm]odeled|[Ll]abeled|[Cc]anceled)": "British spelling",
    r"^\|.*\| *(if )?left out *\|": "Field · Meaning · Default as heads of a table",
}
DOCSTRING: Final = {r"^\s*[rf]?\"\"\"The same\b": "say what it is or does"}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line numbers and texts: comments, strings and names of a Python file, or the lines of another file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, tokenize.NAME, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds and (before, token.string) != (".", "tell"):  # the method of Python's files
            yield from enumerate(token.string.splitlines(), token.start[0])
        before = token.string


def findings(path: Path) -> Iterator[str]:
    """Yield a message for each word to replace in a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    patterns = {**AVOIDED, **{".py": DOCSTRING, ".md": PAGE}.get(path.suffix, {})}
    for number, text in texts(path):
        if PASS in lines[number - 1]:
            continue
        for pattern, instead in patterns.items():
            for match in re.finditer(pattern, text):
                yield f"{path.relative_to(ROOT)}:{number}: '{match.group().strip()}': write {instead}"


def main() -> int:
    """Print the findings and return the exit code: 1 if there are any."""
    places = [ROOT / place for place in (sys.argv[1:] or PLACES)]
    files = sorted(
        path
        for place in places
        for path in ([place] if place.is_file() else place.rglob("*"))
        if path.is_file() and path.name.endswith(ENDINGS) and path != Path(__file__).resolve()
    )
    found = [line for path in files for line in findings(path)]
    print("\n".join(found) if found else f"voice: {len(files)} files checked, no findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
