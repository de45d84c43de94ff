"""Learning: training steps per second of the slowest of the five architectures, and the speed of the Gymnasium
environments with random actions, including resets.
"""

from time import perf_counter, process_time
from typing import Final

_STEPS: Final = 400
_ACTIONS: Final = 1500
_ROUNDS: Final = 3


def learn_steps_per_s() -> float:
    """Learning steps per second of processor time, for the slowest architecture.

    The time includes everything in training: undone attempts, changes of the world, and evaluations without learning.
    At 50 steps per second, a training of 3000 steps takes a minute.
    """
    from drycell.learn import Training
    from drycell.learn.controller import load_setup, setup_figures

    rates = []
    for figure in setup_figures():
        training = Training(load_setup(figure), seed=1)
        begin = process_time()
        trained = training.run(most=_STEPS)
        rates.append(trained.steps / (process_time() - begin))
    return min(rates)


def gym_vs_wall() -> float:
    """Seconds of robot time per second of wall time, for the slowest environment."""
    from drycell.learn.gym import ENVIRONMENTS

    return min(max(_driven(name) for _ in range(_ROUNDS)) for name in ENVIRONMENTS)


def _driven(name: str) -> float:
    import gymnasium

    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(_ACTIONS)]
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
