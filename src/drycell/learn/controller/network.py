"""The network: perceptrons with sigmoid nodes, taught by back-propagation, in plain floats.

All sums are taken one by one in a fixed order and no library for linear algebra is asked, so the same weights, inputs
and targets give the same result to the bit wherever ``math.exp`` does: always on one machine.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from drycell.base import FieldError

Layer = list[list[float]]  # a row for each input and, last, one for the bias; a column for each node
_LARGEST: Final = 500.0  # exp() beyond it is of no use to a sigmoid
SPREAD: Final = 0.5  # weights start evenly within ± this


@dataclass(frozen=True, slots=True)
class TeachingResult:
    """What one step of back-propagation found: outputs before it, the error, and the nodes' error signals."""

    outputs: tuple[float, ...]
    error: float
    signals: tuple[float, ...]


class Network:
    """Layers of weights between inputs, hidden nodes (if any) and outputs, every one with a bias.

    With ``memory`` the outputs are kept and fed in again beside the next inputs (a Jordan network, figure 49).
    """

    def __init__(self, layers: Sequence[Sequence[Sequence[float]]], *, memory: bool = False) -> None:
        self.layers: list[Layer] = [[list(row) for row in layer] for layer in layers]
        for above, below in pairwise(self.layers):
            if len(below) != len(above[0]) + 1:
                raise FieldError(
                    f"a layer of {len(above[0])} nodes is followed by one with {len(below)} rows of weights",
                    hint="a layer has a row for every node before it and one for the bias",
                )
        self.memory = memory
        self._kept = self._before = [0.0] * self.outputs if memory else list[float]()

    @classmethod
    def random(
        cls, inputs: int, outputs: int, hidden: Sequence[int], stream: Random, *, memory: bool = False
    ) -> "Network":
        """A network with weights drawn evenly from ±0.5."""
        sizes = [inputs + (outputs if memory else 0), *hidden, outputs]
        layers = [
            [[stream.uniform(-SPREAD, SPREAD) for _ in range(nodes)] for _ in range(before + 1)]
            for before, nodes in pairwise(sizes)
        ]
        return cls(layers, memory=memory)

    @property
    def inputs(self) -> int:
        """How many values it is fed, without memory and bias."""
        return len(self.layers[0]) - 1 - (self.outputs if self.memory else 0)

    @property
    def outputs(self) -> int:
        """How many output nodes it has."""
        return len(self.layers[-1][0])

    def forget(self) -> None:
        """Empties the memory layer, as before the first inputs."""
        self._kept = self._before = [0.0] * len(self._kept)

    def copy(self) -> "Network":
        """Another network with the same weights and an empty memory."""
        return Network(self.layers, memory=self.memory)

    def propagate(self, inputs: Sequence[float]) -> tuple[float, ...]:
        """The outputs for inputs; a memory layer keeps them for the next time."""
        outputs = self._forward(self._fed(inputs))[-1]
        if self.memory:
            self._kept = list(outputs)
        return tuple(outputs)

    def teach(self, inputs: Sequence[float], target: Sequence[float], rate: float) -> TeachingResult:
        """One step of back-propagation towards a target (equation 2: w + η d, d = -∇E, E = ½ Σ (t - o)²).

        The error is |Σ δ|, the sum of the output nodes' error signals before the step, without its sign: what section
        8.2 says is monitored. On table 37's weights it is below 0.06 in every corner tried, as it must be for a network
        that was stopped at 0.10; Σ |δ| is up to 0.25 there, Σ |t - o| up to 1.1. It says that the outputs add up, not
        that the strongest is the right one: training also looks at what the robot does.

        A memory layer is fed what it kept before these inputs were propagated, so teach before the next ones are.
        """
        fed = self._fed_before(inputs)
        levels = self._forward(fed)
        outputs = levels[-1]
        # The error signal of an output node is (t - o) o (1 - o); of a hidden one, what flows back × o (1 - o).
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
        """The values of every layer, the inputs first."""
        levels = [values]
        for layer in self.layers:
            sums = list(layer[-1])
            if len(layer) != len(levels[-1]) + 1:
                raise FieldError(
                    f"the network has {self.inputs} inputs and was fed {len(values) - len(self._kept)}",
                    hint="feed what its architecture names, in that order",
                )
            for row, value in zip(layer, levels[-1], strict=False):
                for node, weight in enumerate(row):
                    sums[node] += weight * value
            levels.append([1.0 / (1.0 + math.exp(-min(max(each, -_LARGEST), _LARGEST))) for each in sums])
        return levels
