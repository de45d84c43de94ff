"""The time to read a cell file with sixty things of several kinds and references between them."""

import time
from collections.abc import Iterator
from typing import Final

_ROUNDS: Final = 5


def load_60_ms() -> float:
    """CPU time in ms, best of five, after all modules are loaded."""
    from drycell.cell import Model

    text = "\n".join(_sixty())
    if len(Model.read(text).things) != 60:
        raise RuntimeError("the benchmark cell does not have sixty things")
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        Model.read(text)
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def _sixty() -> Iterator[str]:
    """Fifteen tables with a part on each, belts, and sensors for them."""
    yield "bodies:"
    for n in range(15):
        yield f"  table{n}: {{shape: {{box: [800 mm, 600 mm, 20 mm]}}, material: steel, at: [{n} m, 0, -10 mm]}}"
        yield f"  part{n}:\n    shape: {{cylinder: {{radius: 9 mm, length: 40 mm}}}}\n    on: table{n}"
    yield "devices:"
    for n in range(15):
        belt = f"length: 2 m, width: 200 mm, speed: {100 + n} mm/s, stops: {{pick: {{at: 900 mm}}}}"
        yield f"  belt{n}:\n    conveyor: {{{belt}}}\n    at: [0, {n} m, 500 mm]"
    yield "sensors:"
    for n in range(15):
        seen = "volume: {cylinder: {radius: 2 mm, length: 60 mm}}, output: {kind: boolean}"
        yield f"  eye{n}: {{model: e3jk-diffuse, {seen}, every: {10 * n + 20} ms, on: belt{n}, at: [{n} mm, 0]}}"
