"""Faults as data: what can be wrong with a sensor or signal, and when; checked when it is written."""

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
class _HowOften(Quantity):
    """A frequency that may also be written as a number over a time: ``3/h``."""

    dimension: str = "frequency"
    above: float = 0.0

    def take(self, written: "Plain") -> float:
        """How often a second."""
        count, slash, span = str(written).partition("/")
        if not slash:
            return super().take(written)
        try:
            return super().take(f"{parse(count, 'ratio') / parse(f'1 {span}', 'time')!r} Hz")
        except UnitError as error:
            raise UnitError(f"{written!r} is not a rate", hint="write for example '3/h' or '0.1 Hz'") from error


HowOften = Annotated[float, _HowOften()]
Share = Annotated[float, Quantity("ratio")]


class Fault(Thing, noun="fault", section="faults", about="signal", many=True, stage=Stage.FAULTS):
    """What is wrong with a signal, and when. Its fields are those of :class:`TimedFault` and of each kind."""

    @classmethod
    def requests(cls, cell: "Cell") -> "dict[str, Request]":
        """What can be asked of a running cell about faults, by name."""
        from drycell.sensors.faults.requests import fault_requests

        return fault_requests(cell)

    @classmethod
    def check_savable(cls, cell: "Cell") -> None:
        """Raises CellFileError if a file cannot keep the order of the faults that were put on.

        A file lists faults by signal, so that one that swaps two may come earlier on the other than it was given.
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
                    hint="give all faults of one signal before those of the next",
                )


class TimedFault(Fault):
    """When a fault is in force: from the start to the end of the run, unless something else is said.

    From ``at`` to ``until``, or for the time that it is ``lasting``; or again and again at random, with a ``rate``.
    """

    at: Wait | None = None
    """Cell time at which it begins, or before which it never strikes."""
    until: Wait | None = None
    """Cell time at which it ends for good."""
    lasting: Duration | None = None
    """How long it lasts, each time."""
    rate: HowOften | None = None
    """How often it comes on average, at random, in the time without it."""

    momentary: ClassVar[bool] = False
    """Whether it lasts for one sample if nothing else is said."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """What it does to a signal. Raises FieldError if the signal's values do not allow it."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.meta.kind

    @property
    def struck(self) -> float | None:
        """The fraction of samples or writes that it strikes at random, if it strikes single ones."""
        return None

    def build(self, cell: "Cell", name: str) -> Disturbance:
        """Puts it on the signal of a name."""
        if cell.ran and not cell.kernel.running:
            raise KernelError("the cell has run: a fault comes too late", hint="put it on before, or from a program")
        made = Disturbance(cell.kernel.signal_named(name), self)
        cell.faults.append(made)
        return made

    def problems(self) -> Iterable[Problem]:
        """It ends after it begins, and one field says when."""
        start = 0.0 if self.at is None else self.at
        if self.until is not None and self.until <= start:
            what = f"'until' is {self.until:g} s, not later than its start at {start:g} s"
            yield Problem(("until",), what, "let 'until' be later than 'at'")
        if self.struck is not None:
            if not 0 <= self.struck <= 1:
                what = f"a share of {self.struck:g} is out of range, limits 0..1"
                yield Problem(("share",), what, "0.005 is 0.5 % of all samples")
            for name in ("rate", "lasting"):
                if getattr(self, name) is not None:
                    hint = "'share' strikes single samples; for stretches of time take 'rate' and 'lasting' alone"
                    yield Problem((name,), f"'share' and '{name}' do not go together", hint)
        elif self.rate is not None:
            if self.lasting is None and not self.momentary:
                what = f"'{self.kind}' with a rate of {self.rate:g}/s needs 'lasting'"
                yield Problem(("rate",), what, "say how long it lasts each time, such as 2 s")
        elif self.until is not None and self.lasting is not None:
            what = f"'until' ({self.until:g} s) and 'lasting' ({self.lasting:g} s) both say when it ends"
            yield Problem(("lasting",), what, "keep one")


class SampledFault(TimedFault):
    """A fault that may also strike a ``share`` of the samples of a sensor, or of the writes to another signal."""

    share: Share | None = None
    """Fraction of samples, or of writes to a signal that is not a sensor, that it strikes at random."""

    @property
    def struck(self) -> float | None:
        """The share."""
        return self.share


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
