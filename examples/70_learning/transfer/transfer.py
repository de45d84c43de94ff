"""A network trained in a virtual world and refined in a real one, against an untrained one: table 38, and the way back.

python examples/70_learning/transfer/transfer.py [seed]

The real world has noise, gains and offsets of each sensor, slipping wheels, walls of concrete and a room that was not
used for training. After 98 learning steps each, the use of the refined network shows gain and offset of the sensors,
with which the virtual model is calibrated.
"""

import sys
from dataclasses import replace
from random import Random

from drycell import mm
from drycell.learn import REAL, Training, compare_transfer, estimate, log_use, real_plan
from drycell.learn.controller import load_setup


def transfer(seed: int) -> None:
    setup = load_setup(40)
    virtual = Training(setup, 1).run().network
    found = compare_transfer(setup, virtual, setup.network(Random(seed)), seed)
    print(found)
    real = replace(REAL, seed=seed)
    print("sensor    gain found, true   offset found, true")
    for name, each in estimate(
        setup, log_use(setup, found.trained.refinement.network, real_plan(setup), real, seed)
    ).items():
        true = real.noise_of(name, setup.model.sensors(setup.arrangement)[name].model.noise)
        print(f"{name:<9} {each.gain:9.3f} {true.gain:6.3f} {each.offset / mm:10.0f} mm {true.offset / mm:4.0f} mm")


if __name__ == "__main__":
    transfer(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
