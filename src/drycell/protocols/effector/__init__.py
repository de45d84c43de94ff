"""The command protocol of end effectors and other devices: framings, connections, and the client library.

What messages are and mean is in :mod:`drycell.messages`. A controlling program needs :func:`connect` alone.
"""

from drycell.messages import VOCABULARY, Message, MessageRefused, Refusal
from drycell.protocols.effector.calls import Ticket
from drycell.protocols.effector.client import Done, Gripper, Pad, Status, Wrist, connect
from drycell.protocols.effector.fault import CommandFailed, LinkError, LinkLost, LinkTimeout
from drycell.protocols.effector.process import DeviceProcess, start_device

__all__ = [
    "VOCABULARY",
    "CommandFailed",
    "DeviceProcess",
    "Done",
    "Gripper",
    "LinkError",
    "LinkLost",
    "LinkTimeout",
    "Message",
    "MessageRefused",
    "Pad",
    "Refusal",
    "Status",
    "Ticket",
    "Wrist",
    "connect",
    "start_device",
]
