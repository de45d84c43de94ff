"""Messages between controlling programs and devices: their shape, what they mean, and mailboxes in cell time.

Knows the kernel's clock and nothing of devices, worlds or wires; framings and connections are in ``protocols``.
"""

from drycell.messages.disturbance import CALM, Disturbance, Trouble
from drycell.messages.mailboxes import COMMAND, Desk, Envelope, MailboxPair, find_pair
from drycell.messages.message import LAST_SEQUENCE, REALS, ZEROS, Message
from drycell.messages.printing import print_table
from drycell.messages.proximity import pack_proximity, unpack_proximity
from drycell.messages.refusal import Code, Malformed, MessageRefused, Refusal, Tally, advice, refuse
from drycell.messages.table import GRIPPER, PAD, PLANNER, VOCABULARY, WRIST
from drycell.messages.traffic import Answer, Traffic, Watcher
from drycell.messages.vocabulary import Command, DeviceTable, Entry, Handling, Real, Reply, Vocabulary

__all__ = [
    "CALM",
    "COMMAND",
    "GRIPPER",
    "LAST_SEQUENCE",
    "PAD",
    "PLANNER",
    "REALS",
    "VOCABULARY",
    "WRIST",
    "ZEROS",
    "Answer",
    "Code",
    "Command",
    "Desk",
    "DeviceTable",
    "Disturbance",
    "Entry",
    "Envelope",
    "Handling",
    "MailboxPair",
    "Malformed",
    "Message",
    "MessageRefused",
    "Real",
    "Refusal",
    "Reply",
    "Tally",
    "Traffic",
    "Trouble",
    "Vocabulary",
    "Watcher",
    "advice",
    "find_pair",
    "pack_proximity",
    "print_table",
    "refuse",
    "unpack_proximity",
]
