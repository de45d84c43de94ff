"""What can go wrong for a controlling program: each error says what was asked, of whom, how long, and what to try.

::

    LinkError
    ├── LinkTimeout      no reply in time
    ├── LinkLost         the device or the connection is gone; reconnect() begins anew
    └── CommandFailed    the device answered that the command was not done
    MessageRefused       the message was not served at all: see its code
"""

from drycell.base import DrycellError
from drycell.effector.messages import Message


class LinkError(DrycellError):
    """Something went wrong between a controlling program and a device."""


class LinkTimeout(LinkError):
    """No reply came in time. It may still come: the ticket can be waited for again."""

    def __init__(self, where: str, asked: str, waited: float) -> None:
        self.asked, self.waited = asked, waited
        hint = "wait longer, ask status() whether the device still works on it, or abort()"
        super().__init__(f"no reply to {asked} within {waited:g} s", where=where, hint=hint)


class LinkLost(LinkError):
    """The device or the connection is gone."""

    def __init__(self, where: str, why: str, hint: str = "see that the device runs, then reconnect()") -> None:
        self.why = why
        super().__init__(f"the connection is lost: {why}", where=where, hint=hint)


class CommandFailed(LinkError):
    """The device answered that a command was not done. ``reason`` is the word of the table, ``reply`` the message."""

    def __init__(self, where: str, asked: str, reason: str, reply: Message) -> None:
        self.asked, self.reason, self.reply = asked, reason, reply
        super().__init__(f"{asked} failed: {reason}", where=where, hint=ADVICE.get(reason))


ADVICE = {
    "aborted": "give the command again when what it was aborted for is over",
    "not initialised": "initialise() first",
    "blocked": "see what stands between the jaws, or end the move at a force",
    "lost hold": "see who took the part, or what knocked it out of the jaws",
    "missed": "it came to rest and met nothing to press on: end the move at a gap or after a time, too",
    "random failure": "give the command again: devices fail now and then, and programs have to bear it",
    "quitting": "start the device again, then reconnect()",
}
"""What to try, for each reason of the table."""
