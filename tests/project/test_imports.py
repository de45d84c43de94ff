"""`import drycell` is quick: heavy libraries are loaded by what uses them, and nothing reaches round the layers."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
HEAVY = {
    "pinocchio", "coal", "mujoco", "trimesh", "manifold3d", "eaik", "ruckig", "pydantic", "pydantic_core", "ruamel",
    "rich", "scipy", "matplotlib", "pyvista", "imageio", "pybullet", "simpy",
}  # fmt: skip


def run(code: str, **environment: str) -> str:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**own, **environment}
    )
    return done.stdout


@pytest.mark.parametrize("module", ["drycell", "drycell.base.schema"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    loaded = run(f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})").split()
    assert sorted(HEAVY & set(loaded)) == []


def test_importing_drycell_takes_at_most_twice_as_long_as_importing_numpy(tmp_path: Path) -> None:
    def seconds(module: str) -> float:
        code = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
        return float(run(code, PYTHONPYCACHEPREFIX=str(tmp_path)))

    seconds("drycell")  # compiles both
    # Processor time, the fastest of several alternating rounds: other load on the machine affects both.
    times = [(seconds("numpy"), seconds("drycell")) for _ in range(7)]
    assert min(ours for _, ours in times) <= 2 * min(theirs for theirs, _ in times)


def imports_at_load(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """What a module imports when it is loaded: not inside functions, not for the type checker alone."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))


def test_heavy_libraries_are_imported_inside_the_functions_that_use_them() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in MODULES
        for line, name in imports_at_load(ast.parse(path.read_text()))
        if name.partition(".")[0] in HEAVY
    ]
    assert found == []


def test_no_package_imports_from_the_front_door() -> None:
    """What `drycell` itself offers is for users: inside, taking it there would tie every layer to all others."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "drycell"
        for alias in node.names
        if alias.name[0].isupper() or alias.name == "*"
    ]
    assert found == []
