"""Package doors: the names that a package exports, each loaded when it is first used.

A package's ``__init__`` lists what it exports once, as imports that only type checkers and editors read::

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from drycell.kernel.clock import seconds as seconds, ticks as ticks
    else:
        from drycell.base.lazy import door

        __all__, __getattr__, __dir__ = door(__name__)

This keeps ``import drycell`` instant: a module is loaded when a name of it is used. Imports nothing but the standard
library's smallest modules, because every package passes through here.
"""

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def door(package: str) -> "tuple[list[str], Callable[[str], object], Callable[[], list[str]]]":
    """The ``__all__``, ``__getattr__`` and ``__dir__`` of a package that imports its exports under TYPE_CHECKING."""
    module = sys.modules[package]
    with open(module.__file__ or "", encoding="utf-8") as file:
        source = file.read()
    home, path = {}, ""
    for line in source.partition("if TYPE_CHECKING:")[2].partition("\nelse:")[0].splitlines():
        if line.startswith("    from "):
            path, _, line = line[9:].partition(" import ")
        for item in line.strip("() ").split(","):
            inner, _, name = item.strip().partition(" as ")
            if name:
                home[name] = path, inner
    everything = sorted(home)

    def resolve(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        path, inner = home[name]
        found: object = import_module(f"{path}.{inner}") if path == package else getattr(import_module(path), inner)
        setattr(module, name, found)
        return found

    return everything, resolve, lambda: everything
