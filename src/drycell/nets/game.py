"""What all nets have in common: markings, and moves between them. The token game is played on this."""

from collections.abc import Hashable, Iterator, Sequence
from random import Random
from typing import Any, Protocol, TypeVar

M = TypeVar("M", bound=Hashable)
F = TypeVar("F", bound=Hashable)


class Game(Protocol[M, F]):
    """A net that can be played: plain nets fire transitions, coloured ones transitions with a binding."""

    name: str

    @property
    def initial(self) -> M:
        """The marking it starts with."""

    @property
    def transitions(self) -> Any:
        """Its transitions by name."""

    def enabled(self, marking: M) -> Sequence[F]:
        """What can fire."""

    def fire(self, marking: M, move: F, /) -> M:
        """The marking after a firing."""

    def named(self, move: F, /) -> str:
        """The transition that a firing is one of."""

    def event(self, move: F, /) -> str:
        """The event that a firing stands for."""

    def told(self, marking: M) -> str:
        """A marking in words."""


def play(net: Game[M, F], steps: int, seed: int = 0, marking: M | None = None) -> Iterator[tuple[F, M]]:
    """Fires at random, evenly among what is enabled, and gives each firing with the marking it leads to.

    Ends after so many steps, or in a deadlock. The same seed plays the same game.
    """
    random = Random(seed)
    here = net.initial if marking is None else marking
    for _ in range(steps):
        enabled = net.enabled(here)
        if not enabled:
            return
        move = enabled[random.randrange(len(enabled))]
        here = net.fire(here, move)
        yield move, here
