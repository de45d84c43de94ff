"""A device as a process of its own, in real time: an end effector, a force/torque sensor or a tactile pad.

Controlling programs connect and send messages of five characters and six reals; see docs/guides/end-effector.md. Prints
where it listens, and runs until it is told to quit, or until Ctrl-C; nothing is left behind. The device stands in a
cell of its own with a block between the jaws, or in the cell that --cell names.

  drycell device gripper --picture                             and then, in another terminal:
  python examples/60_end_effector/planner.py tcp:127.0.0.1:4711
  drycell device gripper --table                               what it understands and answers
"""

from drycell.effector.link import add_arguments as add_arguments, serve_device as main

__all__ = ["add_arguments", "main"]
