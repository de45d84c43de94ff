"""Commands under way: each has a ticket, and every reply finds the ticket it belongs to."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final, Generic, Protocol, TypeVar

from drycell.base import ProgramError
from drycell.effector.link.fault import CommandFailed, LinkError, LinkLost, LinkTimeout
from drycell.effector.messages import (
    LAST_SEQUENCE,
    VOCABULARY,
    Answer,
    Command,
    DeviceTable,
    Message,
    MessageRefused,
    Refusal,
    Reply,
    Vocabulary,
    advice,
)

TIMEOUT: Final = 5.0
"""Seconds in which a command that is not queued is answered."""
MOVE_TIMEOUT: Final = 60.0
"""Seconds in which a queued command is done."""
MOST_OPEN: Final = 4096
"""Commands that may be without a reply at one time."""
_INSTANT: Final = 0.5e-6  # seconds: less than cell time can tell apart


T = TypeVar("T")
Reals = dict[str, float]
"""The reals of a reply by name."""


class Channel(Protocol):
    """What carries messages: mailboxes in cell time, a socket in real time."""

    @property
    def name(self) -> str:
        """The far end, as errors tell of it."""

    @property
    def clock(self) -> float:
        """Seconds, of the cell or of the computer."""

    def send(self, message: Message) -> None:
        """Send a command. Raises LinkLost."""

    def receive(self, timeout: float | None) -> Answer | None:
        """The next answer; None when the time is out first. Raises LinkLost."""

    def reopen(self, timeout: float) -> None:
        """Begin anew, after whatever happened. Raises LinkLost when there is nobody."""

    def close(self) -> None:
        """Give everything back."""


class Ticket(Generic[T]):
    """A command that was sent: wait for its reply here, now or later."""

    def __init__(
        self, calls: "Calls", command: Command, message: Message, sent: float, read: Callable[[Reals], T]
    ) -> None:
        self.command, self.message, self.sent = command, message, sent
        self.reply: Message | None = None
        self.error: MessageRefused | LinkError | None = None
        self._calls, self._read = calls, read

    @property
    def over(self) -> bool:
        """Whether it has been answered, as far as has been received; ``poll`` looks for more."""
        return self.reply is not None or self.error is not None

    def poll(self) -> bool:
        """Receive what has come, without waiting, and say whether this command has been answered."""
        self._calls.receive_all()
        return self.over

    def wait(self, timeout: float = MOVE_TIMEOUT) -> T:
        """Block until the command is done, and give how it ended.

        Raises CommandFailed, MessageRefused, LinkLost, or LinkTimeout, after which it can be waited for again.
        """
        return self._read(self._calls.wait(self, timeout))

    def within(self, seconds: float) -> bool:
        """Block until the command has been answered, however, or the time is out; says whether it has been."""
        try:
            self._calls.wait(self, seconds)
        except LinkTimeout:
            return False
        except (MessageRefused, LinkError):
            return True  # wait() raises it
        return True

    def __str__(self) -> str:
        number = "" if self.message.sequence is None else f" {self.message.sequence}"
        return f"{self.command.name} ({self.message.characters}{number})"


class Calls:
    """Sends the commands of one device and ties replies to them: by number, or without numbers by order alone.

    Without numbers a reply is taken for the oldest command that may get it. That is what a program must do when the
    protocol has none, and it is wrong as soon as a reply is lost, doubled or overtaken. One thread or program at a
    time.
    """

    def __init__(
        self,
        channel: Channel,
        device: DeviceTable,
        *,
        source: str = "P",
        numbered: bool = True,
        vocabulary: Vocabulary = VOCABULARY,
    ) -> None:
        self.channel, self.device, self.source, self.numbered = channel, device, source, numbered
        self.strays = 0
        """Replies that belong to no command: doubled ones, or such that came after they were given up."""
        self._vocabulary = vocabulary
        self._numbers = count(1)
        self._open: dict[int, Ticket[Any]] = {}
        self._notice: Refusal | None = None  # what the far end said last about the connection itself

    @property
    def waiting(self) -> int:
        """Commands without a reply yet."""
        return len(self._open)

    def begin(self, letters: str, values: Mapping[str, float], read: Callable[[Reals], T]) -> Ticket[T]:
        """Send a command with its reals by name; ``read`` makes of the reply's reals what waiting for it gives.

        Raises MessageRefused at once for what the table does not allow.
        """
        command = self.device.command(letters)
        if len(self._open) >= MOST_OPEN:
            raise ProgramError(
                f"{MOST_OPEN} commands to {self.channel.name} have no reply yet", hint="wait for tickets now and then"
            )
        number = next(self._numbers) & LAST_SEQUENCE
        sequence = number if self.numbered else None
        message = Message(self.source, self.device.letter, letters, command.pack(**values), sequence)
        self._vocabulary.check(message)
        ticket = Ticket(self, command, message, self.channel.clock, read)
        self._open[number] = ticket
        try:
            self.channel.send(message)
        except LinkLost as error:
            raise self._lose(error) from None
        return ticket

    def ask(self, letters: str, **values: float) -> Reals:
        """Send a command and wait for its reply; one that comes when the time is out is not waited for any more."""
        ticket = self.begin(letters, values, plain)
        try:
            return ticket.wait(TIMEOUT)
        except LinkTimeout:
            self._open = {number: other for number, other in self._open.items() if other is not ticket}
            raise

    def wait(self, ticket: Ticket[Any], timeout: float) -> Reals:
        """Receive until a ticket is answered."""
        channel = self.channel
        end = channel.clock + timeout
        while not ticket.over:
            left = end - channel.clock
            try:
                answer = channel.receive(left) if left > _INSTANT else None
            except LinkLost as error:
                self._lose(error)
                continue
            if answer is not None:
                self._sort(answer)
            elif end - channel.clock <= _INSTANT:
                raise LinkTimeout(channel.name, str(ticket), timeout)
        return self._result(ticket)

    def receive_all(self) -> None:
        """Sort what has come, without waiting. Raises LinkLost."""
        try:
            while (answer := self.channel.receive(0)) is not None:
                self._sort(answer)
        except LinkLost as error:
            raise self._lose(error) from None

    def forget(self, why: str) -> None:
        """Give up all commands without a reply: their tickets raise LinkLost."""
        self._lose(LinkLost(self.channel.name, why))

    def _result(self, ticket: Ticket[Any]) -> Reals:
        if ticket.error is not None:
            raise ticket.error
        assert ticket.reply is not None  # over, and no error
        return self.device.reply(ticket.reply.command).unpack(ticket.reply)

    def _sort(self, answer: Answer) -> None:
        number = self._owner(answer)
        if number is None:
            if isinstance(answer, Refusal):
                self._notice = answer
            else:
                self.strays += 1
            return
        ticket = self._open.pop(number)
        if isinstance(answer, Refusal):
            ticket.error = MessageRefused(answer, where=self.channel.name)
            return
        ticket.reply = answer
        reply = self.device.reply(answer.command)
        if reply.failure:
            ticket.error = CommandFailed(self.channel.name, str(ticket), _reason(reply, answer), answer)

    def _owner(self, answer: Answer) -> int | None:
        """The number of the open ticket that an answer belongs to."""
        if self.numbered:
            ticket = self._open.get(answer.sequence) if answer.sequence is not None else None
            if ticket is None or (isinstance(answer, Message) and answer.command not in ticket.command.replies):
                return None
            return answer.sequence
        for number, ticket in self._open.items():
            if isinstance(answer, Refusal) or answer.command in ticket.command.replies:
                return number
        return None

    def _lose(self, error: LinkLost) -> LinkLost:
        """Hand the loss to all open tickets, with what the far end said before it."""
        with suppress(LinkLost):
            while (answer := self.channel.receive(0)) is not None:
                self._sort(answer)
        if self._notice is not None:
            why = f"{error.why}; before, it said {self._notice}"
            error = LinkLost(error.where or self.channel.name, why, advice(self._notice.code))
            self._notice = None
        for ticket in self._open.values():
            ticket.error = error
        self._open.clear()
        return error


def plain(reals: Reals) -> Reals:
    """The reals as they are."""
    return reals


def _reason(reply: Reply, message: Message) -> str:
    number = reply.unpack(message)["reason"]
    return reply.real("reason").choices.get(int(number), f"reason {number:g}")
