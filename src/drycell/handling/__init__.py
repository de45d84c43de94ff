"""Handling: what happens to loose parts that nobody holds.

May use units, errors, spatial, kernel, geometry and world; knows no robots.
"""

from drycell.handling.gravity import Gravity

__all__ = ["Gravity"]
