"""The entrance of a belt: who waits there for room is woken at the instant there is some, without asking."""

from collections.abc import Callable

from drycell.devices.footprint import Footprint
from drycell.kernel import Kernel, Rank, Timer
from drycell.world import PartTracking

Room = Callable[[Footprint], int | None]


class Entrance:
    """Those that wait for room on a belt. ``room`` says when there will be some.

    Nobody takes the room that another one has waited for longer: a large part would wait for ever behind small ones.
    """

    def __init__(self, kernel: Kernel, ledger: PartTracking, room: Room) -> None:
        self._kernel, self._ledger = kernel, ledger
        self.room = room
        self._waiting: list[tuple[str, Footprint, Callable[[], None]]] = []
        self._timer: Timer | None = None

    def admit(self, owner: str, foot: Footprint, action: Callable[[], None]) -> bool:
        """Does something in the owner's name once there is room for a part; says whether that was at once.

        The footprint is seen from the belt's body.
        """
        if self._in_turn(foot, len(self._waiting)) and self.room(foot) == self._kernel.now:
            action()
            return True
        self._waiting.append((owner, foot, action))
        self.look()
        return False

    def look(self) -> None:
        """Finds out anew when one of those that wait can come in: something on the belt has changed."""
        rooms = [
            (when, number)
            for number, (_, foot, _) in enumerate(self._waiting)
            if self._in_turn(foot, number) and (when := self.room(foot)) is not None
        ]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if rooms:
            when, number = min(rooms)
            writes = self._ledger.may_change()
            owner = self._waiting[number][0]
            self._timer = self._kernel.at(when, lambda: self._enter(number), Rank.DEVICE, owner, writes=writes)

    def _in_turn(self, foot: Footprint, number: int) -> bool:
        """Whether none of the first so many waits for the same room."""
        return not any(other.overlaps(foot) for _, other, _ in self._waiting[:number])

    def _enter(self, number: int) -> None:
        self._timer = None
        _, foot, action = self._waiting[number]
        if self.room(foot) == self._kernel.now:
            del self._waiting[number]
            action()
        self.look()
