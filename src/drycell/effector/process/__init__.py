"""Devices of a cell as processes of their own, in real time: what runs one, and what starts one from a program."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.effector.process.attending import AttendedDevice as AttendedDevice
    from drycell.effector.process.start import DeviceProcess as DeviceProcess, start_device as start_device
    from drycell.effector.process.test_bench import bench as bench
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
