"""Causality of a run: which step had to come before which, and which pairs of steps merely happened to.

Two steps of different owners depend on each other when they touch one name and one of them writes it. A step comes
*after* another when a chain of dependence, of scheduling, or of one owner's own steps leads from that to this. Vector
clocks keep it: for each step, the last step of every owner that comes before it. Two steps that depend on each other
directly, with nothing between them, *race*: had the other been first, the run might have gone another way.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from drycell.kernel import Key, Step

Footprint = Mapping[str, bool]


def depend(one: Footprint, other: Footprint) -> bool:
    """Whether two steps with these footprints cannot be swapped without anybody noticing."""
    return any(name in other and (written or other[name]) for name, written in one.items())


@dataclass(frozen=True, slots=True)
class Made:
    """A step that was made, and the last step of every owner that comes before it (itself for its own)."""

    key: Key
    time: int
    level: int
    made: int
    clock: Mapping[str, int]

    @property
    def owner(self) -> str:
        return self.key[0]

    def follows(self, index: int, owner: str) -> bool:
        """Whether it comes after (or is) the step of an index, which is of that owner."""
        return self.clock.get(owner, -1) >= index


class Causality:
    """The steps of one run so far."""

    def __init__(self) -> None:
        self.steps: list[Made] = []
        self._last: dict[str, Mapping[str, int]] = {}
        self._writer: dict[str, int] = {}
        self._readers: dict[str, dict[str, int]] = {}

    def add(self, step: Step, footprint: Footprint) -> list[int]:
        """Enters the step just made; the indices of the steps it races with, the latest first."""
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
        """The events with which a run could go on that has ``last`` before ``first``, all else before it kept.

        (Abdulla et al. 2014: the initials of what lies between the two and does not come after the first.)
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
        # Whoever touched a name before its last writer comes before that writer: only those since then can race.
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
