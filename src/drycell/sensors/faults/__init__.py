"""Faults of signals: their description (kinds.py), their effects (disturbance.py), and requests from outside
(requests.py). It knows sampled and other signals, but no geometry.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.sensors.faults.disturbance import Disturbance as Disturbance
    from drycell.sensors.faults.kinds import (
        KINDS as KINDS,
        Drift as Drift,
        Dropout as Dropout,
        Late as Late,
        Spike as Spike,
        Stuck as Stuck,
        StuckOff as StuckOff,
        StuckOn as StuckOn,
        Swapped as Swapped,
        Value as Value,
    )
    from drycell.sensors.faults.requests import forced as forced
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
