"""Data with places becomes values of a type, or mistakes in words; texts and types are told apart from their marks."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from drycell.datafile import field_name, known_fields, marks, read_text, read_tree, validated
from drycell.errors import FileError, Mistake
from drycell.fields import Length, Name, Position, Quantity, Size


@dataclass(frozen=True, kw_only=True)
class Wheel:
    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid"}
    radius: Size
    driven: bool = False


@dataclass(frozen=True, kw_only=True)
class Cart:
    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid"}
    wheels: dict[Name, Wheel] = field(default_factory=dict)
    at: Position = (0.0, 0.0, 0.0)
    gaps: tuple[Length, ...] = ()


def test_a_value_of_the_type_comes_out() -> None:
    node = read_tree("wheels: {left: {radius: 50 mm, driven: true}}\nat: [1 m, 0]\ngaps: [1 mm, 2 mm]", "cart.yaml")
    value, mistakes = validated(Cart, node)
    assert mistakes == []
    assert value == Cart(wheels={"left": Wheel(radius=0.05, driven=True)}, at=(1.0, 0.0, 0.0), gaps=(0.001, 0.002))


def test_or_all_mistakes_each_with_its_place_and_field() -> None:
    node = read_tree("wheels:\n  left: {radios: 50 mm}\n  right: 3\ngaps: 1 mm", "cart.yaml")
    value, mistakes = validated(Cart, node, ("carts", 0))
    assert value is None
    assert mistakes == [
        Mistake("this field must be given", "carts[0].wheels.left.radius", 2, 3, "add 'radius: …'"),
        Mistake("there is no such field", "carts[0].wheels.left.radios", 2, 10, "did you mean 'radius'?"),
        Mistake(
            "a mapping of fields is wanted, but this is 3", "carts[0].wheels.right", 3, 10,
            "write 'field: value' lines below it, or {} for all defaults",
        ),
        Mistake(
            "a list is wanted, but this is '1 mm'", "carts[0].gaps", 4, 7, "write for example [a, b], or [] for none"
        ),
    ]  # fmt: skip


def test_the_fields_a_mapping_may_have_are_found_down_a_path() -> None:
    assert known_fields(Cart, ()) == ["wheels", "at", "gaps"]
    assert known_fields(Cart, ("wheels", "left")) == ["radius", "driven"]
    assert known_fields(Cart, ("wheels",)) == []  # any name may stand there
    assert known_fields(Cart, ("nowhere", "at all")) == []


def test_marks_are_found_under_none() -> None:
    assert marks(Size | None) == (Quantity("length", above=0.0),)
    assert marks(int) == ()


@pytest.mark.parametrize(
    ("path", "name"), [((), ""), (("a",), "a"), (("a", 0, "b", 1, 2), "a[0].b[1][2]"), ((0, "a"), "[0].a")]
)
def test_fields_are_named_as_people_write_them(path: tuple[str | int, ...], name: str) -> None:
    assert field_name(path) == name


def test_a_text_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    for start in ("", "\ufeff"):
        (tmp_path / "a.yaml").write_text(f"{start}name: Tür", encoding="utf-8")
        assert read_text(tmp_path / "a.yaml") == "name: Tür"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        read_text(tmp_path)
