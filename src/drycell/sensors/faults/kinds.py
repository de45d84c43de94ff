"""The kinds of faults, and what each does to a signal."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Final

from drycell.base import Duration, FieldError, PlainValue, Problem, Ratio, Ref
from drycell.kernel import Signal, ticks
from drycell.sensors.fault import Fault, SampledFault, TimedFault, Value
from drycell.sensors.faults.effects import Delayed, Drifting, Effect, Exchanged, Held, Inverted, Raised, Replaced
from drycell.sensors.faults.sampled import model_of, sampling_period
from drycell.sensors.response import switched

STEP: Final = 0.1
"""Seconds from step to step of a drift on a signal that is not sampled."""


class StuckOn(SampledFault, kind="stuck_on", compact="at"):
    """Stuck on."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """On, whatever comes in."""
        return Replaced(_level(signal, True, self.kind))


class StuckOff(SampledFault, kind="stuck_off", compact="at"):
    """Stuck off."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Off, whatever comes in."""
        return Replaced(_level(signal, False, self.kind))


class Stuck(SampledFault, kind="stuck", compact="value"):
    """Stuck at its last value, or at a given one."""

    value: PlainValue | None = None
    """The value it is stuck at; the last one by default."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """One value, whatever comes in."""
        return Held() if self.value is None else Replaced(signal.accepted(self.value))


class Drift(TimedFault, kind="drift", compact="per_second"):
    """A deviation that grows with time."""

    per_second: Ratio
    """How much it grows in a second, in the unit of the signal."""
    every: Duration | None = None
    """Time from step to step on a signal that is not sampled; 0.1 s by default."""

    def problems(self) -> Iterable[Problem]:
        """It grows."""
        yield from super().problems()
        if not self.per_second:
            yield Problem(("per_second",), "0 is not a fault", "give a number other than 0")

    def effect(self, signal: Signal[Any]) -> Effect:
        """More and more off."""
        _check_number(signal, self.kind)
        step = None if sampling_period(signal) else ticks(STEP if self.every is None else self.every)
        return Drifting(self.per_second, step)


class Dropout(SampledFault, kind="dropout", compact="share"):
    """Drops out to what is published when nothing is detected, or to a given value."""

    value: PlainValue | None = None
    """The value it drops out to; by default the initial one, of a sensor the one for nothing detected."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """One value, whatever comes in."""
        return Replaced(signal.initial if self.value is None else signal.accepted(self.value))


class Spike(SampledFault, kind="spike", compact="share"):
    """A deviation for a moment: by a size, or to another value."""

    size: Ratio | None = None
    """How much is added, in the unit of the signal; a boolean is inverted."""
    value: PlainValue | None = None
    """What is published instead."""

    momentary: ClassVar[bool] = True

    def problems(self) -> Iterable[Problem]:
        """A size or a value."""
        yield from super().problems()
        if self.size is not None and not self.size:
            yield Problem(("size",), "0 is not a fault", "give a number other than 0")
        if self.size is not None and self.value is not None:
            what = f"a spike has a size or a value, not both: size {self.size:g}, value {self.value!r}"
            yield Problem(("value",), what, "'size' is added to what is measured, 'value' replaces it")

    def effect(self, signal: Signal[Any]) -> Effect:
        """Too much, another value, or on for off."""
        if self.value is not None:
            return Replaced(signal.accepted(self.value))
        if self.size is not None:
            _check_number(signal, "spike with a size")
            return Raised(self.size)
        if signal.value_type is bool:
            return Inverted()
        example = "'value', such as 'none'" if signal.value_type is str else "'size', such as 5"
        raise FieldError(
            f"a spike on '{signal.name}', which holds {signal.value_type.__name__}, needs a size or a value",
            hint=f"give its {example}",
        )


class Late(TimedFault, kind="late", compact="by"):
    """Every change is published too late."""

    by: Duration
    """How late."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """The values of some time ago."""
        return Delayed(ticks(self.by))


class Swapped(TimedFault, kind="swapped", compact="other"):
    """Shows the values of another signal, which shows those of this one."""

    other: Annotated[str, Ref("signal", needed=False)]
    """The other signal."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """The other's values, of the same type."""
        other = signal.kernel.signal_named(self.other)
        if signal is other:
            raise FieldError(f"signal '{signal.name}' cannot be swapped with itself", hint="name another signal")
        if signal.value_type is not other.value_type:
            one, two = signal.value_type.__name__, other.value_type.__name__
            raise FieldError(
                f"'{signal.name}', which holds {one}, cannot be swapped with '{other.name}', which holds {two}",
                hint="swap two signals of one type",
            )
        return Exchanged(other)


KINDS: Final[dict[str, type[Fault]]] = {
    each.meta.kind: each for each in (StuckOn, StuckOff, Stuck, Drift, Dropout, Spike, Late, Swapped)
}


def _check_number(signal: Signal[Any], what: str) -> None:
    if signal.value_type not in (int, float):
        raise FieldError(
            f"a {what} needs a number, but '{signal.name}' holds {signal.value_type.__name__}",
            hint="use stuck, dropout, late or swapped, or a spike without a size",
        )


def _level(signal: Signal[Any], on: bool, kind: str) -> Value:
    """What a signal that is either on or off holds then."""
    if signal.value_type is bool:
        return on
    model = model_of(signal)
    if model is not None and (model.limited or model.kind == "boolean" or model.type in ("proximity", "contact")):
        return switched(model, on)
    raise FieldError(
        f"'{kind}' needs a signal that is on or off, but '{signal.name}' holds {signal.value_type.__name__}",
        hint=f"use 'stuck' with a value, such as {signal.peek()!r}",
    )
