"""Faults at work: what they make of the values of a signal, when they are in force, and how files write them.

May use the kernel and the description of faults; knows signals, sampled or not, but no geometry.
"""

from drycell.sensors.faults.disturbance import Disturbance, disturb
from drycell.sensors.faults.written import FaultSpec

__all__ = ["Disturbance", "FaultSpec", "disturb"]
