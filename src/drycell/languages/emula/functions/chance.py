"""RANDOM and SOMETIME: events by chance, for testing what a program does when it cannot know."""

from collections.abc import Callable
from random import Random

from drycell.base import ProgramError
from drycell.languages.emula.functions.function import NOTHING, Answer, Reads, SensorFunction
from drycell.languages.emula.functions.look import Look

Stream = Callable[[], Random]


class LinearChance(SensorFunction):
    """RANDOM (n, p1, pn): an event in the k-th cycle of a guarded move with a probability that rises linearly.

    p_k = p1 + (pn − p1)(k − 1)/(n − 1) for k ≤ n, and pn after. Counting begins anew with each guarded move that
    watches the sensor; in other moves it reads 0 and draws nothing.
    """

    name = "random"
    reads = Reads.WHEN_WATCHED

    def __init__(self, stream: Stream, n: int, p1: float, pn: float) -> None:
        super().__init__()
        if n < 1:
            raise ProgramError(f"RANDOM cannot rise over {n} cycles", hint="give 1 or more: random,6,.1,.8")
        for name, p in (("first", p1), ("last", pn)):
            if not 0.0 <= p <= 1.0:
                raise ProgramError(f"the {name} probability of RANDOM must be 0 ≤ {p:g} ≤ 1", hint="random,6,.1,.8")
        self._stream, self.n, self.p1, self.pn = stream, n, p1, pn
        self._count = 0

    def probability(self, k: int) -> float:
        """Of an event in the k-th cycle, if none came before."""
        if k >= self.n:
            return self.pn
        return self.p1 + (self.pn - self.p1) * (k - 1) / (self.n - 1)

    def begin(self, cycles: int, watched: bool) -> None:
        self._count, self.answer = 0, NOTHING

    def read(self, look: Look) -> Answer:
        self._count += 1
        p = self.probability(self._count)
        if self._stream().random() < p:
            return Answer(look.limit, f"event by chance {p:.2f} in cycle {self._count}")
        return NOTHING

    def describe(self) -> str:
        return f"random,{self.n},{self.p1:g},{self.pn:g}"


class Sometime(SensorFunction):
    """SOMETIME (p): an event in one cycle of each guarded move, all cycles alike, with probability p (1).

    The function of the paper's mini-system, which has no geometry to speak of: an event sometime during each move.
    """

    name = "sometime"
    reads = Reads.WHEN_WATCHED

    def __init__(self, stream: Stream, p: float = 1.0) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ProgramError(f"the probability of SOMETIME must be 0 ≤ {p:g} ≤ 1")
        self._stream, self.p = stream, p
        self._due = self._count = 0

    def begin(self, cycles: int, watched: bool) -> None:
        self._count, self._due, self.answer = 0, 0, NOTHING
        if watched and cycles > 0:
            stream = self._stream()
            comes, when = stream.random() < self.p, stream.randint(1, cycles)
            self._due = when if comes else 0

    def read(self, look: Look) -> Answer:
        self._count += 1
        if self._count == self._due:
            return Answer(look.limit, f"event by chance in cycle {self._count}")
        return NOTHING

    def describe(self) -> str:
        return "sometime" if self.p == 1.0 else f"sometime,{self.p:g}"
