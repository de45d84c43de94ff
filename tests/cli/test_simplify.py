"""``drycell simplify``: the table of nodes, and the file it writes."""

from pathlib import Path

import pytest

from drycell.robots import robot_from_file


def test_it_reports_pieces_faces_closeness_and_speed_up(drycell, tmp_path: Path) -> None:
    target = tmp_path / "simple.yaml"
    said = drycell("simplify", "box-frame/detailed", "--closeness", "20mm", "-o", target)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "box-frame/detailed to within 20mm: box-frame/simple"
    finger = next(line for line in lines if line.strip().startswith("finger1"))
    assert "2 → 1" in finger
    assert "24 → 12" in finger
    assert "5.680 mm   2.540, 5.080, 1.270" in finger
    assert any("an instant:" in line and "× as fast" in line for line in lines)
    assert str(target) in lines[-1]
    assert robot_from_file(target).name == "box-frame/simple"


def test_an_idle_robot_keeps_its_joints(drycell, tmp_path: Path) -> None:
    target = tmp_path / "arm.yaml"
    said = drycell("simplify", "ur5-like", "--volume", "30%", "--no-timing", "-o", target)
    assert said.code == 0
    assert "an instant" not in said.out
    assert robot_from_file(target).name == "ur5-like-simple"
    assert drycell("simplify", target, "--volume", "30%", "--no-timing").code == 0


def test_too_little_closeness_is_answered_with_the_closeness_needed(drycell) -> None:
    said = drycell("simplify", "puma560", "--closeness", "2mm", "--no-timing")
    assert said.code == 0
    assert "Nothing can be simplified within that. The first nodes to become simpler: upper_arm at 19.5" in said.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("puma560",), "UnitError: no limit is given\n  try: give --closeness 2mm, or --volume 5%, or both"),
        (("puma560", "--closeness", "2"), "'2' has no unit, but a length needs one"),
        (("puma560", "--closeness=-2mm"), "closeness is -2.000 mm but must be more than 0"),
        (("puma500", "--closeness", "2mm"), "there is no robot 'puma500'\n  try: did you mean 'puma560'"),
        (("puma560", "--closeness", "2mm", "--name", "1"), "'1' is not a valid name"),
        (("gone.yaml", "--closeness", "2mm"), "there is no file 'gone.yaml'"),
    ],
)
def test_mistakes_are_reported_with_what_to_try(drycell, arguments: tuple[str, ...], text: str) -> None:
    said = drycell("simplify", *arguments)
    assert said.code == 1
    assert text in said.err


def test_help_teaches_by_example(drycell) -> None:
    said = drycell("simplify", "--help")
    assert "drycell simplify box-frame/detailed --closeness 20mm" in said.out
