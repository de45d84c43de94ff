"""Mailboxes: messages from one program or device to another, in order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from drycell.base import KernelError
from drycell.kernel.condition import Condition
from drycell.kernel.signal import Signal
from drycell.kernel.verbs import in_program, wait

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

M = TypeVar("M")


class Mailbox(Generic[M]):
    """A queue of messages. With a capacity, putting into a full one blocks a program until there is room."""

    def __init__(self, kernel: Kernel, name: str, capacity: int | None = None) -> None:
        if capacity is not None and capacity < 1:
            raise KernelError(f"mailbox '{name}' has capacity {capacity}", hint="1 or more, or None for no limit")
        self.name = name
        self.capacity = capacity
        self.count: Signal[int] = kernel.signal(f"{name}.count", 0, quiet=True)
        """How many messages are in it: what somebody who puts (or gets) declares as ``writes``."""
        self._messages: deque[M] = deque()

    @property
    def filled(self) -> Condition:
        """That there is a message."""
        return (self.count > 0).named(f"a message in {self.name}")

    @property
    def has_room(self) -> Condition:
        """That another message can be put in."""
        limit = self.capacity
        room = self.count >= 0 if limit is None else self.count < limit
        return room.named(f"room in {self.name}")

    def __len__(self) -> int:
        return self.count.value

    def offer(self, message: M) -> bool:
        """Put in a message if there is room; never blocks, so devices can use it."""
        if self.capacity is not None and self.count.value >= self.capacity:
            return False
        self._messages.append(message)
        self.count.set(len(self._messages))
        return True

    def put(self, message: M) -> None:
        """Put in a message; a program blocks while there is no room, anybody else must not meet a full mailbox."""
        while not self.offer(message):
            if not in_program():
                raise KernelError(
                    f"mailbox '{self.name}' is full, {self.capacity} of {self.capacity} messages",
                    hint="use offer(), which says whether there was room, or give the mailbox a greater capacity",
                )
            wait(self.has_room)

    def poll(self) -> M | None:
        """Take out the oldest message if there is one; never blocks."""
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
        """Take out the oldest message, blocking until there is one; None when the time is out first."""
        if timeout is None:
            while True:
                wait(self.filled)
                if self._messages:  # another reader may have been quicker at this instant
                    return self.poll()
        end = self.count.kernel.now + round(timeout * 1e6)
        while True:
            left = max(end - self.count.kernel.now, 0)
            if not wait(self.filled, timeout=left / 1e6):
                return None
            if self._messages:
                return self.poll()
