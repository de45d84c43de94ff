"""The names that `import drycell` exposes: they are these, and each shows an example that is run."""

import doctest

import pytest

import drycell

# What `from drycell import …` offers. A name leaves this list only with a line in CHANGELOG.md.
PUBLIC = [
    "above", "approach", "Body", "Box", "Capsule", "Cell", "choose", "Cone", "Controller", "Conveyor",
    "current_process", "Cylinder", "deg", "delay", "Device", "DrycellError", "Effector", "hour", "inch", "interval",
    "kg", "Live", "Logic", "m", "Machine", "MeshFile", "minute", "mm", "Model", "ms", "N", "now", "offset", "Pad",
    "Pose", "Prism", "Program", "ProgramError", "rad", "Result", "Robot", "s", "Sensor", "shifted", "Sink",
    "Source", "spawn", "Sphere", "StandIn", "Stop", "Store", "Tolerance", "turned", "wait", "wait_any", "Workpoint",
    "Wrist",
]  # fmt: skip
DOCUMENTED = [name for name in PUBLIC if not isinstance(getattr(drycell, name), float)]  # units are plain numbers


def examples(name: str) -> doctest.DocTest:
    """The examples in the docstring of a public name."""
    text = getattr(drycell, name).__doc__ or ""
    return doctest.DocTestParser().get_doctest(text, {}, name, f"drycell.{name}", 0)


def test_public_names_are_these() -> None:
    assert sorted(drycell.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_example_of_a_public_name_runs(name: str) -> None:
    found = examples(name)
    assert found.examples, "its docstring has no example"
    printed: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(found, out=printed.append)
    assert not failed, "".join(printed)
