"""Mailboxes and event flags: programs exchange messages and wait for bits, as in a real-time operating system."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from drycell.base import KernelError
from drycell.kernel.condition import Condition, Level
from drycell.kernel.signal import Signal
from drycell.kernel.verbs import in_program, wait

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

M = TypeVar("M")


class Mailbox(Generic[M]):
    """A queue of messages. With a capacity, putting into a full mailbox blocks a program until there is room."""

    def __init__(self, kernel: Kernel, name: str, capacity: int | None = None) -> None:
        if capacity is not None and capacity < 1:
            raise KernelError(f"mailbox '{name}' has capacity {capacity}", hint="1 or more, or None for no limit")
        self.name = name
        self.capacity = capacity
        self.count: Signal[int] = kernel.signal(f"{name}.count", 0, quiet=True)
        """The number of messages. A program that puts or gets messages declares it in ``writes``."""
        self._messages: deque[M] = deque()

    @property
    def filled(self) -> Condition:
        """The condition that there is a message."""
        return (self.count > 0).named(f"a message in {self.name}")

    @property
    def has_room(self) -> Condition:
        """The condition that there is room for another message."""
        limit = self.capacity
        room = self.count >= 0 if limit is None else self.count < limit
        return room.named(f"room in {self.name}")

    def __len__(self) -> int:
        return self.count.value

    def offer(self, message: M) -> bool:
        """Add a message if there is room. Never blocks, so devices can use it."""
        if self.capacity is not None and self.count.value >= self.capacity:
            return False
        self._messages.append(message)
        self.count.set(len(self._messages))
        return True

    def put(self, message: M) -> None:
        """Add a message. A program blocks while there is no room; other callers get an error."""
        while not self.offer(message):
            if not in_program():
                raise KernelError(
                    f"mailbox '{self.name}' is full: {self.capacity} of {self.capacity} messages",
                    hint="use offer(), which returns whether there was room, or increase the capacity",
                )
            wait(self.has_room)

    def poll(self) -> M | None:
        """Remove and return the oldest message, if there is one. Never blocks."""
        if self.count.value == 0:
            return None
        message = self._messages.popleft()
        self.count.set(len(self._messages))
        return message

    @overload
    def get(self) -> M: ...

    @overload
    def get(self, timeout: float) -> M | None: ...

    def get(self, timeout: float | None = None) -> M | None:
        """Remove and return the oldest message; block until there is one, or return None after the timeout."""
        if timeout is None:
            while True:
                wait(self.filled)
                if self._messages:  # another reader may have been faster at this instant
                    return self.poll()
        end = self.count.kernel.now + round(timeout * 1e6)
        while True:
            left = max(end - self.count.kernel.now, 0)
            if not wait(self.filled, timeout=left / 1e6):
                return None
            if self._messages:
                return self.poll()


class EventFlags:
    """Bits with a common name. ``flags.wait(0b101)`` waits for any of these bits; with ``all_of=True``, for all."""

    def __init__(self, kernel: Kernel, name: str, initial: int = 0) -> None:
        self.name = name
        self.bits: Signal[int] = kernel.signal(f"{name}.bits", _checked(name, initial), quiet=True)

    @property
    def value(self) -> int:
        """The bits as an integer."""
        return self.bits.value

    def set(self, mask: int) -> None:
        """Set the bits of a mask."""
        self.bits.set(self.bits.value | _checked(self.name, mask))

    def clear(self, mask: int) -> None:
        """Clear the bits of a mask."""
        self.bits.set(self.bits.value & ~_checked(self.name, mask))

    def any_set(self, mask: int) -> Condition:
        """Return the condition that at least one bit of a mask is set."""
        _checked(self.name, mask)
        bits = self.bits
        return Level(bits, f"any of {self.name}[{mask:#b}]", lambda value: bool(value & mask))

    def all_set(self, mask: int) -> Condition:
        """Return the condition that all bits of a mask are set."""
        _checked(self.name, mask)
        bits = self.bits
        return Level(bits, f"all of {self.name}[{mask:#b}]", lambda value: value & mask == mask)

    def wait(self, mask: int, *, all_of: bool = False, clear: bool = False, timeout: float | None = None) -> int:
        """Block until bits of a mask are set and return those bits; return 0 after the timeout.

        With ``clear``, they are cleared in the same step, so that one setting serves one program.
        """
        kernel = self.bits.kernel
        if mask == 0:
            raise KernelError(
                f"event flags '{self.name}' cannot wait for a mask without bits",
                hint="write for example wait(0b1)",
            )
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
        raise KernelError(f"event flags '{name}' got the mask {mask}", hint="use a mask of 0 or more, such as 0b101")
    return mask
