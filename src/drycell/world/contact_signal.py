"""Contact as a signal: whether two bodies touch, changing at the very instant they do, by looking ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from drycell.base import KernelError
from drycell.geometry import TOUCH
from drycell.kernel import Kernel, Rank, Reserved, Timer
from drycell.world.body import LiveBody
from drycell.world.contacts import PRESSED, ContactSearch
from drycell.world.motion import Rest
from drycell.world.stretch import lineage
from drycell.world.world import World

if TYPE_CHECKING:
    from drycell.kernel import Waiter, Writes

_HORIZON: Final = 1_000_000  # ticks looked ahead at a time


def watch_contact(world: World, kernel: Kernel, a: LiveBody, b: LiveBody, name: str | None = None) -> ContactSignal:
    """A signal that is on while two bodies, or what they carry, touch. Asked for again, it is the same signal."""
    name = name or f"contact({a.name}, {b.name})"
    known = kernel.signals.get(name)
    if isinstance(known, ContactSignal) and (known.a, known.b) == (a, b):
        return known
    if known is not None:
        raise KernelError(f"there is a signal '{name}' already", hint="give it another name")
    made = ContactSignal(world, kernel, a, b, name)
    kernel.signals[name] = made
    return made


class _Waiters(dict["Waiter", None]):
    """The waiters of a signal that wants to know when there is one."""

    def __init__(self, noticed: Callable[[], None]) -> None:
        super().__init__()
        self._noticed = noticed

    def __setitem__(self, waiter: Waiter, value: None) -> None:
        super().__setitem__(waiter, value)
        self._noticed()


class ContactSignal(Reserved[bool]):
    """Looks ahead only while someone waits for it or has subscribed, or while it has a fault; read at other times, it
    looks at the present.

    It comes on at the first tick at which the bodies touch (1e-9 m), and goes off once they are 1 µm apart: what slides
    does not flicker. Bodies that hang on one moving carrier, such as a gripper and the part it holds, do not count.
    """

    __slots__ = ("_ahead", "_awake", "_kept", "_looked_at", "_timer", "_world", "a", "b")

    def __init__(self, world: World, kernel: Kernel, a: LiveBody, b: LiveBody, name: str) -> None:
        self._world, self.a, self.b = world, a, b
        self._ahead = ContactSearch(world)
        self._awake = False
        self._kept = False
        self._looked_at: set[LiveBody] = set()
        self._timer: Timer | None = None
        super().__init__(kernel, name, self._touching(TOUCH))
        self.waiters = _Waiters(self._wake)
        world.subscribe(self._changed)

    @property
    def _value(self) -> bool:  # everything that reads the signal reads this
        if not self._awake:
            self._kept = self._touching(PRESSED if self._kept else TOUCH)
        return self._kept

    @_value.setter
    def _value(self, value: bool) -> None:
        self._kept = value

    def subscribe(self, callback: Callable[[bool], None], writes: Writes | None = None) -> Callable[[], None]:
        """Call ``callback(value)`` on every change, at the instant of contact. Returns how to unsubscribe."""
        unsubscribe = super().subscribe(callback, writes)
        self._wake()
        return unsubscribe

    @property
    def meaning(self) -> str:
        """What it tells, for whoever wants to set it."""
        return f"whether {self.a.name!r} and {self.b.name!r} touch"

    def disturbed(self) -> None:
        """With a fault, what is read is no longer what a look at the present would show."""
        self._wake()

    # ---------------------------------------------------------------- looking ahead

    def _wake(self) -> None:
        if not self._awake:
            now = self._value  # as read while asleep
            self._awake = True
            if self.history.values[-1] != now:
                self.history.write(self.kernel.now, now, "contact")  # it changed while nobody looked
            self._predict()

    def _changed(self, body: LiveBody) -> None:
        if not self._awake:
            return
        if not self._of_interest():
            self._awake = False
            self._cancel()
        elif self._concerns(body):
            self._predict()

    def _of_interest(self) -> bool:
        return bool(self.waiters or self._subscribers) or self.filter is not None

    def _concerns(self, changed: LiveBody) -> bool:
        """Whether the change is one of the bodies concerned, what they carry or carried, or what carries them."""
        below = (self.a, self.b)
        if any(changed in lineage(each, self.kernel.now) for each in self._looked_at if each.exists(self.kernel.now)):
            return True
        if changed in self._looked_at:
            return True
        if any(changed in lineage(each, self.kernel.now) for each in below if each.exists(self.kernel.now)):
            return True
        return any(each in below for each in lineage(changed, self.kernel.now))

    def _predict(self) -> None:
        self._cancel()
        now = self.kernel.now
        self._looked_at = {each for pair in self._pairs() for each in pair}
        end = now + _HORIZON
        when = self._ahead.last(self._pairs(), now, end, PRESSED) if self.truth else self._next_contact(now, end)
        if when is None and not self._settled(now):
            when = end  # nothing until then: look again
        if when is not None:
            self._timer = self.kernel.at(when, self._look, Rank.MOTION, self.name, writes=(self,))

    def _next_contact(self, now: int, end: int) -> int | None:
        if self._touching(TOUCH):
            return now
        found = [self._ahead.first([a], [b], now, end, TOUCH) for a, b in self._pairs()]
        return min((contact.time for contact in found if contact is not None), default=None)

    def _look(self) -> None:
        self._timer = None
        self.tell(self._touching(PRESSED if self.truth else TOUCH), writer="contact")
        self._awake = self._of_interest()
        if self._awake:
            self._predict()

    def _settled(self, now: int) -> bool:
        """Whether nothing moves any more, so that nothing will happen unless something changes."""
        return all(
            self._world.bound(each, now, now + (1 << 40)) == (0.0, 0.0)
            and not self._world.changes(each, now, now + (1 << 40))
            for pair in self._pairs()
            for each in pair
        )

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---------------------------------------------------------------- the present

    def _touching(self, limit: float) -> bool:
        now = self._world.now
        return any(self._ahead.distance(a, b, now) <= limit for a, b in self._pairs())

    def _pairs(self) -> list[tuple[LiveBody, LiveBody]]:
        now = self._world.now
        if not (self.a.exists(now) and self.b.exists(now)):
            return []
        ours, theirs = dict.fromkeys(self._world.subtree(self.a)), dict.fromkeys(self._world.subtree(self.b))
        inside = ours.keys() & theirs.keys()  # one carries the other: what both list belongs to the one carried
        if self.a in theirs:
            theirs = {body: None for body in theirs if body not in inside}
        else:
            ours = {body: None for body in ours if body not in inside}
        return [
            (x, y)
            for x in ours
            for y in theirs
            if x.shape is not None and y.shape is not None and not x.hole and not y.hole and not _grouped(x, y, now)
        ]


def _grouped(x: LiveBody, y: LiveBody, t: int) -> bool:
    """Whether two bodies hang on one carrier that moves."""
    one, other = lineage(x, t), lineage(y, t)
    common = next((each for each in one if each in other), None)
    if common is None:
        return False
    return any(not isinstance(each.segment(t).motion, Rest) for each in lineage(common, t))
