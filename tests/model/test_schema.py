"""Schema: values are read with positions, checked alike from files and from Python, and read back as written."""

import math
import pickle
from typing import Annotated, Literal

import pytest

from drycell.base import (
    Amount,
    Describer,
    Duration,
    Factor,
    FileError,
    InvalidThing,
    Kinds,
    Length,
    Many,
    Measure,
    Name,
    OneOf,
    Position,
    Problem,
    Quantity,
    Ref,
    Size,
    Thing,
    Whole,
    deg,
    fields_of,
    mm,
    read_thing,
    s,
)
from drycell.base.schema import Data, NamePattern


class Shape(Thing, noun="shape"):
    """A toy shape."""


class Box(Shape, kind="box", compact=True, kw_only=False):
    """A box."""

    x: Size
    """Side along x."""
    y: Size = 1.0
    """Side along y."""


class Ball(Shape, kind="ball", compact=True, kw_only=False, was={"diameter": "write half of it as 'radius'"}):
    """A ball."""

    radius: Size
    """Radius."""


class Gate(Thing):
    """A gate."""

    at: Length = 0.0
    """Where it is."""
    open: bool = False
    """Whether it is open."""


class Belt(Thing, kind="belt"):
    """A belt with one field of every sort."""

    length: Size
    """Its length."""
    slow: Annotated[float, Quantity("speed", least=0.0, most=1.0)] = 0.5
    """Its speed."""
    every: Annotated[tuple[float, ...], Many(Quantity("time", above=0.0), single=True)] = (1.0,)
    """One time or several."""
    law: Literal["fixed", "normal"] = "fixed"
    """How times are drawn."""
    gates: dict[Name, Gate] | None = None
    """Gates by name."""
    shape: Shape | None = None
    """Its shape."""
    at: Position = (0.0, 0.0, 0.0)
    """Where it is."""
    count: Annotated[int, Whole(least=1, most=9)] = 1
    """A whole number."""
    wobble: Annotated[float, Measure(("length", "ratio"), least=0.0)] = 0.0
    """A length or a share."""
    next_: Annotated[str, Ref("belt")] | None = None
    """The belt after it; the key in files has no underscore."""
    ignore: tuple[NamePattern, ...] = ()
    """Names with wildcards."""
    data: Annotated[object, Data(lists=True)] = 0
    """Anything plain."""
    weight: Factor = 1.0
    """A factor."""
    wait: Duration | None = None
    """A time."""

    def problems(self):
        """A rule between fields."""
        if self.gates and any(gate.at > self.length for gate in self.gates.values()):
            name = next(name for name, gate in self.gates.items() if gate.at > self.length)
            yield Problem(("gates", name, "at"), "the gate is beyond the end", "move it")


KINDS = Kinds([Box, Ball, Belt])


def read(text: str) -> Belt:
    return read_thing(Belt, text, "belt.yaml", KINDS)


def mistakes(text: str) -> list[tuple[str, int | None, int | None]]:
    with pytest.raises(FileError) as caught:
        read(text)
    return [(each.field, each.line, each.column) for each in caught.value.mistakes]


FULL = """\
length: 2 m
slow: 100 mm/s
every: [1 s, 2 s]
law: normal
gates: {a: {at: 300 mm}, b: {at: 1 m, open: true}}
shape: {box: [100 mm, 200 mm]}
at: [1 mm, 2 mm]
count: 3
wobble: 5 %
next: other
ignore: [part*, "x?"]
data: [1, a, true]
weight: 2
wait: 1 min
"""


def test_every_sort_of_value_is_read_in_si() -> None:
    belt = read(FULL)
    assert belt == Belt(
        length=2.0,
        slow=100 * mm / s,
        every=(1.0, 2.0),
        law="normal",
        gates={"a": Gate(at=0.3), "b": Gate(at=1.0, open=True)},
        shape=Box(0.1, 0.2),
        at=(0.001, 0.002, 0.0),
        count=3,
        wobble=Amount(0.05, "ratio"),
        next_="other",
        ignore=("part*", "x?"),
        data=(1, "a", True),
        weight=2.0,
        wait=60.0,
    )
    assert isinstance(belt.wobble, Amount)
    assert belt.wobble.dimension == "ratio"


def test_written_things_read_back_equal_and_defaults_are_omitted() -> None:
    belt = read(FULL)
    written = OneOf(Belt).write(belt)
    from drycell.base import yamldoc

    text = "".join(line + "\n" for key, value in written.items() for line in yamldoc.block(key, value, 0, 2))
    assert read(text) == belt
    assert OneOf(Belt).write(Belt(length=1.0)) == {"length": "1000 mm"}


@pytest.mark.parametrize("written", ["shape: {ball: 5 mm}", "shape: {ball: {radius: 5 mm}}", "shape: {ball: [5 mm]}"])
def test_a_compact_thing_may_be_a_bare_value_a_list_or_a_mapping(written: str) -> None:
    assert read(f"length: 1 m\n{written}\n").shape == Ball(5 * mm)


def test_all_mistakes_come_at_once_each_with_line_column_and_field() -> None:
    text = "slow: 3\nevery: soon\ngates: {a: {at: 1 deg, opne: true}}\nshape: {bax: 1}\nlaw: odd\ncount: 10\n"
    assert mistakes(text) == [
        ("length", 1, 1),
        ("slow", 1, 7),
        ("every", 2, 8),
        ("gates.a.at", 3, 17),
        ("gates.a.opne", 3, 24),
        ("shape.bax", 4, 9),
        ("law", 5, 6),
        ("count", 6, 8),
    ]


@pytest.mark.parametrize(
    ("text", "field", "what"),
    [
        ("length: 0 m", "length", "must be above 0"),
        ("length: 1 m\nslow: 2 m/s", "slow", "must be at most 1000 mm/s"),
        ("length: 1 m\nshape: {ball: {diameter: 1 mm}}", "shape.ball.diameter", "there is no such field"),
        ("length: 1 m\nshape: {}", "shape", "exactly one kind, but has none"),
        ("length: 1 m\nshape: {box: [1 mm], ball: 1 mm}", "shape", "but has 'box' and 'ball'"),
        ("length: 1 m\nat: [1 mm]", "at", "expected a list of 3, got a list of 1"),
        ("length: 1 m\ngates: [a]", "gates", "expected a mapping of names"),
        ("length: 1 m\ngates: {a b: {}}", "gates.a b", "is not a valid name"),
        ("length: true", "length", "expected a length, got true"),
        ("length: 1 m\ndata: {a: 1}", "data", "expected text, a number, true or false"),
        ("length: 1 m\ngates: {far: {at: 3 m}}", "gates.far.at", "the gate is beyond the end"),
    ],
)
def test_a_mistake_names_its_field_and_says_what_is_wrong(text: str, field: str, what: str) -> None:
    with pytest.raises(FileError) as caught:
        read(text)
    assert caught.value.mistakes[0].field == field
    assert what in caught.value.mistakes[0].what


def test_an_old_name_is_rejected_with_the_new_one_in_the_hint() -> None:
    with pytest.raises(FileError) as caught:
        read("length: 1 m\nshape: {ball: {radius: 1 mm, diameter: 2 mm}}")
    assert caught.value.mistakes[0].hint == "write half of it as 'radius'"


def test_python_gets_the_same_rules_and_all_problems_at_once() -> None:
    with pytest.raises(InvalidThing) as caught:
        Belt(length=-1.0, law="odd", gates={"a": 3})  # type: ignore[dict-item, arg-type]
    assert [each.path for each in caught.value.problems] == [("length",), ("law",), ("gates", "a")]
    with pytest.raises(InvalidThing, match="beyond the end"):
        Belt(length=1.0, gates={"far": Gate(at=2.0)})


def test_values_are_normalised_so_that_equal_things_are_equal() -> None:
    assert Belt(length=1, at=[1, 2], every=2) == Belt(length=1.0, at=(1.0, 2.0, 0.0), every=(2.0,))  # type: ignore[arg-type]


def test_a_thing_is_frozen_can_be_changed_into_another_and_pickled() -> None:
    belt = read(FULL)
    with pytest.raises(AttributeError):
        belt.length = 3.0  # type: ignore[misc]
    assert belt.changed(count=4).count == 4
    assert pickle.loads(pickle.dumps(belt)) == belt


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1 m", None])
def test_python_values_that_are_not_finite_numbers_are_refused(value: object) -> None:
    with pytest.raises(InvalidThing):
        Belt(length=value)  # type: ignore[arg-type]


def test_uses_are_found_anywhere_in_a_file() -> None:
    assert [(use.path, use.name, use.ref.role) for use in OneOf(Belt).uses(read(FULL))] == [
        (("next",), "other", "belt")
    ]


def test_every_field_has_its_line_of_documentation() -> None:
    assert all(field.doc for field in fields_of(Belt))
    assert fields_of(Belt)[0].doc == "Its length."


def test_the_json_schema_accepts_what_is_read_and_refuses_a_misspelt_field() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    describer = Describer(KINDS)
    schema = {**OneOf(Belt).schema(describer), "$defs": describer.defs}
    from drycell.base import yamldoc

    plain = yamldoc.parse(FULL, "belt.yaml").plain()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(plain, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**plain, "lenght": "1 m"}, schema)


def test_a_partial_thing_remembers_what_it_was_given() -> None:
    class Copy(Gate, partial=True):
        """Like a gate of a library, with changes."""

    given = Copy(open=False)
    assert given.given == {"open"}
    assert OneOf(Copy).write(given) == {"open": False}
    assert given.changed(at=1.0).given == {"open", "at"}


def test_two_kinds_of_one_name_are_refused() -> None:
    class Other(Shape, kind="box"):
        """Another box."""

    with pytest.raises(Exception, match="the kind 'box' is defined twice"):
        Kinds([Box, Other]).under(Shape)


def test_angles_and_lengths_are_distinguished() -> None:
    assert Quantity("angle").take("90 deg") == pytest.approx(90 * deg)
    with pytest.raises(Exception, match="length"):
        Quantity("length").take("90 deg")
