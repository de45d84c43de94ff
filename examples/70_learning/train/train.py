"""Train the Nomad 200 to move around in rooms, and test it in rooms that it has not seen.

python examples/70_learning/train/train.py [seed]          on the command line: drycell learn nomad

Try: another seed, figure 42 (corridors), figures 47 to 49 (Frank2), another rate in your own setup.
"""

import sys
from random import Random

from drycell.learn import Training, evaluate
from drycell.learn.controller import load_setup


def train(seed: int) -> None:
    setup = load_setup(40)
    untrained = evaluate(setup, setup.network(Random(seed)))
    print(f"untrained: {len(untrained.runs) - len(untrained.failures)} of {len(untrained.runs)} runs succeeded")
    trained = Training(setup, seed).run()
    print(f"trained until the error was low ten times in a row: {trained.reached}")
    for run in evaluate(setup, trained.network).runs:
        print(f"  {run}")


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
