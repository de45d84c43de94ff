"""Faults: what can be wrong with a sensor or signal, and when; as data, checked when it is written."""

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, fields
from typing import Final, TypedDict

from drycell.errors import FieldError, UnknownName

Value = bool | int | float | str

KINDS: Final = ("stuck_on", "stuck_off", "stuck", "drift", "dropout", "spike", "late", "swapped")
_OWN: Final[dict[str, tuple[str, ...]]] = {
    "stuck": ("value",),
    "drift": ("per_second", "every"),
    "dropout": ("value",),
    "spike": ("size", "value"),
    "late": ("by",),
    "swapped": ("other",),
}
_NO_SHARE: Final = ("drift", "late", "swapped")
STEP: Final = 0.1


class FaultFields(TypedDict, total=False):
    """The fields of a fault by name, as ``cell.fault`` takes them."""

    at: float | None
    until: float | None
    lasting: float | None
    rate: float | None
    share: float | None
    value: Value | None
    size: float | None
    per_second: float | None
    every: float | None
    by: float | None
    other: str | None


@dataclass(frozen=True)
class Fault:
    """What is wrong with a signal, and when: from the start for ever, unless something else is said.

    ``stuck_on``, ``stuck_off``; ``stuck`` at its last value, or at ``value``; ``drift`` of so much ``per_second``;
    ``dropout`` to what is published when nothing is detected, or to ``value``; ``spike`` of a ``size``, or to a
    ``value``; ``late`` ``by`` a time; ``swapped`` with the ``other`` signal.

    In force from ``at`` to ``until``, or ``lasting`` so long; or again and again with a ``rate`` (so often a second of
    time without it, at random), ``lasting`` so long each; or for a ``share`` of the samples of a sensor, or of the
    writes to another signal, at random. ``at`` and ``until`` bound these, too.
    """

    kind: str
    _: KW_ONLY
    at: float | None = None
    until: float | None = None
    lasting: float | None = None
    rate: float | None = None
    share: float | None = None
    value: Value | None = None
    size: float | None = None
    per_second: float | None = None
    every: float | None = None
    """step of a drift on a signal that is not sampled; 0.1 s"""
    by: float | None = None
    other: str | None = None

    def __post_init__(self) -> None:
        kind = self.kind.replace("-", "_").replace(" ", "_")
        if kind not in KINDS:
            raise UnknownName("fault", self.kind, KINDS)
        object.__setattr__(self, "kind", kind)
        self._check_fields()
        self._check_amounts()
        self._check_when()

    @property
    def given(self) -> dict[str, object]:
        """The fields that were given, without the kind."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "kind"}
        return {name: value for name, value in found.items() if value is not None}

    def _check_fields(self) -> None:
        takes = list(fields_of(self.kind))
        for name in self.given:
            if name not in takes:
                raise FieldError(f"a fault '{self.kind}' has no '{name}'", hint=f"it takes {', '.join(takes)}")
        needed = {"drift": "per_second", "late": "by", "swapped": "other"}.get(self.kind)
        if needed is not None and needed not in self.given:
            examples = {"per_second": "0.5", "by": "50 ms", "other": "'door'"}
            raise FieldError(f"a fault '{self.kind}' needs '{needed}'", hint=f"give it, such as {examples[needed]}")
        if self.size is not None and self.value is not None:
            raise FieldError(
                f"a spike has a size or a value, not both: size {self.size:g}, value {self.value!r}",
                hint="'size' is added to what is measured, 'value' replaces it",
            )

    def _check_amounts(self) -> None:
        for name in ("size", "per_second"):
            amount = getattr(self, name)
            if amount is not None and not (math.isfinite(amount) and amount):
                raise FieldError(f"'{name}' is {amount:g}, which is no fault", hint="give a number other than 0")
        for name, unit in (("lasting", " s"), ("every", " s"), ("by", " s"), ("rate", "/s")):
            amount = getattr(self, name)
            if amount is not None and not (math.isfinite(amount) and amount > 0):
                raise FieldError(f"'{name}' is {amount:g}{unit}, must be above 0{unit}", hint=_HINTS[name])
        if self.share is not None and not 0 <= self.share <= 1:
            raise FieldError(
                f"a share of {self.share:g} is out of range, limits 0..1", hint="0.005 is 0.5 % of all samples"
            )

    def _check_when(self) -> None:
        for name in ("at", "until"):
            time = getattr(self, name)
            if time is not None and not (math.isfinite(time) and time >= 0):
                raise FieldError(f"'{name}' is {time:g} s, but cell time starts at 0 s", hint=_HINTS[name])
        start = 0.0 if self.at is None else self.at
        if self.until is not None and self.until <= start:
            raise FieldError(
                f"'until' is {self.until:g} s, not later than its start at {start:g} s", hint=_HINTS["until"]
            )
        if self.share is not None:
            for name in ("rate", "lasting"):
                if getattr(self, name) is not None:
                    raise FieldError(
                        f"'share' and '{name}' do not go together",
                        hint="'share' strikes single samples; for stretches of time take 'rate' and 'lasting' alone",
                    )
        elif self.rate is not None:
            if self.lasting is None and self.kind != "spike":
                raise FieldError(
                    f"'{self.kind}' with a rate of {self.rate:g}/s needs 'lasting'", hint=_HINTS["lasting"]
                )
        elif self.until is not None and self.lasting is not None:
            raise FieldError(
                f"'until' ({self.until:g} s) and 'lasting' ({self.lasting:g} s) both say when it ends", hint="keep one"
            )


_HINTS: Final = {
    "at": "give a time of 0 s or later",
    "until": "let 'until' be later than 'at'",
    "lasting": "say how long it lasts each time, such as 2 s",
    "every": "give the step of the drift, such as 0.1 s",
    "by": "say how late, such as 0.05 s",
    "rate": "say how often it comes, such as 3 an hour",
}


def fields_of(kind: str) -> Iterator[str]:
    """The fields that a kind of fault has."""
    yield from _OWN.get(kind, ())
    yield from ("at", "until", "lasting", "rate")
    if kind not in _NO_SHARE:
        yield "share"
