"""The lock file names versions and nothing else, and they are within the bounds of pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "requirements.lock").read_text().splitlines()
LOCKED = {
    canonicalize_name(name): version
    for name, _, version in (line.partition("==") for line in LINES if line and not line.lstrip().startswith("#"))
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WANTED = [*PROJECT["dependencies"], *(each for extra in PROJECT["optional-dependencies"].values() for each in extra)]


def test_every_line_is_a_version_or_a_comment() -> None:
    for line in LINES:
        assert re.fullmatch(r"[a-z0-9._-]+==[0-9][0-9a-z.+]*|\s*#.*|", line), line


def test_no_line_names_a_host_or_a_folder() -> None:
    for line in LINES:
        assert not re.search(
            r"://|--(index|extra-index|find-links|trusted-host)(-url)?[ =]|file:/|(^|\s)[~/.]+/", line
        ), line


@pytest.mark.parametrize("text", WANTED)
def test_what_the_project_asks_for_is_locked_within_its_bounds(text: str) -> None:
    wanted = Requirement(text)
    assert LOCKED[canonicalize_name(wanted.name)] in wanted.specifier


@pytest.mark.parametrize("text", WANTED)
def test_every_dependency_has_a_lower_and_an_upper_bound(text: str) -> None:
    operators = {bound.operator for bound in Requirement(text).specifier}
    assert operators == {">=", "<"}
