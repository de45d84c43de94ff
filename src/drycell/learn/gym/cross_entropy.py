"""The cross-entropy method: a standard learner that needs no gradient and only numpy (Rubinstein 1999).

It samples policies around a mean and runs them. The best ones determine the next mean and spread.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from drycell.base import Array, FieldError


@dataclass(frozen=True, eq=False)
class LinearPolicy:
    """A linear policy with a bias: the action is the index of the largest output, or all outputs clipped to ±1."""

    weights: Array  # (observed + 1, outputs); the last row is the constant
    choice: bool

    def __call__(self, observed: Array) -> Any:
        """Return the action for an observation."""
        outputs = np.asarray(observed, dtype=float) @ self.weights[:-1] + self.weights[-1]
        return np.int64(outputs.argmax()) if self.choice else np.clip(outputs, -1.0, 1.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Generation:
    """The result of a generation: the mean return of all policies, and of the best."""

    number: int
    mean: float
    elite: float


class CrossEntropy:
    """Learns a :class:`LinearPolicy` in an environment with continuous or discrete actions."""

    def __init__(
        self,
        make: Callable[[], gymnasium.Env[Any, Any]],
        seed: int,
        *,
        population: int = 40,
        elite: int = 8,
        episodes: int = 4,
    ) -> None:
        if not 2 <= elite < population or episodes < 1:
            raise FieldError(f"{elite} of {population} policies over {episodes} episodes", hint="40, 8 and 4 are usual")
        self._env = make()
        self._stream = np.random.default_rng(seed)
        self._seed, self._population, self._elite, self._episodes = seed, population, elite, episodes
        space, actions = self._env.observation_space, self._env.action_space
        if not isinstance(space, spaces.Box) or not isinstance(actions, spaces.Box | spaces.Discrete):
            raise FieldError(
                "this learner needs box observations, and box or discrete actions", hint="wrap the environment"
            )
        self._choice = isinstance(actions, spaces.Discrete)
        outputs = int(actions.n) if isinstance(actions, spaces.Discrete) else int(np.prod(actions.shape))
        self._shape = (int(np.prod(space.shape)) + 1, outputs)
        self._mean = np.zeros(self._shape)
        self._spread = np.ones(self._shape)
        self.generation = 0

    @property
    def policy(self) -> LinearPolicy:
        """The mean of the last best policies."""
        return LinearPolicy(self._mean.copy(), self._choice)

    def learn(self, generations: int) -> Iterator[Generation]:
        """Learn for some generations. All policies of a generation play the same episodes."""
        for _ in range(generations):
            drawn = self._mean + self._spread * self._stream.normal(size=(self._population, *self._shape))
            first = 1_000_003 * (self._seed % 1000) + self.generation * self._episodes
            seeds = range(first, first + self._episodes)
            earned = np.array([play(self._env, LinearPolicy(each, self._choice), seeds) for each in drawn])
            best = drawn[np.argsort(-earned, kind="stable")[: self._elite]]
            # A decaying extra spread prevents early convergence.
            extra = 0.3 * max(1.0 - self.generation / 20.0, 0.0)
            self._mean, self._spread = best.mean(axis=0), best.std(axis=0) + extra
            self.generation += 1
            yield Generation(self.generation, float(earned.mean()), float(np.sort(earned)[-self._elite :].mean()))


def play(env: gymnasium.Env[Any, Any], policy: Callable[[Any], Any], seeds: range) -> float:
    """Return the mean return of a policy over the episodes of some seeds."""
    total = 0.0
    for seed in seeds:
        observed, _ = env.reset(seed=seed)
        ended = cut = False
        while not (ended or cut):
            observed, reward, ended, cut, _ = env.step(policy(observed))
            total += float(reward)
    return total / len(seeds)
