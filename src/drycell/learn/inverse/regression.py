"""A perceptron with one hidden layer, fitted to numbers by L-BFGS: the least of a library that does it."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import Array

# Products of matrices up to this size are not shared out among threads (OpenBLAS): with as little to do as here,
# waiting for one another takes longer, and sums would depend on how many threads there are.
_ONE_THREAD: Final = 200_000


@dataclass(frozen=True, eq=False)
class Perceptron:
    """tanh nodes between inputs and linear outputs. Inputs are about 1 in size; outputs are scaled by ``scale``."""

    hidden: Array  # (inputs + 1, nodes); the last row is the bias
    output: Array  # (nodes + 1, outputs)
    scale: Array  # (outputs,)

    def __call__(self, inputs: Array) -> Array:
        """(n, outputs) for (n, inputs)."""
        level = np.tanh(inputs @ self.hidden[:-1] + self.hidden[-1])
        found: Array = (level @ self.output[:-1] + self.output[-1]) * self.scale
        return found


def fit(inputs: Array, wanted: Array, *, nodes: int, seed: int, decay: float = 1e-4, rounds: int = 600) -> Perceptron:
    """The perceptron that is nearest to the wanted outputs in the least squares, weights held small by ``decay``."""
    from scipy.optimize import minimize

    count, width = inputs.shape
    scale = np.sqrt(np.mean(wanted**2, axis=0))
    aim = wanted / np.where(scale == 0.0, 1.0, scale)
    shapes = ((width + 1, nodes), (nodes + 1, wanted.shape[1]))
    cut = shapes[0][0] * nodes
    stream = np.random.default_rng(seed)
    start = np.concatenate(
        [stream.normal(0.0, 1.0 / np.sqrt(width), cut), stream.normal(0.0, 0.1, shapes[1][0] * shapes[1][1])]
    )

    rows = max(_ONE_THREAD // (nodes * max(width, wanted.shape[1])), 1)
    pieces = [(inputs[k : k + rows], aim[k : k + rows]) for k in range(0, count, rows)]

    def loss(weights: Array) -> tuple[float, Array]:
        """Half the mean square of what is off, and its gradient (back-propagation over all pairs at once)."""
        hidden, output = weights[:cut].reshape(shapes[0]), weights[cut:].reshape(shapes[1])
        square, slope = 0.0, np.zeros(len(weights))
        for fed, hoped in pieces:
            level = np.tanh(fed @ hidden[:-1] + hidden[-1])
            off = level @ output[:-1] + output[-1] - hoped
            back = (off @ output[:-1].T) * (1.0 - level**2)
            parts = ((fed.T @ back).ravel(), back.sum(axis=0), (level.T @ off).ravel(), off.sum(axis=0))
            slope += np.concatenate(parts)
            square += float((off**2).sum())
        value = 0.5 * square / count + 0.5 * decay * float((weights**2).sum())
        return value, slope / count + decay * weights

    options = {"maxiter": rounds, "maxfun": 2 * rounds, "ftol": 1e-13, "gtol": 1e-9}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    weights: Array = found.x
    return Perceptron(weights[:cut].reshape(shapes[0]), weights[cut:].reshape(shapes[1]), scale)
