"""Devices of a cell as processes of their own, in real time: what runs one, and what starts one from a program."""

from drycell.protocols.effector.process.start import DeviceProcess, start_device

__all__ = ["DeviceProcess", "start_device"]
