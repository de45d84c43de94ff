"""Faults of sensors and signals as data: what is wrong, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from drycell.base import (
    CellFileError,
    Duration,
    FieldError,
    KernelError,
    PlainValue,
    Problem,
    Quantity,
    Ratio,
    Ref,
    Thing,
    UnitError,
    Wait,
    parse,
)
from drycell.cell import Stage
from drycell.kernel import Signal, ticks
from drycell.sensors.faults.disturbance import (
    Delayed,
    Disturbance,
    Drifting,
    Effect,
    Exchanged,
    Held,
    Inverted,
    Raised,
    Replaced,
    model_of,
    sampling_period,
)
from drycell.sensors.output import switched

if TYPE_CHECKING:
    from drycell.base import Plain
    from drycell.cell import Cell
    from drycell.kernel import Request


Value = bool | int | float | str


@dataclass(frozen=True)
class _Rate(Quantity):
    """A frequency, which can also be written as a number per time: ``3/h``."""

    dimension: str = "frequency"
    above: float = 0.0

    def take(self, written: "Plain") -> float:
        """The frequency in Hz."""
        count, slash, span = str(written).partition("/")
        if not slash:
            return super().take(written)
        try:
            return super().take(f"{parse(count, 'ratio') / parse(f'1 {span}', 'time')!r} Hz")
        except UnitError as error:
            raise UnitError(f"{written!r} is not a rate", hint="write for example '3/h' or '0.1 Hz'") from error


Rate = Annotated[float, _Rate()]
Fraction = Annotated[float, Quantity("ratio")]


class Fault(Thing, noun="fault", section="faults", about="signal", many=True, stage=Stage.FAULTS):
    """A fault of a signal. Its fields are those of :class:`TimedFault` and of each kind."""

    @classmethod
    def requests(cls, cell: "Cell") -> "dict[str, Request]":
        """The requests about faults to a running cell, by name."""
        from drycell.sensors.faults.requests import fault_requests

        return fault_requests(cell)

    @classmethod
    def check_savable(cls, cell: "Cell") -> None:
        """Raise CellFileError if a file cannot keep the order of the faults.

        A file lists faults by signal, so a fault that swaps two signals may come in a different order on the other one.
        """
        given = [each for each in cell.faults if not each.over]
        order = [(name, id(fault)) for name, model in cell.models.items() for _, fault in model.about_itself()] + [
            (name, id(fault)) for name, faults in cell.about.get("faults", {}).items() for fault in faults
        ]
        written = sorted(given, key=lambda each: order.index((each.signal.name, id(each.fault))))
        for name in dict.fromkeys(signal.name for each in given for signal in each.signals):
            before, after = (
                [each for each in several if name in {signal.name for signal in each.signals}]
                for several in (given, written)
            )
            if before != after:
                raise CellFileError(
                    f"a file cannot keep the order of the faults on '{name}', one of which swaps it with another "
                    "signal",
                    hint="add all faults of one signal before those of the next",
                )


class TimedFault(Fault):
    """A fault with a time: by default it is active during the whole run.

    It is active from ``at`` to ``until`` or for the time ``lasting``, or repeatedly at random with a ``rate``.
    """

    at: Wait | None = None
    """Time at which it begins, or before which it never occurs."""
    until: Wait | None = None
    """Time at which it ends."""
    lasting: Duration | None = None
    """Duration of each occurrence."""
    rate: Rate | None = None
    """Average rate of random occurrences, in the time without the fault."""

    momentary: ClassVar[bool] = False
    """Whether it lasts for one sample by default."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Its effect on a signal. Raises FieldError if the type of the signal does not allow it."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.meta.kind

    @property
    def struck(self) -> float | None:
        """The fraction of samples or writes that it affects at random, if it affects single ones."""
        return None

    def build(self, cell: "Cell", name: str) -> Disturbance:
        """Add the fault to a signal."""
        if cell.ran and not cell.kernel.running:
            raise KernelError("the cell has already run", hint="add the fault before the run, or from a program")
        made = Disturbance(cell.kernel.signal_named(name), self)
        cell.faults.append(made)
        return made

    def problems(self) -> Iterable[Problem]:
        """Yield problems: it must end after its start, and only one field may give its end."""
        start = 0.0 if self.at is None else self.at
        if self.until is not None and self.until <= start:
            what = f"'until' is {self.until:g} s, not later than its start at {start:g} s"
            yield Problem(("until",), what, "set 'until' to a later time than 'at'")
        if self.struck is not None:
            if not 0 <= self.struck <= 1:
                what = f"a share of {self.struck:g} is not in 0..1"
                yield Problem(("share",), what, "0.005 is 0.5 % of all samples")
            for name in ("rate", "lasting"):
                if getattr(self, name) is not None:
                    hint = "'share' affects single samples; for longer times use 'rate' and 'lasting' instead"
                    yield Problem((name,), f"'share' and '{name}' cannot be combined", hint)
        elif self.rate is not None:
            if self.lasting is None and not self.momentary:
                what = f"'{self.kind}' with a rate of {self.rate:g}/s needs 'lasting'"
                yield Problem(("rate",), what, "give the duration of each occurrence, such as 2 s")
        elif self.until is not None and self.lasting is not None:
            what = f"'until' ({self.until:g} s) and 'lasting' ({self.lasting:g} s) both give its end"
            yield Problem(("lasting",), what, "keep one")


class SampledFault(TimedFault):
    """A fault that can also affect a ``share`` of the samples of a sensor, or of the writes to another signal."""

    share: Fraction | None = None
    """Fraction of samples (or of writes, if the signal is not a sensor) that it affects at random."""

    @property
    def struck(self) -> float | None:
        """The share."""
        return self.share


STEP: Final = 0.1
"""Seconds between the steps of a drift on a signal that is not sampled."""


class StuckOn(SampledFault, kind="stuck_on", compact="at"):
    """Stuck on."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Always on."""
        return Replaced(_level(signal, True, self.kind))


class StuckOff(SampledFault, kind="stuck_off", compact="at"):
    """Stuck off."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Always off."""
        return Replaced(_level(signal, False, self.kind))


class Stuck(SampledFault, kind="stuck", compact="value"):
    """Stuck at its last value, or at a given one."""

    value: PlainValue | None = None
    """The value at which it is stuck; the last one by default."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Always one value."""
        return Held() if self.value is None else Replaced(signal.accepted(self.value))


class Drift(TimedFault, kind="drift", compact="per_second"):
    """A deviation that grows with time."""

    per_second: Ratio
    """Growth per second, in the unit of the signal."""
    every: Duration | None = None
    """Time between steps on a signal that is not sampled; 0.1 s by default."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if the growth is 0."""
        yield from super().problems()
        if not self.per_second:
            yield Problem(("per_second",), "0 is not a fault", "give a number other than 0")

    def effect(self, signal: Signal[Any]) -> Effect:
        """A growing deviation."""
        _check_number(signal, self.kind)
        step = None if sampling_period(signal) else ticks(STEP if self.every is None else self.every)
        return Drifting(self.per_second, step)


class Dropout(SampledFault, kind="dropout", compact="share"):
    """Drops out to the value when nothing is detected, or to a given value."""

    value: PlainValue | None = None
    """The value while it drops out; by default the initial value; for a sensor, the value when nothing is detected."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Always one value."""
        return Replaced(signal.initial if self.value is None else signal.accepted(self.value))


class Spike(SampledFault, kind="spike", compact="share"):
    """A short deviation: by a size, or to another value."""

    size: Ratio | None = None
    """Added value, in the unit of the signal; a boolean is inverted."""
    value: PlainValue | None = None
    """The value that is published instead."""

    momentary: ClassVar[bool] = True

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if it has both a size and a value, or a size of 0."""
        yield from super().problems()
        if self.size is not None and not self.size:
            yield Problem(("size",), "0 is not a fault", "give a number other than 0")
        if self.size is not None and self.value is not None:
            what = f"a spike has a size or a value, not both: size {self.size:g}, value {self.value!r}"
            yield Problem(("value",), what, "'size' is added to the measured value, 'value' replaces it")

    def effect(self, signal: Signal[Any]) -> Effect:
        """An added value, another value, or an inverted boolean."""
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
    """Every change is published late."""

    by: Duration
    """The delay."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """Earlier values."""
        return Delayed(ticks(self.by))


class Swapped(TimedFault, kind="swapped", compact="other"):
    """Swaps the values of two signals."""

    other: Annotated[str, Ref("signal", needed=False)]
    """The other signal."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """The values of the other signal, which must have the same type."""
        other = signal.kernel.signal_named(self.other)
        if signal is other:
            raise FieldError(f"signal '{signal.name}' cannot be swapped with itself", hint="use another signal")
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
    """The value of a signal with two states when it is on or off."""
    if signal.value_type is bool:
        return on
    model = model_of(signal)
    if model is not None and (model.limited or model.kind == "boolean" or model.type in ("proximity", "contact")):
        return switched(model, on)
    raise FieldError(
        f"'{kind}' needs a signal that is on or off, but '{signal.name}' holds {signal.value_type.__name__}",
        hint=f"use 'stuck' with a value, such as {signal.peek()!r}",
    )
