"""Active faults: when they are active, which samples they affect, and how they change the values of a signal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from drycell.base import FieldError, KernelError
from drycell.kernel import Kernel, Rank, Signal, Timer, clock_text, ticks
from drycell.sensors.model import SensorModel

if TYPE_CHECKING:
    from drycell.sensors.faults.kinds import TimedFault, Value

_NEVER: Final = 1 << 62


class Hits:
    """Random sample numbers, each drawn independently with the same probability. The gaps between them come in order
    from one stream and do not depend on the queries, so a sensor that skips samples has the same faults as one that
    takes them all.
    """

    def __init__(self, share: float, stream: Callable[[], Random]) -> None:
        self._share = share
        self._stream = stream
        self._drawn: list[int] = []
        self._last = -1

    def strikes(self, number: int) -> bool:
        """Whether a sample is affected. Call it with increasing numbers."""
        self._draw_past(number)
        while self._drawn[0] < number:
            del self._drawn[0]
        return self._drawn[0] == number

    def next_edge(self, after: int) -> int | None:
        """The first later sample that is affected, or follows an affected one: the value may change there."""
        self._draw_past(after)
        edges = [edge for hit in self._drawn for edge in (hit, hit + 1) if edge > after]
        return edges[0] if edges[0] < _NEVER else None

    def _draw_past(self, number: int) -> None:
        while self._last <= number:
            gap = self._gap()
            self._last = _NEVER if gap >= _NEVER else self._last + gap
            self._drawn.append(self._last)

    def _gap(self) -> int:
        """A geometric deviate: the number of trials up to the first success."""
        if self._share <= 0.0:
            return _NEVER
        if self._share >= 1.0:
            return 1
        u = 1.0 - self._stream().random()  # above 0, up to 1
        return 1 + int(min(math.log(u) / math.log1p(-self._share), _NEVER))


class Effect:
    """The base of all effects; it does not change values."""

    stage: FaultStage
    """Its stage in the chain, set when it is added."""
    needs_every_sample = False
    """Whether every sample matters, even if it equals the last."""

    def begin(self, value: Value) -> None:
        """Become active; ``value`` is the last input."""

    def sampled(self, time: int) -> None:
        """Prepare for a sample taken at a time."""

    def apply(self, value: Value) -> Value:
        """The output for an input. Repeated calls without a change must return equal values."""
        return value

    def end(self) -> None:
        """Become inactive."""


class Replaced(Effect):
    """Always outputs one value."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def apply(self, value: Value) -> Value:
        return self._value


class Held(Effect):
    """The last value before it became active."""

    def begin(self, value: Value) -> None:
        self._value = value

    def apply(self, value: Value) -> Value:
        return self._value


class Inverted(Effect):
    """Inverted booleans."""

    def apply(self, value: Value) -> Value:
        return not value


class Raised(Effect):
    """A number with a constant added."""

    def __init__(self, size: float) -> None:
        self._size = size

    def apply(self, value: Value) -> Value:
        return _sum(value, self._size)


class Drifting(Effect):
    """A number with a growing deviation: at every sample, or in steps of time on a signal that is not sampled."""

    needs_every_sample = True

    def __init__(self, per_second: float, step: int | None) -> None:
        self._per_second = per_second
        self._step = step
        self._since = 0
        self._elapsed = 0
        self._timer: Timer | None = None

    def begin(self, value: Value) -> None:
        self._since = self.stage.kernel.now
        self._elapsed = 0
        self._wait()

    def sampled(self, time: int) -> None:
        # A sample from before the start of the drift may be published later, without deviation.
        self._elapsed = max(self._elapsed, time - self._since)

    def apply(self, value: Value) -> Value:
        return _sum(value, self._per_second * (self._elapsed / 1e6))

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        if self._step is not None:
            stage = self.stage
            due = stage.kernel.now + self._step
            self._timer = stage.kernel.at(due, self._step_due, Rank.SENSOR, stage.name, writes=stage.writes)

    def _step_due(self) -> None:
        self._wait()
        self.sampled(self.stage.kernel.now)
        self.stage.chain.refresh()


class Delayed(Effect):
    """Publishes every change with a delay, in order."""

    def __init__(self, by: int) -> None:
        self._by = by
        self._timers: list[Timer] = []

    def begin(self, value: Value) -> None:
        self._last = self._shown = value

    def apply(self, value: Value) -> Value:
        if _differ(value, self._last):
            self._last = value
            stage = self.stage
            due = stage.kernel.now + self._by
            self._timers.append(
                stage.kernel.at(due, lambda: self._deliver(value), Rank.SENSOR, stage.name, writes=stage.writes)
            )
        return self._shown

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _deliver(self, value: Value) -> None:
        del self._timers[0]
        self._shown = value
        self.stage.chain.refresh()


class Exchanged(Effect):
    """Outputs the input of its counterpart on another signal."""

    counterpart: FaultStage

    def __init__(self, other: Signal[Any]) -> None:
        self.other = other

    def begin(self, value: Value) -> None:
        self._passed_on = value

    def apply(self, value: Value) -> Value:
        if _differ(value, self._passed_on):
            self._passed_on = value
            self.counterpart.chain.refresh()
        return self.counterpart.input


def _differ(a: Value, b: Value) -> bool:
    return a != b and (a == a or b == b)  # two NaN values are equal


def _sum(value: Any, more: float) -> Value:
    """A number with something added, in the type of the signal: integers round half away from zero."""
    total: float = value + more
    if isinstance(value, int):
        return int(math.copysign(math.floor(abs(total) + 0.5), total))
    return total


AnySignal = Signal[Any]


class FaultStage:
    """The place of one fault in the chain of a signal, with its input and effect."""

    def __init__(self, chain: Chain, label: str, effect: Effect, hits: Hits | None = None, since: int = 0) -> None:
        self.chain = chain
        self.label = label
        self.name = f"{chain.signal.name}/{label}"
        self.effect = effect
        self.active = False
        self.input: Value = chain.signal.peek()
        self._hits = hits
        self._since = since
        effect.stage = self

    @property
    def kernel(self) -> Kernel:
        """The kernel of the signal."""
        return self.chain.signal.kernel

    @property
    def writes(self) -> tuple[AnySignal, ...]:
        """The signals that may change with it."""
        return (self.chain.signal, *self.chain.reach())

    def begin(self) -> None:
        """Become active, without publishing yet."""
        self.active = True
        self.effect.begin(self.input)

    def end(self) -> None:
        """Become inactive, without publishing yet."""
        if self.active:
            self.active = False
            self.effect.end()

    def prepare(self, number: int, time: int) -> bool:
        """Decide whether the next sample is affected."""
        struck = False
        if self._hits is not None:
            struck = self._hits.strikes(number) and time >= self._since
            if self.active and not struck:
                self.end()
            elif struck and not self.active:
                self.begin()
        if self.active:
            self.effect.sampled(time)
        return struck

    def through(self, value: Value) -> Value:
        """The output for an input."""
        self.input = value
        return self.effect.apply(value) if self.active else value

    def next_sample(self, after: int) -> int | None:
        """The number of the next sample that matters for it."""
        if self._hits is not None:
            return self._hits.next_edge(after)
        return after + 1 if self.active and self.effect.needs_every_sample else None


class Chain:
    """Filters a signal through the stages of its faults. The published value always follows from the true one."""

    def __init__(self, signal: AnySignal) -> None:
        self.signal = signal
        self.truth: Value = signal.truth
        self.stages: list[FaultStage] = []
        self._number = -1
        self._time = 0
        self._sampled = False
        self._refreshing = False
        self._version = 0

    @classmethod
    def of(cls, signal: AnySignal) -> Chain:
        """The chain of a signal, created if needed."""
        if signal.filter is None:
            signal.filter = cls(signal)
        return cast(Chain, signal.filter)

    def add(self, stage: FaultStage) -> None:
        """Add a stage at the end."""
        self.stages.append(stage)

    def remove(self, stage: FaultStage) -> None:
        """Remove a stage. Without stages the signal has no filter."""
        self.stages.remove(stage)
        if not self.stages:
            self.signal.filter = None

    def refresh(self, writer: str | None = None) -> None:
        """Publish the value again after a change of the faults."""
        self._refreshing = True
        Signal.set(self.signal, self.truth, writer)  # a fault may set any signal

    # ---------------------------------------------------------------- as the kernel's filter

    def write(self, value: Value) -> Value:
        kernel = self.signal.kernel
        kernel.check_thread()
        if self._refreshing:
            self._refreshing = False
        else:
            self.truth = value
            self._prepare()
        # A stage may trigger subscribers that write this signal. In that case, the last write wins.
        while True:
            self._version = version = self._version + 1
            shown = self.truth
            for stage in tuple(self.stages):
                shown = stage.through(shown)
            if version == self._version:
                return shown

    def sample(self, number: int, time: int) -> None:
        self._number, self._time, self._sampled = number, time, True

    def next_sample(self, after: int) -> int | None:
        wanted = [stage.next_sample(after) for stage in self.stages]
        return min((number for number in wanted if number is not None), default=None)

    def reach(self) -> Iterable[AnySignal]:
        found: dict[AnySignal, None] = {}
        waiting = [self]
        while waiting:
            for stage in waiting.pop().stages:
                if isinstance(stage.effect, Exchanged) and stage.active:
                    other = stage.effect.counterpart.chain
                    if other.signal not in found and other is not self:
                        found[other.signal] = None
                        waiting.append(other)
        return tuple(found)

    def _prepare(self) -> None:
        """Announce the next sample to every stage; a signal that is not sampled counts its writes instead."""
        if not self._sampled:
            self._number += 1
            self._time = self.signal.kernel.now
        for stage in tuple(self.stages):
            if stage.prepare(self._number, self._time):
                kernel, name = self.signal.kernel, self.signal.name
                place = {"sample" if self._sampled else "write": self._number}
                kernel.journal.write("fault", name, fault=stage.label, state="strikes", **place)
                kernel.tracks.track("faults", name).append(kernel.now, (stage.label, "strikes"))


_LONGEST_WAIT: Final = 1e11  # seconds: any later time means never


class Disturbance:
    """A fault on a signal: pending, active, or over.

    Several faults on one signal act in the order in which they were added. Values written in the
    meantime are kept: when the fault ends, the true value is published at that instant. A fault begins and ends before
    the sensors, devices and programs of the same instant.
    """

    def __init__(self, signal: AnySignal, fault: TimedFault) -> None:
        kernel = signal.kernel
        kernel.check_thread()
        self.signal = signal
        self.fault = fault
        self.over = False
        self._timer: Timer | None = None
        self._start = kernel.now if fault.at is None else ticks(fault.at)
        self._until = None if fault.until is None else ticks(fault.until)
        self._lasting = self._duration()
        for name, time in (("at", self._start), ("until", self._until)):
            if time is not None and time < kernel.now + (name == "until"):
                raise KernelError(
                    f"'{fault.kind}' on '{signal.name}' has {name}={clock_text(time)} s, but it is "
                    f"already {clock_text(kernel.now)} s",
                    hint=f"give a later time, or remove '{name}'",
                )
        self._stages = self._made_stages()
        for stage in self._stages:
            stage.chain.add(stage)
            kernel.note_write(stage.chain.signal.name)
            stage.chain.signal.disturbed()
        self._plan()

    @property
    def active(self) -> bool:
        """Whether it is active now."""
        self._kernel.note_read(self.signal.name)
        return self._stages[0].active

    @property
    def signals(self) -> tuple[AnySignal, ...]:
        """The signal, and the signal it is swapped with."""
        return tuple(stage.chain.signal for stage in self._stages)

    def end(self) -> None:
        """End the fault now."""
        if self.over:
            return
        self.over = True
        if self._timer is not None:
            self._timer.cancel()
        self._go()
        for stage in self._stages:
            stage.chain.remove(stage)
            self._kernel.note_write(stage.chain.signal.name)

    def __repr__(self) -> str:
        state = "over" if self.over else "active" if self._stages[0].active else "pending"
        return f"<Disturbance {self._stages[0].name}, {state}>"

    # ---------------------------------------------------------------- timing

    def _plan(self) -> None:
        if self.fault.struck is not None:
            if self._until is not None:
                self._at(self._until, self.end)
        elif self.fault.rate is not None:
            self._await(self._start)
        elif self._kernel.running and self._start == self._kernel.now:
            self._strike()
        else:
            self._at(self._start, self._strike)

    def _strike(self) -> None:
        self._come()
        now = self._kernel.now
        ends = [] if self._until is None else [self._until]
        if self._lasting is not None:
            ends.append(now + self._lasting)
        if ends:
            self._at(min(ends), self._recover)

    def _recover(self) -> None:
        if self.fault.rate is None or self._kernel.now == self._until:
            self.end()
        else:
            self._go()
            self._await(self._kernel.now)

    def _await(self, since: int) -> None:
        """Wait for the next random occurrence, counted from the end of the last."""
        gap = self._random().expovariate(self.fault.rate or 0.0)
        due = since + max(1, ticks(gap)) if gap < _LONGEST_WAIT else None
        if due is None or (self._until is not None and due >= self._until):
            self.end()
        else:
            self._at(due, self._strike)

    def _duration(self) -> int | None:
        lasting = self.fault.lasting
        if lasting is None and self.fault.momentary and self.fault.struck is None:
            if self.fault.until is not None and self.fault.rate is None:
                return None
            lasting = sampling_period(self.signal)
            if lasting is None:
                raise FieldError(
                    f"a {self.fault.kind} on '{self.signal.name}', which is not sampled, needs a duration",
                    hint="give 'lasting', such as 10 ms",
                )
        return None if lasting is None else max(1, ticks(lasting))

    # ---------------------------------------------------------------- effects

    def _come(self) -> None:
        for stage in self._stages:
            stage.begin()
        self._record("begins")
        self._show()

    def _go(self) -> None:
        if self._stages[0].active:
            for stage in self._stages:
                stage.end()
            if self.fault.struck is None:
                self._record("ends")
            self._show()

    def _show(self) -> None:
        for stage in self._stages:
            stage.chain.refresh(self._stages[0].name)
            stage.chain.signal.disturbed()

    def _record(self, state: str) -> None:
        more = {"other": self.signals[1].name} if len(self.signals) > 1 else {}
        kernel, name, label = self._kernel, self.signal.name, self._stages[0].label
        kernel.journal.write("fault", name, fault=label, state=state, **more)
        kernel.tracks.track("faults", name).append(kernel.now, (label, state))

    # ---------------------------------------------------------------- construction

    def _made_stages(self) -> tuple[FaultStage, ...]:
        fault, signal = self.fault, self.signal
        effect = fault.effect(signal)
        if isinstance(effect, Exchanged):
            own, counter = FaultStage(Chain.of(signal), self._label(signal), effect), Exchanged(signal)
            back = FaultStage(Chain.of(effect.other), own.label, counter)
            effect.counterpart, counter.counterpart = back, own
            return own, back
        hits = None if fault.struck is None else Hits(fault.struck, self._strikes)
        return (FaultStage(Chain.of(signal), self._label(signal), effect, hits, self._start),)

    def _label(self, signal: AnySignal) -> str:
        """The kind, with a number if the signal has one already. Other kinds do not affect its random stream."""
        taken = {stage.label for stage in Chain.of(signal).stages}
        label, number = self.fault.kind, 1
        while label in taken:
            number += 1
            label = f"{self.fault.kind} {number}"
        return label

    def _random(self) -> Random:
        return self._kernel.random(f"fault {self._stages[0].name}")

    def _strikes(self) -> Random:
        # The number of samples drawn ahead depends on the queries, so a later fault of the same kind has its own
        # stream.
        since = f" at {clock_text(self._start)}" if self._start else ""
        return self._kernel.random(f"fault {self._stages[0].name}{since}")

    def _at(self, time: int, action: Callable[[], None]) -> None:
        self._timer = self._kernel.at(time, action, Rank.MOTION, self._stages[0].name, writes=self.signals)

    @property
    def _kernel(self) -> Kernel:
        return self.signal.kernel


def model_of(signal: Signal[Any]) -> SensorModel | None:
    """The sensor model of a signal; None if the signal is not a sensor."""
    model = getattr(signal, "model", None)
    return model if isinstance(model, SensorModel) else None


def sampling_period(signal: Signal[Any]) -> float | None:
    """The period of a sensor, in seconds; None for a signal that is not sampled."""
    model = model_of(signal)
    return None if model is None else model.every
