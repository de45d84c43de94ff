"""Sensors: one generic model (a quantity of the world and a response), how it is evaluated, and what is built of it.

May use units, errors, spatial, fields, datafile, kernel, geometry, world, robots and pictures.
"""

from drycell.sensors.directivity import Directivity, Piston
from drycell.sensors.fault import Fault
from drycell.sensors.laws import Law, law_names, register_law
from drycell.sensors.look import look
from drycell.sensors.model import SensorModel
from drycell.sensors.noise import Noise
from drycell.sensors.output import Output
from drycell.sensors.reading import LineReading, Reading
from drycell.sensors.response import Answer, disturbed, respond, sampled
from drycell.sensors.sensor import Sensor
from drycell.sensors.trace_lines import Row, TraceLines
from drycell.sensors.volume import (
    CapsuleVolume,
    ConeVolume,
    CylinderVolume,
    MeshVolume,
    PrismVolume,
    SphereVolume,
    Volume,
    cone,
    cylinder,
)

__all__ = [
    "Answer",
    "CapsuleVolume",
    "ConeVolume",
    "CylinderVolume",
    "Directivity",
    "Fault",
    "Law",
    "LineReading",
    "MeshVolume",
    "Noise",
    "Output",
    "Piston",
    "PrismVolume",
    "Reading",
    "Row",
    "Sensor",
    "SensorModel",
    "SphereVolume",
    "TraceLines",
    "Volume",
    "cone",
    "cylinder",
    "disturbed",
    "law_names",
    "look",
    "register_law",
    "respond",
    "sampled",
]
