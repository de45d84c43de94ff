"""The multiplexer: which output is tried first, which next, and when it starts over."""

from collections.abc import Iterator, Sequence


def by_strength(outputs: Sequence[float]) -> list[int]:
    """The numbers of the outputs, the strongest first; of equal ones, the first."""
    return sorted(range(len(outputs)), key=lambda number: (-outputs[number], number))


def attempts(outputs: Sequence[float], rounds: int) -> Iterator[tuple[int, int]]:
    """Round and output in the order they are tried: all by strength, then again from the strongest."""
    for turn in range(rounds):
        for number in by_strength(outputs):
            yield turn, number
