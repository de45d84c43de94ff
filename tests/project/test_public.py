"""The names that `import drycell` exposes: they are these, and their docstrings explain them.

Each name shows an example that uses it and that is run. Each function and method of a public name, and of the objects
that programs get in a run, mentions all of its parameters.
"""

import ast
import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import drycell
from drycell.base import units
from drycell.devices import LiveController, LiveConveyor, LiveMachine, LivePallet, LiveStore
from drycell.handling import Gripper
from drycell.kernel import Condition, Process, Signal
from drycell.robots import LiveRobot, LiveToolStation
from drycell.sensors import LiveSensor
from drycell.world import LiveBody, LiveWorkpoint

SOURCE = Path(drycell.__file__).parent
# What `from drycell import …` offers. A name leaves this list only with a line in CHANGELOG.md.
PUBLIC = [
    "above", "approach", "Bend", "Block", "Body", "Box", "Capsule", "Cell", "choose", "Cone", "Controller",
    "Conveyor", "current_process", "Cylinder", "deg", "delay", "Device", "Director", "DrycellError", "Effector",
    "hour", "inch", "interval", "Junction", "kg", "Live", "Logic", "m", "Machine", "MeshFile", "minute", "mm",
    "Model", "ms", "N", "now", "offset", "Pad", "Pallet", "PartLayer", "Pose", "Prism", "Program", "ProgramError",
    "rad", "Result", "Robot", "s", "Sensor", "shifted", "Sink", "Source", "spawn", "Sphere", "StandIn", "Stop",
    "Store", "StraightTrack", "Tolerance", "Tool", "ToolStation", "TrayLine", "TrayLoad", "TraySink", "TraySource",
    "turned", "wait", "wait_any", "Workpoint", "Wrist",
]  # fmt: skip
# What `cell.add`, `cell.signal` and `spawn` return, and what these objects offer to programs.
LIVE = [
    Condition, Gripper, LiveBody, LiveController, LiveConveyor, LiveMachine, LivePallet, LiveRobot, LiveSensor,
    LiveStore, LiveToolStation, LiveWorkpoint, Process, Signal,
]  # fmt: skip
UNMENTIONED = {
    "build": "a hook: the protocol that `Cell.add` asks for explains cell and name once, for all kinds",
    "__init__": "only for classes that users construct; kinds of things document their fields, the kernel and the "
    "cell make live objects",
}
SECTION = re.compile(r"^ *(?:Args|Raises|Returns|Yields):\n[ \t]*\n", re.MULTILINE)


def examples(name: str) -> doctest.DocTest:
    """Return the examples in the docstring of a public name; units are floats and share the one of their module."""
    found = getattr(drycell, name)
    text = inspect.getdoc(units if isinstance(found, float) else found) or ""
    return doctest.DocTestParser().get_doctest(text, {}, name, f"drycell.{name}", 0)


def used(example: doctest.DocTest) -> set[str]:
    """Return the names that an example uses; an import alone is not a use."""
    tree = ast.parse("".join(each.source for each in example.examples))
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}


def functions(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods that a class of drycell or its bases define, with its constructor."""
    for name, member in vars(owner).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(function) and (not name.startswith("_") or name == "__init__"):
            yield name, function


def documented() -> dict[str, tuple[Callable[..., Any], type | None]]:
    """Return the public functions, and the methods of public names, by their full names."""
    found: dict[str, tuple[Callable[..., Any], type | None]] = {}
    for each in (*(getattr(drycell, name) for name in PUBLIC), *LIVE):
        if inspect.isfunction(each):
            found[each.__qualname__] = each, None
        for owner in each.__mro__ if inspect.isclass(each) else ():
            if owner.__module__.startswith("drycell."):
                for name, function in functions(owner):
                    found[f"{owner.__module__}.{owner.__name__}.{name}"] = function, owner
    return found


def unmentioned(function: Callable[..., Any], owner: type | None) -> list[str]:
    """Return the parameters that are neither in `Args:` nor in quotes in its docstring or that of an overridden one."""
    texts = [inspect.getdoc(function) or ""]
    if owner is not None:
        texts += [getattr(getattr(base, function.__name__, None), "__doc__", None) or "" for base in owner.__mro__]
    whole = "\n".join(texts)
    names = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in names if not re.search(rf"^ *\*{{0,2}}{name}: |``{name}``", whole, re.MULTILINE)]


DOCUMENTED = {
    full: (function, owner)
    for full, (function, owner) in documented().items()
    if full.rpartition(".")[2] not in UNMENTIONED
}


def test_public_names_are_these() -> None:
    assert sorted(drycell.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_example_of_a_public_name_uses_it_and_runs(name: str) -> None:
    found = examples(name)
    assert found.examples, "its docstring has no example"
    assert name in used(found), f"the example does not use {name}"
    printed: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(found, out=printed.append)
    assert not failed, "".join(printed)


@pytest.mark.parametrize("full", DOCUMENTED)
def test_the_docstring_of_a_public_function_mentions_every_parameter(full: str) -> None:
    function, owner = DOCUMENTED[full]
    assert function.__doc__ or owner is not None, f"{full} has no docstring"
    assert not unmentioned(function, owner), f"{full} does not explain these parameters"


@pytest.mark.parametrize("owner", [drycell.Cell, drycell.Pose, drycell.Live, drycell.DrycellError])
def test_the_docstring_of_a_class_that_users_construct_mentions_every_parameter(owner: type) -> None:
    names = [name for name in inspect.signature(owner).parameters if name != "self"]
    text = inspect.getdoc(owner) or ""
    assert not [name for name in names if not re.search(rf"^    {name}: ", text, re.MULTILINE)]


def test_sections_of_docstrings_follow_their_heads_at_once() -> None:
    # After a blank line, the API reference shows the head as text and loses the entries.
    found = [
        f"{path.relative_to(SOURCE)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in [path.read_text(encoding="utf-8")]
        for match in SECTION.finditer(text)
    ]
    assert not found
