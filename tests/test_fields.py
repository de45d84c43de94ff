"""Field types take what fits, in SI, and refuse the rest with a sentence and something to try."""

import math
import pickle
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drycell.datafile import known_fields, read_tree, validated
from drycell.errors import FieldError, UnitError
from drycell.fields import (
    Amount,
    Data,
    FileNaming,
    JointValue,
    Measure,
    Naming,
    OneOrMore,
    Quantity,
    Several,
    described,
)


def test_zero_needs_no_unit_in_a_file_and_every_other_number_does() -> None:
    length = Quantity("length")
    assert length.read(0) == 0.0
    assert length.read("150 mm") == 0.15
    with pytest.raises(UnitError, match="'300' has no unit, but a length is wanted"):
        length.read(300)


@pytest.mark.parametrize(
    ("quantity", "written", "says"),
    [
        (Quantity("length", above=0.0), "-5 mm", "'-5 mm' must be above 0"),
        (Quantity("length", above=0.0), 0, "'0' must be above 0"),
        (Quantity("length", least=0.0), "-5 mm", "'-5 mm' must be at least 0"),
        (Quantity("length"), True, "a length is wanted, but this is true"),
        (Quantity("length"), [1], "a length is wanted, but this is a list of 1"),
        (Quantity("angle"), {}, "an angle is wanted, but this is a mapping"),
        (Quantity("angle"), None, "an angle is wanted, but this is empty"),
    ],
)
def test_a_field_refuses_what_makes_no_sense_there(quantity: Quantity, written: object, says: str) -> None:
    with pytest.raises(UnitError) as caught:
        quantity.read(written)
    assert caught.value.what == says
    assert caught.value.hint


@pytest.mark.parametrize("name", ["arm", "mill/fixture", "machine1.ready", "ur5-like", "Tür_2", "a"])
def test_names_of_things(name: str) -> None:
    assert Naming().read(name) == name


@pytest.mark.parametrize("name", ["", "3a", "a b", "/a", "a/", "a//b", "a/3", "-a", "a\n", "x" * 101, 3, None, ["a"]])
def test_what_cannot_be_a_name(name: object) -> None:
    with pytest.raises(FieldError, match="cannot be a name") as caught:
        Naming().read(name)
    assert "start with a letter" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["", "  ", "a\0b", 3, None])
def test_what_cannot_be_the_name_of_a_file(name: object) -> None:
    with pytest.raises(FieldError, match="cannot be the name of a file"):
        FileNaming().read(name)


def test_a_joint_value_keeps_the_dimension_of_its_unit() -> None:
    assert JointValue.read("90 deg") == JointValue(math.pi / 2, "angle")
    assert JointValue.read("150 mm") == JointValue(0.15, "length")
    assert JointValue.read(0) == JointValue(0.0, None)


@pytest.mark.parametrize("written", [90, "90", "5 kg", True, False, None, []])
def test_a_joint_value_without_a_fitting_unit_is_refused(written: object) -> None:
    with pytest.raises(FieldError, match="is neither an angle nor a length"):
        JointValue.read(written)


def test_a_fixed_number_of_values_may_leave_out_the_last_when_it_has_a_stand_in() -> None:
    position = Several(3, "[100 mm, 50 mm, 0 mm]", fill="0 mm")
    assert position.read(["1 mm", "2 mm"]) == ("1 mm", "2 mm", "0 mm")
    assert position.read(["1 mm", "2 mm", "3 mm"]) == ("1 mm", "2 mm", "3 mm")
    with pytest.raises(FieldError, match="a list of 3 is wanted, but this is a list of 1"):
        position.read(["1 mm"])
    with pytest.raises(FieldError, match="a list of 3 is wanted, but this is 300"):
        position.read(300)


def test_plain_data_is_handed_on_as_it_is() -> None:
    assert Data(lists=True).read(["a", 1, 2.5, True]) == ("a", 1, 2.5, True)
    assert Data().read(False) is False
    for written in (math.inf, None, {}, ["a"]):
        with pytest.raises(FieldError, match="a text, a number, true or false is wanted"):
            Data().read(written)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_anything_can_be_described_briefly(written: object) -> None:
    assert 0 < len(described(written)) < 200


def test_a_measure_knows_its_dimension_by_its_unit() -> None:
    either = Measure(("length", "ratio"), least=0.0)
    assert [(either.read(text), either.read(text).dimension) for text in ("5 mm", "10 %")] == [
        (0.005, "length"),
        (0.1, "ratio"),
    ]
    assert (either.read(0), either.read(0).dimension) == (0.0, None)
    with pytest.raises(UnitError, match="a length or a ratio is wanted, but this is '5 N'"):
        either.read("5 N")
    with pytest.raises(UnitError, match="'-5 mm' must be at least 0"):
        either.read("-5 mm")


def test_an_amount_is_a_float_that_keeps_its_dimension() -> None:
    amount = pickle.loads(pickle.dumps(Amount(0.3, "length")))
    assert amount == 0.3
    assert amount.dimension == "length"


@dataclass(frozen=True)
class Eye:
    __pydantic_config__: ClassVar = {"extra": "forbid"}
    size: Annotated[float, Quantity("length")]


@dataclass(frozen=True)
class Face:
    __pydantic_config__: ClassVar = {"extra": "forbid"}
    eyes: Annotated[Eye | tuple[Eye, ...], OneOrMore()] = ()


def test_one_thing_may_be_written_without_brackets_and_its_mistakes_keep_their_place() -> None:
    def read(text: str) -> tuple[object, list[str]]:
        found, mistakes = validated(Face, read_tree(text, "face.yaml"))
        return found, [f"{mistake.field}: {mistake.what} ({mistake.hint})" for mistake in mistakes]

    assert read("eyes: {size: 1 m}")[0] == Face((Eye(1.0),))
    assert read("eyes: [{size: 1 m}, {size: 2 m}]")[0] == Face((Eye(1.0), Eye(2.0)))
    assert read("eyes: {size: 1 m, szie: 1 m}")[1] == ["eyes.szie: there is no such field (did you mean 'size'?)"]
    assert read("eyes: [{size: 1}]")[1][0].startswith("eyes[0].size: '1' has no unit")
    assert known_fields(Face, ("eyes", 1)) == ["size"]
