"""``drycell show``: the tree, the robots, what they reach, and the cell as a file."""

from pathlib import Path

from drycell.cell import CellSource


def test_the_tree_is_shown_with_shape_material_and_place(drycell, folder: Path) -> None:
    said = drycell("show", folder)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "counting"
    assert "wall                             box        plastic         1100.0       0.0       0.0" in lines
    # Attached bodies are indented below their parents.
    base = next(number for number, line in enumerate(lines) if line.startswith("arm/base "))
    assert lines[base + 1].startswith("  arm/")


def test_reach_is_reported_with_a_reason(drycell, folder: Path) -> None:
    said = drycell("show", folder)
    reach = said.out[said.out.index("\nreach\n") :].splitlines()
    near = next(line for line in reach if "near" in line)
    far = next(line for line in reach if "far" in line)
    assert not far.rstrip().endswith("yes")
    assert "mm" in far or "deg" in far
    assert near.startswith("  arm        near")


def test_programs_are_named(drycell, folder: Path) -> None:
    assert "programs  work" in drycell("show", folder).out.splitlines()


def test_a_cell_is_saved_as_a_file(drycell, tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(
        "from drycell import Body, Box\ndef build(cell):\n    cell.add('table', Body(Box(1, 1, 0.1), at=(1, 2, 3)))\n"
    )
    said = drycell("show", tmp_path, "--save", tmp_path / "saved" / "cell.yaml")
    assert f"saved as {tmp_path / 'saved' / 'cell.yaml'}" in said.out
    assert CellSource.find(tmp_path / "saved").build().world.body("table").pose.position == (1, 2, 3)


def test_showing_does_not_run_anything(drycell, folder: Path) -> None:
    assert "counted" not in drycell("show", folder).out


def test_a_failed_save_says_why_and_ends_with_1(drycell, folder: Path, tmp_path: Path) -> None:
    said = drycell("show", folder, "--save", tmp_path / "saved.yaml")
    assert said.code == 1
    assert "program 'work' is defined inside another function" in said.err
    assert not (tmp_path / "saved.yaml").exists()
