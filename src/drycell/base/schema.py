"""Schema: each thing is defined once, as a frozen dataclass. How to read, check, write and describe it follows from
that.

A :class:`Type` handles one sort of value everywhere: reading it from a file or from Python, writing it to a file, and
describing it for forms and editors. The annotation of a field determines its type::

    class Stop(Thing):
        \"\"\"A stop across a belt.\"\"\"

        at: Size
        \"\"\"Distance from the start of the belt.\"\"\"
        open: bool = False
        \"\"\"Whether it lets parts pass when the run starts.\"\"\"

To add a new sort of value, write a subclass of :class:`Type` and use it as ``Annotated[float, MyType()]``. It then
works in every file.
"""

import ast
import dataclasses
import inspect
import math
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
)

from drycell import packages
from drycell.base.errors import DrycellError, FieldError, FileError, Mistake, UnitError, did_you_mean
from drycell.base.units import DIMENSIONS, parse, pattern, python_example, render, with_article

if TYPE_CHECKING:
    from drycell.base.yamldoc import Node, Path, Plain
else:  # the parser is imported when a file is read
    Node = Path = Plain = Any

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound="Thing")
Roles = Mapping[str, tuple[str, ...]]
Scalar = bool | int | float | str
MISSING: Final[Any] = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
"""Stands for the missing default of a field, and for an invalid value that was read."""


def cache(function: F) -> F:
    """Like ``functools.cache``, but keeps the signature for type checkers."""
    return cast(F, lru_cache(None)(function))


class Problem(NamedTuple):
    """A problem with a field of a thing: its path from the thing, what is wrong, what to try."""

    path: Path
    what: str
    hint: str | None = None


class InvalidThing(FieldError):
    """Invalid field values of a thing; ``problems`` lists them all."""

    def __init__(self, cls: type, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = (f"{'.'.join(filter(None, (cls.__name__, dotted(each.path))))}: {each.what}" for each in problems)
        super().__init__("\n".join(lines), hint=problems[0].hint)


class SingleValue(NamedTuple):
    """A single value inside a thing: its path from the thing, its type and value; ``key`` marks a key of a table."""

    path: Path
    type: "Type"
    value: Any
    key: bool = False

    def below(self, *path: str | int) -> "SingleValue":
        """Return the value with the path of its containing value prepended to its own."""
        return self._replace(path=(*path, *self.path))


class Use(NamedTuple):
    """A reference to another thing: its path, the name, and the role that the other thing must have.

    The name is either the ``value`` at the path, the ``key`` itself, or a word ``within`` an expression.
    """

    path: Path
    name: str
    ref: "Ref"
    how: Literal["value", "key", "within"] = "value"


@dataclasses.dataclass(frozen=True)
class Meta:
    """The class arguments of a thing."""

    kind: str = ""
    """Its name in files; empty for a base class."""
    noun: str = ""
    """Set on a base class whose subclasses are selected by kind: shape, device, fault."""
    section: str = ""
    """The section of a cell file that lists things of this class and its subclasses."""
    about: str = ""
    """Set if the section is keyed by the names of other things with this role: ``tolerances: {block: …}``."""
    many: bool = False
    """Whether an entry of the section is a list of such things: ``faults: {eye: [stuck_on]}``."""
    stage: int = 0
    """When things of the section are built: lower stages first, each in the order of the file."""
    compact: bool | str = False
    """Whether files may give its fields as a list or the first as a bare value; or the field that a bare value sets."""
    partial: bool = False
    """Whether missing fields are taken from elsewhere, as those of a sensor are taken from its library model."""
    was: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Old names of fields and kinds. They are rejected with the new name in the hint."""
    title: str = ""
    """Name in the palette; by default its kind."""
    icon: str = "widgets"
    """Icon in the palette."""
    example: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Initial fields, as written in files, of a thing dropped from the palette."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(dataclasses.field,))
class Thing:
    """Base class of everything a file describes. Each subclass is a frozen dataclass; class arguments become ``meta``.

    Fields are keyword-only unless the class says ``kw_only=False``. Raises :class:`InvalidThing` if a value is invalid
    for its field.
    """

    meta: ClassVar[Meta] = Meta()

    def __init_subclass__(cls, *, kind: str = "", kw_only: bool = True, eq: bool = True, **info: Any) -> None:
        super().__init_subclass__()
        info.setdefault("compact", False)
        cls.meta = dataclasses.replace(cls.meta, kind=kind, **info)
        dataclasses.dataclass(frozen=True, kw_only=kw_only, eq=eq)(cls)
        if cls.meta.partial:
            _note_given(cls)

    def __new__(cls, *args: Any, **fields: Any) -> Self:
        known: tuple[str, ...] = getattr(cls, "__match_args__", ())  # the fields that need no name
        if len(args) > len(known):
            what = f"{described(args[len(known)])} has no field name"
            if known:
                what += f": {cls.__name__} takes only {', '.join(known)} without a name"
            field = next((each.name for each in fields_of(cls) if each.name not in {*fields, *known}), "…")
            raise FieldError(what, hint=f"name the field, such as {cls.__name__}({field}=…); see help({cls.__name__})")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        problems = []
        for field in fields_of(type(self)):
            value = getattr(self, field.name)
            if value is not field.default:
                try:
                    checked = field.type.check(value)
                except InvalidThing as error:
                    problems += [each._replace(path=(field.key, *each.path)) for each in error.problems]
                except DrycellError as error:
                    problems.append(Problem((field.key,), error.what, error.hint))
                else:
                    if checked is not value:
                        object.__setattr__(self, field.name, checked)
        if problems := problems or list(self.problems()):
            raise InvalidThing(type(self), problems)

    def problems(self) -> Iterable[Problem]:
        """Yield problems that involve several fields. Override this to add rules."""
        return ()

    def offers(self, name: str) -> Roles:
        """Return the names that others can refer to, each with its roles. Override this if there are several.

        A name that ends in ``/`` covers all names below it, which only the live thing knows.

        Args:
            name: The name of this thing.
        """
        return {name: (self.meta.kind,)}

    def changed(self, **fields: Any) -> Self:
        """Return a copy with some fields changed.

        Args:
            **fields: The new values, by field.

        Raises:
            InvalidThing: A value is invalid.
        """
        if self.meta.partial:
            kept = {name: getattr(self, name) for name in self.given}
            return type(self)(**{**kept, **fields})
        return cast(Self, dataclasses.replace(cast(Any, self), **fields))

    @property
    def given(self) -> frozenset[str]:
        """The fields that were given; for most things, those that differ from their defaults."""
        noted: frozenset[str] | None = self.__dict__.get("_given")
        if noted is not None:
            return noted
        return frozenset(each.name for each in fields_of(type(self)) if not each.is_default(self))

    def inside(self, name: str) -> "Iterable[tuple[str, Thing]]":
        """Return the things that are written inside this one, by full name. Override this if there are any.

        Args:
            name: The name of this thing.
        """
        return ()

    def complete(self, cell: Any, live: Any) -> None:
        """Finish the live thing once everything in its stage exists; a hook for kinds of things.

        Args:
            cell: The cell.
            live: The live thing that ``build`` returned.
        """
        if hasattr(live, "complete"):
            live.complete()

    def as_built(self, cell: Any, live: Any) -> "Self | None":
        """Return the thing with its current state in the world, for saving; None if it is part of another thing. A hook
        for kinds.

        Args:
            cell: The cell.
            live: The live thing that ``build`` returned.
        """
        return self

    def about_itself(self) -> "Iterable[tuple[Path, Thing]]":
        """Return the entries of other sections written inside it, with their paths, such as a sensor's faults."""
        return ()

    def as_written(self) -> Self:
        """Return the thing in a form that a file can store. Override this for values that exist only in Python."""
        return self


def _note_given(cls: type[Thing]) -> None:
    """Make a partial thing remember which fields it was given, including those given at their default values."""
    made: Callable[..., None] = cls.__init__
    names = [each.name for each in dataclasses.fields(cast(Any, cls)) if not each.kw_only]

    def __init__(self: Thing, *args: Any, **fields: Any) -> None:  # noqa: N807
        object.__setattr__(self, "_given", frozenset((*names[: len(args)], *fields)))
        made(self, *args, **fields)

    __init__.__wrapped__ = made  # type: ignore[attr-defined]  # what inspect.signature shows
    cls.__init__ = __init__  # type: ignore[assignment]


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field: its name in Python, its key in files, its type, its default and the class that declares it."""

    name: str
    key: str
    type: "Type"
    default: Any
    owner: Any

    @property
    def doc(self) -> str:
        """The docstring below it."""
        return docs(self.owner).get(self.name, "")

    def is_default(self, thing: Thing) -> bool:
        """Whether a thing has the default value in this field."""
        value = getattr(thing, self.name)
        return value is self.default or bool(value == self.default and type(value) is type(self.default))


@cache
def fields_of(cls: type[Thing]) -> tuple[Field, ...]:
    """The fields of a thing, in the order of its class."""
    hints, found = typing.get_type_hints(cls, include_extras=True), []
    for each in dataclasses.fields(cast(Any, cls)):
        if not each.init:
            continue
        owner = next(base for base in cls.__mro__ if each.name in inspect.get_annotations(base))
        default = MISSING if each.default is dataclasses.MISSING else each.default
        if each.default_factory is not dataclasses.MISSING:
            default = each.default_factory()
        found.append(Field(each.name, each.name.removesuffix("_"), type_of(hints[each.name]), default, owner))
    return tuple(found)


@cache
def listed(cls: type[Thing]) -> tuple[Field, ...]:
    """The fields of a thing in display order: positional fields, then its own fields, then those of its bases."""
    later = {each.name: each.kw_only for each in dataclasses.fields(cast(Any, cls))}
    return tuple(sorted(fields_of(cls), key=lambda field: (later[field.name], cls.__mro__.index(field.owner))))


@cache
def _keys(cls: type[Thing]) -> dict[str, Field]:
    return {field.key: field for field in fields_of(cls)}


@cache
def _naming(cls: type[Thing]) -> tuple[Field, ...]:
    """The fields that may name other things."""
    return tuple(field for field in fields_of(cls) if field.type.names_things)


@cache
def docs(cls: type) -> dict[str, str]:
    """The docstring below each field, as Sphinx, griffe and Pylance read it. Parsed on first use."""
    try:
        body = cast(ast.ClassDef, ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]).body
    except (OSError, TypeError, SyntaxError):  # no source: a class typed into a shell
        return {}
    return {
        cast(ast.Name, field.target).id: " ".join(str(text.value.value).split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


class Kinds:
    """The classes that files can name: built in, from plug-ins, and from files beside a cell. Immutable."""

    def __init__(self, classes: Iterable[type[Thing]] = ()) -> None:
        self.classes = tuple(dict.fromkeys(classes))
        self._under: dict[type[Thing], dict[str, type[Thing]]] = {}

    def __or__(self, module: types.ModuleType) -> "Kinds":
        """Return these kinds plus those that a module exports."""
        names = getattr(module, "__all__", None) or list(vars(module))
        found = (getattr(module, name) for name in names)
        things = (each for each in found if isinstance(each, type) and issubclass(each, Thing))
        return Kinds((*self.classes, *(each for each in things if each.meta.kind)))

    def under(self, base: type[Thing]) -> dict[str, type[Thing]]:
        """The kinds of a base class, by name."""
        if base not in self._under:
            found: dict[str, type[Thing]] = {}
            for each in (each for each in self.classes if issubclass(each, base)):
                if (other := found.setdefault(each.meta.kind, each)) is not each:
                    what = f"the kind {each.meta.kind!r} is defined twice, in {other.__module__} and {each.__module__}"
                    raise FieldError(what, hint="rename one of them")
            self._under[base] = found
        return self._under[base]

    @cached_property
    def sections(self) -> dict[str, type[Thing]]:
        """The base class of a section's entries: the topmost class that names the section."""
        found: dict[str, type[Thing]] = {}
        for cls in self.classes:
            bases = [base for base in cls.__mro__ if issubclass(base, Thing) and base.meta.section]
            found |= {cls.meta.section: bases[-1]} if bases else {}
        return found


class Reader:
    """Collects the mistakes found while a file is read."""

    def __init__(self, root: Node, kinds: Kinds | None = None) -> None:
        self.root, self.kinds, self.mistakes = root, kinds or Kinds(), list[Mistake]()

    def report(self, path: Path, what: str, hint: str | None = None, *, key: bool = False) -> Any:
        """Add a mistake at a path, or at the name of that field; return MISSING."""
        self.mistakes.append(self.root.mistake(path, what, hint, key=key))
        return MISSING

    def error(self, file: str) -> FileError:
        """Return all mistakes as one error, in the order of their lines."""
        return FileError.of(file, sorted(self.mistakes, key=lambda each: (each.line or 0, each.column or 0)))


def read_thing(cls: type[T], text: str, file: str, kinds: Kinds | None = None) -> T:
    """Read a thing from the text of a data file.

    Args:
        cls: The class of the thing.
        text: The YAML text.
        file: The name of the file, for error messages.
        kinds: The kinds that the file may name.

    Raises:
        FileError: with all mistakes in the text.
    """
    return read_with_places(cls, text, file, kinds)[0]


def read_with_places(cls: type[T], text: str, file: str, kinds: Kinds | None = None) -> tuple[T, Node]:
    """Read a thing like :func:`read_thing`, and also return the tree, which has the position of each field."""
    from drycell.base import yamldoc

    root = yamldoc.parse(text, file)
    return read_tree(cls, root, file, kinds), root


def read_tree(cls: type[T], root: Node, file: str, kinds: Kinds | None = None) -> T:
    """Read a thing like :func:`read_thing`, from the tree of a text."""
    reader = Reader(root, kinds)
    found = OneOf(cls).read(root, (), reader)
    if reader.mistakes:
        raise reader.error(file)
    return cast(T, found)


def dotted(path: Path) -> str:
    """A path as text: ``bodies.table.at[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def described(written: object) -> str:
    """Describe a value from a file for error messages: text in quotes, ``a list of 3``, ``an empty value``."""
    if isinstance(written, bool):
        return "true" if written else "false"
    if isinstance(written, str):
        return repr(written if len(written) <= 40 else written[:39] + "…")
    if isinstance(written, int | float):
        return repr(written)[:40]
    if isinstance(written, list | tuple):
        return f"a list of {len(written)}"
    if isinstance(written, dict):
        return "a mapping"
    return "an empty value" if written is None else _a(type(written).__name__)


# ---------------------------------------------------------------- types of values


class Describer:
    """Collects the JSON Schema of things; each thing is described once and referred to by ``$ref``."""

    def __init__(self, kinds: Kinds | None = None) -> None:
        self.kinds, self.defs = kinds or Kinds(), dict[str, dict[str, Any]]()


class Type:
    """A sort of value. Leaves define ``check``, and ``take`` if files use another form; containers define ``read``."""

    def read(self, node: Node, path: Path, reader: Reader) -> Any:
        """Return the value of a node; report problems to the reader and return MISSING instead."""
        try:
            return self.take(node.plain())
        except DrycellError as error:
            return reader.report(path, error.what, error.hint)

    def take(self, written: Plain) -> Any:
        """Convert a value from a file. Raises a DrycellError that says what is wrong with it."""
        return self.check(written)

    def check(self, value: Any) -> Any:
        """Check a value from Python and return it normalised."""
        return value

    def write(self, value: Any) -> Plain:
        """Return the value as written in files."""
        return value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Return its JSON Schema, with ``x-`` keys for forms."""
        return {"type": "string"}

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield all single values inside a value, with paths and types; or only those that may name other things."""
        yield SingleValue((), self, value)

    @property
    def names_things(self) -> bool:
        """Whether a value may name other things. The search for references skips values that cannot."""
        return type(self).names is not Type.names

    def mapped(self, value: Any, change: Callable[["Type", Any], Any]) -> Any:
        """Return the value with ``change`` applied to every thing and every single value inside it."""
        return change(self, value)

    def names(self, value: Any) -> Iterator[tuple[str, "Ref"]]:
        """Yield the names of other things that a single value contains."""
        return iter(())

    def part(self, step: str | int, kinds: Kinds) -> "Type | None":
        """Return the type of an item, an entry or a field of a value; None if there is no such part."""
        return None


@dataclasses.dataclass(frozen=True)
class Quantity(Type):
    """A float in SI with limits in SI. In files it has a unit."""

    dimension: str
    above: float = -math.inf
    least: float = -math.inf
    below: float = math.inf
    most: float = math.inf

    def take(self, written: Plain) -> float:
        """Convert a string with a unit. 0 needs no unit."""
        if isinstance(written, bool) or not isinstance(written, str | int | float):
            raise self._error(f"expected {with_article(self.dimension)}, got {described(written)}")
        return self._within(0.0 if written == 0 else parse(str(written), self.dimension), written)

    def check(self, value: Any) -> float:
        """Check a finite number in SI, such as ``150*mm``."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UnitError(
                f"expected {with_article(self.dimension)} in SI, got {value!r}",
                hint=f"write for example {python_example(self.dimension)}",
            )
        return self._within(float(value))

    def _within(self, value: float, written: Plain = None) -> float:
        if self.above < value < self.below and self.least <= value <= self.most:
            return value
        shown = repr(str(written)) if written is not None else render(value, self.dimension) if value else "0"
        raise self._error(f"{shown} must be {self._broken(value)}")

    def _broken(self, value: float) -> str:
        """The limit that a value violates."""
        if value <= self.above:
            return f"above {self.above:g}"
        if value < self.least:
            return f"at least {self.least:g}"
        if value >= self.below:
            return f"below {render(self.below, self.dimension)}"
        return f"at most {render(self.most, self.dimension)}"

    def _error(self, what: str) -> UnitError:
        return UnitError(what, hint=f"write for example {DIMENSIONS[self.dimension][1]!r}")

    @property
    def limit(self) -> str:
        """Its limits in words; empty if it has none."""
        limits = {"above": self.above, "at least": self.least, "below": self.below, "at most": self.most}
        return " and ".join(f"{word} {self.write(each)}" for word, each in limits.items() if math.isfinite(each))

    def write(self, value: float) -> Plain:
        """Return the value with a suitable unit."""
        return value if self.dimension == "ratio" else 0 if value == 0 else render(value, self.dimension)

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a string with a unit, or 0 if that is within the limits."""
        example, zero = DIMENSIONS[self.dimension][1], self.above < 0.0 < self.below and self.least <= 0.0 <= self.most
        found = {**_number_with_unit((self.dimension,), zero=zero), "examples": [example], "x-widget": "quantity"}
        return {**found, "x-dimension": self.dimension, "x-unit": example.split(" ")[-1], "x-limit": self.limit}


def _number_with_unit(dimensions: Sequence[str], *, zero: bool) -> dict[str, Any]:
    """The JSON Schema of a quantity: a string with a unit, 0 if ``zero`` is set, any number if it may be a ratio."""
    text = {"pattern": "|".join(map(pattern, dimensions))}
    if "ratio" in dimensions:
        return {"type": ["string", "number"], **text}
    return {"type": ["string", "number"], **text, "minimum": 0, "maximum": 0} if zero else {"type": "string", **text}


class Amount(float):
    """A float in SI with its dimension, taken from the unit it was written with; None for a bare zero."""

    __slots__ = ("dimension",)
    dimension: str | None

    def __new__(cls, value: float, dimension: str | None = None) -> "Amount":
        """A value and its dimension."""
        made = super().__new__(cls, value)
        made.dimension = dimension
        return made

    def __getnewargs__(self) -> tuple[float, str | None]:  # type: ignore[override]
        return float(self), self.dimension


@dataclasses.dataclass(frozen=True)
class Measure(Type):
    """A float whose unit may have one of several dimensions, such as ``5 mm`` or ``5 %``: an :class:`Amount`."""

    dimensions: tuple[str, ...]
    above: float = -math.inf
    least: float = -math.inf

    def take(self, written: Plain) -> Amount:
        """Return the dimension of the unit."""
        if written == 0 and not isinstance(written, bool) and self.above < 0.0:
            return Amount(0.0)
        for dimension in self.dimensions:
            try:
                parse(str(written), dimension)
            except UnitError:
                continue
            return Amount(Quantity(dimension, self.above, self.least).take(written), dimension)
        kinds = " or ".join(with_article(each) for each in self.dimensions)
        examples = " or ".join(repr(DIMENSIONS[each][1]) for each in self.dimensions)
        raise UnitError(f"expected {kinds}, got {described(written)}", hint=f"write for example {examples}")

    def check(self, value: Any) -> Amount:
        """Check a string with a unit, or a number; a number may have no dimension."""
        if isinstance(value, str):
            return self.take(value)
        dimension = value.dimension if isinstance(value, Amount) else None
        return Amount(Quantity(dimension or self.dimensions[0], self.above, self.least).check(value), dimension)

    def write(self, value: float) -> Plain:
        """Return the value with a unit of its dimension."""
        dimension = (value.dimension if isinstance(value, Amount) else None) or self.dimensions[0]
        return Quantity(dimension).write(float(value))

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a string with one of several units, or 0."""
        examples = [DIMENSIONS[each][1] for each in self.dimensions]
        units = [example.split(" ")[-1] for example in examples]
        found = {
            **_number_with_unit(self.dimensions, zero=self.above < 0.0 and self.least <= 0.0),
            "examples": examples,
        }
        found["x-widget"] = "quantity"
        return {**found, "x-unit": units[0], "x-dimensions": list(self.dimensions)}


@dataclasses.dataclass(frozen=True, eq=False)
class Leaf(Type):
    """A value written unchanged in files: a boolean, a number, a string, a name, a choice."""

    fits: Callable[[Any], object]
    wanted: str
    hint: str
    json: Mapping[str, Any]

    def check(self, value: Any) -> Any:
        """Return the value itself if it is valid."""
        if self.fits(value):
            return value
        raise FieldError(f"expected {self.wanted}, got {described(value)}", hint=self.hint)

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Return the value unchanged."""
        return dict(self.json)


@dataclasses.dataclass(frozen=True)
class Whole(Type):
    """A whole number between limits."""

    least: int | None = None
    most: int | None = None

    def check(self, value: Any) -> int:
        """Return the number itself."""
        if type(value) is not int:
            raise FieldError(f"expected a whole number, got {described(value)}", hint="write for example 7")
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            raise FieldError(f"{value} must be {self.limit}", hint="write a number within these limits")
        return value

    @property
    def limit(self) -> str:
        """Its limits in words; empty if it has none."""
        least = f"at least {self.least}" if self.least is not None else ""
        return " and ".join(filter(None, [least, f"at most {self.most}" if self.most is not None else ""]))

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe an integer."""
        found: dict[str, Any] = {"type": "integer"}
        return (
            found
            | ({"minimum": self.least} if self.least is not None else {})
            | ({"maximum": self.most} if self.most is not None else {})
        )


_NAME: Final = re.compile(r"[^\W\d][\w.-]*(/[^\W\d][\w.-]*)*\Z")
_LONGEST_NAME: Final = 100
# For editors, whose regular expressions know only ASCII letters, all other characters count as letters.
_FIRST: Final = r"\x00-@\[-^`{-\x7f"  # characters that a part of a name cannot start with
_LATER: Final = r"\x00-,/:-@\[-^`{-\x7f"
_NAME_SHOWN: Final = rf"^[^{_FIRST}][^{_LATER}]*(/[^{_FIRST}][^{_LATER}]*)*$"
_KNOWN_SHOWN: Final = rf"^[^{_FIRST}][^{_LATER}]*([ /][^{_LATER}]+)*$"
_PATTERN_SHOWN: Final = rf"^([*?]|[^{_FIRST}])([*?]|[^{_LATER}])*(/([*?]|[^{_FIRST}])([*?]|[^{_LATER}])*)*$"


@dataclasses.dataclass(frozen=True)
class Naming(Type):
    """A name: letters, digits, ``_``, ``-`` and ``.``, in parts joined by ``/``.

    As a ``pattern`` it may contain the wildcards ``*`` and ``?``.
    """

    pattern: bool = False

    def check(self, value: Any) -> str:
        """Return the name itself."""
        if isinstance(value, str) and len(value) <= _LONGEST_NAME:
            plain = value.replace("*", "x").replace("?", "x") if self.pattern else value
            if _NAME.match(plain):
                return value
        if isinstance(getattr(value, "name", None), str):  # a live thing
            raise FieldError(f"expected a name, got {described(value)}", hint=f"write {value.name!r}")
        raise FieldError(
            f"{described(value)} is not a valid name",
            hint="start with a letter and use letters, digits, '_', '-' and '.', as in 'arm' or 'mill/fixture'",
        )

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a text."""
        return {**self.text_schema(), "x-widget": "name"}

    def text_schema(self) -> dict[str, Any]:
        """The JSON Schema of the text, also used for keys. Override it together with ``check``."""
        shown = _PATTERN_SHOWN if self.pattern else _NAME_SHOWN
        return {"type": "string", "pattern": shown, "maxLength": _LONGEST_NAME}


@dataclasses.dataclass(frozen=True)
class Ref(Naming):
    """The name of another thing that has a given role. If ``needed``, that thing must be built first. If ``optional``,
    it need not exist: the name may also refer to something that only the thing itself knows.
    """

    role: str = ""
    needed: bool = True
    optional: bool = False

    def __init__(self, role: str, *, needed: bool = True, pattern: bool = False, optional: bool = False) -> None:
        object.__setattr__(self, "pattern", pattern)
        object.__setattr__(self, "role", role)
        object.__setattr__(self, "needed", needed)
        object.__setattr__(self, "optional", optional)

    def missing(self, named: str, known: Iterable[str]) -> tuple[str, str]:
        """Return the message and the hint for a name that does not exist; ``known`` are the valid names."""
        return f"there is no {self.role} {named!r}", did_you_mean(named, known)

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a string. Forms offer the names of things with the role."""
        return {**super().schema(describer), "x-names": self.role}

    def names(self, value: Any) -> Iterator[tuple[str, "Ref"]]:
        """Yield the name itself, unless it is a pattern that may match nothing."""
        if not (self.pattern and ("*" in value or "?" in value)):
            yield value, self


@dataclasses.dataclass(frozen=True)
class Known(Naming):
    """The name of something in a library, such as a material or a model, with single spaces if it has several words.

    Forms offer the names in the library.
    """

    library: str = ""

    def __init__(self, library: str) -> None:
        object.__setattr__(self, "pattern", False)
        object.__setattr__(self, "library", library)

    def check(self, value: Any) -> str:
        """Return the name itself."""
        if isinstance(value, str):
            # "cast iron" is as good a name as "cast_iron": nothing but the library reads it.
            super().check(re.sub(r"(?<=[^ ]) (?=[^ ])", "_", value))
            return value
        return super().check(value)

    def text_schema(self) -> dict[str, Any]:
        """The JSON Schema of the text."""
        return {**super().text_schema(), "pattern": _KNOWN_SHOWN}

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a text."""
        return {**super().schema(describer), "x-names": self.library}


_LONGEST_FILE_NAME: Final = 255
_LONGEST_PATH: Final = 2048  # Linux allows 4096 bytes, including the folder of the cell


@dataclasses.dataclass(frozen=True)
class FileNaming(Type):
    """A file name, relative to the file that contains it."""

    def check(self, value: Any) -> str:
        """Return the file's name, without checking whether the file exists."""
        if isinstance(value, str) and value.strip() and "\0" not in value:
            longest = max(len(each.encode("utf-8", "surrogatepass")) for each in value.split("/"))
            if longest > _LONGEST_FILE_NAME or len(value) > _LONGEST_PATH:
                what = f"{described(value)} is too long for a file name: {max(longest, len(value)):,} bytes"
                raise FieldError(
                    what, hint=f"the limit is {_LONGEST_FILE_NAME} bytes per name, {_LONGEST_PATH:,} per path"
                )
            return value
        raise FieldError(f"{described(value)} is not a valid file name", hint="write for example 'tend.py'")

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a text."""
        return {"type": "string", "x-widget": "file"}


@dataclasses.dataclass(frozen=True)
class Data(Type):
    """Plain data, passed on unchanged: a string, a number, true or false, or (``lists``) a list of these."""

    lists: bool = False

    def check(self, value: Any) -> Scalar | tuple[Scalar, ...]:
        """Return the value itself, with a tuple in place of a list."""
        if isinstance(value, list | tuple) and self.lists:
            return tuple(_scalar(item) for item in value)
        return _scalar(value)

    def write(self, value: Any) -> Plain:
        """Return the value itself, with a list in place of a tuple."""
        return list(value) if isinstance(value, tuple) else value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe a scalar, or a list of scalars."""
        return {"type": ["string", "number", "boolean", *(["array"] if self.lists else [])]}


def _scalar(value: object) -> Scalar:
    if isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    what = f"expected text, a number, true or false, got {described(value)}"
    raise FieldError(what, hint="write for example 'steel', 12 or false")


@dataclasses.dataclass(frozen=True)
class Many(Type):
    """A list of values of one type; with ``single``, a single value needs no brackets."""

    inner: Type
    single: bool = False

    def read(self, node: Node, path: Path, reader: Reader) -> Any:
        """Item by item."""
        if not isinstance(node.value, list):
            if self.single:
                found = self.inner.read(node, path, reader)
                return found if found is MISSING else (found,)
            what = f"expected a list, got {described(node.plain())}"
            return reader.report(path, what, "write for example [a, b], or [] for none")
        items = tuple(self.inner.read(item, (*path, index), reader) for index, item in enumerate(node.value))
        return MISSING if any(item is MISSING for item in items) else items

    def check(self, value: Any) -> tuple[Any, ...]:
        """Check each item. Any sequence is accepted."""
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            if self.single:
                return (self.inner.check(value),)
            raise FieldError(f"expected a list, got {described(value)}", hint="write for example [a, b]")
        return tuple(_checked(self.inner, item, index) for index, item in enumerate(value))

    def write(self, value: Sequence[Any]) -> Plain:
        """Return a list, or the only item if that is allowed."""
        items = [self.inner.write(item) for item in value]
        return items[0] if self.single and len(items) == 1 and not isinstance(items[0], list) else items

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe an array, or one item."""
        inner = self.inner.schema(describer)
        array = {"type": "array", "items": inner}
        return {"anyOf": [inner, array]} if self.single else array

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield the values of all items."""
        for index, item in enumerate(value):
            yield from (each.below(index) for each in self.inner.walk(item, naming=naming))

    @property
    def names_things(self) -> bool:
        """Whether its items may name other things."""
        return self.inner.names_things

    def mapped(self, value: Any, change: Callable[[Type, Any], Any]) -> Any:
        """Item by item."""
        return tuple(self.inner.mapped(item, change) for item in value)

    def part(self, step: str | int, kinds: Kinds) -> Type | None:
        """Return the type of the items. A single item may be written without brackets."""
        if isinstance(step, int):
            return self.inner
        return self.inner.part(step, kinds) if self.single else None


@dataclasses.dataclass(frozen=True)
class Several(Type):
    """A fixed number of values, each with its own type; ``fill`` replaces a missing last value."""

    items: tuple[Type, ...]
    example: str
    fill: Any = MISSING

    def read(self, node: Node, path: Path, reader: Reader) -> Any:
        """Read each item. Their number must match."""
        values = node.value if isinstance(node.value, list) else None
        if values is None or not self._fits(len(values)):
            return reader.report(path, self._wanted(node.plain()), f"write for example {self.example}")
        found = [
            kind.read(item, (*path, i), reader) for i, (kind, item) in enumerate(zip(self.items, values, strict=False))
        ]
        return MISSING if any(item is MISSING for item in found) else self._filled(found)

    def check(self, value: Any) -> tuple[Any, ...]:
        """Check each item. Any sequence of the right length is accepted."""
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            raise FieldError(self._wanted(value), hint=f"write for example {self.example}")
        values = tuple(value)
        if not self._fits(len(values)):
            raise FieldError(self._wanted(values), hint=f"write for example {self.example}")
        checked = [_checked(kind, item, i) for i, (kind, item) in enumerate(zip(self.items, values, strict=False))]
        return self._filled(checked)

    def _fits(self, count: int) -> bool:
        return count == len(self.items) or (self.fill is not MISSING and count == len(self.items) - 1)

    def _filled(self, found: list[Any]) -> tuple[Any, ...]:
        return tuple(found) if len(found) == len(self.items) else (*found, self.fill)

    def _wanted(self, written: object) -> str:
        return f"expected a list of {len(self.items)}, got {described(written)}"

    def write(self, value: Sequence[Any]) -> Plain:
        """Return a list."""
        return [kind.write(item) for kind, item in zip(self.items, value, strict=True)]

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe an array of a fixed length."""
        least = len(self.items) - (self.fill is not MISSING)
        items = [kind.schema(describer) for kind in self.items]
        found = {"type": "array", "minItems": least, "maxItems": len(items), "x-example": self.example}
        return {**found, "items": items[0]} if items.count(items[0]) == len(items) else {**found, "prefixItems": items}

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield the values of all items."""
        for index, (kind, item) in enumerate(zip(self.items, value, strict=True)):
            yield from (each.below(index) for each in kind.walk(item, naming=naming))

    @property
    def names_things(self) -> bool:
        """Whether any of its items may name other things."""
        return any(kind.names_things for kind in self.items)

    def mapped(self, value: Any, change: Callable[[Type, Any], Any]) -> Any:
        """Item by item."""
        return tuple(kind.mapped(item, change) for kind, item in zip(self.items, value, strict=True))

    def part(self, step: str | int, kinds: Kinds) -> Type | None:
        """Return the type of an item."""
        return self.items[step] if isinstance(step, int) and 0 <= step < len(self.items) else None


def _checked(kind: Type, item: Any, index: int | str) -> Any:
    """Check an item of a container; its problems are reported at its index or key."""
    try:
        return kind.check(item)
    except InvalidThing as error:
        raise InvalidThing(type(item), [each._replace(path=(index, *each.path)) for each in error.problems]) from None
    except DrycellError as error:
        raise InvalidThing(type(item), [Problem((index,), error.what, error.hint)]) from None


@dataclasses.dataclass(frozen=True)
class Table(Type):
    """Values of one type by name."""

    key: Type
    inner: Type

    def read(self, node: Node, path: Path, reader: Reader) -> Any:
        """Read each entry, in the order of the file."""
        if not isinstance(node.value, dict):
            what = f"expected a mapping of names, got {described(node.plain())}"
            return reader.report(path, what, "write 'name: …' lines below it, or {} for none")
        found = {}
        for key, item in node.value.items():
            try:
                name = self.key.take(key)
            except DrycellError as error:
                reader.report((*path, key), error.what, error.hint, key=True)
                name = key
            found[name] = self.inner.read(item, (*path, key), reader)
        return MISSING if any(item is MISSING for item in found.values()) else found

    def check(self, value: Any) -> dict[Any, Any]:
        """Check each entry."""
        if not isinstance(value, Mapping):
            raise FieldError(f"expected a mapping of names, got {described(value)}", hint="write {'a': …}")
        return {_checked(self.key, key, str(key)): _checked(self.inner, item, str(key)) for key, item in value.items()}

    def write(self, value: Mapping[Any, Any]) -> Plain:
        """Return a mapping."""
        return {str(self.key.write(key)): self.inner.write(item) for key, item in value.items()}

    def schema(self, describer: Describer) -> dict[str, Any]:
        """Describe an object. If its keys are names, any name is allowed."""
        names = {"propertyNames": self.key.text_schema()} if isinstance(self.key, Naming) else {}
        return {"type": "object", **names, "additionalProperties": self.inner.schema(describer)}

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield the keys and the values of all entries."""
        for key, item in value.items():
            yield SingleValue((str(key),), self.key, key, key=True)
            yield from (each.below(str(key)) for each in self.inner.walk(item, naming=naming))

    @property
    def names_things(self) -> bool:
        """Whether its keys or entries may name other things."""
        return self.key.names_things or self.inner.names_things

    def mapped(self, value: Any, change: Callable[[Type, Any], Any]) -> Any:
        """Apply the change to each entry; keys do not change."""
        return {key: self.inner.mapped(item, change) for key, item in value.items()}

    def part(self, step: str | int, kinds: Kinds) -> Type | None:
        """Return the type of an entry."""
        return self.inner if isinstance(step, str) else None


@dataclasses.dataclass(frozen=True)
class OneOf(Type):
    """A thing. If the base has a ``noun``, the kind is a key that contains the kind's own fields, and the fields of the
    base are beside it: ``{conveyor: {length: …}, on: table}``, ``{box: […]}``. Otherwise it consists only of its
    fields.
    """

    base: Any  # type[Thing]

    def read(self, node: Node, path: Path, reader: Reader) -> Any:
        """Read the kind first, then its fields."""
        count, cls = len(reader.mistakes), self.base
        if cls.meta.noun and not cls.meta.kind and isinstance(node.value, str):
            word = node.value  # a kind: [stuck_on]
            if word in reader.kinds.under(cls) or not fields_of(cls):
                node = dataclasses.replace(node, value={word: dataclasses.replace(node, value=None)})
        given = dict(_fields_given(cls, node, path, reader))
        if cls.meta.noun:
            kinds, known = reader.kinds.under(cls), [*_keys(cls)]
            kinds = {kind: each for kind, each in kinds.items() if each is not cls}  # the base itself has no tag
            tags, odd = [key for key in given if key in kinds], [key for key in given if key not in (*kinds, *known)]
            if len(tags) == 1:
                cls, (inner, at) = kinds[tags[0]], given.pop(tags[0])
                for key in [key for key in given if key not in known]:
                    item, where = given.pop(key)
                    hint = f"write it below '{tags[0]}'" if key in _keys(cls) else did_you_mean(key, [*known, *kinds])
                    reader.report(where, "there is no such field here", hint, key=True)
                below = {} if inner.value is None else dict(_fields_given(cls, inner, at, reader))
                for key in [key for key in below if key in known]:
                    item, where = below.pop(key)
                    reader.report(where, "there is no such field here", f"write it beside '{tags[0]}'", key=True)
                given |= below
            elif odd and not tags and not cls.meta.kind:
                what = f"there is no such field or {cls.meta.noun}" if known else f"there is no such {cls.meta.noun}"
                hint = _renamed(cls, odd[0]) or did_you_mean(odd[0], [*kinds, *known])
                bare = given[odd[0]][0].start == node.start  # a bare word is at the position of its field's value
                return reader.report(path if bare else (*path, odd[0]), what, hint, key=not bare)
            elif tags or not cls.meta.kind:
                if len(reader.mistakes) > count:
                    return MISSING
                found = " and ".join(map(repr, tags)) or "none"
                what = f"{_a(cls.meta.noun)} must have exactly one kind, but has {found}"
                return reader.report(path, what, f"choose one of {', '.join(kinds)}")
        fields, values, refused = _keys(cls), dict[str, Any](), len(reader.mistakes) > count
        known = [*fields, *(reader.kinds.under(cls) if cls.meta.noun and cls is self.base else ())]
        for field in fields.values() if isinstance(node.value, dict) else ():
            if isinstance(field.type, Inline):
                kinds = reader.kinds.under(field.type.base)
                own = {key: given.pop(key)[0] for key in list(given) if key in kinds and key not in fields}
                known += kinds
                if own or (field.default is MISSING and given.keys() <= fields.keys()):
                    values[field.name] = field.type.read(dataclasses.replace(node, value=own), path, reader)
                elif field.default is MISSING:  # a misspelt kind is reported below
                    values[field.name] = MISSING
        for key, (item, at) in given.items():
            if key not in fields:
                hint = _renamed(cls, key) or did_you_mean(key, known)
                values[key] = reader.report(at, "there is no such field", hint, key=True)
            elif item.value is not None:
                values[fields[key].name] = fields[key].type.read(item, at, reader)
        if refused:
            return MISSING
        if any(key not in fields and _renamed(cls, key) for key in given):
            return MISSING  # the missing field may be present under its old name
        for key, field in fields.items():
            if field.default is MISSING and field.name not in values:
                at = (*path, *self.place_of(cls, (key,)))
                values[field.name] = reader.report(at, "this field must be given", f"add '{key}: …'")
        if len(reader.mistakes) > count:
            return MISSING
        try:
            return cls(**values)
        except InvalidThing as error:
            for problem in error.problems:
                reader.report((*path, *self.place_of(cls, problem.path)), problem.what, problem.hint)
        except DrycellError as error:
            reader.report((*path, *self.place_of(cls, ())), error.what, error.hint)
        return MISSING

    def place_of(self, cls: type[Thing], path: Path) -> Path:
        """The path of a field in a file: beside the kind if the base declares it, otherwise below the kind."""
        if path and isinstance(path[0], str) and path[0] in _keys(cls) and isinstance(_keys(cls)[path[0]].type, Inline):
            path = path[1:]
        beside = cls is self.base or not self.base.meta.noun or (bool(path) and path[0] in _keys(self.base))
        return path if beside else (cls.meta.kind, *path)

    def check(self, value: Any) -> Any:
        """Return the thing if it is of this class. Its fields were checked when it was created."""
        if isinstance(value, self.base):
            return value
        what = f"expected {_a(self.base.meta.noun or self.base.__name__)}, got {value!r}"
        raise FieldError(what, hint=f"see help({self.base.__name__})")

    def write(self, value: Thing) -> Plain:
        """Return the fields that differ from their defaults."""
        value = value.as_written()
        cls, given = type(value), value.given
        beside, own = dict[str, Plain](), dict[str, Plain]()
        for field in fields_of(cls) if cls.meta.compact else listed(cls):
            if field.name in given and (held := getattr(value, field.name)) is not None:
                under = len(self.place_of(cls, (field.key,))) > 1
                written = field.type.write(held)
                (own if under else beside).update(written if isinstance(field.type, Inline) else {field.key: written})
        if cls is self.base or not self.base.meta.noun:
            return self._short(cls, beside)
        if not own and not fields_of(self.base):
            return cls.meta.kind  # one word: [stuck_on]
        return {cls.meta.kind: self._short(cls, own), **beside}

    def _short(self, cls: type[Thing], fields: dict[str, Plain]) -> Plain:
        """Return the fields of a compact thing as a list, or only the first, if nothing is lost."""
        if not cls.meta.compact:
            return fields
        if isinstance(cls.meta.compact, str):
            return fields[cls.meta.compact] if list(fields) == [cls.meta.compact] else fields
        keys = [each.key for each in fields_of(cls)]
        if list(fields) == keys and len(keys) > 1:
            return list(fields.values())
        one = list(fields) == keys[:1] and not isinstance(next(iter(fields.values())), list | dict)
        return next(iter(fields.values())) if one else fields

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A reference to the definition of the class."""
        name = self.base.__name__
        if name not in describer.defs:
            describer.defs[name] = {}  # before its fields: things may contain things of their own class
            describer.defs[name] = self._schema(describer)
        return {"$ref": f"#/$defs/{name}"}

    def _schema(self, describer: Describer) -> dict[str, Any]:
        cls = self.base
        inline = next((each for each in fields_of(cls) if isinstance(each.type, Inline)), None)
        if inline is not None:
            rest = fields_schema(cls, [each for each in listed(cls) if each is not inline], describer)
            inner = describer.defs[inline.type.schema(describer)["$ref"].rpartition("/")[2]]
            options = [
                {
                    **rest,
                    "title": each["title"],
                    "properties": {**each["properties"], **rest["properties"]},
                    "required": each["required"],
                }
                for each in inner["oneOf"]
                if "properties" in each
            ]
            return {"description": rest["description"], "oneOf": options, "x-widget": "kind"}
        if not cls.meta.noun:
            return _compact_schema(cls, fields_schema(cls, listed(cls), describer), describer)
        beside, options = fields_schema(cls, listed(cls), describer), []
        for kind, each in describer.kinds.under(cls).items():
            if each is cls:
                options.append(beside)
                continue
            fields = [field for field in listed(each) if field.key not in beside["properties"]]
            describer.defs[each.__name__] = _compact_schema(each, fields_schema(each, fields, describer), describer)
            own: dict[str, Any] = {"$ref": f"#/$defs/{each.__name__}"}
            if all(field.default is not MISSING for field in fields):
                own = or_empty(own)  # nothing below a kind means all defaults
            properties = {kind: own, **beside["properties"]}
            required = [kind, *beside["required"]]
            options.append({**beside, "title": kind, "properties": properties, "required": required})
        words = [
            k for k, e in describer.kinds.under(cls).items() if all(f.default is not MISSING for f in fields_of(e))
        ]
        alone = [{"enum": words}] if words and not beside["properties"] else []
        return {"description": _description(cls), "oneOf": [*options, *alone], "x-widget": "kind"}

    def walk(self, value: Thing, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield the values of all fields. A thing that exists only in Python has none."""
        if self.base.meta.noun and not type(value).meta.kind:
            return
        for field in _naming(type(value)) if naming else fields_of(type(value)):
            held = getattr(value, field.name)
            for each in field.type.walk(held, naming=naming) if held is not None else ():
                yield each._replace(path=self.place_of(type(value), (field.key, *each.path)))

    @property
    def names_things(self) -> bool:
        """Whether its fields, or those of its kinds, may name other things."""
        return True

    def mapped(self, value: Thing, change: Callable[[Type, Any], Any]) -> Any:
        """Apply the change to the whole thing or, if that changes nothing, to each field."""
        if (whole := change(self, value)) is not value:
            return whole
        fields = {}
        for field in fields_of(type(value)):
            held = getattr(value, field.name)
            if held is not None and (new := field.type.mapped(held, change)) != held:
                fields[field.name] = new
        return value.changed(**fields) if fields else value

    def part(self, step: str | int, kinds: Kinds) -> Type | None:
        """Return the type of a field, of the fields below a kind, or of an item of the short form."""
        cls = self.base
        if isinstance(step, int):
            fields = fields_of(cls) if cls.meta.compact is True else ()
            return fields[step].type if 0 <= step < len(fields) else None
        if step in _keys(cls):
            return _keys(cls)[step].type
        if cls.meta.noun and step in kinds.under(cls) and kinds.under(cls)[step] is not cls:
            return OneOf(kinds.under(cls)[step])
        inline = (each.type for each in fields_of(cls) if isinstance(each.type, Inline))
        return next((found for each in inline if (found := each.part(step, kinds)) is not None), None)

    def uses(self, value: Thing) -> Iterator[Use]:
        """Yield the references to other things."""
        for leaf in self.walk(value, naming=True):
            for name, ref in leaf.type.names(leaf.value):
                how = "key" if leaf.key else "value" if leaf.value == name else "within"
                yield Use(leaf.path, name, ref, cast(Any, how))


class Shortened(OneOf):
    """A thing. In Python, the value of its first field alone is also accepted."""

    def check(self, value: Any) -> Any:
        """Return the thing itself, or a thing with this value in its first field."""
        return super().check(value if isinstance(value, self.base) else self.base(value))


class Inline(OneOf):
    """A thing whose kind is a key among its other fields: ``{box: […], at: […]}``."""


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _renamed(cls: type[Thing], key: str) -> str | None:
    """Return the hint about a renamed field or kind."""
    return cls.meta.was.get(key)


def _fields_given(cls: type[Thing], node: Node, path: Path, reader: Reader) -> Iterator[tuple[str, tuple[Node, Path]]]:
    """Return the nodes of the fields by key, with their paths."""
    if isinstance(node.value, dict):
        yield from ((key, (item, (*path, key))) for key, item in node.value.items())
    elif isinstance(cls.meta.compact, str) and isinstance(node.value, Scalar):
        yield cls.meta.compact, (node, path)
    elif cls.meta.compact is True and node.value is not None:
        keys, items = [*_keys(cls)], node.value if isinstance(node.value, list) else [node]
        needed = sum(field.default is MISSING for field in fields_of(cls))
        if not needed <= len(items) <= len(keys) or (items == [node] and needed > 1):
            what = f"expected a list of {len(keys)}, got {described(node.plain())}"
            reader.report(path, what, f"write [{', '.join(keys)}]")
            return
        for index, (key, item) in enumerate(zip(keys, items, strict=False)):
            yield key, (item, path if item is node else (*path, index))
    else:
        what = f"expected a mapping of fields, got {described(node.plain())}"
        reader.report(path, what, "write 'field: value' lines below it, or {} for all defaults")


@contextmanager
def within(*path: str | int) -> Iterator[None]:
    """Report the problems of a nested thing under its path in the containing thing."""
    try:
        yield
    except InvalidThing as error:
        found = [each._replace(path=(*path, *each.path)) for each in error.problems]
        raise InvalidThing(Thing, found) from error


EMPTY: Final[Mapping[str, Any]] = {"type": "null"}
"""The JSON Schema of an empty value."""


def or_empty(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a value that may be left empty."""
    return {"anyOf": [schema, EMPTY]}


def _field_schema(field: Field, describer: Describer) -> dict[str, Any]:
    """The JSON Schema of a field. A field with a default may be left empty, which is the same as omitting it."""
    found = field.type.schema(describer)
    return found if field.default is MISSING else or_empty(found)


def _description(cls: type) -> str:
    """The docstring of a class without the example at its end."""
    return inspect.cleandoc(cls.__doc__ or "").partition("\n\n>>> ")[0]


def fields_schema(cls: type[Thing], fields: Sequence[Field], describer: Describer) -> dict[str, Any]:
    """The JSON Schema of some fields of a thing."""
    shown = {field.key: {**_field_schema(field, describer), "description": field.doc} for field in fields}
    for field in fields:
        if not any(field.default is each for each in (MISSING, None)) and field.default not in ({}, ()):
            shown[field.key]["default"] = field.type.write(field.default)
    required = [field.key for field in fields if field.default is MISSING]
    found = {"type": "object", "description": _description(cls), "properties": shown}
    return {**found, "required": required, "additionalProperties": False}


def _compact_schema(cls: type[Thing], whole: dict[str, Any], describer: Describer) -> dict[str, Any]:
    """The fields of a thing, or their short forms if it has some."""
    if not cls.meta.compact:
        return whole
    if isinstance(cls.meta.compact, str):
        only = _keys(cls)[cls.meta.compact].type.schema(describer)
        return {"description": whole["description"], "anyOf": [whole, only]}
    items = [_field_schema(field, describer) for field in fields_of(cls)]
    needed = sum(field.default is MISSING for field in fields_of(cls))
    short = [{"type": "array", "prefixItems": items, "minItems": max(needed, 1), "maxItems": len(items)}]
    if needed <= 1:
        short.append(fields_of(cls)[0].type.schema(describer))
    return {"description": whole["description"], "anyOf": [whole, *short]}


def type_of(annotation: Any) -> Type:
    """The type for an annotation; ``| None`` only makes a field optional."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        found = next((mark for mark in args[1:] if isinstance(mark, Type)), None)
        return found or type_of(args[0])
    if origin in (typing.Union, types.UnionType):
        return type_of(next(arg for arg in args if arg is not types.NoneType))
    if origin is Literal:
        words = [repr(arg) for arg in args]
        listed = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        # Compare types as well: True and 1.0 are equal to 1.
        return Leaf(
            lambda v: (type(v), v) in [(type(a), a) for a in args], listed, f"write {listed}", {"enum": list(args)}
        )
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return Many(type_of(args[0]))
    if origin is tuple:
        items = tuple(map(type_of, args))
        return Several(items, f"[{', '.join(map(_example, items))}]")
    if origin in (dict, Mapping):
        return Table(type_of(args[0]), type_of(args[1]))
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Thing):
        return OneOf(annotation)
    raise TypeError(f"no type of value for {annotation!r}: annotate it with a Type")


def _example(kind: Type) -> str:
    return DIMENSIONS[kind.dimension][1] if isinstance(kind, Quantity) else "1" if kind is _PLAIN[int] else "…"


_PLAIN: Final[dict[Any, Type]] = {
    bool: Leaf(lambda v: type(v) is bool, "true or false", "write true or false, without quotes", {"type": "boolean"}),
    int: Leaf(lambda v: type(v) is int, "a whole number", "write for example 7", {"type": "integer"}),
    float: Leaf(
        lambda v: type(v) in (int, float) and math.isfinite(v), "a number", "write for example 0.5", {"type": "number"}
    ),
    str: Leaf(
        lambda v: isinstance(v, str), "text", "write a word, in quotes if it looks like a number", {"type": "string"}
    ),
}

Length = Annotated[float, Quantity("length")]
Size = Annotated[float, Quantity("length", above=0.0)]
NoLess = Annotated[float, Quantity("length", least=0.0)]
Angle = Annotated[float, Quantity("angle")]
Speed = Annotated[float, Quantity("speed", least=0.0)]
Duration = Annotated[float, Quantity("time", above=0.0)]
Mass = Annotated[float, Quantity("mass", above=0.0)]
Wait = Annotated[float, Quantity("time", least=0.0)]
Ratio = Annotated[float, Quantity("ratio")]
Factor = Annotated[float, Quantity("ratio", above=0.0)]
Count = Annotated[int, Whole(least=0)]
Name = Annotated[str, Naming()]
NamePattern = Annotated[str, Naming(pattern=True)]
FileName = Annotated[str, FileNaming()]
PlainValue = Annotated[Scalar, Data()]
PlainOrList = Annotated[Scalar | tuple[Scalar, ...], Data(lists=True)]
Position = Annotated[Sequence[float], Several((Quantity("length"),) * 3, "[100 mm, 50 mm, 0 mm]", fill=0.0)]
Rpy = Annotated[tuple[float, float, float], Several((Quantity("angle"),) * 3, "[0 deg, 0 deg, 90 deg]")]


@cache
def known_kinds(plug_ins: bool = False) -> Kinds:
    """The built-in kinds, optionally with those of installed plug-ins."""
    kinds = known_kinds() if plug_ins else Kinds()
    for module in packages.plug_ins() if plug_ins else packages.kinds():
        kinds = kinds | module
    return kinds
