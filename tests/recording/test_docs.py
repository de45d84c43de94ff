"""The description of the file in docs/recording.md is correct: its code reads a recording with numpy alone."""

import re
from pathlib import Path

import numpy as np
import pytest

from drycell.base import Pose
from drycell.geometry import Box
from drycell.recording import Header, Recording, RecordingWriter
from drycell.recording.container import FORMS
from drycell.recording.tracks import TYPES
from drycell.robots import Drive, Joint, Link, Mark, Mechanism
from drycell.world import Fall, JointTrajectory, Linkage, LiveBody, Travel, World

PAGE = (Path(__file__).parents[2] / "docs" / "recording.md").read_text()


def recorded(path: Path) -> None:
    """Two mechanisms, the second on the first's hand; a part that rides, falls and is held."""
    clock = type("Clock", (), {"now": 0})()
    world = World(clock)
    turn = Joint("turn", "revolute", -3.0, 3.0, 1.0, 1.0, 10.0)
    slide = Joint("slide", "prismatic", -1.0, 1.0, 1.0, 1.0, 10.0)
    arm = Mechanism(
        "arm",
        (turn, slide),
        (
            Link("upper", -1, Pose.of_rpy(0.1, 0.2, 0.3, (0, 0, 1)), (Drive(0, "revolute", (0.6, 0.0, 0.8)),)),
            Link("hand", 0, Pose(0.3, 0, 0), (Drive(1, "prismatic", ratio=-0.5, offset=0.1),)),
        ),
        Mark(1),
    )
    tool = Mechanism("tool", (turn,), (Link("tip", -1, Pose(0, 0, 0.1), (Drive(0, "revolute"),)),), Mark(0))
    base = world.add(LiveBody("arm"), None, Pose(1, 2, 0))
    linkages = [Linkage(world, "arm", arm, base, [LiveBody("arm/upper"), LiveBody("arm/hand")], [0.1, 0.2])]
    linkages.append(Linkage(world, "tool", tool, linkages[0].links[1], [LiveBody("tool/tip")], [0.5]))
    belt = world.add(LiveBody("belt", Box(1, 0.2, 0.02)), None, Pose.of_rpy(0, 0, 0.5, (0, 1, 0)))
    part = world.add(LiveBody("part", Box(0.1, 0.1, 0.1), part=True), belt)
    rng = np.random.default_rng(4)
    with RecordingWriter(path, world, {}, Header("docs")) as writer:
        for linkage in linkages:
            coefficients = np.zeros((2, 4, linkage.kinematics.dof))
            coefficients[0, 0] = linkage.joints()
            coefficients[:, 1:] = rng.uniform(-0.2, 0.2, coefficients[:, 1:].shape)
            coefficients[1, 0] = coefficients[0].sum(axis=0)
            linkage.follow(JointTrajectory(0, np.array([0.0, 1.0, 1.5]), coefficients))
        world.move(part, Travel(0, 400_000, Pose(0.1, 0, 0), (0.2, 0, 0.1)), belt)
        clock.now = 450_000
        world.move(part, Fall(450_000, 900_000, Pose(0, 0, 1), (0.1, 0, 0)))
        clock.now = 1_200_000
        linkages[0].cut(clock.now)
        world.attach(part, linkages[1].links[0])
        writer.close(2_000_000, {})


def test_the_code_of_the_page_finds_every_pose(tmp_path, monkeypatch, capsys):
    recorded(tmp_path / "run.dry")
    monkeypatch.chdir(tmp_path)
    code = re.search(r"with only numpy\n<!--.*?-->\n```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(code.group(1), names)
    assert "part [" in capsys.readouterr().out
    with Recording.open("run.dry") as recording:
        for t in (0, 1, 250_000, 420_000, 600_000, 950_000, 1_100_000, 1_200_001, 1_700_000):
            for number, body in enumerate(recording.bodies):
                found = names["pose"](number, t)
                assert found == pytest.approx(recording.pose(body.name, t).matrix, abs=1e-12)
    names["run"].close()


def test_the_page_names_every_table_and_column():
    for name, (dtype, _) in FORMS.items():
        table, column = name.split("/")
        assert f"`{table}`" in PAGE
        assert f"`{column}`" in PAGE
        assert dtype[1:] in PAGE
    assert all(f"`{kind}`" in PAGE for kind in TYPES)
