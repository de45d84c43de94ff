"""The documentation is correct: every cell file in it is valid, every link and path exists."""

import re
from pathlib import Path

import pytest

from drycell.cell import Model

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
CELL_FILE = (ROOT / "docs" / "cell-file.md").read_text()
BLOCKS = [
    pytest.param(match[1], id=f"line{CELL_FILE.count(chr(10), 0, match.start()) + 1}")
    for match in re.finditer(r"^```yaml\n(.*?)^```$", CELL_FILE, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("text", BLOCKS)
def test_every_cell_file_in_the_documentation_reads_and_saves(text: str) -> None:
    model = Model.read(text)
    assert Model.read(model.text()) == model


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_the_map_names_every_package_and_only_files_that_exist() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    source = ROOT / "src" / "drycell"
    for package in sorted(path.name for path in source.iterdir() if (path / "__init__.py").exists()):
        assert f"`{package}`" in text, package
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", text):
        assert (source / name).exists() or (ROOT / name).exists(), name


def test_every_decision_is_listed_and_says_what_was_rejected() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        assert f"decisions/{page.name}" in index
        text = page.read_text()
        for part in ("## Context", "## Decision", "jected", "## Consequences"):
            assert part in text, f"{page.name}: {part}"


def test_the_glossary_has_each_term_once_in_alphabetical_order() -> None:
    terms = re.findall(r"^\*\*(.+?)\*\*:", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    assert terms == sorted(set(terms), key=str.lower)
