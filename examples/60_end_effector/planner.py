"""Drives the end effector: the same program in a cell, against a process, and against a device on another host.

drycell run examples/60_end_effector                        in the cell, in cell time
python examples/60_end_effector/planner.py                  starts the device as a process, and quits it
python examples/60_end_effector/planner.py tcp:HOST:PORT TOKEN    a device that runs somewhere else
"""

import sys

from drycell import N, mm, s
from drycell.effector.link import CommandFailed, GripperClient, connect, start_device

OPENINGS = (60 * mm, 30 * mm, 45 * mm)
PERIOD = 0.1 * s  # between two status checks of a move


def work(gripper: GripperClient) -> None:
    """Initialises, queues three moves and watches them, grips with limited force, aborts a move, quits."""
    done = gripper.initialise()
    print(f"initialised: gap {done.gap / mm:.1f} mm")

    moves = [gripper.move_to(gap, speed=40 * mm / s) for gap in OPENINGS]
    for number, move in enumerate(moves, 1):
        while not move.within(PERIOD):
            state = gripper.status()
            print(f"  at {state.gap / mm:.0f} mm, going to {state.target / mm:.0f} mm")
        done = move.wait()
        print(f"move {number}: gap {done.gap / mm:.1f} mm after {done.elapsed:.2f} s, {done.waiting} wait")

    grip = gripper.squeeze(15 * N, speed=20 * mm / s).wait()
    state = gripper.status()
    print(f"gripped: gap {grip.gap / mm:.1f} mm, force {grip.force:.1f} N, beam broken: {state.beam_broken}")

    moves = [gripper.move_to(60 * mm, speed=5 * mm / s), gripper.move_to(20 * mm)]
    moves[0].within(1 * s)  # it is under way
    print(f"aborted: {gripper.abort()} commands dropped")
    for name, move in zip(("under way", "waiting"), moves, strict=True):
        try:
            move.wait()
        except CommandFailed as failed:
            print(f"the move {name} failed: {failed.reason}")

    print(f"quit: {gripper.quit()} commands dropped")


def planner() -> None:
    """The program of the cell."""
    with connect("cell:hand") as gripper:
        work(gripper)


def main(address: str | None = None, token: str = "") -> None:
    """Drives a running device, or starts one for as long as it is needed."""
    if address is not None:
        with connect(address, token=token) as gripper:
            work(gripper)
        return
    with start_device("gripper") as device, connect(device.address) as gripper:
        work(gripper)


if __name__ == "__main__":
    main(*sys.argv[1:])
