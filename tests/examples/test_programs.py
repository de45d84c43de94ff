"""Programs of the examples contain nothing that only a simulator has: no statement attaches, drops or moves a part."""

import ast
import re
from pathlib import Path

import pytest

from drycell.cell import CellSource, Model

FOLDER = Path(__file__).parents[2] / "examples"
# What the world of a simulation offers, and a controller does not.
FORBIDDEN = {
    "attach", "detach", "translate", "rotate", "teleport", "release", "remove", "world", "gravity",
    "scene", "kernel", "material", "put",
}  # fmt: skip

# What two programs print beside their results, to compare them with the truth. It changes nothing in the run.
PRINTED = {("sort", "material"), ("37_capsule_arm", "scene")}


def cell_files() -> list[Path]:
    return sorted(FOLDER.rglob("cell.yaml"))


def statements(tree: ast.AST, folder: str = "") -> list[str]:
    """The names in a Python program that no controller has, each with its line."""
    return [
        f"line {node.lineno}: .{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN and (folder, node.attr) not in PRINTED
    ]


@pytest.mark.parametrize("file", cell_files(), ids=lambda file: file.parent.relative_to(FOLDER).as_posix())
def test_no_program_of_an_example_contains_a_simulation_statement(file: Path) -> None:
    model = Model.load(file)
    programs = {
        Path(program.file)
        for program in model.things.values()
        if program.meta.section == "programs" and isinstance(getattr(program, "file", None), str)
    }
    for program in sorted(programs):
        text = (file.parent / program).read_text(encoding="utf-8")
        if program.suffix == ".py":
            assert statements(ast.parse(text), file.parent.name) == [], f"{file.parent.name}/{program}"
        elif program.suffix != ".eml":  # EMULA is the language of a simulator, and has such statements itself
            found = re.findall(r"\b(?:at|de)tach\w*", text, re.IGNORECASE)
            assert found == [], f"{file.parent.name}/{program}"


def test_the_check_finds_such_statements() -> None:
    assert statements(ast.parse("def f(arm, cell):\n    arm.pick('a')\n    cell.world.attach('a', 'b')")) == [
        "line 3: .attach", "line 3: .world",
    ]  # fmt: skip
    assert len(cell_files()) > 20


def test_the_same_programs_run_with_and_without_drops(capsys: pytest.CaptureFixture[str]) -> None:
    """The palletiser sets each part down at rest, so its program fills the pallet whatever law its cell has."""
    source = CellSource.find(FOLDER / "50_parts" / "palletiser")
    printed = []
    for law in ("tumble", "pilot", "keep"):
        cell = source.build()
        cell.settling = law
        assert cell.run().clean
        printed.append(capsys.readouterr().out)
    assert printed[0].count(" is at pallet.") == 9
    assert printed[0] == printed[1] == printed[2]
