"""The time to make and tessellate the looks of the demo cell, and their size on the way to the page."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from drycell import Cell

_ROUNDS: Final = 5


def _demo() -> "Cell":
    from drycell.cell import CellSource

    folder = Path(__file__).resolve().parents[1] / "examples" / "30_event_cell"
    return CellSource.find(str(folder)).build(programs=False)


def _packed() -> tuple[float, int]:
    """The CPU time in seconds to make and pack every look of a freshly built cell, and the bytes of all that differ."""
    from drycell.looks import look_bytes, look_key, look_of, plain_look, tessellate

    cell = _demo()
    for known in (look_bytes, plain_look, tessellate):
        known.cache_clear()
    start = time.process_time()
    looks = [look for body in cell.world.bodies.values() if (look := look_of(body)) is not None]
    sizes = {look_key(look): len(look_bytes(look)) for look in looks}
    return time.process_time() - start, sum(sizes.values())


def looks_tessellate_s() -> float:
    """CPU time in seconds, best of five, after all modules are loaded."""
    return min(_packed()[0] for _ in range(_ROUNDS))


def scene_mb() -> float:
    """Megabytes of all looks of the demo cell, as they are sent."""
    return _packed()[1] / 1e6
