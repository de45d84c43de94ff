"""Sensor functions: what ATTACH can bind to a sensor. Each gives a single real value once a basic cycle."""

from drycell.languages.emula.functions.catalogue import BUILT_IN, Maker
from drycell.languages.emula.functions.function import Answer, Reads, SensorFunction
from drycell.languages.emula.functions.look import Look
from drycell.languages.emula.functions.user import UserFunction

__all__ = ["BUILT_IN", "Answer", "Look", "Maker", "Reads", "SensorFunction", "UserFunction"]
