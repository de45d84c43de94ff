"""Weights as a small text file in table 37's layout: a row for each input and the bias, a column for each action.

::

    # drycell weights: figure 40, nomad, objective 1
    # rows: front left right motion bias; columns: forward left right
    3.0482	-2.1261	-1.5926
    …

Lines that begin with ``#`` are comments. An empty line separates the layers of a network with hidden nodes. Numbers
have enough digits to read back identical floats.
"""

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Final

from drycell.base import FileError, Mistake, text_beside
from drycell.learn.controller import LearningSetup, Network

LARGEST: Final = 1e4  # larger weights are useless in a sigmoid network
MOST_BYTES: Final = 1_000_000
_NUMBER: Final = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(nan|inf)", re.IGNORECASE)


def save_weights(path: str | Path, network: Network, setup: LearningSetup) -> None:
    """Write the weights of a network to a file atomically."""
    with text_beside(path) as file:
        file.write(weights_text(network, setup))


def weights_text(network: Network, setup: LearningSetup) -> str:
    """Return the weights of a network as text."""
    memory = [f"last_{name}" for name in setup.action_names] if setup.memory else []
    rows = [*setup.input_names, *memory, "bias"]
    head = [
        f"# drycell weights: figure {setup.figure}, {setup.model.robot}, objective {setup.objective}",
        f"# rows: {' '.join(rows)}; columns: {' '.join(setup.action_names)}",
    ]
    layers = ["\n".join("\t".join(map(repr, row)) for row in layer) for layer in network.layers]
    return "\n".join(head) + "\n" + "\n\n".join(layers) + "\n"


def load_weights(path: str | Path, setup: LearningSetup) -> Network:
    """Read a network from a weights file. Raises FileError if the file does not fit the setup."""
    if not Path(path).is_file() and Path(path).exists():  # a device or a pipe may be endless
        raise FileError.of(str(path), [Mistake("it is not a file", hint="give a weights file")])
    with open(path, "rb") as file:
        read = file.read(MOST_BYTES + 1)
    if len(read) > MOST_BYTES:
        raise FileError.of(
            str(path),
            [Mistake(f"a weights file has at most {MOST_BYTES} bytes", hint="check that it is a weights file")],
        )
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError.of(
            str(path), [Mistake(f"not a text file: byte {error.start} is not UTF-8", hint="save it as plain text")]
        ) from None
    return read_weights(text, setup, str(path))


def read_weights(text: str, setup: LearningSetup, file: str = "weights.txt") -> Network:
    """Parse the text of a weights file. Errors name the file and line."""
    inputs = len(setup.input_names) + (len(setup.actions) if setup.memory else 0)
    sizes = [inputs, *setup.hidden, len(setup.actions)]
    wanted = [(before + 1, nodes) for before, nodes in pairwise(sizes)]
    numbers: list[list[float]] = []
    lines: list[int] = []  # the line of each row
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
                    f"there are {len(numbers)} rows of weights, but figure {setup.figure} has {rows}",
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
                what = f"a row has {len(row)} weights instead of {nodes}"
                raise FileError.of(file, [Mistake(what, line=line_number, hint="one for each node")])
        layers.append(layer)
        at += count
    return Network(layers, memory=setup.memory)


def _weight(word: str, file: str, line: int) -> float:
    if _NUMBER.fullmatch(word) is None:
        raise FileError.of(
            file, [Mistake(f"{word[:40]!r} is not a number", line=line, hint="write a number such as -2.1261")]
        )
    value = float(word)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise FileError.of(
            file,
            [Mistake(f"a weight of {word[:40]} is not within ±{LARGEST:g}", line=line, hint="train the network again")],
        )
    return value
