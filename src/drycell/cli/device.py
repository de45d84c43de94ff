"""Run a device as a separate process in real time: an end effector, a force/torque sensor or a tactile pad.

Controlling programs connect to it and send messages of five characters and six real numbers; see
docs/guides/end-effector.md. The command prints the address it listens on, and runs until it receives a quit message or
you press Ctrl-C. The device runs in a small cell with a table and a block, or in the cell given by --cell.


examples:
  drycell device gripper --picture                               starts it; then, in another terminal:
  python examples/60_end_effector/planner.py tcp:127.0.0.1:4711
  drycell device gripper --table                                 lists its commands and replies
"""

from drycell.effector.link import add_arguments as add_arguments, serve_device as main

__all__ = ["add_arguments", "main"]
