"""A channel to a device of the same cell, in cell time."""

from drycell.effector.link.fault import LinkLost
from drycell.effector.messages import Answer, Desk, MailboxPair, Message


class CellChannel:
    """Carries the messages of one program of a cell by the mailboxes of a device."""

    def __init__(self, pair: MailboxPair) -> None:
        self._pair = pair
        self._desk: Desk = pair.desk()
        self._closed = False

    @property
    def name(self) -> str:
        """The device."""
        return f"cell:{self._pair.name}"

    @property
    def clock(self) -> float:
        """Cell time in seconds."""
        return self._desk.clock

    def send(self, message: Message) -> None:
        """Put a command into the device's mailbox."""
        self._check()
        self._desk.send(message)

    def receive(self, timeout: float | None) -> Answer | None:
        """The next answer, blocking the program; None when the time is out first."""
        self._check()
        return self._desk.receive(timeout)

    def reopen(self, timeout: float) -> None:
        """Go to another desk: what still comes to the old one is dropped."""
        self._desk.close()
        self._desk = self._pair.desk()
        self._closed = False

    def close(self) -> None:
        """Leave the desk."""
        self._desk.close()
        self._closed = True

    def _check(self) -> None:
        if self._closed:
            raise LinkLost(self.name, "it was closed")
