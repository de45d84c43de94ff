"""Languages of robots: a small kit for front ends, and one package a language that runs its programs in a cell."""

from drycell.languages.programs import Arla, Pascal

__all__ = ["Arla", "Pascal"]
