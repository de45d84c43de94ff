"""The narrow interface between ARLA programs and what moves: a robot with numbered lines, sensors, tools and positions.

All numbers are SI. Places are of the tool centre point, seen from the robot's base.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from drycell.base import IDENTITY, Pose


@dataclass(frozen=True, slots=True)
class PositionMove:
    """How to go to a place: ``name`` is what reports call it.

    ``share`` (0…1) is of the speed that was set, or of the joints' own where the tool does not go ``straight``.
    ``zone`` 0 is a stop at the place; zones 1 to 9 are passed through, wider and wider.
    """

    place: Pose
    name: str
    share: float
    straight: bool = True
    zone: int = 0


@runtime_checkable
class ArlaMachine(Protocol):
    """What ARLA's instructions ask for. Commands are given by one program at a time, and take cell time."""

    def taught(self, number: int) -> Pose | None:
        """A taught position; None if nobody has taught it."""

    def here(self) -> Pose:
        """Where the tool is."""

    def set_speed(self, speed: float, limit: float) -> None:
        """What 100 % is from now on, and what no move exceeds."""

    def select_tool(self, number: int) -> None:
        """The tool whose centre point is moved from now on; 0 is the bare flange."""

    def move(self, travel: PositionMove) -> None:
        """Goes to a place; returns at rest there, or where the zone begins."""

    def search(self, travel: PositionMove, sensor: int) -> Pose | None:
        """Goes to a place until a sensor responds, and stops; where the tool was then, or None if none responded."""

    def set_gripper(self, opened: bool) -> None:
        """Opens or closes the gripper, and waits until it has done so."""

    def input(self, number: int) -> bool:
        """Whether an input is on."""

    def output(self, number: int) -> bool:
        """Whether an output is on."""

    def set_output(self, number: int, on: bool) -> None:
        """Sets or resets an output."""

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Waits until inputs are as wanted, all at one time."""

    def delay(self, seconds: float) -> None:
        """Lets time pass."""


Told = tuple[object, ...]


class RecordingMachine:
    """A machine that moves nothing and records what it is told, for tests without a cell.

    ``told`` has the commands in order; moves with the name of their place and the share of the speed.

    ``inputs`` gives the inputs that are on at a time; ``found`` how far of the way each search comes, one after the
    other, and None where no sensor responds (after the last one: never). ``time`` passes by delays and by ``motion``
    seconds a move. ``positions`` are the taught ones; with none given all are taught, at the origin.
    """

    def __init__(
        self,
        inputs: Callable[[float], Collection[int]] = lambda time: (),
        *,
        found: Sequence[float | None] = (),
        positions: Mapping[int, Pose] | None = None,
        motion: float = 1.0,
    ) -> None:
        self.told: list[Told] = []
        self.time = 0.0
        self.outputs: set[int] = set()
        self.place = IDENTITY
        self._inputs, self._found, self._positions, self._motion = inputs, list(found), positions, motion

    def taught(self, number: int) -> Pose | None:
        """As given."""
        return IDENTITY if self._positions is None else self._positions.get(number)

    def here(self) -> Pose:
        """Where the last move has led."""
        return self.place

    def set_speed(self, speed: float, limit: float) -> None:
        """Noted."""
        self.told.append(("speed", speed, limit))

    def select_tool(self, number: int) -> None:
        """Noted."""
        self.told.append(("tool", number))

    def move(self, travel: PositionMove) -> None:
        """Noted; time passes."""
        path = "straight" if travel.straight else "joints"
        self.told.append(("move", travel.name, travel.share, path, travel.zone))
        self.place = travel.place
        self.time += self._motion

    def search(self, travel: PositionMove, sensor: int) -> Pose | None:
        """Noted; ends where the next of ``found`` says."""
        self.told.append(("search", travel.name, travel.share, sensor))
        share = self._found.pop(0) if self._found else None
        self.place = travel.place if share is None else self.place.towards(travel.place, share)
        self.time += self._motion
        return None if share is None else self.place

    def set_gripper(self, opened: bool) -> None:
        """Noted."""
        self.told.append(("gripper", "open" if opened else "close"))

    def input(self, number: int) -> bool:
        """As the script of the inputs says; not noted."""
        return number in self._inputs(self.time)

    def output(self, number: int) -> bool:
        """As it was set last; not noted."""
        return number in self.outputs

    def set_output(self, number: int, on: bool) -> None:
        """Noted."""
        self.told.append(("output", number, on))
        (self.outputs.add if on else self.outputs.discard)(number)

    def wait_inputs(self, wanted: Sequence[tuple[int, bool]]) -> None:
        """Noted; no time passes."""
        self.told.append(("wait", *wanted))

    def delay(self, seconds: float) -> None:
        """Time passes; not noted."""
        self.time += seconds
