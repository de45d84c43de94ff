"""Frames: what the translation of one routine knows of the Python function that it becomes."""

import ast
from itertools import count

from drycell.languages.pascal.python_tree import item, literal, load
from drycell.languages.pascal.symbols import Routine, Variable


class Frame:
    """The Python function that a routine becomes: which outer variables it assigns, and its own passing ones."""

    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self.outer: set[str] = set()
        """Variables of functions around it that it assigns to."""
        self.continues: list[list[ast.stmt]] = []
        """What CONTINUE does in each of the loops that are open."""
        self._temps = count(1)

    def temp(self) -> str:
        """A variable that nobody else uses."""
        return f"_{next(self._temps)}"

    def variable(self, symbol: Variable) -> ast.expr:
        """Where a variable is."""
        if symbol.by_reference and not symbol.type.structured:
            return item(load(f"{symbol.python}_list"), load(f"{symbol.python}_place"))
        if symbol.boxed:
            return item(load(symbol.python), literal(0))
        return load(symbol.python)

    def assigns(self, symbol: Variable) -> None:
        """One of its statements assigns to a variable."""
        if symbol.owner is not self.routine and not symbol.boxed and not symbol.by_reference:
            self.outer.add(symbol.python)

    def result(self, routine: Routine) -> str:
        """The variable for the result of a function, its own or that of one around it."""
        name = f"r_{routine.python}"
        if routine is not self.routine:
            self.outer.add(name)
        return name
