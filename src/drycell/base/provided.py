"""What lower layers get from higher ones: set by the top package, which may import all others.

Nothing here imports anything, so that ``import drycell`` stays instant.
"""

TYPE_CHECKING = False  # what type checkers take as true; typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

kinds: "Callable[[], Iterable[ModuleType]]"
"""The packages that define kinds of things."""
plug_ins: "Callable[[], Iterable[ModuleType]]"
"""The installed distributions that define further kinds."""
kinematics: "Callable[[Any], Any]"
"""Makes the kinematics of a recorded linkage from a node of the recording."""
device_page: "Callable[..., Any]"
"""Makes the page with the picture of a device that runs as a process."""
