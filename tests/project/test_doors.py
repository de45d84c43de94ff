"""Packages have one door each: others use what `__init__` exports, and nothing reaches upwards past the layers."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "drycell"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
TREES = {path: ast.parse(path.read_text()) for path in MODULES}
(CONTRACT,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
HEIGHT = {
    package.strip(): height for height, line in enumerate(reversed(CONTRACT["layers"])) for package in line.split("|")
}
# The module that implements lazy exports cannot be exported lazily.
UNDER_DOORS = {"drycell.packages"}


def package(path: Path) -> str:
    """The package of the first level that a module is in."""
    return path.relative_to(SOURCE).parts[0]


def is_module(name: str) -> bool:
    """Whether a dotted name is a module and not a package."""
    return (SOURCE.parent / Path(*name.split("."))).with_suffix(".py").exists()


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every module that is imported anywhere, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def named_in_strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every module that is named in a string that is not a docstring, with its line."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from ((node.lineno, name) for name in re.findall(r"\bdrycell\.\w+(?:\.\w+)*", node.value))


def exported(door: ast.Module) -> dict[str, str]:
    """The names that a package exports, each with its module."""
    return {
        alias.asname: node.module
        for part in door.body
        if isinstance(part, ast.If)
        for node in part.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
        if alias.asname is not None
    }


def test_packages_are_used_through_their_doors() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, tree in TREES.items()
        for line, name in imported(tree)
        if name.startswith("drycell.") and name.split(".")[1] != package(path)
        if is_module(name) and name not in UNDER_DOORS and name not in EXPORTED_MODULES
    ]
    assert found == []


def test_examples_use_packages_through_their_doors() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / "examples").rglob("*.py"))
        for line, name in imported(ast.parse(path.read_text()))
        if name.startswith("drycell.") and is_module(name) and name not in EXPORTED_MODULES
    ]
    assert found == []


EXPORTED_MODULES = {
    f"{module}.{name}"
    for path, tree in TREES.items()
    if path.name == "__init__.py"
    for name, module in exported(tree).items()
    if is_module(f"{module}.{name}")
}


def test_no_module_is_called_like_something_its_door_exports() -> None:
    found = [
        f"{path.parent.relative_to(ROOT)}: {name}"
        for path, tree in TREES.items()
        if path.name == "__init__.py"
        for name, module in exported(tree).items()
        if (path.parent / f"{name}.py").exists() and not is_module(f"{module}.{name}")
    ]
    assert found == []


# Base classes of kinds, which plug-ins subclass.
BASES = {"sensors.Disturbance", "sensors.SampledFault"}


def used_elsewhere() -> set[str]:
    """Every ``package.name`` that is imported or read outside that package: in sources, tests, examples and pages."""
    found: set[str] = set()
    for place in ("src", "tests", "examples", "benchmarks", "tools"):
        for path in (ROOT / place).rglob("*.py"):
            own = package(path) if SOURCE in path.parents and path.parent != SOURCE else ""
            tree = TREES.get(path) or ast.parse(path.read_text())
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("drycell."):
                    name = (node.module or "").removeprefix("drycell.")
                    found |= {f"{name}.{alias.name}" for alias in node.names if name != own}
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                    holder = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                    found.add(f"{holder}.{node.attr}")
    for page in [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]:
        for name, imports in re.findall(r"from drycell\.(\w+) import (\([^)]*\)|[^\n]*)", page.read_text()):
            found |= {f"{name}.{each}" for each in re.findall(r"\w+", imports)}
    return found


def test_an_export_is_used_outside_its_package() -> None:
    """Kinds are exported to be found, and ``cell`` exports from ``base`` what a kind of thing needs."""
    found = set()
    used = used_elsewhere()
    for path, tree in TREES.items():
        if path.name == "__init__.py" and path.parent.parent == SOURCE:
            door = import_module(f"drycell.{package(path)}")
            for name, module in exported(tree).items():
                is_kind = bool(getattr(getattr(getattr(door, name), "meta", None), "kind", ""))
                if f"{package(path)}.{name}" not in used and not is_kind and module != "drycell.base":
                    found.add(f"{package(path)}.{name}")
    assert found - BASES == set()


def test_no_string_names_a_module_of_a_higher_layer() -> None:
    """Layers are checked by imports, which miss a name that is handed to ``import_module`` or ``python -m``."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, tree in TREES.items()
        for line, name in named_in_strings(tree)
        if HEIGHT.get(name.split(".")[1], -1) > HEIGHT[package(path)]
    ]
    assert found == []


def test_no_string_names_a_module_behind_the_door_of_another_package() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, tree in TREES.items()
        for line, name in named_in_strings(tree)
        if name.split(".")[1] != package(path) and is_module(name)
    ]
    assert found == []


def test_editors_see_through_a_door() -> None:
    """jedi, which Jupyter and Spyder use, skips what follows a plain ``TYPE_CHECKING = False``."""
    found = [str(path) for path in SOURCE.rglob("*.py") if re.search(r"^TYPE_CHECKING = ", path.read_text(), re.M)]
    assert found == []
