"""``drycell robots`` lists and filters the robots of the library, and shows one."""

import pytest

from drycell.cli.main import main


def listed(capsys, *options):
    assert main(["robots", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split()[0] for line in lines[:-2] if line.strip()]
    return [each for each in rows if each != "name"], lines


def test_the_list_has_every_robot_and_every_tool(capsys):
    from drycell.robots import robot_names, tool_names

    names, lines = listed(capsys)
    assert names == [*robot_names(), *tool_names()]
    assert lines[-1].startswith(f"{len(robot_names())} of {len(robot_names())} robots, 20 of 20 tools; ")
    assert listed(capsys, "--kind", "robot")[0] == robot_names()
    assert listed(capsys, "--kind", "tool")[0] == tool_names()


def test_tools_are_filtered_by_kind_maker_and_payload(capsys):
    assert listed(capsys, "--kind", "vacuum")[0] == [
        "schmalz-ecbpmi", "ufactory-vacuum", "vacuum-cup-30", "vacuum-cup-50",
    ]  # fmt: skip
    names, lines = listed(capsys, "--kind", "gripper", "--maker", "onrobot", "--payload", "5kg..")
    assert names == ["onrobot-rg6"]
    assert "6* kg" in lines[1]
    assert "25*..120 N" in lines[1]
    assert listed(capsys, "--kind", "torch")[0] == ["welding-torch"]
    assert "tools" not in listed(capsys, "--axes", "7")[1][-1]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("onrobot-rg2", ["stroke        110 mm", "the fingertips open", "MIT"]),
        ("vacuum-cup-30", ["vacuum        60 kPa", "force         34.35 N", "bears         3.502 kg at rest"]),
        ("welding-torch", ["mass          1.5* kg", "generic: a plain outline", "tool centre point at 84.9"]),
    ],
)
def test_one_tool_is_shown_with_its_figures_and_a_picture(capsys, tmp_path, name, texts):
    assert main(["robots", name, "--picture", str(tmp_path / "tool.svg")]) == 0
    shown = " ".join(capsys.readouterr().out.split("\n"))
    for text in texts:
        assert text in shown
    assert "<path" in (tmp_path / "tool.svg").read_text()


def test_lists_are_filtered_by_maker_payload_reach_and_axes(capsys):
    names, _ = listed(capsys, "--kind", "robot", "--maker", "universal", "--payload", "5kg..10kg")
    assert names == ["ur10", "ur5", "ur5e"]
    assert listed(capsys, "--maker", "franka", "--axes", "7")[0] == ["franka-fr3", "franka-panda"]
    assert listed(capsys, "--reach", "..510mm", "--payload", "3kg")[0] == ["melfa-rv2fr", "ur3", "ur3e"]
    assert "m900ib700" in listed(capsys, "--payload", "500 kg..")[0]


def test_figures_without_a_source_and_estimates_are_marked(capsys):
    _, lines = listed(capsys, "--kind", "robot", "--maker", "universal")
    row = next(line for line in lines if line.startswith("ur5 "))
    assert row.split()[2:4] == ["5", "kg*"]
    assert "estimated  of ur5e" in row
    assert "~" not in "".join(lines)
    row = next(line for line in listed(capsys, "--kind", "robot", "--maker", "franka")[1] if "franka-panda " in line)
    assert "given" in row


def test_the_category_filters_robots_and_tools(capsys):
    assert listed(capsys, "--category", "external")[0] == ["gantry-3", "positioner-2", "track", "turntable"]
    names, _ = listed(capsys, "--category", "vacuum")
    assert "vacuum-cup-30" in names
    assert "robotiq-2f-85" not in names


def test_one_joint_is_not_counted_in_the_plural(capsys):
    assert main(["robots", "track"]) == 0
    assert "track: 1 joint, 1 link\n" in capsys.readouterr().out


def test_one_robot_is_shown_with_its_figures_and_a_picture(capsys, tmp_path):
    assert main(["robots", "kr210-r2700-2", "--picture", str(tmp_path / "arm.svg")]) == 0
    text = capsys.readouterr().out
    assert "reach         2701 mm" in text
    assert "generic: a plain outline" in text
    assert "github.com/" in text
    assert (tmp_path / "arm.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["ur6e"], "did you mean 'ur16e' or 'ur5e'"),
        (
            ["kuka"],
            "'kuka' is a maker, not a robot or tool\n  try: list what the library has of this maker with drycell",
        ),
        (["kuka"], "drycell robots --maker kuka"),
        (["ur5e", "--axes", "6"], "are for lists"),
        (["--picture", "x.svg"], "--picture needs a robot"),
        (["--kind", "gripper", "--axes", "7"], "--axes is for robots"),
        (["robotiq-2f-58"], "did you mean 'robotiq-2f-85'"),
        (["--payload", ".."], "'..' has no limit"),
        (["--payload", "5mm.."], "mass"),
        (["--payload", "10kg..5kg"], "'10kg..5kg' is empty: 10kg is more than 5kg\n  try: write --payload 5kg..10kg"),
        (["--maker", "Kuko"], "there is no maker 'Kuko'\n  try: did you mean 'KUKA'?"),
    ],
)
def test_wrong_options_are_reported(capsys, options, text):
    assert main(["robots", *options]) == 1
    assert text in capsys.readouterr().err
