"""Sensors: one generic model (a quantity of the world and a response), how it is evaluated, and what is built of it.

May use kernel, geometry, world, robots, cell and pictures.
"""

from drycell.sensors.directivity import Directivity, Piston
from drycell.sensors.fault import Fault, SampledFault, TimedFault
from drycell.sensors.faults import (
    Disturbance,
    Drift,
    Dropout,
    Late,
    Spike,
    Stuck,
    StuckOff,
    StuckOn,
    Swapped,
)
from drycell.sensors.laws import Law, law_names, register_law
from drycell.sensors.look import look
from drycell.sensors.model import SensorModel
from drycell.sensors.noise import Noise
from drycell.sensors.output import Output
from drycell.sensors.reading import LineReading, Reading
from drycell.sensors.response import Answer, disturbed, respond, sampled
from drycell.sensors.sensor import LiveSensor, Sensor
from drycell.sensors.trace_lines import Row, TraceLines
from drycell.sensors.volume import Beam, Volume

__all__ = [
    "Answer",
    "Beam",
    "Directivity",
    "Disturbance",
    "Drift",
    "Dropout",
    "Fault",
    "Late",
    "Law",
    "LineReading",
    "LiveSensor",
    "Noise",
    "Output",
    "Piston",
    "Reading",
    "Row",
    "SampledFault",
    "Sensor",
    "SensorModel",
    "Spike",
    "Stuck",
    "StuckOff",
    "StuckOn",
    "Swapped",
    "TimedFault",
    "TraceLines",
    "Volume",
    "disturbed",
    "law_names",
    "look",
    "register_law",
    "respond",
    "sampled",
]
