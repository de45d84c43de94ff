"""Messages between controlling programs and devices: their shape, what they mean, and mailboxes in cell time.

Knows the kernel's clock and nothing of devices, worlds or wires; framings and connections are in ``protocols``.
"""

from drycell.messages.message import LAST_SEQUENCE, REALS, ZEROS, Message
from drycell.messages.proximity import pack_proximity, unpack_proximity
from drycell.messages.refusal import Code, MessageRefused, Refusal, Tally, refuse
from drycell.messages.table import GRIPPER, PAD, PLANNER, VOCABULARY, WRIST
from drycell.messages.vocabulary import Command, DeviceTable, Entry, Handling, Real, Reply, Vocabulary

__all__ = [
    "GRIPPER",
    "LAST_SEQUENCE",
    "PAD",
    "PLANNER",
    "REALS",
    "VOCABULARY",
    "WRIST",
    "ZEROS",
    "Code",
    "Command",
    "DeviceTable",
    "Entry",
    "Handling",
    "Message",
    "MessageRefused",
    "Real",
    "Refusal",
    "Reply",
    "Tally",
    "Vocabulary",
    "pack_proximity",
    "refuse",
    "unpack_proximity",
]
