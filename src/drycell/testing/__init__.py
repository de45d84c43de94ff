"""Robot programs under test, like any programs: what the pytest plug-in hands to tests, and what can be asserted.

The plug-in (``plugin``) is loaded by every run of pytest where drycell is installed; it imports the rest, and the cell,
only when a test asks for ``drycell_cell``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drycell.testing.bench import Bench
    from drycell.testing.checked import CheckedResult
    from drycell.testing.verification import verify

_HOME = {"Bench": "bench", "CheckedResult": "checked", "verify": "verification"}
__all__ = ["Bench", "CheckedResult", "verify"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
