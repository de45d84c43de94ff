"""Learning: steps of training per second, in the worst of the five architectures."""

from time import process_time

_STEPS = 400


def learn_steps_per_s() -> float:
    """Learning steps per second of processor time, everything that belongs to training included: tries that are taken
    back, changes of world, and looks at how the robot does without learning. The figure is the slowest architecture's.

    At 50 steps a second, a training of 3000 steps takes a minute.
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
