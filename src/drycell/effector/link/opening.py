"""From the text of an address to a channel."""

from typing import get_args

from drycell.base import UnknownName
from drycell.effector.link.address import parse_address
from drycell.effector.link.calls import Channel
from drycell.effector.link.connection import SocketChannel
from drycell.effector.link.framing import Framing
from drycell.effector.link.mailboxes import CellChannel
from drycell.effector.messages import find_pair
from drycell.kernel import kernel_of_program


def open_channel(address: str, *, token: str = "", framing: Framing = "text") -> Channel:
    """A channel to the device at an address."""
    if framing not in get_args(Framing):
        raise UnknownName("framing", framing, get_args(Framing))
    kind, _, name = address.partition(":")
    if kind == "cell":
        return CellChannel(find_pair(kernel_of_program("connect"), name))
    return SocketChannel(parse_address(address), token=token, framing=framing)
