"""Drops: the CPU time of one tumble, and what parts at rest in bins cost."""

import math
from random import Random
from time import process_time
from typing import Final

from drycell import Body, Box, Cell, delay, mm
from drycell.geometry import Prism, Shape
from drycell.world import thrown, tumble, tumbling_body

_DROPS: Final = 200
_ROUNDS: Final = 3
_RESTING: Final = 2000


def drop_ms() -> float:
    """The mean CPU time of a drop of a steel box of 60 × 40 × 20 mm on steel, in ms."""
    return _drop(Box(60 * mm, 40 * mm, 20 * mm), _DROPS)


def drop_64gon_ms() -> float:
    """The mean CPU time of a drop of a prism with 64 sides, in ms."""
    corners = ((10 * mm * math.cos(k * math.pi / 32), 10 * mm * math.sin(k * math.pi / 32)) for k in range(64))
    return _drop(Prism(tuple(corners), 20 * mm), _DROPS // 4)


def resting_ms_per_s() -> float:
    """The CPU time in ms that 2,000 parts at rest in bins add to a second of cell time."""
    return max(min(_run(_RESTING) for _ in range(_ROUNDS)) - min(_run(0) for _ in range(_ROUNDS)), 0.0)


def _drop(shape: Shape, drops: int) -> float:
    body = tumbling_body(shape)
    best = math.inf
    for _ in range(_ROUNDS):
        random = Random(1)
        started = process_time()
        for _ in range(drops):
            tumble(body, thrown(body, random), 0.36, 0.42)
        best = min(best, (process_time() - started) / drops)
    return best * 1e3


def _run(parts: int, seconds: float = 200.0) -> float:
    """The CPU time of a run in ms per second of cell time, without building the cell and its first second."""
    cell = Cell()
    for number in range(4):
        cell.add(f"bin{number}", Body(Box(2, 2, 0.02), at=(2.5 * number, 0, 0), keeps=True))
    for number in range(parts):
        x, y = 0.08 * (number // 4 % 22) - 0.9, 0.06 * (number // 88) - 0.7
        cell.add(f"part{number}", Body(Box(0.06, 0.04, 0.02), on=f"bin{number % 4}", at=(x, y)))
    spent = 0.0

    def wait() -> None:
        nonlocal spent
        delay(1.0)
        started = process_time()
        for _ in range(int(seconds)):
            delay(1.0)
        spent = process_time() - started

    cell.program(wait)
    cell.run(until=seconds + 2.0)
    return spent / seconds * 1e3
