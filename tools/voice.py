"""Check sources, tests, examples and pages for words that drycell's texts avoid.

    .venv/bin/python tools/voice.py                  everything
    .venv/bin/python tools/voice.py src/drycell/kernel docs README.md

In Python files it checks comments, strings, docstrings and names, in other files every line. Lines that belong
together (a docstring, a paragraph, consecutive comments or strings) are read as one text, and names are split at ``_``.
Spelling is checked in pages, comments and docstrings. To allow a word on one line (a quotation, a name in a pinned
journal), write ``voice: ok`` in a comment on that line.
"""

import io
import re
import sys
import tokenize
from bisect import bisect
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, groupby
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
ENDINGS: Final = (".py", ".md", ".js", ".css", ".html", ".yaml", ".yml", ".toml", ".pas", ".arl", "Makefile")
PASS: Final = "voice: ok"

# What to look for, and what to write instead.
AVOIDED: Final = {
    r"\b(tell|tells|told|telling)\b": "report, show, say, print",
    r"\bhang(s|ing)? on\b|\bhung on\b": "depends on, attached to, mounted on",
    r"\bc(o|a)mes? to (?!rest\b|a stop\b|an end\b|the same\b)": "reaches, results in, amounts to",
    r"\b(any|other|special|typographic|these|many|few) signs?\b(?! of)": "characters",
    r"\bshall\b": "must, should, will",
    r"\bfor ever\b": "indefinitely, permanently",
    r"\bin vain\b": "without effect, without success",
    r"\bso many\b|\bthat many\b": "the number itself",
    r"(?<!there )\b(is|are|was|were) no (?!longer|more|fewer|less|such|need|way|other|different|better|worse)": (
        "is not a …"
    ),
    r"\bof one's own\b|\bof its own accord\b": "custom, your own, by itself",
    r"\bat leisure\b|\bwhence\b|\bthence\b|\bwherein\b|\bthereof\b|\bherein\b|\bwhereof\b": "plain words",
    r"\baffix": "attach",
    r"\bnear[- ]miss distance": "clearance",
    r"\bbreak points?\b": "breakpoint",
    r"\bledger": "part tracking",
    r"\bcensus\b": "broad phase",
    r"\btheatre\b": "session",
    r"\b(deadlock|fault) stor(y|ies)\b": "trace",
    r"\b(bodies|robots?|arms?|jaws?|blocks?) (that )?crash": "collide",
    r"\bwhoever\b|\bto and fro\b|\bagain and again\b|\breckon|\bin (the )?order of time\b": (
        "anyone who, back and forth, repeatedly, compute, in chronological order"
    ),
    r"\bunasked\b|\bbears? out\b|\bborne out\b": "plain words",
    r"\b(?!not\b)\w+ included[.;:]": "including …",
    r"\Atest (what|who|whatever|whoever)\b": "a subject: test_an_invalid_…, test_a_client_that_…",
    r"(?-i:\bMay use\b)": "The package may use",
    r"\bsince when\b": "the time since which",
    r"\bto the (last )?(bit|byte)\b": "bit for bit, byte for byte",
    r"\bunit matrix\b": "identity matrix",
    r"\bplane (faces?|surfaces?|sides?)\b": "planar",
    r"\b(measured|computed|model|true) less (?!than\b)": "minus",
    r"\bthat (is|are) none\b|\bas good as none\b": "is invalid, counts as none",
    r"\bone'?s own (?!\w+ \w+ing)|\bones own\b|\bowned up\b": "custom, your own, marked",
    r"\b(measured|timed|compared|run) in turns\b|\bturns? of (a|the|each) loop\b": "alternately, iteration",
    r"\b(gives?|gave) commands\b": "issues commands",
    r"\bmistakes? of (a|the) text\b": "a mistake in a program, in a file",
    r"\bthesis' ": "of the thesis, the thesis's",
    r"\b(is|are|was) said of\b|\bto be had\b|\bwhatever comes\b": "plain words",
    r"\bhow often (it|they|each|a \w+) (was charged|broke|occurred|turned)\b": "how many times",
    r"\b(file|name)s?'? endings?\b|\bendings? of (a|the|its) (file|name)": "extension",
}
SPELLING: Final = {
    r"\bbehavior|\bgray\b|\bfavor(?!icon)|\bneighbor|\btravel(ed|ing)\b": "British spelling",
    r"\b(initial|optim|util|synchron|visual|organ|recogn|minim|maxim|normal|summar|discret|serial)iz": (
        "British spelling: -is-"
    ),
    r"\banalyz|\b(model|label|cancel|signal)(ed|ing)\b": "British spelling: -lled, -lling",
}
PAGE: Final = {
    r"\bcolor|\bcenter(?!-)|\bmeters?\b": "British spelling",
    r"^\|.*\| *(if )?left out *\|": "Field · Meaning · Default as heads of a table",
}
DOCSTRING: Final = {r"\A[rf]?\"\"\"The same\b": "say what it is or does"}
_EDGE: Final = " \t\"'#>*/"  # what separates words at the ends of lines that belong together


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield first lines and texts: comments, strings and names of a Python file, or the paragraphs of another file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        lines = enumerate(source.splitlines(), 1)
        for _, paragraph in groupby(
            lines, key=lambda line: line[0] if line[1].startswith("|") else not line[1].strip()
        ):
            numbers, parts = zip(*paragraph, strict=True)
            yield numbers[0], "\n".join(parts)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    start, joined, before = 0, "", ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            start = start if joined else token.start[0]
            joined += "\n" * (token.start[0] - start - joined.count("\n")) + token.string
        elif token.type not in {tokenize.NL, tokenize.INDENT, tokenize.DEDENT} and joined:
            yield start, joined
            joined = ""
        if token.type == tokenize.NAME and (before, token.string) != (".", "tell"):  # the method of Python's files
            yield token.start[0], token.string.replace("_", " ")
        before = token.string


@cache  # most texts are names, which recur
def avoided(text: str, suffix: str) -> list[tuple[int, str, str]]:
    """Return position and words of each offence in a text, and what to write instead."""
    patterns = {**AVOIDED, **{".py": DOCSTRING, ".md": PAGE}.get(suffix, {})}
    if suffix == ".md" or text.startswith(("#", '"""')):
        patterns |= SPELLING
    return [
        (match.start(), match.group().strip(), instead)
        for pattern, instead in patterns.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def findings(path: Path) -> Iterator[str]:
    """Yield a message for each word to replace in a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for start, text in texts(path):
        first, *others = text.split("\n")
        pieces = [first.rstrip(_EDGE), *(line.strip(_EDGE) for line in others)]
        ends = list(accumulate(len(piece) + 1 for piece in pieces))
        for position, words, instead in avoided(" ".join(pieces), path.suffix):
            number = start + bisect(ends, position)
            if PASS not in lines[number - 1]:
                yield f"{path.relative_to(ROOT)}:{number}: '{words}': write {instead}"


def main() -> int:
    """Print the findings and return the exit code: 1 if there are any, 2 if there is nothing to check."""
    places = [ROOT / place for place in (sys.argv[1:] or PLACES)]
    files = sorted(
        path
        for place in places
        for path in ([place] if place.is_file() else place.rglob("*"))
        if path.is_file() and path.name.endswith(ENDINGS) and path != Path(__file__).resolve()
    )
    found = [line for path in files for line in findings(path)]
    print("\n".join(found) if found else f"voice: {len(files)} files checked, no findings")
    return 2 if not files else 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
