"""Mazes as text, in world files and in evaluations."""

import pytest

from drycell.base import DrycellError, FieldError
from drycell.learn import evaluate
from drycell.learn.controller import load_setup
from drycell.learn.training import Training
from drycell.learn.world import load_worlds, maze, maze_from_file

RING = """
######
#S   #
# ## #
#   G#
######
"""
POSTS = """
o---o---o
|S      |
o   o   o
|   | G |
o---o---o
"""


def test_blocks_and_posts_become_walls_and_a_shortest_route() -> None:
    ring = maze("ring", RING, 2.0)
    assert ring.bounds == ((0.0, 0.0), (12.0, 10.0))
    assert ring.route[0] == (3.0, 7.0)
    assert ring.route[-1] == (9.0, 3.0)
    assert len(ring.route) == 6
    assert {(wall.start, wall.end) for wall in ring.walls} >= {((2.0, 8.0), (10.0, 8.0))}
    posts = maze("posts", POSTS, 1.5)
    assert posts.bounds == ((0.0, 0.0), (3.0, 3.0))
    assert posts.route == ((0.75, 2.25), (2.25, 2.25), (2.25, 0.75))
    assert len(posts.walls) == 5


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("###\n#?#\n###", "line 2, column 2 of the maze 'm' is '?'"),
        ("   ", "the maze 'm' has 0 lines"),
        (". .", "the maze 'm' has no walls"),
        ("####\n#S #\n####", "the maze 'm' has no G"),
        ("#####\n#S#G#\n#####", "the maze 'm' has no way from S to G"),
    ],
)
def test_mistakes_in_a_drawing_are_reported(text: str, what: str) -> None:
    with pytest.raises(FieldError) as error:
        maze("m", text, 1.0)
    assert error.value.what.startswith(what)


def test_a_trained_network_finds_its_way_round_a_maze_and_an_untrained_one_does_not(tmp_path) -> None:
    setup = load_setup(40)
    (tmp_path / "ring.txt").write_text(RING)
    ring = maze_from_file(tmp_path / "ring.txt", 3.0)
    training = Training(setup, seed=1)
    untrained = training.network.copy()
    found = evaluate(setup, training.run().network, [ring])
    assert [run.way for run in found.runs] == ["to the goal", "to the start"]
    assert found.succeeded, found.failures
    assert all(run.result.startswith("arrived in") for run in found.runs)
    assert not evaluate(setup, untrained, [ring]).succeeded
    with pytest.raises(FieldError, match="'plain' has no run"):
        evaluate(setup, untrained, [maze("plain", "###\n# #\n###", 2.0)])


def test_a_world_file_contains_mazes(tmp_path) -> None:
    file = tmp_path / "worlds.yaml"
    drawing = "".join(f"        {line}\n" for line in RING.strip().splitlines())
    file.write_text(
        f"worlds: mine\ntraining:\n  a room: {{room: [4 m, 3 m]}}\n"
        f"test:\n  ring:\n    cell: 3 m\n    maze: |\n{drawing}"
    )
    (ring,) = load_worlds(str(file)).test_plans
    assert ring == maze("ring", RING, 3.0)
    file.write_text(file.read_text().replace("#S", "#?"))
    other = tmp_path / "other.yaml"
    other.write_text(file.read_text())
    with pytest.raises(DrycellError, match="column 2 of the maze"):
        load_worlds(str(other))
