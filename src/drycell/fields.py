"""Field types: what a value written in a file must be, said once in the type of the dataclass field that takes it.

``radius: Size`` is a float in metres for Python and ``12 mm`` in a file. The types are marks on plain types: reading
them is pydantic's work, which finds the marks by itself and is imported only when a file is read.
"""

import math
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from drycell.errors import FieldError, UnitError
from drycell.units import DIMENSIONS, parse, with_article

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Scalar = bool | int | float | str

_NAME: Final = re.compile(r"[^\W\d][\w.-]*(/[^\W\d][\w.-]*)*\Z")
_LONGEST_NAME: Final = 100


def described(written: object) -> str:
    """What stands in a file, in words: a text in quotes, a number as it is, ``a list``, ``empty``."""
    if isinstance(written, bool):
        return "true" if written else "false"
    if isinstance(written, str):
        return repr(written if len(written) <= 40 else written[:39] + "…")
    if isinstance(written, int | float):
        return repr(written)[:40]
    if isinstance(written, list | tuple):
        return f"a list of {len(written)}"
    return "a mapping" if isinstance(written, dict) else "empty"


class _Mark:
    """A mark that reads a value by itself: pydantic calls ``read`` and places the error."""

    def read(self, written: object) -> object:
        raise FieldError(f"{described(written)} does not fit here")

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.read)


@dataclass(frozen=True)
class Quantity(_Mark):
    """A float that files write with a unit; ``above`` and ``least`` are limits, in SI."""

    dimension: str
    above: float = -math.inf
    least: float = -math.inf

    def read(self, written: object) -> float:
        """The SI value of what stands in a file. Zero needs no unit, being the same in all of them."""
        example = DIMENSIONS[self.dimension][1]
        if isinstance(written, bool) or not isinstance(written, str | int | float):
            raise UnitError(
                f"{with_article(self.dimension)} is wanted, but this is {described(written)}",
                hint=f"write for example {example!r}",
            )
        value = 0.0 if written == 0 else parse(str(written), self.dimension)
        if value <= self.above or value < self.least:
            limit = f"above {self.above:g}" if value <= self.above else f"at least {self.least:g}"
            raise UnitError(f"{str(written)!r} must be {limit}", hint=f"write for example {example!r}")
        return value


@dataclass(frozen=True)
class Naming(_Mark):
    """A text that names something: letters, digits, ``_``, ``-`` and ``.``, in parts joined by ``/``.

    As a ``pattern`` it may stand for many names by ``*`` (any signs) and ``?`` (any one sign).
    """

    pattern: bool = False

    def read(self, written: object) -> str:
        """The name itself, when it can be one."""
        if isinstance(written, str) and len(written) <= _LONGEST_NAME:
            plain = written.replace("*", "x").replace("?", "x") if self.pattern else written
            if _NAME.match(plain):
                return written
        raise FieldError(
            f"{described(written)} cannot be a name",
            hint="start with a letter and use letters, digits, '_', '-' and '.', as in 'arm' or 'mill/fixture'",
        )


@dataclass(frozen=True)
class FileNaming(_Mark):
    """A text that names a file, seen from the file it stands in."""

    def read(self, written: object) -> str:
        """The file's name as it was written; whether the file is there is not asked."""
        if isinstance(written, str) and written.strip() and "\0" not in written:
            return written
        raise FieldError(f"{described(written)} cannot be the name of a file", hint="write for example 'tend.py'")


@dataclass(frozen=True)
class Data(_Mark):
    """Plain data handed on as it is: a text, a number, true or false, or (``lists``) a list of these."""

    lists: bool = False

    def read(self, written: object) -> Scalar | tuple[Scalar, ...]:
        """The value itself; a list becomes a tuple."""
        if isinstance(written, list | tuple) and self.lists:
            return tuple(_scalar(item) for item in written)
        return _scalar(written)


def _scalar(written: object) -> Scalar:
    if isinstance(written, bool | int | str) or (isinstance(written, float) and math.isfinite(written)):
        return written
    raise FieldError(
        f"a text, a number, true or false is wanted, but this is {described(written)}",
        hint="write for example 'steel', 12 or false",
    )


@dataclass(frozen=True)
class Several:
    """A tuple with a fixed number of values; ``fill`` stands in for one left out at the end."""

    count: int
    example: str
    fill: str | None = None

    def read(self, written: object) -> tuple[object, ...]:
        """The values, neither too many nor too few."""
        values = tuple(written) if isinstance(written, list | tuple) else None
        if values is not None and self.fill is not None and len(values) == self.count - 1:
            return (*values, self.fill)
        if values is None or len(values) != self.count:
            raise FieldError(
                f"a list of {self.count} is wanted, but this is {described(written)}",
                hint=f"write for example {self.example}",
            )
        return values

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.read, handler(source))


class Amount(float):
    """A float in SI that knows its dimension, because the unit it was written with said so; None for a bare zero."""

    __slots__ = ("dimension",)
    dimension: str | None

    def __new__(cls, value: float, dimension: str | None = None) -> "Amount":
        """A value and what it is of."""
        made = super().__new__(cls, value)
        made.dimension = dimension
        return made

    def __getnewargs__(self) -> tuple[float, str | None]:  # type: ignore[override]
        return float(self), self.dimension


@dataclass(frozen=True)
class Measure(_Mark):
    """A float that files write with a unit of one of several dimensions, such as ``5 mm`` or ``5 %``."""

    dimensions: tuple[str, ...]
    above: float = -math.inf
    least: float = -math.inf

    def read(self, written: object) -> Amount:
        """The SI value of what stands in a file, with its dimension."""
        if written == 0 and not isinstance(written, bool) and self.above < 0.0:
            return Amount(0.0)
        for dimension in self.dimensions:
            try:
                parse(str(written), dimension)
            except UnitError:
                continue
            return Amount(Quantity(dimension, self.above, self.least).read(written), dimension)
        kinds = " or ".join(with_article(each) for each in self.dimensions)
        examples = " or ".join(repr(DIMENSIONS[each][1]) for each in self.dimensions)
        raise UnitError(f"{kinds} is wanted, but this is {described(written)}", hint=f"write for example {examples}")


@dataclass(frozen=True)
class OneOrMore:
    """A tuple of things that files write as a list, or without brackets when there is one."""

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        one = next(part for part in typing.get_args(source) if typing.get_origin(part) is not tuple)
        # The tags are in brackets so that whoever places a mistake knows they are no fields.
        return core_schema.tagged_union_schema(
            {
                "[one]": core_schema.no_info_after_validator_function(
                    lambda value: (value,), handler.generate_schema(one)
                ),
                "[several]": handler.generate_schema(tuple[one, ...]),  # type: ignore[valid-type]
            },
            discriminator=lambda written: "[several]" if isinstance(written, list | tuple) else "[one]",
        )


@dataclass(frozen=True)
class JointValue:
    """Where a joint stands: an angle or a length, by the unit it was written with. Zero fits both."""

    value: float
    dimension: Literal["angle", "length"] | None = None

    @classmethod
    def read(cls, written: object) -> "JointValue":
        """The joint value of what stands in a file."""
        if written == 0 and not isinstance(written, bool):
            return cls(0.0)
        try:
            return cls(Quantity("angle").read(written), "angle")
        except UnitError:
            pass
        try:
            return cls(Quantity("length").read(written), "length")
        except UnitError:
            raise FieldError(
                f"{described(written)} is neither an angle nor a length",
                hint="write for example '90 deg' for a joint that turns, '150 mm' for one that slides",
            ) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        read: Callable[[object], JointValue] = cls.read
        return core_schema.no_info_plain_validator_function(read)


Length = Annotated[float, Quantity("length")]
Size = Annotated[float, Quantity("length", above=0.0)]
Angle = Annotated[float, Quantity("angle")]
Duration = Annotated[float, Quantity("time", above=0.0)]
Factor = Annotated[float, Quantity("ratio", above=0.0)]
Name = Annotated[str, Naming()]
NamePattern = Annotated[str, Naming(pattern=True)]
FileName = Annotated[str, FileNaming()]
Plain = Annotated[Scalar, Data()]
PlainOrList = Annotated[Scalar | tuple[Scalar, ...], Data(lists=True)]
Position = Annotated[tuple[Length, Length, Length], Several(3, "[100 mm, 50 mm, 0 mm]", fill="0 mm")]
NoLess = Annotated[float, Quantity("length", least=0.0)]
Wait = Annotated[float, Quantity("time", least=0.0)]
Ratio = Annotated[float, Quantity("ratio")]
Rpy = Annotated[tuple[Angle, Angle, Angle], Several(3, "[0 deg, 0 deg, 90 deg]")]
