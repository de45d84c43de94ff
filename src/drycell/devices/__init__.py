"""Devices: conveyors, sources, sinks, stores, machines and logic blocks, and the controllers that programs run on.

The package may use lower layers only: kernel, geometry, world, cell, handling, robots, sensors.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.devices.controller import (
        PULSE as PULSE,
        CommandSet as CommandSet,
        Controller as Controller,
        LiveController as LiveController,
    )
    from drycell.devices.conveyor import Conveyor as Conveyor, LiveConveyor as LiveConveyor, Stop as Stop
    from drycell.devices.logic import LiveLogic as LiveLogic, Logic as Logic
    from drycell.devices.machine import LiveMachine as LiveMachine, Machine as Machine
    from drycell.devices.pallet import LivePallet as LivePallet, Pallet as Pallet
    from drycell.devices.sink import LiveSink as LiveSink, Sink as Sink
    from drycell.devices.sink_record import write_sunk as write_sunk
    from drycell.devices.source import Every as Every, PartKind as PartKind, Source as Source
    from drycell.devices.store import LiveStore as LiveStore, Store as Store
    from drycell.devices.tray_line import (
        Bend as Bend,
        Director as Director,
        Junction as Junction,
        StraightTrack as StraightTrack,
        TrayLine as TrayLine,
    )
    from drycell.devices.tray_source import (
        TrayLoad as TrayLoad,
        TraySink as TraySink,
        TraySource as TraySource,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
