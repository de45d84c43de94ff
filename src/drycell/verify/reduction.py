"""The exhaustive search: source-DPOR with sleep sets (Abdulla et al. 2014) over the ties and declared choices of runs.

Each run starts from the beginning. The search notes the steps that race at one time, and schedules the other order for
a later run. An event that was tried first *sleeps* afterwards: it is not tried again until something that depends on it
happens. When nothing is left to try, every possible outcome of every order of events has been seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from drycell.base import DrycellError
from drycell.kernel import CLOCK, INSTANT, Abandoned, Chooser, Kernel, Key, Pending, Step, point
from drycell.verify.cut_off import cut_off
from drycell.verify.intervals import Delay, IntervalDelays, TrackedFloat, Why
from drycell.verify.watch import WORLD

Footprint = Mapping[str, bool]


def depend(one: Footprint, other: Footprint) -> bool:
    """Return whether swapping two steps with these footprints can make a difference."""
    return any(name in other and (written or other[name]) for name, written in one.items())


@dataclass(frozen=True, slots=True)
class Made:
    """A past step and, for every owner, the last of its steps that comes before it (for its own owner: the step
    itself)."""

    key: Key
    time: int
    level: int
    made: int
    clock: Mapping[str, int]

    @property
    def owner(self) -> str:
        return self.key[0]

    @property
    def when(self) -> tuple[int, int]:
        """Its time and level: steps that agree in both are in a tie."""
        return self.time, self.level

    def follows(self, index: int, owner: str) -> bool:
        """Return whether it comes after a step of an owner, or is that step."""
        return self.clock.get(owner, -1) >= index


class Causality:
    """The steps of one run so far: their necessary order, and the pairs that could have been swapped.

    Two steps of different owners depend on each other when they touch the same name and one of them writes it. A step
    comes *after* another when a chain of dependences, of scheduling, or of steps of one owner leads from the other to
    it. Vector clocks track this: for each step, the last step of every owner that comes before it. Two steps that
    depend on each other directly, with nothing between them, *race*: in the other order, the run might have continued
    differently.
    """

    def __init__(self) -> None:
        self.steps: list[Made] = []
        self._last: dict[str, Mapping[str, int]] = {}
        self._writer: dict[str, int] = {}
        self._readers: dict[str, dict[str, int]] = {}

    def add(self, step: Step, footprint: Footprint) -> list[int]:
        """Add the latest step; return the indices of the steps that it races with, the latest first."""
        event = step.event
        owner, index = event.owner, len(self.steps)
        clock = dict(self._last.get(owner, {}))
        if event.made >= 0:
            _join(clock, self.steps[event.made].clock)
        races: list[int] = []
        for earlier in sorted(self._before(footprint), reverse=True):
            other = self.steps[earlier]
            if clock.get(other.owner, -1) < earlier:
                if other.owner != owner:
                    races.append(earlier)
                _join(clock, other.clock)
        clock[owner] = index
        self._last[owner] = clock
        self.steps.append(Made(event.key, event.time, event.level, event.made, clock))
        for name, written in footprint.items():
            if written:
                self._writer[name] = index
                self._readers.pop(name, None)
            else:
                self._readers.setdefault(name, {})[owner] = index
        return races

    def initials(self, first: int, last: int) -> list[Key]:
        """Return the events that can continue a run in which ``last`` comes before ``first`` and all earlier steps
        stay.

        In the terms of Abdulla et al. 2014: the initials of the steps between the two that do not come after ``first``.
        """
        owner = self.steps[first].owner
        kept: list[int] = []
        found: list[Key] = []
        for index in (*range(first + 1, last), last):
            step = self.steps[index]
            if index != last and step.follows(first, owner):
                continue
            if not any(step.follows(other, self.steps[other].owner) for other in kept):
                found.append(step.key)
            kept.append(index)
        return found

    def _before(self, footprint: Footprint) -> set[int]:
        # Steps that touched a name before its last writer come before that writer: only later ones can race.
        found = set()
        for name, written in footprint.items():
            writer = self._writer.get(name)
            if writer is not None:
                found.add(writer)
            if written:
                found.update(self._readers.get(name, {}).values())
        return found


def _join(clock: dict[str, int], other: Mapping[str, int]) -> None:
    for owner, index in other.items():
        if index > clock.get(owner, -1):
            clock[owner] = index


Option = Key | int
_LIMIT: Final[Why] = frozenset()
_OF_ALL: Final = frozenset((INSTANT, CLOCK, WORLD))
"""Names that steps of all owners touch."""


@dataclass(slots=True)
class ChoicePoint:
    """A point of a run with a choice: an event of a tie, an option, or a value of an interval."""

    options: list[Option]
    chosen: Option
    wanted: set[Option]
    asleep: dict[Option, Footprint] = field(default_factory=dict)
    tried: dict[Option, Footprint] = field(default_factory=dict)
    footprint: dict[str, bool] = field(default_factory=dict)
    whys: dict[Option, tuple[Why, ...]] = field(default_factory=dict)
    """For a value of an interval: how it was computed."""

    def want(self, number: int, why: Why = _LIMIT) -> None:
        """Schedule a value of an interval, which may be a new one."""
        self.wanted.add(number)
        if number not in self.options:
            self.options.append(number)
        if why not in self.whys.get(number, ()):
            self.whys[number] = (*self.whys.get(number, ()), why)


class Reduction(Chooser):
    """A chooser for run after run, until ``advance`` returns that nothing is left to try."""

    def __init__(self, *, by_order: bool) -> None:
        self.by_order = by_order
        """Whether intervals are searched by the order of events; otherwise they are searched at their limits."""
        self.choices: list[int] = []
        self.odd: set[str] = set()
        """The intervals whose numbers are used other than as delays."""
        self._nodes: list[ChoicePoint] = []

    def begin(self) -> None:
        """Prepare for the next run, before the cell is built."""
        self.choices = []
        self._depth = 0
        self._asleep: dict[Option, Footprint] = {}
        self._causality = Causality()
        self._tie: ChoicePoint | None = None
        self._ties: list[ChoicePoint | None] = []
        self._delays: IntervalDelays | None = None
        self._node_of: dict[Delay, ChoicePoint] = {}
        self._kernel: Kernel | None = None
        self._last_steps: dict[str, int] = {}
        """The last step of each program that keeps the run alive."""
        self._touched: dict[str, dict[str, bool]] = {}
        """The names that each owner has touched (True: written, False: only read)."""

    def bind(self, kernel: Kernel) -> None:
        """Use this kernel in the next run; the cell has been built."""
        self._kernel = kernel
        self._delays = IntervalDelays(kernel)

    def advance(self) -> bool:
        """Advance to the next run; return False if nothing is left to try."""
        while self._nodes:
            node = self._nodes[-1]
            node.tried[node.chosen] = node.footprint
            node.footprint = {}
            for option in node.options:
                if option in node.wanted and option not in node.tried and option not in node.asleep:
                    node.chosen = option
                    return True
            self._nodes.pop()
        return False

    # -- as a chooser

    def pick(self, pending: Sequence[Pending]) -> int:
        keys: list[Option] = [event.key for event in pending]
        if len(keys) == 1:
            if keys[0] in self._asleep:
                raise Abandoned
            self._tie = None
            return 0
        node = self._at(keys)
        if node is None:
            awake = [key for key in keys if key not in self._asleep]
            if not awake:
                raise Abandoned
            node = self._new(ChoicePoint(keys, awake[0], {awake[0]}, dict(self._asleep)))
        self._asleep = {**node.asleep, **node.tried}
        self._tie = node
        place = keys.index(node.chosen)
        self.choices.append(place)
        return place

    def value(self, name: str, count: int) -> int:
        if count == 1:
            return 0
        options: list[Option] = list(range(count))
        node = self._at(options) or self._new(ChoicePoint(options, 0, set(options)))
        return self._chosen_number(node)

    def interval(self, name: str, low: float, high: float) -> float:
        if low == high:
            return low
        first = self._first_number(name)
        node = self._at(None) or self._new(ChoicePoint([first], first, {first}, whys={first: (_LIMIT,)}))
        number = self._chosen_number(node)
        value = point(low, high, number)
        if not self.by_order or self._delays is None:  # None: while the cell is built
            node.want(1)
            self.odd.add(name)
            return value
        delay = self._delays.draw(name, low, high, number, node.whys[number])
        self._node_of[delay] = node

        def otherwise() -> None:
            delay.otherwise = True

        return TrackedFloat.of(value, otherwise)

    def after(self, step: Step) -> None:
        event, footprint, tie = step.event, step.footprint, self._tie
        if tie is not None:
            for name, written in footprint.items():
                tie.footprint[name] = tie.footprint.get(name, False) or written
        self._asleep = {
            key: other
            for key, other in self._asleep.items()
            if not (isinstance(key, tuple) and key[0] == event.owner)
            and key not in step.cancelled
            and not depend(other, footprint)
        }
        races = self._causality.add(step, footprint)
        self._ties.append(tie)
        last = len(self._ties) - 1
        for first in races:
            self._reverse(first, last)
        for key in step.cancelled:
            self._spare(key, last)
        self._lengthen(step, races)
        touched = self._touched.setdefault(event.owner, {})
        for name, written in footprint.items():
            if name not in _OF_ALL:
                touched[name] = touched.get(name, False) or written
        if self._kernel is not None and f"process:{event.owner}" in footprint:
            self._look_for_end(self._kernel, event.owner, last)

    # -- what is to be tried

    def _look_for_end(self, kernel: Kernel, owner: str, last: int) -> None:
        """Handle the end of the last program: what it cuts off could have come before.

        So the end races with it, and a program that has ended could have ended later.
        """
        if owner not in kernel.tracks.daemons:
            self._last_steps[owner] = last
        if kernel.deadlock.running or owner not in self._last_steps:
            return
        if self._tie is not None:
            self._tie.footprint[INSTANT] = True  # if it sleeps, any other step wakes it
        for key, due in cut_off(kernel, self._touched, self._last_steps.keys()):
            if due[:2] == self._causality.steps[last].when:
                self._spare(key, last)
            if self._delays is not None and self._node_of:
                for first in self._last_steps.values():
                    for delay, number, why in self._delays.delaying(first, key, due):
                        self._node_of[delay].want(number, why)

    def _reverse(self, first: int, last: int) -> None:
        one, other = self._causality.steps[first], self._causality.steps[last]
        while one.time == other.time and one.level < other.level and one.made >= 0:
            # It went first as soon as it was scheduled, so the race is with the step that scheduled it.
            first, one = one.made, self._causality.steps[one.made]
        node = self._ties[first]
        if node is None or one.when != other.when or one.owner == other.owner:
            return
        could = [key for key in self._causality.initials(first, last) if key in node.options]
        if not could:
            node.wanted.update(node.options)
        elif not any(key in node.wanted for key in could):
            node.wanted.add(could[-1])

    def _spare(self, key: Key, canceller: int) -> None:
        """Handle a cancelled event: it could have come before its canceller, or before the step that scheduled that.

        A run without the event does not show what else could have come before it, so everything is tried.
        """
        steps = self._causality.steps
        time = steps[canceller].time
        while canceller >= 0 and steps[canceller].time == time:
            node = self._ties[canceller]
            if node is not None and key in node.options:
                if key != node.chosen:
                    node.wanted.update(node.options)
                return
            canceller = steps[canceller].made

    def _lengthen(self, step: Step, races: list[int]) -> None:
        event, delays = step.event, self._delays
        if delays is None:
            return
        delays.add(event.key, event.time, event.level, event.made)
        if not self._node_of:
            return
        due = (event.time, event.level, event.made)
        last = len(self._ties) - 1
        longer = [more for first in races for more in delays.delaying(first, event.key, due)]
        for key in step.cancelled:
            cancelled = delays.due(key)
            if cancelled is not None:
                longer.extend(delays.delaying(last, key, cancelled))
        for delay, number, why in longer:
            self._node_of[delay].want(number, why)
        for delay, node in self._node_of.items():
            if delay.otherwise and 1 not in node.wanted:
                self.odd.add(delay.identity[0])
                node.want(1)

    # -- nodes

    def _at(self, options: list[Option] | None) -> ChoicePoint | None:
        """Return the choice point at this place if an earlier run has passed it; options of None match any."""
        if self._depth == len(self._nodes):
            return None
        node = self._nodes[self._depth]
        if options is not None and node.options != options:
            raise not_repeatable("the same choices led to different events")
        self._depth += 1
        return node

    def _new(self, node: ChoicePoint) -> ChoicePoint:
        self._nodes.append(node)
        self._depth += 1
        return node

    def _first_number(self, name: str) -> int:
        """Return the first number (see ``point``) to try for a new draw from an interval: its lower limit."""
        return 0

    def _chosen_number(self, node: ChoicePoint) -> int:
        number = node.chosen
        assert isinstance(number, int)  # of options that are numbers
        self.choices.append(number)
        return number


def not_repeatable(how: str) -> DrycellError:
    """Return the error about a cell whose runs depend on something outside drycell's control."""
    return DrycellError(
        f"the cell is not repeatable: {how}",
        hint="look for random, time, id(), sets, and variables that outlive a run; see docs/guides/running.md",
    )
