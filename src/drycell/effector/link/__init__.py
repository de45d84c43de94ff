"""The link to end effectors and other devices: the client library, the server, and the device as a process.

Messages are defined in :mod:`drycell.effector.messages`. A controlling program only needs :func:`connect`.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.effector.link.channel import (
        ADVICE as ADVICE,
        CommandFailed as CommandFailed,
        DeviceAddress as DeviceAddress,
        LinkError as LinkError,
        LinkLost as LinkLost,
        LinkTimeout as LinkTimeout,
        parse_address as parse_address,
    )
    from drycell.effector.link.client import (
        DebugSwitches as DebugSwitches,
        DeviceClient as DeviceClient,
        Done as Done,
        Gains as Gains,
        GripperClient as GripperClient,
        GripperStatus as GripperStatus,
        Load as Load,
        PadClient as PadClient,
        PadStatus as PadStatus,
        WristClient as WristClient,
        connect as connect,
    )
    from drycell.effector.link.command import add_arguments as add_arguments, serve_device as serve_device
    from drycell.effector.link.process import (
        DeviceProcess as DeviceProcess,
        ServedDevice as ServedDevice,
        bench as bench,
        start_device as start_device,
    )
    from drycell.effector.link.proxy import Proxy as Proxy
    from drycell.effector.link.server import Connection as Connection, Server as Server, ServerLimits as ServerLimits
    from drycell.effector.link.traffic import (
        Recorder as Recorder,
        draw_timing as draw_timing,
        read_traffic as read_traffic,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
