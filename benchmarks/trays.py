"""Trays: a loop with many trays and spurs, whose directors and gates are operated at random."""

import random
import time

from drycell import Bend, Box, Cell, Director, Junction, StraightTrack, TrayLine, TraySource, deg, delay, m, mm, s

TRAYS, SPURS = 1000, 40
CELL_TIME = 300.0  # seconds
_TURN, _RADIUS, _STRAIGHT = 45 * deg, 0.4, 1.0


def loop(trays: int = TRAYS, spurs: int = SPURS, seed: int = 0) -> Cell:
    """A loop with spurs on one side. A program diverts trays and opens the gates of the spurs at random."""
    cell = Cell("trays", seed=seed)
    reach = 4 * _RADIUS * 0.7071067811865476 + _STRAIGHT  # from the start of a spur to its end, along the loop
    pitch = max(9.0, trays * 0.7 / (2 * spurs))
    side = pitch * spurs
    cell.add(
        "main",
        TrayLine(
            track=[StraightTrack(side * m), Bend(1 * m, 180 * deg), StraightTrack(side * m), Bend(1 * m, 180 * deg)],
            width=200 * mm,
            speed=300 * mm / s,
            loop=True,
            directors={f"d{k}": Director((pitch * k + 1) * m, to=f"spur{k}", if_full="pass") for k in range(spurs)},
            sensors={f"s{k}": (pitch * k + 5) * m for k in range(spurs)},
        ),
    )
    bend, back = Bend(_RADIUS, -_TURN), Bend(_RADIUS, _TURN)
    for k in range(spurs):
        cell.add(
            f"spur{k}",
            TrayLine(
                track=[bend, back, StraightTrack(_STRAIGHT), back, bend],
                width=200 * mm,
                speed=300 * mm / s,
                at=((pitch * k + 1) * m, 0, 0),
                gates={"gate": (2 * _RADIUS * _TURN + _STRAIGHT)},
                into=Junction("main", (pitch * k + 1 + reach) * m),
            ),
        )
    length = 2 * side + 6.283
    for k in range(trays):
        place = (length - 0.5 - k * length / trays) % length
        cell.add(
            f"in{k}",
            TraySource(tray=Box(250 * mm, 150 * mm, 20 * mm), every=1 * s, limit=1, on="main", place=max(place, 0.25)),
        )

    @cell.program(daemon=True)
    def operate() -> None:
        chance = random.Random(seed)
        signals = cell.kernel.signals
        while True:
            delay(0.1)
            k = chance.randrange(spurs)
            signals[f"main.d{k}.divert"].set(chance.random() < 0.35)
            signals[f"spur{k}.gate.open"].set(chance.random() < 0.6)

    @cell.program
    def stay() -> None:
        delay(CELL_TIME)

    return cell


def trays_vs_wall() -> float:
    """Cell time over processor time, best of three."""
    best = float("inf")
    for seed in range(3):
        cell = loop(seed=seed)
        before = time.process_time()
        cell.run(until=CELL_TIME)
        best = min(best, time.process_time() - before)
    return CELL_TIME / best
