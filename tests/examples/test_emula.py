"""The output, journal and drawings of every EMULA example match the files kept beside it.

A program's first comment ends with the command that runs it. What it prints and its journal are in ``expected``; the
pages it draws are the pictures of the guide, ``docs/images/emula/NAME-001.svg`` and so on. After a change that is meant
to change them, look at the difference and write them anew with

    DRYCELL_RENEW=1 .venv/bin/python -m pytest tests/examples
"""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from drycell.cli.main import main

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "10_emula"
PICTURES = ROOT / "docs" / "images" / "emula"
PROGRAMS = sorted(FOLDER.glob("*.eml"))
RENEW = "DRYCELL_RENEW" in os.environ
LARGEST = 40_000  # bytes of a page


def command(program: Path) -> list[str]:
    """How a program says it is run."""
    found = re.search(r"^ +drycell (emula .*?) ?\*/$", program.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, f"the first comment of {program.name} must end with its command"
    return shlex.split(found[1])


def compare(kept: Path, text: str) -> None:
    if RENEW:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text, encoding="utf-8")
    assert kept.is_file(), f"{kept} is missing: DRYCELL_RENEW=1 writes it"
    assert text == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_journals_and_draws_what_it_says(program: Path, tmp_path, monkeypatch, capsys) -> None:
    shutil.copytree(
        FOLDER, tmp_path / "examples" / FOLDER.name, ignore=shutil.ignore_patterns("expected", "__pycache__")
    )
    monkeypatch.chdir(tmp_path)
    journal = f"out/{program.stem}.journal"
    ended = main([*command(program), "--journal", journal])
    printed = capsys.readouterr().out
    assert ended == (2 if "**CRASH DETECTED*" in printed else 0)
    compare(FOLDER / "expected" / f"{program.stem}.txt", printed)
    compare(FOLDER / "expected" / f"{program.stem}.journal", (tmp_path / journal).read_text(encoding="utf-8"))
    drawn = sorted((tmp_path / "out").glob("*.svg"))
    kept = [PICTURES / page.name.replace("emula", program.stem) for page in drawn]
    if RENEW:
        for old in set(PICTURES.glob(f"{program.stem}-*.svg")) - set(kept):
            old.unlink()
    for page, file in zip(drawn, kept, strict=True):
        compare(file, page.read_text(encoding="utf-8"))
        assert file.stat().st_size < LARGEST
    assert sorted(PICTURES.glob(f"{program.stem}-*.svg")) == kept


def test_the_list_of_programs_is_complete() -> None:
    listed = re.findall(r"^\| \[(\w+)\.eml\]", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == [program.stem for program in PROGRAMS]


def test_nothing_is_expected_of_a_program_that_has_ended() -> None:
    names = {program.stem for program in PROGRAMS}
    assert {file.stem for file in (FOLDER / "expected").iterdir()} == names
    assert {file.name.rpartition("-")[0] for file in PICTURES.iterdir()} <= names


def test_the_journal_of_table_4_is_the_papers() -> None:
    assert (FOLDER / "expected" / "table4.journal").read_text(encoding="utf-8") == (
        "***JOURNAL OPENED AT 10:00:00:000***\n"
        "setdisplay (0);\n"
        "startupmotors;\n"
        "open (1); /* open fingers */\n"
        "setcrashchk (1, 'FINGER1', 'FINGER2');\n"
        "close (0); /* close fingers */\n"
        "**CRASH DETECTED* FINGER1 & FINGER2\n"
        "**CRASH DETECTED* FINGER1 & FINGER2\n"
        "setjournal (0);\n"
        "***JOURNAL CLOSED AT 10:04:50:000***\n"
    )
