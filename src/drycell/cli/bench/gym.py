"""Gymnasium environments against the wall clock: how much time of the robots passes while a learner steps them.

Each is driven by random actions, resets included; the figure is that of the slowest.
"""

from time import perf_counter
from typing import Final

_STEPS: Final = 1500
_ROUNDS: Final = 3


def gym_vs_wall() -> float:
    """Seconds of robot time per second on the wall, of the environment that has the fewest."""
    from drycell.learn.gym import ENVIRONMENTS

    return min(max(_driven(name) for _ in range(_ROUNDS)) for name in ENVIRONMENTS)


def _driven(name: str) -> float:
    import gymnasium

    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(_STEPS)]
    passed = last = 0.0
    begin = perf_counter()
    for action in actions:
        *_, ended, cut, info = env.step(action)
        last = info["time"]
        if ended or cut:
            passed += last
            last = 0.0
            env.reset()
    return (passed + last) / (perf_counter() - begin)
