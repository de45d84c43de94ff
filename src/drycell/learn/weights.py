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
from itertools import pairwise
from pathlib import Path
from typing import Final

from drycell.errors import FileError, Mistake
from drycell.files import text_beside
from drycell.learn.controller import Network, Setup

LARGEST: Final = 1e4  # no weight of a sigmoid network is of use beyond it
MOST_BYTES: Final = 1_000_000


def save_weights(path: str | Path, network: Network, setup: Setup) -> None:
    """Writes a network's weights, whole or not at all."""
    with text_beside(path) as file:
        file.write(weights_text(network, setup))


def weights_text(network: Network, setup: Setup) -> str:
    """A network's weights as text."""
    memory = [f"last_{name}" for name in setup.action_names] if setup.memory else []
    rows = [*setup.input_names, *memory, "bias"]
    head = [
        f"# drycell weights: figure {setup.figure}, {setup.robot}, objective {setup.objective}",
        f"# rows: {' '.join(rows)}; columns: {' '.join(setup.action_names)}",
    ]
    layers = ["\n".join("\t".join(map(repr, row)) for row in layer) for layer in network.layers]
    return "\n".join(head) + "\n" + "\n\n".join(layers) + "\n"


def load_weights(path: str | Path, setup: Setup) -> Network:
    """A network from a file of weights; refuses what does not fit the setup, and numbers that cannot be weights."""
    file = Path(path)
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise FileError.of(
            str(path), [Mistake(f"{size} bytes, weights have {MOST_BYTES} at most", hint="is it another kind of file?")]
        )
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError.of(
            str(path), [Mistake(f"no text: byte {error.start} is not UTF-8", hint="save it as plain text")]
        ) from None
    return read_weights(text, setup, str(path))


def read_weights(text: str, setup: Setup, file: str = "weights.txt") -> Network:
    """The network that a text of weights describes; mistakes name file and line."""
    inputs = len(setup.input_names) + (len(setup.actions) if setup.memory else 0)
    sizes = [inputs, *setup.hidden, len(setup.actions)]
    wanted = [(before + 1, nodes) for before, nodes in pairwise(sizes)]
    numbers: list[list[float]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            numbers.append([_weight(word, file, number) for word in words])
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
        layer, at = numbers[at : at + count], at + count
        for row in layer:
            if len(row) != nodes:
                raise FileError.of(
                    file,
                    [Mistake(f"a row of {len(row)} weights where {nodes} are wanted", hint="one for each node")],
                )
        layers.append(layer)
    return Network(layers, memory=setup.memory)


def _weight(word: str, file: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        raise FileError.of(
            file, [Mistake(f"{word[:40]!r} is no number", line=line, hint="write for example -2.1261")]
        ) from None
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise FileError.of(
            file, [Mistake(f"a weight of {word[:40]}, must be within ±{LARGEST:g}", line=line, hint="train it anew")]
        )
    return value
