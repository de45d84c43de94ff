"""The examples in the docstrings of end effectors, learning, planning and teaching run."""

import doctest
import importlib

import pytest

MODULES = [
    "effector.effector",
    "effector.link.client",
    "effector.stand_in",
    "effector.tactile",
    "effector.wrist",
    "learn.training",
    "plan.precedence",
    "teach.lesson",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"drycell.{name}"))
    assert result.failed == 0
    assert result.attempted
