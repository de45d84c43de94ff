"""How wide a proximity sensor sees, measured as on a machine tool: sensor and bar are moved against each other.

What the sensor sees besides the bar itself is the way between its switching on and its switching off, less the bar's
length. Hysteresis is part of it: a sensor may let go later than it takes notice.
"""

from collections.abc import Callable
from typing import Final

from drycell.base import DrycellError, Pose, mm
from drycell.cell import Cell
from drycell.rigs.extent import reach_of
from drycell.rigs.passing import bar, before_bar
from drycell.sensors import SensorModel, load_sensor, look

_LENGTH: Final = 400 * mm  # longer than any sensor of the rig is wide, so that an edge is an edge
_FINE: Final = 1e-9


def detection_width(sensor: str | SensorModel) -> float:
    """The width in m, for a steel bar that passes as the rig's tool does, at half the sensor's reach."""
    model = load_sensor(sensor) if isinstance(sensor, str) else sensor
    cell = Cell("detection width")
    cell.add("tool", bar(_LENGTH))
    held = before_bar(model)

    def sees(place: float, was_on: bool) -> bool:
        return look(model, cell.scene, Pose(0.0, place, 0.0) @ held, was_on=was_on).on

    far = 2 * _LENGTH + reach_of(model)
    if not sees(0.0, False) or sees(far, True) or sees(-far, False):
        raise DrycellError(
            f"{model.name or 'the sensor'} does not tell a steel bar at half its reach from none",
            hint="drycell rig beam shows what it sees and what it does not",
        )
    entered = _edge(lambda place: sees(-place, False), far)
    left = _edge(lambda place: sees(place, True), far)
    return entered + left - _LENGTH


def _edge(sees: Callable[[float], bool], far: float) -> float:
    """The greatest place that is seen, between 0 and what is too far, by halving."""
    near = 0.0
    while far - near > _FINE:
        middle = (near + far) / 2
        if sees(middle):
            near = middle
        else:
            far = middle
    return near
