"""Every field of every thing has a doc line: forms, help and reference pages show it."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from drycell.base import Thing
from drycell.base.schema import docs

PACKAGES = (
    "geometry",
    "cell",
    "robots",
    "sensors",
    "devices",
    "effector",
    "scorbot",
    "languages",
    "learn",
    "teach",
    "rigs",
)


def things() -> Iterator[type[Thing]]:
    """All things of the packages, each with the module that defines it."""
    for name in PACKAGES:
        package = importlib.import_module(f"drycell.{name}")
        names = (each.name for each in pkgutil.walk_packages(package.__path__, f"drycell.{name}."))
        for module in map(importlib.import_module, names):
            classes = (each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Thing))
            yield from (each for each in classes if each.__module__ == module.__name__)


@pytest.mark.parametrize("thing", [pytest.param(each, id=each.__qualname__) for each in things()])
def test_every_field_has_a_doc_line(thing: type[Thing]) -> None:
    declared = [field.name for field in dataclasses.fields(thing) if field.name in inspect.get_annotations(thing)]
    assert [name for name in declared if not docs(thing).get(name)] == []


def test_schema_finds_all_things() -> None:
    assert {each.__name__ for each in things()} >= {
        "DeviceTable",
        "LearningSetup",
        "LessonStep",
        "Calibration",
        "Body",
        "Robot",
        "Sensor",
        "Conveyor",
        "Box",
        "RobotFile",
    }
