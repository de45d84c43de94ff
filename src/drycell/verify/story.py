"""The story of a fault: the few steps of a run that brought it about, in words."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drycell.kernel import seconds
from drycell.verify.causality import depend
from drycell.verify.fault import Fault
from drycell.verify.trace import Deed
from drycell.verify.trial import Trial


@dataclass(frozen=True, slots=True)
class StoryStep:
    """A step that matters: when, who, what it did, how it came to go first or second, and the line it ended at."""

    time: int
    who: str
    what: str
    note: str = ""
    file: str = ""
    line: int = 0

    def data(self) -> dict[str, str | int]:
        """The same as plain data, as recordings keep it; the file by its name alone."""
        told: dict[str, str | int] = {"t": self.time, "who": self.who, "text": self.what}
        if self.note:
            told["note"] = self.note
        if self.file:
            told.update(file=self.file, line=self.line)
        return told


def story_steps(fault: Fault, trial: Trial, deeds: Sequence[Deed]) -> list[StoryStep]:
    """The steps that matter, in order."""
    telling = sorted(_telling(fault, trial, deeds))
    ends = {index for index in telling if index in _ends(fault, trial, deeds)}
    steps = []
    for index in telling:
        deed = deeds[index]
        at = (deed.waits_at if index in ends and deed.waits_for else None) or deed.woke_at
        file, line = ("", 0) if at is None else (os.path.basename(at.file), at.line)
        steps.append(
            StoryStep(deed.time, deed.owner, _words(deed, waits=index in ends), _note(deed, deeds), file, line)
        )
    return steps


def story(steps: Sequence[StoryStep], events: int) -> list[str]:
    """A line for each step that matters, after a line that says how many of the run's events do."""
    lines = [f"How it comes about ({len(steps)} of {events} events matter):"]
    for step in steps:
        text = f"{seconds(step.time):>8.3f}  {step.who:<10} {step.what}"
        lines.append(f"  {text:<68}  ← {step.note}" if step.note else f"  {text}")
    return lines


def turning_point(deeds: Sequence[Deed]) -> int | None:
    """The instant of the first tie that did not go its usual way."""
    return next((deed.time for deed in deeds if deed.unusual and deed.rivals), None)


def _telling(fault: Fault, trial: Trial, deeds: Sequence[Deed]) -> set[int]:
    ends = set(_ends(fault, trial, deeds))
    found = set(ends)
    for index in () if fault.kind == "order" else ends:
        deed = deeds[index]
        names = {name for name in deed.footprint if name not in dict(deed.sets)} | set(deed.wanted)
        found.update(_last_writers(names, index if not deed.waits_for else len(deeds), deeds))
    if trial.lost is not None and fault.kind == "lost signal":
        edge = trial.lost.edge
        found.add(edge.step)
        after = (deed.index for deed in deeds[edge.step + 1 :] if edge.signal.name in dict(deed.sets))
        found.update([next(after, edge.step)])
    for deed in deeds:
        if deed.unusual:
            found.add(deed.index)
            found.update(other.index for other in _swapped(deed, deeds))
    return {index for index in found if index < len(deeds)}


def _ends(fault: Fault, trial: Trial, deeds: Sequence[Deed]) -> Iterator[int]:
    """The steps in which the fault itself shows."""
    last = {deed.owner: deed.index for deed in deeds}
    if fault.kind == "order":
        yield from _last_writers((name for name in fault.identity if isinstance(name, str)), len(deeds), deeds)
    elif fault.kind == "lost signal" and trial.lost is not None:
        yield trial.lost.waits_since
        yield from (last[each.process] for each in trial.blocked if each.process in last)
    elif fault.kind == "deadlock":
        yield from (last[each.process] for each in trial.blocked if each.process in last)
    elif fault.kind == "livelock":
        yield from (index for owner, index in last.items() if deeds[index].program)
    elif deeds:
        yield len(deeds) - 1


def _last_writers(names: Iterable[str], before: int, deeds: Sequence[Deed]) -> Iterator[int]:
    for name in names:
        for deed in reversed(deeds[:before]):
            if name in dict(deed.sets):
                yield deed.index
                break


def _swapped(deed: Deed, deeds: Sequence[Deed]) -> Iterator[Deed]:
    """Who would usually have gone before a step, and now notices."""
    rivals = set(deed.rivals)
    for other in deeds[deed.index + 1 :]:
        if other.time != deed.time or not rivals:
            return
        if other.owner in rivals:
            rivals.discard(other.owner)
            if depend(deed.footprint, other.footprint):
                yield other


def _note(deed: Deed, deeds: Sequence[Deed]) -> str:
    if deed.unusual and deed.rivals:
        others = [other.owner for other in _swapped(deed, deeds)]
        return f"same instant as {' and '.join(others)}, and first" if others else ""
    for earlier in reversed(deeds[: deed.index]):
        if earlier.time != deed.time:
            break
        if earlier.unusual and any(other.index == deed.index for other in _swapped(earlier, deeds)):
            return f"same instant, after {earlier.owner}"
    return ""


def _words(deed: Deed, *, waits: bool) -> str:
    if deed.owner.endswith(".timeout"):
        return "the time is out"
    words: list[str] = []
    if deed.program:
        words.append("starts" if deed.woke_at is None else f"goes on at {deed.woke_at}")
    words.extend(f"draws {what} for '{name}'" for name, what in deed.drew)
    for name, value in deed.sets:
        words.append(
            f"{'sets' if value else 'resets'} {name}" if isinstance(value, bool) else f"sets {name} to {value}"
        )
    if waits and deed.waits_for:
        words.append(f"waits at {deed.waits_at} for {deed.waits_for}")
    return ", ".join(words) or "acts"
