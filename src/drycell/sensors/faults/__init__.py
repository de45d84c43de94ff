"""Faults at work: what they make of the values of a signal, and when they are in force.

May use the kernel and the description of faults; knows signals, sampled or not, but no geometry.
"""

from drycell.sensors.faults.disturbance import Disturbance
from drycell.sensors.faults.kinds import KINDS, Drift, Dropout, Late, Spike, Stuck, StuckOff, StuckOn, Swapped

__all__ = ["KINDS", "Disturbance", "Drift", "Dropout", "Late", "Spike", "Stuck", "StuckOff", "StuckOn", "Swapped"]
