"""Faults as files write them: ``{dropout: 0.5 %}``, ``{stuck_on: {at: 12 s, until: 20 s}}``, or ``stuck_off`` alone."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from drycell.errors import FieldError, UnitError
from drycell.fields import Duration, Name, Plain, Quantity
from drycell.sensors.fault import KINDS, Fault
from drycell.units import parse

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

_STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}


@dataclass(frozen=True)
class _HowOften(Quantity):
    """A frequency that may also be written as a number over a time: ``3/h``."""

    dimension: str = "frequency"
    above: float = 0.0

    def read(self, written: object) -> float:
        """How often a second."""
        count, slash, span = str(written).partition("/")
        if not slash:
            return super().read(written)
        try:
            return super().read(f"{parse(count, 'ratio') / parse(f'1 {span}', 'time')!r} Hz")
        except UnitError as error:
            raise UnitError(f"{written!r} says not how often", hint="write for example '3/h' or '0.1 Hz'") from error


@dataclass(frozen=True)
class _Short:
    """A mapping of fields, or the value of its main field alone."""

    field: str

    def read(self, written: object) -> object:
        """The mapping."""
        if written is None:
            return {}
        return written if isinstance(written, dict) else {self.field: written}

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.read, handler(source))


@dataclass(frozen=True)
class _OneWord(_Short):
    """A fault with nothing to say about it but its kind."""

    field: str = ""

    def read(self, written: object) -> object:
        """The mapping of its kind."""
        return {written: {}} if isinstance(written, str) else written


Instant = Annotated[float, Quantity("time", least=0.0)]
HowOften = Annotated[float, _HowOften()]
Share = Annotated[float, Quantity("ratio", least=0.0)]


@dataclass(frozen=True, kw_only=True)
class _Timed:
    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    at: Instant | None = None
    until: Instant | None = None
    lasting: Duration | None = None
    rate: HowOften | None = None


@dataclass(frozen=True, kw_only=True)
class SwitchSpec(_Timed):
    """Stuck on, or stuck off."""

    share: Share | None = None


@dataclass(frozen=True, kw_only=True)
class ValueSpec(SwitchSpec):
    """Stuck, or dropped out, at a value if one is given."""

    value: Plain | None = None


@dataclass(frozen=True, kw_only=True)
class SpikeSpec(ValueSpec):
    """Too much by a size for a moment, or another value."""

    size: float | None = None


@dataclass(frozen=True, kw_only=True)
class DriftSpec(_Timed):
    """More and more off."""

    per_second: float
    every: Duration | None = None


@dataclass(frozen=True, kw_only=True)
class LateSpec(_Timed):
    """Every change too late."""

    by: Duration


@dataclass(frozen=True, kw_only=True)
class SwappedSpec(_Timed):
    """The values of another signal, which shows those of this one."""

    other: Name


@dataclass(frozen=True, kw_only=True)
class FaultSpec:
    """One fault: exactly one of these kinds, with when and how much."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    stuck_on: Annotated[SwitchSpec | None, _Short("at")] = None
    stuck_off: Annotated[SwitchSpec | None, _Short("at")] = None
    stuck: Annotated[ValueSpec | None, _Short("value")] = None
    drift: Annotated[DriftSpec | None, _Short("per_second")] = None
    dropout: Annotated[ValueSpec | None, _Short("share")] = None
    spike: Annotated[SpikeSpec | None, _Short("share")] = None
    late: Annotated[LateSpec | None, _Short("by")] = None
    swapped: Annotated[SwappedSpec | None, _Short("other")] = None

    def __post_init__(self) -> None:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            found = " and ".join(map(repr, kinds)) or "none"
            raise FieldError(
                f"a fault is of exactly one kind, but here is {found}",
                hint="write each as an entry of its own, such as {stuck_on: {at: 12 s}}",
            )
        _ = self.fault

    @property
    def fault(self) -> Fault:
        """The fault it describes."""
        kind = next(kind for kind in KINDS if getattr(self, kind) is not None)
        spec = getattr(self, kind)
        return Fault(kind, **{field.name: getattr(spec, field.name) for field in dataclasses.fields(spec)})

    @classmethod
    def of(cls, fault: Fault) -> "FaultSpec":
        """A fault as files write it."""
        made: object = _SPECS[fault.kind](**fault.given)  # type: ignore[arg-type]
        return cls(**{fault.kind: made})  # type: ignore[arg-type]


_SPECS: Final[Mapping[str, type[_Timed]]] = {
    "stuck_on": SwitchSpec,
    "stuck_off": SwitchSpec,
    "stuck": ValueSpec,
    "drift": DriftSpec,
    "dropout": ValueSpec,
    "spike": SpikeSpec,
    "late": LateSpec,
    "swapped": SwappedSpec,
}

FaultEntry = Annotated[FaultSpec, _OneWord()]
"""A fault of a list in a file."""
