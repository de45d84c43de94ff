"""Weights as a small text file in table 37's layout: a row for each input and the bias, a column for each action.

::

    # drycell weights: figure 40, nomad, objective 1
    # rows: front left right motion bias; columns: forward left right
    3.0482	-2.1261	-1.5926
    …

Lines that begin with ``#`` are comments. Layers of a network with hidden nodes follow one another, apart by an empty
line. Numbers are written so that reading gives the same floats back to the bit.
"""

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Final

from drycell.base import FileError, Mistake, text_beside
from drycell.learn.controller import LearningSetup, Network

LARGEST: Final = 1e4  # no weight of a sigmoid network is of use beyond it
MOST_BYTES: Final = 1_000_000
_NUMBER: Final = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(nan|inf)", re.IGNORECASE)


def save_weights(path: str | Path, network: Network, setup: LearningSetup) -> None:
    """Writes a network's weights, whole or not at all."""
    with text_beside(path) as file:
        file.write(weights_text(network, setup))


def weights_text(network: Network, setup: LearningSetup) -> str:
    """A network's weights as text."""
    memory = [f"last_{name}" for name in setup.action_names] if setup.memory else []
    rows = [*setup.input_names, *memory, "bias"]
    head = [
        f"# drycell weights: figure {setup.figure}, {setup.model.robot}, objective {setup.objective}",
        f"# rows: {' '.join(rows)}; columns: {' '.join(setup.action_names)}",
    ]
    layers = ["\n".join("\t".join(map(repr, row)) for row in layer) for layer in network.layers]
    return "\n".join(head) + "\n" + "\n\n".join(layers) + "\n"


def load_weights(path: str | Path, setup: LearningSetup) -> Network:
    """A network from a file of weights; refuses what does not fit the setup, and numbers that cannot be weights."""
    if not Path(path).is_file() and Path(path).exists():  # a device or a pipe may have no end
        raise FileError.of(str(path), [Mistake("it is no file", hint="name a file of weights")])
    with open(path, "rb") as file:
        read = file.read(MOST_BYTES + 1)
    if len(read) > MOST_BYTES:
        raise FileError.of(
            str(path), [Mistake(f"weights have {MOST_BYTES} bytes at most", hint="is it another kind of file?")]
        )
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError.of(
            str(path), [Mistake(f"no text: byte {error.start} is not UTF-8", hint="save it as plain text")]
        ) from None
    return read_weights(text, setup, str(path))


def read_weights(text: str, setup: LearningSetup, file: str = "weights.txt") -> Network:
    """The network that a text of weights describes; mistakes name file and line."""
    inputs = len(setup.input_names) + (len(setup.actions) if setup.memory else 0)
    sizes = [inputs, *setup.hidden, len(setup.actions)]
    wanted = [(before + 1, nodes) for before, nodes in pairwise(sizes)]
    numbers: list[list[float]] = []
    lines: list[int] = []  # where each row is written
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if words:
            numbers.append([_weight(word, file, number) for word in words])
            lines.append(number)
    rows = sum(count for count, _ in wanted)
    if len(numbers) != rows:
        raise FileError.of(
            file,
            [
                Mistake(
                    f"{len(numbers)} rows of weights, figure {setup.figure} has {rows}",
                    hint=f"one for each of {', '.join(setup.input_names)}{', the memory' if setup.memory else ''} "
                    "and the bias",
                )
            ],
        )
    layers, at = [], 0
    for count, nodes in wanted:
        layer = numbers[at : at + count]
        for row, line_number in zip(layer, lines[at:], strict=False):
            if len(row) != nodes:
                said = f"a row of {len(row)} weights where {nodes} are wanted"
                raise FileError.of(file, [Mistake(said, line=line_number, hint="one for each node")])
        layers.append(layer)
        at += count
    return Network(layers, memory=setup.memory)


def _weight(word: str, file: str, line: int) -> float:
    if _NUMBER.fullmatch(word) is None:
        raise FileError.of(file, [Mistake(f"{word[:40]!r} is no number", line=line, hint="write for example -2.1261")])
    value = float(word)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise FileError.of(
            file, [Mistake(f"a weight of {word[:40]}, must be within ±{LARGEST:g}", line=line, hint="train it anew")]
        )
    return value
