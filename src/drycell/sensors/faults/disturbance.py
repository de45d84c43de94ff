"""A fault put on a signal: when it comes into force and when it goes, told in the journal."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from drycell.base import FieldError, KernelError
from drycell.kernel import Kernel, Rank, Signal, Timer, clock_text, ticks
from drycell.sensors.fault import TimedFault
from drycell.sensors.faults.chain import Chain, Stage
from drycell.sensors.faults.effects import Exchanged
from drycell.sensors.faults.hits import Hits
from drycell.sensors.faults.sampled import sampling_period

AnySignal = Signal[Any]
_LONGEST_WAIT: Final = 1e11  # seconds: what comes later never comes


class Disturbance:
    """A fault on a signal: yet to come, in force, or over.

    Several on one signal act one after the other, in the order in which they are put on.
    Whatever the signal's writers do meanwhile is kept; when the fault goes, the truth shows at that instant. A fault
    begins and ends before the sensors, devices and programs of the same instant.
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
                    f"{clock_text(kernel.now)} s already",
                    hint=f"give a later time, or leave '{name}' out",
                )
        self._stages = self._made_stages()
        for stage in self._stages:
            stage.chain.add(stage)
            kernel.note_write(stage.chain.signal.name)
            stage.chain.signal.disturbed()
        self._plan()

    @property
    def active(self) -> bool:
        """Whether it is in force now."""
        self._kernel.note_read(self.signal.name)
        return self._stages[0].active

    @property
    def signals(self) -> tuple[AnySignal, ...]:
        """The signal, and the one it is swapped with."""
        return tuple(stage.chain.signal for stage in self._stages)

    def end(self) -> None:
        """Let it be over, now and for good."""
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
        state = "over" if self.over else "in force" if self._stages[0].active else "to come"
        return f"<Disturbance {self._stages[0].name}, {state}>"

    # ---------------------------------------------------------------- when

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
        """Wait for the next time it strikes at random: so long on average from the end of the last."""
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
                    f"how long does a {self.fault.kind} on '{self.signal.name}' last, which is not sampled?",
                    hint="give 'lasting', such as 10 ms",
                )
        return None if lasting is None else max(1, ticks(lasting))

    # ---------------------------------------------------------------- what

    def _come(self) -> None:
        for stage in self._stages:
            stage.begin()
        self._tell("begins")
        self._show()

    def _go(self) -> None:
        if self._stages[0].active:
            for stage in self._stages:
                stage.end()
            if self.fault.struck is None:
                self._tell("ends")
            self._show()

    def _show(self) -> None:
        for stage in self._stages:
            stage.chain.refresh(self._stages[0].name)
            stage.chain.signal.disturbed()

    def _tell(self, state: str) -> None:
        more = {"other": self.signals[1].name} if len(self.signals) > 1 else {}
        kernel, name, label = self._kernel, self.signal.name, self._stages[0].label
        kernel.journal.write("fault", name, fault=label, state=state, **more)
        kernel.tracks.track("faults", name).append(kernel.now, (label, state))

    # ---------------------------------------------------------------- made of

    def _made_stages(self) -> tuple[Stage, ...]:
        fault, signal = self.fault, self.signal
        effect = fault.effect(signal)
        if isinstance(effect, Exchanged):
            own, counter = Stage(Chain.of(signal), self._label(signal), effect), Exchanged(signal)
            back = Stage(Chain.of(effect.other), own.label, counter)
            effect.counterpart, counter.counterpart = back, own
            return own, back
        hits = None if fault.struck is None else Hits(fault.struck, self._strikes)
        return (Stage(Chain.of(signal), self._label(signal), effect, hits, self._start),)

    def _label(self, signal: AnySignal) -> str:
        """The kind, numbered if there is one on this signal already: another kind does not shift its random stream."""
        taken = {stage.label for stage in Chain.of(signal).stages}
        label, number = self.fault.kind, 1
        while label in taken:
            number += 1
            label = f"{self.fault.kind} {number}"
        return label

    def _random(self) -> Random:
        return self._kernel.random(f"fault {self._stages[0].name}")

    def _strikes(self) -> Random:
        # How many hits were drawn ahead depends on who asked: a later fault of the same kind has a stream of its own.
        since = f" at {clock_text(self._start)}" if self._start else ""
        return self._kernel.random(f"fault {self._stages[0].name}{since}")

    def _at(self, time: int, action: Callable[[], None]) -> None:
        self._timer = self._kernel.at(time, action, Rank.MOTION, self._stages[0].name, writes=self.signals)

    @property
    def _kernel(self) -> Kernel:
        return self.signal.kernel
