"""Weights as text: identical floats read back, the weights of table 37, and invalid files."""

from pathlib import Path
from random import Random

import pytest

from drycell.base import DrycellError, FileError
from drycell.learn import load_weights, save_weights
from drycell.learn.controller import load_setup, setup_figures, strongest_first
from drycell.learn.tables import TABLE_37
from drycell.learn.weights import read_weights, weights_text

INCH = 1.0 / 255.0


@pytest.mark.parametrize("figure", setup_figures())
def test_weights_read_back_bit_for_bit(figure: int, tmp_path: Path) -> None:
    setup = load_setup(figure)
    network = setup.network(Random(9))
    save_weights(tmp_path / "weights.txt", network, setup)
    again = load_weights(tmp_path / "weights.txt", setup)
    assert again.layers == network.layers
    assert again.memory == setup.memory
    assert weights_text(again, setup) == (tmp_path / "weights.txt").read_text()


@pytest.mark.parametrize("far", [60, 80, 100, 120, 150, 180, 220, 255])
def test_table_37_turns_the_right_way_in_corners_and_then_goes_on(far: int) -> None:
    setup = load_setup(40)
    network = read_weights(TABLE_37, setup)

    def chosen(front: int, left: int, right: int, motion: str) -> str:
        fed = setup.vector({"front": front, "left": left, "right": right}, motion)
        return setup.action_names[strongest_first(network.propagate(fed))[0]]

    for near in (18, 22, 26, 29):
        assert chosen(near, far, near, "forward") == "left"
        assert chosen(near, near, far, "forward") == "right"
    if far >= 80:
        assert chosen(far, far, 24, "left") == "forward"
        assert chosen(far, 24, far, "right") == "forward"


def test_table_37_walks_round_unseen_rooms_in_both_directions() -> None:
    from drycell.learn import evaluate

    setup = load_setup(40)
    assert evaluate(setup, read_weights(TABLE_37, setup)).succeeded


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("1.8066", "1.8O66"), r"weights.txt:3: '1.8O66' is not a number"),
        (lambda text: text.replace("1.8066", "nan"), "a weight of nan"),
        (lambda text: text.replace("1.8066", "1e9"), "is not within ±10000"),
        (lambda text: text + "1 2 3\n", "6 rows of weights, but figure 40 has 5"),
        (lambda text: text.replace("1.8066", "1_8"), r"weights.txt:3: '1_8' is not a number"),
        (lambda text: text.replace("1.8066", "\u0661"), "is not a number"),
        (lambda text: text.replace("\t1.8066", ""), r"weights.txt:3: a row has 2 weights instead of 3"),
        (lambda text: "", "0 rows of weights"),
    ],
)
def test_invalid_weights_are_refused_with_their_line(change, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FileError, match=said):
        read_weights(change(TABLE_37), load_setup(40), "weights.txt")


def test_files_that_are_not_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(DrycellError, match="not UTF-8"):
        load_weights(tmp_path / "picture", load_setup(40))
    (tmp_path / "huge").write_bytes(b"1 2 3\n" * 200_000)
    with pytest.raises(DrycellError, match="a weights file has at most 1000000 bytes"):
        load_weights(tmp_path / "huge", load_setup(40))
    for endless in ("/dev/zero", str(tmp_path)):
        with pytest.raises(DrycellError, match="it is not a file"):
            load_weights(endless, load_setup(40))
    with pytest.raises(FileNotFoundError):
        load_weights(tmp_path / "nowhere", load_setup(40))


def test_weights_of_another_architecture_do_not_fit() -> None:
    with pytest.raises(FileError, match="figure 49 has 8"):
        read_weights(TABLE_37, load_setup(49))
