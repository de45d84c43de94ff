"""State graphs: all markings that a net can come to, and what they say of deadlocks, liveness and the way back."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from drycell.nets.errors import NetError
from drycell.nets.game import F, M

Level = Literal["live", "for ever", "at times", "dead"]
LEVELS: Final[dict[Level, str]] = {
    "live": "from every marking it can come to fire again",
    "for ever": "can fire again and again, but can also be lost",
    "at times": "can fire, but only so many times",
    "dead": "never fires",
}


@dataclass(frozen=True, slots=True)
class Edges:
    """Firings between states as columns: from, what fires (an index into the graph's moves), to."""

    sources: NDArray[np.int32]
    moves: NDArray[np.int32]
    targets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def of(cls, sources: "array[int]", moves: "array[int]", targets: "array[int]") -> "Edges":
        """The columns of lists that grew."""
        return cls(*(np.frombuffer(column, np.int32) for column in (sources, moves, targets)))


class States(Sequence[M]):
    """The markings of a graph by number, unpacked when asked for."""

    def __init__(self, count: int, marking: Any) -> None:
        self._count, self._marking = count, marking

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self._marking(each) for each in range(self._count)[number]]
        return self._marking(range(self._count)[number])


@dataclass(frozen=True)
class StateGraph(Generic[M, F]):
    """States in the order of their distance from the first, with the firings between them.

    ``complete`` says whether these are all; if not, the search ended at its limit, and what is said of the net holds
    for what was seen only.
    """

    states: Sequence[M]
    moves: Sequence[F]
    names: Sequence[str]
    """The transition that each move is a firing of."""
    transitions: Sequence[str]
    parents: Sequence[int] | NDArray[np.int32]
    via: Sequence[int] | NDArray[np.int32]
    dead: Sequence[int] | NDArray[np.int32]
    """The deadlocks, the nearest first."""
    complete: bool
    edges: Edges | None = None

    def __len__(self) -> int:
        return len(self.states)

    def path(self, state: int) -> list[F]:
        """A shortest sequence of firings that leads to a state."""
        found = []
        while state:
            found.append(self.moves[self.via[state]])
            state = int(self.parents[state])
        return found[::-1]

    @property
    def deadlock(self) -> list[F] | None:
        """The shortest sequence of firings that ends in a deadlock; None if there is none."""
        return self.path(int(self.dead[0])) if len(self.dead) else None

    @cached_property
    def liveness(self) -> dict[str, Level]:
        """How live each transition is."""
        edges, component = self._edges("liveness"), self._components
        inner = component[edges.sources] == component[edges.targets]
        last = np.ones(int(component.max(initial=0)) + 1, bool)
        last[component[edges.sources[~inner]]] = False  # components that can be left
        order = {name: number for number, name in enumerate(self.transitions)}
        transition = np.array([order[name] for name in self.names], np.int32)[edges.moves]
        found: dict[str, Level] = {}
        for name, number in order.items():
            mine = transition == number
            if not mine.any():
                found[name] = "dead"
                continue
            again = np.zeros(len(last), bool)
            again[component[edges.sources[mine & inner]]] = True
            if again[last].all():
                found[name] = "live"
            else:
                found[name] = "for ever" if again.any() else "at times"
        return found

    @property
    def live(self) -> bool:
        """Whether every transition can fire again from wherever the net has got to."""
        return all(level == "live" for level in self.liveness.values())

    @property
    def reversible(self) -> bool:
        """Whether the first marking can be reached again from every other."""
        return not self._components.any()

    @cached_property
    def _components(self) -> NDArray[np.int32]:
        """The strongly connected component of each state."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        edges, count = self._edges("the way back"), len(self)
        ones = np.ones(len(edges), np.int8)
        matrix = coo_matrix((ones, (edges.sources, edges.targets)), shape=(count, count)).tocsr()
        found: NDArray[np.int32] = connected_components(matrix, connection="strong")[1]
        return found

    def _edges(self, what: str) -> Edges:
        if self.edges is None:
            raise NetError(f"{what} cannot be told: the firings were not kept", hint="explore with edges=True")
        if not self.complete:
            raise NetError(
                f"{what} cannot be told: only the first {len(self)} states are known",
                hint="explore with a higher limit",
            )
        return self.edges


def told(firings: Iterable[object]) -> str:
    """A sequence of firings in words."""
    return ", ".join(map(str, firings)) or "nothing fires"
