"""Every name that ``import drycell`` exposes has an example in its docstring, and the examples run."""

import doctest
import inspect
import re

import pytest

import drycell
from drycell.base import units

NAMES = sorted(getattr(drycell, "__all__", []))


def example_of(name: str) -> str:
    """Return the docstring with the example; units are floats and share that of their module."""
    found = getattr(drycell, name)
    return inspect.getdoc(units if isinstance(found, float) else found) or ""


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_that_runs(name: str) -> None:
    text = example_of(name)
    assert re.search(rf"^(>>>|\.\.\.) .*\b{name}\b", text, re.MULTILINE | re.IGNORECASE), f"{name} has no example"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    report: list[str] = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)
