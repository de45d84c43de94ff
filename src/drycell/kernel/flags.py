"""Event flags: a word of bits that programs set, clear and wait for, as in a real-time operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drycell.base import KernelError
from drycell.kernel.condition import Condition, Level
from drycell.kernel.signal import Signal
from drycell.kernel.verbs import wait

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel


class EventFlags:
    """Bits under one name. ``flags.wait(0b101)`` waits for any of them, ``all_of=True`` for all."""

    def __init__(self, kernel: Kernel, name: str, initial: int = 0) -> None:
        self.name = name
        self.bits: Signal[int] = kernel.signal(f"{name}.bits", _checked(name, initial), quiet=True)

    @property
    def value(self) -> int:
        """All bits now."""
        return self.bits.value

    def set(self, mask: int) -> None:
        """Set the bits of a mask."""
        self.bits.set(self.bits.value | _checked(self.name, mask))

    def clear(self, mask: int) -> None:
        """Clear the bits of a mask."""
        self.bits.set(self.bits.value & ~_checked(self.name, mask))

    def any_set(self, mask: int) -> Condition:
        """That at least one bit of a mask is set."""
        _checked(self.name, mask)
        bits = self.bits
        return Level(bits, f"any of {self.name}[{mask:#b}]", lambda: bool(bits.peek() & mask))

    def all_set(self, mask: int) -> Condition:
        """That all bits of a mask are set."""
        _checked(self.name, mask)
        bits = self.bits
        return Level(bits, f"all of {self.name}[{mask:#b}]", lambda: bits.peek() & mask == mask)

    def wait(self, mask: int, *, all_of: bool = False, clear: bool = False, timeout: float | None = None) -> int:
        """Block until bits of a mask are set, and say which; 0 when the time is out first.

        With ``clear`` they are cleared in the same step, so that one setting serves one program.
        """
        kernel = self.bits.kernel
        if mask == 0:
            raise KernelError(f"event flags '{self.name}' cannot be waited for without a bit", hint="give a mask")
        end = None if timeout is None else kernel.now + round(timeout * 1e6)
        condition = self.all_set(mask) if all_of else self.any_set(mask)
        while wait(condition, timeout=None if end is None else max(end - kernel.now, 0) / 1e6):
            found = self.bits.value & mask
            if found == mask or (found and not all_of):  # another program may have cleared them at this instant
                if clear:
                    self.clear(found)
                return found
        return 0


def _checked(name: str, mask: int) -> int:
    if mask < 0:
        raise KernelError(f"event flags '{name}' got the mask {mask}", hint="a mask is 0 or more, such as 0b101")
    return mask
