"""A sliding door: a plate before a machine, with signals that tell when it is open and when it is closed."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from drycell.base import Pose, WorldError, mm, s
from drycell.geometry import Box
from drycell.kernel import Kernel, Output, Rank, Signal, Timer, ticks
from drycell.world import LiveBody, Rest, Travel, World

_SPEED: Final = 300 * mm / s
_THICK: Final = 10 * mm
_GAP: Final = 5 * mm


class Door:
    """Covers the front (−y) of a body from a height up, and opens along +x.

    ``arrived`` is called at either end; ``writes`` tells which signals may be set then.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        name: str,
        body: LiveBody,
        lower: float,
        arrived: Callable[[], None],
        writes: Callable[[], Sequence[Signal[Any]]],
    ) -> None:
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape, and so no front for a door")
        (left, front, _), (right, _, top) = body.shape.bounds
        self.name = name
        self.width = right - left
        self._kernel, self._world, self._writes, self._machine = kernel, world, writes, body
        self._shut = Pose(0.5 * (left + right), front - _GAP - 0.5 * _THICK, 0.5 * (lower + top))
        self._travel = self.width + _GAP
        plate = LiveBody(f"{body.name}/door", Box(self.width, _THICK, top - lower), material="glass")
        self.plate = world.add(plate, body, self._shut.moved(self._travel))
        self.is_open = Output(kernel, name, f"{name}.door_open", True)
        self.is_closed = Output(kernel, name, f"{name}.door_closed", False)
        self._arrived = arrived
        self._timer: Timer | None = None

    def open(self) -> None:
        """Lets it slide open from where it is."""
        self._slide(self._travel)

    def close(self) -> None:
        """Lets it slide shut from where it is."""
        self._slide(0.0)

    def _slide(self, goal: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        now, world = self._kernel.now, self._world
        here = world.relative(self._machine, self.plate)
        way = goal - (here.x - self._shut.x)
        self.is_open.tell(False, self.name)
        self.is_closed.tell(False, self.name)
        end = now + max(ticks(abs(way) / _SPEED), 1)
        world.move(self.plate, Travel(now, end, here, (way / ((end - now) * 1e-6), 0.0, 0.0)), self._machine)
        self._timer = self._kernel.at(end, lambda: self._stop(goal), Rank.MOTION, self.name, writes=self._writes())

    def _stop(self, goal: float) -> None:
        self._timer = None
        self._world.move(self.plate, Rest(self._shut.moved(goal)), self._machine)
        (self.is_open if goal else self.is_closed).tell(True, self.name)
        self._arrived()
