"""The faults of one signal, in the order in which they were given: from what is written to what is published."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from drycell.kernel import Kernel, Signal
from drycell.sensors.fault import Value
from drycell.sensors.faults.effects import Effect, Exchanged
from drycell.sensors.faults.hits import Hits

AnySignal = Signal[Any]


class Stage:
    """The place of one fault in the chain of a signal: what comes in, and what goes on from it."""

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
        """The clock of the signal."""
        return self.chain.signal.kernel

    @property
    def writes(self) -> tuple[AnySignal, ...]:
        """The signals that may change with it."""
        return (self.chain.signal, *self.chain.reach())

    def begin(self) -> None:
        """Come into force, without publishing yet."""
        self.active = True
        self.effect.begin(self.input)

    def end(self) -> None:
        """Go out of force, without publishing yet."""
        if self.active:
            self.active = False
            self.effect.end()

    def judge(self, number: int, time: int) -> bool:
        """Decide about a sample that is about to come in; whether it is struck."""
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
        """What becomes of a value."""
        self.input = value
        return self.effect.apply(value) if self.active else value

    def next_sample(self, after: int) -> int | None:
        """The number of the next sample that counts for it."""
        if self._hits is not None:
            return self._hits.next_edge(after)
        return after + 1 if self.active and self.effect.restless else None


class Chain:
    """Filters a signal through the stages of its faults. The published value is always what the truth now becomes."""

    def __init__(self, signal: AnySignal) -> None:
        self.signal = signal
        self.truth: Value = signal.truth
        self.stages: list[Stage] = []
        self._number = -1
        self._time = 0
        self._sampled = False
        self._refreshing = False
        self._version = 0

    @classmethod
    def of(cls, signal: AnySignal) -> Chain:
        """The chain of a signal, made if it has none."""
        if signal.filter is None:
            signal.filter = cls(signal)
        return cast(Chain, signal.filter)

    def add(self, stage: Stage) -> None:
        """Put a stage at the end."""
        self.stages.append(stage)

    def remove(self, stage: Stage) -> None:
        """Take a stage out; the last one out leaves the signal as if there had never been a fault."""
        self.stages.remove(stage)
        if not self.stages:
            self.signal.filter = None

    def refresh(self, writer: str | None = None) -> None:
        """Publish what the truth becomes now, after something about the faults has changed."""
        self._refreshing = True
        Signal.set(self.signal, self.truth, writer)  # a fault may do what nobody else may

    # ---------------------------------------------------------------- as the kernel's filter

    def write(self, value: Value) -> Value:
        kernel = self.signal.kernel
        kernel.check_thread()
        if self._refreshing:
            self._refreshing = False
        else:
            self.truth = value
            self._judge()
        # A stage may set off others, down to subscribers that write this very signal: then their word is the last.
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

    def _judge(self) -> None:
        """Tell every stage which sample comes; a signal that is not sampled counts its writes instead."""
        if not self._sampled:
            self._number += 1
            self._time = self.signal.kernel.now
        for stage in tuple(self.stages):
            if stage.judge(self._number, self._time):
                kernel, name = self.signal.kernel, self.signal.name
                place = {"sample" if self._sampled else "write": self._number}
                kernel.journal.write("fault", name, fault=stage.label, state="strikes", **place)
                kernel.tracks.track("faults", name).append(kernel.now, (stage.label, "strikes"))
