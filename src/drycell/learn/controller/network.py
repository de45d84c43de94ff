"""The network: perceptrons with sigmoid nodes and back-propagation, in plain floats.

All sums are computed in a fixed order without a linear algebra library. Equal weights, inputs and targets give
bit-identical results on any machine whose ``math.exp`` gives the same results.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from drycell.base import FieldError

Layer = list[list[float]]  # a row for each input and a last row for the bias; a column for each node
_LARGEST: Final = 500.0  # a sigmoid saturates far below this
SPREAD: Final = 0.5  # initial weights are uniform within ± this


@dataclass(frozen=True, slots=True)
class TeachingResult:
    """The result of one back-propagation step: the outputs before it, the error, and the error signals."""

    outputs: tuple[float, ...]
    error: float
    signals: tuple[float, ...]


class Network:
    """Layers of weights between inputs, hidden nodes (if any) and outputs, each with a bias.

    With ``memory`` the outputs are further inputs of the next step (a Jordan network, figure 49).
    """

    def __init__(self, layers: Sequence[Sequence[Sequence[float]]], *, memory: bool = False) -> None:
        self.layers: list[Layer] = [[list(row) for row in layer] for layer in layers]
        for above, below in pairwise(self.layers):
            if len(below) != len(above[0]) + 1:
                raise FieldError(
                    f"a layer of {len(above[0])} nodes is followed by a layer with {len(below)} rows of weights",
                    hint="a layer needs a row for every node of the previous layer, and a row for the bias",
                )
        self.memory = memory
        self._kept = self._before = [0.0] * self.outputs if memory else list[float]()

    @classmethod
    def random(
        cls, inputs: int, outputs: int, hidden: Sequence[int], stream: Random, *, memory: bool = False
    ) -> "Network":
        """Create a network with uniform random weights within ±0.5."""
        sizes = [inputs + (outputs if memory else 0), *hidden, outputs]
        layers = [
            [[stream.uniform(-SPREAD, SPREAD) for _ in range(nodes)] for _ in range(before + 1)]
            for before, nodes in pairwise(sizes)
        ]
        return cls(layers, memory=memory)

    @property
    def inputs(self) -> int:
        """Number of inputs, without memory and bias."""
        return len(self.layers[0]) - 1 - (self.outputs if self.memory else 0)

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return len(self.layers[-1][0])

    def forget(self) -> None:
        """Clear the memory layer."""
        self._kept = self._before = [0.0] * len(self._kept)

    def copy(self) -> "Network":
        """Return a network with these weights and an empty memory."""
        return Network(self.layers, memory=self.memory)

    def propagate(self, inputs: Sequence[float]) -> tuple[float, ...]:
        """Return the outputs for inputs. A memory layer keeps them for the next call."""
        outputs = self._forward(self._fed(inputs))[-1]
        if self.memory:
            self._kept = list(outputs)
        return tuple(outputs)

    def teach(self, inputs: Sequence[float], target: Sequence[float], rate: float) -> TeachingResult:
        """Take one back-propagation step towards a target (equation 2: w + η d, d = -∇E, E = ½ Σ (t - o)²).

        The error is |Σ δ|, the absolute sum of the error signals of the outputs before the step, as section 8.2
        describes. With the weights of table 37 it is below 0.06 in every corner tried, as expected if training stopped
        at 0.10; Σ |δ| is up to 0.25 there, Σ |t - o| up to 1.1. A low error means that the outputs add up, not that the
        strongest one is correct: training also evaluates the motion of the robot.

        The memory layer has the values from before the last ``propagate``, so call this before the next ``propagate``.
        """
        fed = self._fed_before(inputs)
        levels = self._forward(fed)
        outputs = levels[-1]
        # Error signal of an output node: (t - o) o (1 - o); of a hidden node: the back-propagated sum × o (1 - o).
        signals = [(wanted - output) * output * (1.0 - output) for wanted, output in zip(target, outputs, strict=True)]
        last = tuple(signals)
        for number in range(len(self.layers) - 1, -1, -1):
            layer, before = self.layers[number], levels[number]
            back = [sum(weight * signal for weight, signal in zip(row, signals, strict=True)) for row in layer]
            for row, value in zip(layer, (*before, 1.0), strict=True):
                for node, signal in enumerate(signals):
                    row[node] += rate * signal * value
            signals = [flow * value * (1.0 - value) for flow, value in zip(back, before, strict=False)]
        return TeachingResult(tuple(outputs), abs(sum(last)), last)

    def _fed(self, inputs: Sequence[float]) -> list[float]:
        self._before = self._kept
        return [*inputs, *self._kept]

    def _fed_before(self, inputs: Sequence[float]) -> list[float]:
        return [*inputs, *self._before]

    def _forward(self, values: list[float]) -> list[list[float]]:
        """Return the values of all layers, inputs first."""
        levels = [values]
        for layer in self.layers:
            sums = list(layer[-1])
            if len(layer) != len(levels[-1]) + 1:
                raise FieldError(
                    f"the network has {self.inputs} inputs, but got {len(values) - len(self._kept)} values",
                    hint="pass the inputs of its setup, in that order",
                )
            for row, value in zip(layer, levels[-1], strict=False):
                for node, weight in enumerate(row):
                    sums[node] += weight * value
            levels.append([1.0 / (1.0 + math.exp(-min(max(each, -_LARGEST), _LARGEST))) for each in sums])
        return levels
