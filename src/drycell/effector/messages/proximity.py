"""Two distances in one real, as the status of the end effector has them."""

from typing import Final

NOTHING: Final = 999
"""What stands for a finger that has nothing near."""
_STEP: Final = 1e-4
_RADIX: Final = 1000


def pack_proximity(left: float | None, right: float | None) -> float:
    """Distances before the two fingers in metres, None for nothing near, as one real: 12.3 and 4.5 mm are 123045."""
    return float(_steps(left) * _RADIX + _steps(right))


def unpack_proximity(packed: float) -> tuple[float | None, float | None]:
    """Both distances in metres, to a tenth of a millimetre; None where nothing is near."""
    left, right = divmod(int(packed), _RADIX)
    return _distance(left), _distance(right)


def _steps(distance: float | None) -> int:
    return NOTHING if distance is None else min(max(round(distance / _STEP), 0), NOTHING)


def _distance(steps: int) -> float | None:
    return None if steps == NOTHING else steps / 10_000
