"""The trace of a fault: the few steps of a run that lead to it, as text."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from drycell.kernel import Kernel, Location, Pending, ReplayingChooser, Step, seconds
from drycell.verify.faults import SearchFault
from drycell.verify.reduction import Footprint, depend
from drycell.verify.trial import Trial


@dataclass(slots=True)
class RunStep:
    """One step of a run, with its text for a trace."""

    index: int
    time: int
    owner: str
    rivals: tuple[str, ...]
    """The owners that could have gone first."""
    unusual: bool
    """Whether it went out of turn, or drew something other than the lower limit."""
    program: bool = False
    woke_at: Location | None = None
    waits_at: Location | None = None
    waits_for: str = ""
    wanted: tuple[str, ...] = ()
    """The signals that it waits for."""
    sets: list[tuple[str, object]] = field(default_factory=list)
    drew: list[tuple[str, object]] = field(default_factory=list)
    footprint: Footprint = field(default_factory=dict)


class Tracer(ReplayingChooser):
    """A chooser that repeats choices and records every step."""

    def __init__(self, choices: Sequence[int]) -> None:
        super().__init__(choices)
        self.steps: list[RunStep] = []
        self._stood: dict[str, Location] = {}
        self._next: RunStep | None = None
        self._known: dict[str, int] = {}
        self._kernel: Kernel | None = None

    def bind(self, kernel: Kernel) -> None:
        """Use this kernel; the cell has been built."""
        self._kernel = kernel
        self._known = {name: len(signal.history) for name, signal in kernel.signals.items()}

    def pick(self, pending: Sequence[Pending]) -> int:
        place = super().pick(pending)
        event = pending[place]
        rivals = tuple(other.owner for other in pending if other is not event)
        self._next = RunStep(len(self.steps), event.time, event.owner, rivals, place > 0)
        return place

    def value(self, name: str, count: int) -> int:
        number = super().value(name, count)
        self._drew(name, f"option {number + 1} of {count}", number > 0)
        return number

    def interval(self, name: str, low: float, high: float) -> float:
        value = super().interval(name, low, high)
        self._drew(name, f"{value:.6f}".rstrip("0").rstrip("."), value != low)
        return value

    def after(self, step: Step) -> None:
        traced, kernel = self._next, self._kernel
        if traced is None or kernel is None:
            return
        self.steps.append(traced)
        traced.footprint = step.footprint
        for name, written in step.footprint.items():
            if written and name in kernel.signals:
                history = kernel.signals[name].history
                traced.sets.extend((name, value) for _, value, _ in history[self._known.get(name, 1) :])
                self._known[name] = len(history)
        traced.program = f"process:{traced.owner}" in step.footprint
        for process in kernel.processes.living():
            if process.name == traced.owner:
                traced.program = True
                traced.woke_at = self._stood.get(traced.owner)
                traced.waits_at = self._stood[traced.owner] = process.where()
                waiter = process.fibre.waiter
                if waiter is not None:
                    traced.waits_for = waiter.text
                    traced.wanted = tuple(signal.name for signal in waiter.signals)
                return
        traced.woke_at = self._stood.get(traced.owner)

    def _drew(self, name: str, what: object, unusual: bool) -> None:
        if self._next is not None:
            self._next.drew.append((name, what))
            self._next.unusual = self._next.unusual or unusual


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A step of a trace: time, owner, action, the reason for its position, and the source line where it ended."""

    time: int
    who: str
    what: str
    note: str = ""
    file: str = ""
    line: int = 0

    def data(self) -> dict[str, str | int]:
        """Return the step as plain data for a recording, with the file's name only."""
        data: dict[str, str | int] = {"t": self.time, "who": self.who, "text": self.what}
        if self.note:
            data["note"] = self.note
        if self.file:
            data.update(file=self.file, line=self.line)
        return data


def trace_steps(fault: SearchFault, trial: Trial, steps: Sequence[RunStep]) -> list[TraceStep]:
    """Return the relevant steps, in order."""
    relevant = sorted(_relevant(fault, trial, steps))
    ends = {index for index in relevant if index in _ends(fault, trial, steps)}
    found = []
    for index in relevant:
        step = steps[index]
        at = (step.waits_at if index in ends and step.waits_for else None) or step.woke_at
        file, line = ("", 0) if at is None else (os.path.basename(at.file), at.line)
        found.append(
            TraceStep(step.time, step.owner, _words(step, waits=index in ends), _note(step, steps), file, line)
        )
    return found


def trace_lines(steps: Sequence[TraceStep], events: int) -> list[str]:
    """Return a heading that counts the events, and a line for each relevant step."""
    lines = [f"Trace ({len(steps)} of {events} events matter):"]
    for step in steps:
        text = f"{seconds(step.time):>8.3f}  {step.who:<10} {step.what}"
        lines.append(f"  {text:<68}  ← {step.note}" if step.note else f"  {text}")
    return lines


def turning_point(steps: Sequence[RunStep]) -> int | None:
    """Return the time of the first tie that was resolved in an unusual order."""
    return next((step.time for step in steps if step.unusual and step.rivals), None)


def _relevant(fault: SearchFault, trial: Trial, steps: Sequence[RunStep]) -> set[int]:
    ends = set(_ends(fault, trial, steps))
    found = set(ends)
    for index in () if fault.kind == "order" else ends:
        step = steps[index]
        names = {name for name in step.footprint if name not in dict(step.sets)} | set(step.wanted)
        found.update(_last_writers(names, index if not step.waits_for else len(steps), steps))
    if trial.lost is not None and fault.kind == "lost signal":
        edge = trial.lost.edge
        found.add(edge.step)
        after = (step.index for step in steps[edge.step + 1 :] if edge.signal.name in dict(step.sets))
        found.update([next(after, edge.step)])
    for pulse in trial.pulses if fault.kind == "livelock" else ():
        found.update((pulse.begin.step, pulse.end.step))
    for step in steps:
        if step.unusual:
            found.add(step.index)
            found.update(other.index for other in _swapped(step, steps))
    return {index for index in found if index < len(steps)}


def _ends(fault: SearchFault, trial: Trial, steps: Sequence[RunStep]) -> Iterator[int]:
    """Yield the steps in which the fault shows."""
    last = {step.owner: step.index for step in steps}
    if fault.kind == "order":
        yield from _last_writers((name for name in fault.identity if isinstance(name, str)), len(steps), steps)
    elif fault.kind == "lost signal" and trial.lost is not None:
        yield trial.lost.waits_since
        yield from (last[each.process] for each in trial.blocked if each.process in last)
    elif fault.kind == "deadlock":
        yield from (last[each.process] for each in trial.blocked if each.process in last)
    elif fault.kind == "livelock":
        yield from (index for owner, index in last.items() if steps[index].program)
    elif steps:
        yield len(steps) - 1


def _last_writers(names: Iterable[str], before: int, steps: Sequence[RunStep]) -> Iterator[int]:
    for name in names:
        for step in reversed(steps[:before]):
            if name in dict(step.sets):
                yield step.index
                break


def _swapped(step: RunStep, steps: Sequence[RunStep]) -> Iterator[RunStep]:
    """Yield the steps that would usually have come before a step and are affected by the swap."""
    rivals = set(step.rivals)
    for other in steps[step.index + 1 :]:
        if other.time != step.time or not rivals:
            return
        if other.owner in rivals:
            rivals.discard(other.owner)
            if depend(step.footprint, other.footprint):
                yield other


def _note(step: RunStep, steps: Sequence[RunStep]) -> str:
    if step.unusual and step.rivals:
        others = [other.owner for other in _swapped(step, steps)]
        return f"same instant as {' and '.join(others)}, and first" if others else ""
    for earlier in reversed(steps[: step.index]):
        if earlier.time != step.time:
            break
        if earlier.unusual and any(other.index == step.index for other in _swapped(earlier, steps)):
            return f"same instant, after {earlier.owner}"
    return ""


def _words(step: RunStep, *, waits: bool) -> str:
    if step.owner.endswith(".timeout"):
        return "the timeout expires"
    words: list[str] = []
    if step.program:
        words.append("starts" if step.woke_at is None else f"resumes at {step.woke_at}")
    words.extend(f"draws {what} for '{name}'" for name, what in step.drew)
    for name, value in step.sets:
        words.append(
            f"{'sets' if value else 'resets'} {name}" if isinstance(value, bool) else f"sets {name} to {value}"
        )
    if waits and step.waits_for:
        words.append(f"waits at {step.waits_at} for {step.waits_for}")
    return ", ".join(words) or "acts"
