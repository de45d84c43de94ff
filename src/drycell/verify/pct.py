"""Probabilistic concurrency testing (Burckhardt et al. 2010): finds shallow faults in few runs.

Every owner of events gets a random rank; of a tie the highest goes first. At ``depth`` - 1 random places the one that
would go falls to the bottom. A fault that needs d orders of pairs is found with a probability of at least
1/(n·k^(d-1)) for n owners and k ties, however rare it is among all orders.
"""

from collections.abc import Sequence
from random import Random

from drycell.kernel import Pending, RecordingChooser, point, points


class PctChooser(RecordingChooser):
    """One random run, by its own seed. ``ties`` is about how many ties a run has."""

    def __init__(self, seed: str, depth: int, ties: int) -> None:
        super().__init__()
        self._random = Random(seed)
        self._ranks: dict[str, float] = {}
        self._tie = 0
        self._falls = {self._random.randrange(max(ties, 1)) for _ in range(depth - 1)}

    def pick(self, pending: Sequence[Pending]) -> int:
        for event in pending:
            if event.owner not in self._ranks:
                self._ranks[event.owner] = 1 + self._random.random()
        if len(pending) == 1:
            return 0
        place = self._highest(pending)
        if self._tie in self._falls:
            self._ranks[pending[place].owner] = self._random.random() * 1e-3
            place = self._highest(pending)
        self._tie += 1
        self.choices.append(place)
        return place

    def interval(self, name: str, low: float, high: float) -> float:
        """A corner, or as often something between."""
        count = points(low, high)
        number = 0
        if count > 1:
            number = self._random.choice((0, 1, self._random.randrange(count)))
            self.choices.append(number)
        return point(low, high, number)

    def answer(self, count: int) -> int:
        return self._random.randrange(count)

    def _highest(self, pending: Sequence[Pending]) -> int:
        return max(range(len(pending)), key=lambda place: self._ranks[pending[place].owner])
