"""The lock files contain only versions, within the bounds of pyproject.toml: one for the core, one for everything."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FILES = ("requirements.lock", "requirements-dev.lock")
LINES = {name: (ROOT / name).read_text().splitlines() for name in FILES}
LOCKED = {
    file: {
        canonicalize_name(name): version
        for name, _, version in (line.partition("==") for line in lines if line and not line.lstrip().startswith("#"))
    }
    for file, lines in LINES.items()
}
CORE, ALL = (LOCKED[file] for file in FILES)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WANTED = [*PROJECT["dependencies"], *(each for extra in PROJECT["optional-dependencies"].values() for each in extra)]


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_a_version_or_a_comment(file: str) -> None:
    for line in LINES[file]:
        assert re.fullmatch(r"[a-z0-9._-]+==[0-9][0-9a-z.+]*|\s*#.*|", line), line


@pytest.mark.parametrize("file", FILES)
def test_no_line_names_a_host_or_a_folder(file: str) -> None:
    for line in LINES[file]:
        assert not re.search(
            r"://|--(index|extra-index|find-links|trusted-host)(-url)?[ =]|file:/|(^|\s)[~/.]+/", line
        ), line


@pytest.mark.parametrize("text", WANTED)
def test_the_requirements_of_the_project_are_locked_within_its_bounds(text: str) -> None:
    wanted = Requirement(text)
    assert ALL[canonicalize_name(wanted.name)] in wanted.specifier


@pytest.mark.parametrize("text", PROJECT["dependencies"])
def test_the_requirements_of_the_core_are_in_its_lock_file(text: str) -> None:
    assert canonicalize_name(Requirement(text).name) in CORE


def test_the_core_is_the_same_in_both() -> None:
    assert CORE.items() <= ALL.items()


def test_a_plain_installation_brings_at_most_seventy_packages() -> None:
    assert len(CORE) <= 70


@pytest.mark.parametrize("name", ["eaik", "matplotlib", "mujoco-core", "networkx", "lxml", "rich", "pytest", "pyvista"])
def test_the_core_contains_only_what_cells_need(name: str) -> None:
    assert name not in CORE


@pytest.mark.parametrize("text", WANTED)
def test_every_dependency_has_a_lower_and_an_upper_bound(text: str) -> None:
    operators = {bound.operator for bound in Requirement(text).specifier}
    assert operators == {">=", "<"}


def test_the_imports_of_the_project_are_among_its_requirements() -> None:
    named = {"PIL": "pillow", "yaml": "pyyaml", "pinocchio": "pin", "serial": "pyserial", "_typeshed": "mypy"}
    named["dask"] = "distributed"  # which pins its version
    wanted = {canonicalize_name(Requirement(text).name) for text in WANTED}
    imported: dict[str, Path] = {}
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0]: file for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                imported[node.module.partition(".")[0]] = file
    own = {*sys.stdlib_module_names, "drycell"}
    missing = {name: file for name, file in imported.items() if canonicalize_name(named.get(name, name)) not in wanted}
    assert {name: str(file) for name, file in missing.items() if name not in own} == {}
