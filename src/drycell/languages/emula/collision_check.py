"""Collision checks: named pairs looked at once a basic cycle, with a line for every cycle in which they interfere.

Independent of sensors, and of the cell's own collision monitor, which looks back and tells beginnings and ends: here
the lines stand among the commands, in the order in which things happened.
"""

from collections.abc import Callable
from dataclasses import dataclass

from drycell.base import ProgramError
from drycell.geometry import TOUCH
from drycell.languages.emula.holding import Pairs
from drycell.languages.emula.names import Node
from drycell.languages.emula.vicinity import Vicinity


@dataclass(frozen=True, slots=True)
class Collision:
    """One cycle in which a pair interfered."""

    time: int
    a: str
    b: str

    @property
    def line(self) -> str:
        """As in table 4."""
        return f"**CRASH DETECTED* {self.a.upper()} & {self.b.upper()}"


class CollisionCheck:
    """The pairs that are checked. They interfere from the ``clearance`` on: 0 is touching."""

    def __init__(self, vicinity: Vicinity, pairs: Callable[[Node, Node | None], Pairs], clearance: float = 0.0) -> None:
        self._vicinity, self._find = vicinity, pairs
        self._checked: dict[tuple[str, str], tuple[Node, Node]] = {}
        self._quiet: dict[tuple[str, str], int] = {}  # nothing to see before
        self._lasting: dict[tuple[str, str], int] = {}  # interfering in any case until
        self.clearance = clearance

    @property
    def clearance(self) -> float:
        """The gap, in metres, from which on a pair counts as interfering."""
        return self._clearance

    @clearance.setter
    def clearance(self, gap: float) -> None:
        if not 0.0 <= gap < float("inf"):
            raise ProgramError(f"a collision check cannot keep a clearance of {gap * 1e3:g} mm", hint="give 0 or more")
        self._clearance = max(gap, TOUCH)

    @property
    def on(self) -> bool:
        """Whether any pair is checked."""
        return bool(self._checked)

    def set(self, on: bool, a: Node, b: Node) -> None:
        """Begins or ends the check of a pair; ending one that is not checked, either way round, is a mistake."""
        key = next((each for each in ((a.name, b.name), (b.name, a.name)) if each in self._checked), None)
        if not on:
            if key is None:
                raise ProgramError(
                    f"{a.name} and {b.name} are not checked for collisions", hint="begin the check first"
                )
            del self._checked[key]
        elif key is None:
            if set(a.roots) & set(b.roots):
                raise ProgramError(f"{a.name} and {b.name} share a node and cannot collision", hint="name two others")
            self._checked[a.name, b.name] = (a, b)
        self.void()

    def void(self) -> None:
        """Nothing is known of the future any more."""
        self._quiet.clear()
        self._lasting.clear()

    def look(self, tick: int, end: int) -> list[Collision]:
        """The pairs that interfere at the end of a cycle of a move until ``end``, in the order of their naming."""
        found = []
        for key, (a, b) in self._checked.items():
            if tick < self._quiet.get(key, tick):
                continue
            if tick > self._lasting.get(key, -1):
                near = self._vicinity.within(self._find(a, b), tick, self._clearance)
                if near is None:
                    continue
                if self._vicinity.steady(near.a, near.b, tick, end):
                    self._lasting[key] = end
            found.append(Collision(tick, *key))
            self._quiet[key] = tick + 1
        return found

    def due(self, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a pair might interfere, as everything moves now."""
        first = end + 1
        for key, (a, b) in self._checked.items():
            quiet = self._quiet.get(key, tick)
            if quiet <= tick:
                quiet = self._vicinity.clear_until(self._find(a, b), tick, end, self._clearance)
                self._quiet[key] = quiet
            first = min(first, quiet)
        return first
