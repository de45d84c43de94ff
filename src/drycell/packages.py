"""How the packages are connected: exports that are loaded when they are used, and what lower packages get from
higher ones.

A package's ``__init__`` lists its exports once, as imports that only type checkers and editors read::

    TYPE_CHECKING: bool = False
    if TYPE_CHECKING:
        from drycell.kernel.clock import seconds as seconds, ticks as ticks
    else:
        from drycell.packages import door

        __getattr__, __dir__ = door(__name__)

``import drycell`` loads this module and nothing else, so it imports nothing but ``sys``.
"""

import sys

TYPE_CHECKING: bool = False  # type checkers take it as true; importing typing would take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any, Protocol

    from drycell.effector import LiveMessageDevice
    from drycell.recording import DocumentNode
    from drycell.world import LinkKinematics

    class DevicePage(Protocol):
        """The page with the picture of a device."""

        @property
        def url(self) -> str:
            """The address to open in a browser."""

        def start(self) -> None:
            """Start serving, in a separate thread."""

        def close(self) -> None:
            """Stop serving."""


# Set by the top package, which may import all others.
kinds: "Callable[[], Iterable[ModuleType]]"
"""The packages that define kinds of things."""
plug_ins: "Callable[[], Iterable[ModuleType]]"
"""The installed distributions that define further kinds."""
kinematics: "Callable[[DocumentNode], LinkKinematics]"
"""Builds the kinematics of a recorded linkage from a node of the recording."""
device_page: "Callable[[str, LiveMessageDevice[Any], int], DevicePage]"
"""Builds the page with the picture of a device that runs as a process, from its kind, the device and the number of
subdivisions."""


def door(package: str) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return the ``__getattr__`` and the ``__dir__`` of a package that imports its exports under TYPE_CHECKING."""
    module = sys.modules[package]
    exports: dict[str, tuple[str, str]] = {}

    def names() -> list[str]:
        if not exports:
            exports.update(_exports(module.__file__ or ""))
        return sorted(exports)

    def resolve(name: str) -> object:
        if name == "__all__":
            return names()
        if name.startswith("__") or name not in names():  # Python itself asks for names such as __path__
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        path, inner = exports[name]
        found: object = import_module(f"{path}.{inner}") if path == package else getattr(import_module(path), inner)
        setattr(module, name, found)
        return found

    return resolve, names


def _exports(file: str) -> dict[str, tuple[str, str]]:
    """Return the exports that an ``__init__`` lists: each name with its module and its name there."""
    with open(file, encoding="utf-8") as opened:
        source = opened.read()
    exports, path = {}, ""
    for line in source.partition("if TYPE_CHECKING:")[2].partition("\nelse:")[0].splitlines():
        if line.startswith("    from "):
            path, _, line = line[9:].partition(" import ")
        for item in line.strip("() ").split(","):
            inner, _, name = item.strip().partition(" as ")
            if name:
                exports[name] = path, inner
    return exports
