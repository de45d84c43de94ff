"""From the text of an address to a channel."""

from typing import get_args

from drycell.errors import UnknownName
from drycell.kernel.verbs import kernel_of_program
from drycell.messages import find_pair
from drycell.protocols.effector.calls import Channel
from drycell.protocols.effector.link.address import parse_address
from drycell.protocols.effector.link.connection import SocketChannel
from drycell.protocols.effector.link.framing import Framing
from drycell.protocols.effector.link.mailboxes import CellChannel


def open_channel(address: str, *, token: str = "", framing: Framing = "text") -> Channel:
    """A channel to the device at an address."""
    if framing not in get_args(Framing):
        raise UnknownName("framing", framing, get_args(Framing))
    kind, _, name = address.partition(":")
    if kind == "cell":
        return CellChannel(find_pair(kernel_of_program("connect"), name))
    return SocketChannel(parse_address(address), token=token, framing=framing)
