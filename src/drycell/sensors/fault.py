"""Faults: what can be wrong with a sensor or signal, and when; as data, checked when it is written.

A kind of fault is a subclass of :class:`Fault` with an ``effect``; those that come with drycell are in
:mod:`drycell.sensors.faults.kinds`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from drycell.base import CellFileError, Duration, KernelError, Problem, Quantity, Thing, UnitError, Wait, parse
from drycell.cell import Stage
from drycell.kernel import Signal

if TYPE_CHECKING:
    from drycell.base import Plain
    from drycell.cell import Cell
    from drycell.kernel import Request
    from drycell.sensors.faults.disturbance import Disturbance
    from drycell.sensors.faults.effects import Effect

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

    def effect(self, signal: Signal[Any]) -> "Effect":
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

    def build(self, cell: "Cell", name: str) -> "Disturbance":
        """Puts it on the signal of a name."""
        from drycell.sensors.faults.disturbance import Disturbance

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
