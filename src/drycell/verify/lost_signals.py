"""Lost signals: changes that a program waits for although they have already happened, unseen.

A change is *seen* when it wakes a program, when a device is subscribed to the signal, or when anyone except its writer
reads the signal before it changes again. Starting to wait for an edge is not a read, because past edges do not count.

A signal is **lost** when a program waits without success (until the end of the run, or until its timeout) and an
earlier change would have met its condition: an unseen change by another writer, after the last successful wait of this
program for the signal. Resources that programs take in turn, like a zone, are not messages, and a program that waits
for one has missed nothing: a signal for which its writer also waits, and a signal that no longer has its initial
value, for which the program waits. Another program has taken the resource and not yet given it back.

A program that polls does not say which value it waits for. What it may have missed is the last **pulse** of a Boolean
signal that it polls: the signal left its initial value and returned to it, and nobody read it in between.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from drycell.kernel import AWAITED, Change, Condition, Kernel, Process, Signal, Step, Waiter, ticks
from drycell.sensors import LiveSensor


@dataclass(slots=True)
class SignalEdge:
    """A change of a signal, and the step that made it."""

    signal: Signal[Any]
    before: Any
    after: Any
    time: int
    writer: str
    step: int
    seen: bool = False

    @property
    def cause(self) -> str:
        """The body that a sensor detected; otherwise the writer."""
        return detected(self.signal, self.time) or self.writer


def detected(signal: Signal[Any], t: int) -> str:
    """Return the name of the body that a sensor detected when it published its value at a time; empty if none."""
    if not isinstance(signal, LiveSensor):
        return ""
    body = signal.look(max(0, t - ticks(signal.model.delay))).body
    return "" if body is None else body.name


@dataclass(frozen=True, slots=True)
class MissedPulse:
    """A pulse of a signal that nobody read, and the program that has polled the signal since a later time."""

    begin: SignalEdge
    end: SignalEdge
    process: str
    polls_since: int


@dataclass(frozen=True, slots=True)
class LostSignal:
    """An unseen edge, and the program that has waited for it since a given step."""

    edge: SignalEdge
    process: str
    waits_for: str
    waits_since: int
    timed_out: bool


class LostSignals:
    """Tracks the signals and waits of one run, step by step."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._edges: dict[str, list[SignalEdge]] = {}
        self._known = {name: len(signal.history) for name, signal in kernel.signals.items()}
        self._waits: dict[str, tuple[Waiter, int]] = {}
        self._met: dict[tuple[str, str], int] = {}
        self._taken: set[tuple[str, str]] = set()
        """The programs that waited for each signal, even if they did not have to block."""
        self._timed_out: list[LostSignal] = []
        self._reads: dict[str, dict[str, int]] = {}
        """For each signal: who has read it since its last change, and when first."""

    def note(self, step: Step) -> None:
        """Record the changes, reads and new waits of the latest step."""
        fresh = [
            edge for name, written in step.footprint.items() if written for edge in self._changed(name, step.index)
        ]
        begun = self._look_at_waits(step, fresh)
        owner = step.event.owner
        for name in step.footprint:
            if name.startswith(AWAITED):
                self._taken.add((owner, name.removeprefix(AWAITED)))
            edges = self._edges.get(name)
            if edges:
                self._reads.setdefault(name, {}).setdefault(owner, step.event.time)
            if edges and name not in begun and edges[-1].writer != owner and edges[-1].step != step.index:
                edges[-1].seen = True

    def lost(self, *, at_the_end: bool) -> LostSignal | None:
        """Return the first lost signal, if any; ``at_the_end`` means that programs that still wait have failed."""
        if self._timed_out:
            return self._timed_out[0]
        for process, (waiter, since) in self._waits.items() if at_the_end else ():
            if not waiter.timed and (missed := self._missed(process, waiter, since)) is not None:
                return LostSignal(missed, process, waiter.text, since, timed_out=False)
        return None

    def missed_pulses(self, process: str, polled: Iterable[str]) -> Iterator[MissedPulse]:
        """Yield the last pulse of each polled signal, if nobody has read it."""
        for name in polled:
            edges, since = self._edges.get(name, []), self._reads.get(name, {}).get(process)
            if len(edges) < 2 or since is None:
                continue
            begin, end = edges[-2:]
            pulse = isinstance(begin.after, bool) and end.after == begin.signal.initial != begin.after
            if pulse and not begin.seen and begin.writer != process and (begin.writer, name) not in self._taken:
                yield MissedPulse(begin, end, process, since)

    def _changed(self, name: str, step: int) -> list[SignalEdge]:
        signal = self._kernel.signals.get(name)
        if signal is None:
            return []
        history, known = signal.history, self._known.get(name, 1)
        self._known[name] = len(history)
        found = [
            SignalEdge(signal, history[place - 1][1], value, time, writer, step, signal.has_subscribers)
            for place, (time, value, writer) in enumerate(history[known:], known)
        ]
        self._edges.setdefault(name, []).extend(found)
        if found:
            self._reads.pop(name, None)
        return found

    def _look_at_waits(self, step: Step, fresh: list[SignalEdge]) -> set[str]:
        """Track the waits of programs; return the signals with new waits for edges."""
        begun: set[str] = set()
        living = self._kernel.processes.living()
        for gone in self._waits.keys() - {process.name for process in living}:
            del self._waits[gone]
        for process in living:
            before, waiter = self._waits.get(process.name), process.fibre.waiter
            if before is not None and before[0] is not waiter:
                self._ended(process, *before, step, fresh)
                del self._waits[process.name]
            if waiter is not None and (before is None or before[0] is not waiter):
                self._waits[process.name] = (waiter, step.index)
                begun.update(signal.name for each in waiter.conditions for signal in each.edges or ())
        return begun

    def _ended(self, process: Process, waiter: Waiter, since: int, step: Step, fresh: list[SignalEdge]) -> None:
        if waiter.outcome is None:
            if step.event.owner == f"{process.name}.timeout":
                missed = self._missed(process.name, waiter, since)
                if missed is not None:
                    self._timed_out.append(LostSignal(missed, process.name, waiter.text, since, timed_out=True))
            return
        for signal in waiter.signals:
            self._met[process.name, signal.name] = step.index
        for edge in fresh:
            edge.seen = edge.seen or any(signal is edge.signal for signal in waiter.signals)

    def _missed(self, process: str, waiter: Waiter, since: int) -> SignalEdge | None:
        for condition in waiter.conditions:
            for signal in condition.signals:
                met = self._met.get((process, signal.name), -1)
                for edge in reversed(self._edges.get(signal.name, [])):
                    if edge.step <= met:
                        break
                    if edge.step > since or edge.seen or edge.writer == process:
                        continue
                    taken = (edge.writer, signal.name) in self._taken or _given_back(edge)
                    if not taken and _would_meet(condition, edge):
                        return edge
        return None


def _given_back(edge: SignalEdge) -> bool:
    """Return whether an edge brought a signal back to rest, from where somebody has taken it again."""
    signal = edge.signal
    return bool(edge.after == signal.initial != signal.peek())


def _would_meet(condition: Condition, edge: SignalEdge) -> bool:
    """Return whether a change would meet a condition if it happened now; all other signals keep their values."""
    signal = edge.signal
    if condition.edges and signal in condition.edges:
        return condition.evaluate(Change(signal, edge.before, edge.after))
    # A level: only for a Boolean, the other value that would meet the condition is certain.
    return isinstance(edge.after, bool) and signal.peek() != edge.after and condition.possible({signal: None})[0]
