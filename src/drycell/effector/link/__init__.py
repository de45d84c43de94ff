"""The command protocol of end effectors and other devices: framings, connections, and the client library.

What messages are and mean is in :mod:`drycell.effector.messages`. A controlling program needs :func:`connect` alone.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.effector.link.address import Address as Address, parse_address as parse_address
    from drycell.effector.link.calls import Ticket as Ticket
    from drycell.effector.link.client import (
        Done as Done,
        Gripper as Gripper,
        Pad as Pad,
        Status as Status,
        Wrist as Wrist,
        connect as connect,
    )
    from drycell.effector.link.fault import (
        CommandFailed as CommandFailed,
        LinkError as LinkError,
        LinkLost as LinkLost,
        LinkTimeout as LinkTimeout,
    )
    from drycell.effector.link.recorder import Recorder as Recorder, read_traffic as read_traffic
    from drycell.effector.link.timing import draw_timing as draw_timing
    from drycell.effector.messages import (
        VOCABULARY as VOCABULARY,
        Message as Message,
        MessageRefused as MessageRefused,
        Refusal as Refusal,
    )
    from drycell.effector.process import DeviceProcess as DeviceProcess, start_device as start_device
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
