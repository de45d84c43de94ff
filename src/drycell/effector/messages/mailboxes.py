"""Messages in cell time: a mailbox for commands, and one for the replies to each controlling program.

As with VMS processes, the sender puts a message into a mailbox and sets an event flag, and the receiver waits for the
flag. A device waits for ``pair.arrived`` and takes commands out. A controlling program has a :class:`MailboxClient`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from drycell.base import KernelError, UnknownName
from drycell.effector.messages.message import (
    UNDISTURBED,
    Answer,
    Code,
    Direction,
    Event,
    LinkDisturbance,
    Message,
    MessageRefused,
    Refusal,
    Tally,
    Traffic,
    Watcher,
)
from drycell.effector.messages.vocabulary import VOCABULARY, Vocabulary
from drycell.kernel import Condition, EventFlags, Kernel, Mailbox, Rank, Signal

COMMAND: Final = 1
"""The event flag that is set while there is a command. The flags of the mailboxes for replies are 2, 4, 8 …"""
CAPACITY: Final = 64
"""Messages that a mailbox holds. Further commands are refused."""


@dataclass(frozen=True, slots=True)
class ArrivedCommand:
    """A command that has arrived, and the client that gets the reply."""

    message: Message
    client: "MailboxClient"

    def reply(self, command: str, reals: tuple[float, ...]) -> None:
        """Send a reply."""
        self.client.deliver(self.message.answer(command, reals))


class MailboxPair:
    """The mailboxes of one device. ``letters`` are the devices that answer here, by their letters in messages."""

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        letters: str = "G",
        *,
        capacity: int = CAPACITY,
        disturbance: LinkDisturbance = UNDISTURBED,
        vocabulary: Vocabulary = VOCABULARY,
    ) -> None:
        self.kernel, self.name, self.letters, self.vocabulary = kernel, name, letters, vocabulary
        self.disturbance = disturbance
        self.flags = EventFlags(kernel, f"{name}.flags")
        self.commands: Mailbox[ArrivedCommand] = Mailbox(kernel, f"{name}.commands", capacity)
        self.tally = Tally()
        self.watchers: list[Watcher] = []
        """Functions that are called with all traffic."""
        self.replies: list[Signal[Any]] = [self.flags.bits]
        """The signals that a reply may set. A device that replies later declares them as ``writes``."""
        self.clients = 0
        self._numbers: dict[Direction, int] = {"command": 0, "reply": 0}
        _PAIRS[id(kernel), name] = self

    @property
    def arrived(self) -> Condition:
        """Holds while there is a command."""
        return self.flags.any_set(COMMAND).named(f"a command for {self.name}")

    def subscribe(self, action: Callable[[], object], writes: Callable[[], Sequence[Signal[Any]]] = lambda: ()) -> None:
        """Call a function when a command arrives, in the same event. For devices that are not programs.

        Args:
            action: the function.
            writes: returns the signals that it may set, at once or later, besides those of replies.
        """
        seen = 0

        def changed(count: int) -> None:
            nonlocal seen
            grown, seen = count > seen, count
            if grown:
                action()

        self.commands.count.subscribe(changed, lambda: (*self.replies, *writes()))

    def take(self) -> ArrivedCommand | None:
        """Remove and return the oldest command, or return None. Never blocks; removing the last clears the flag."""
        envelope = self.commands.poll()
        if not len(self.commands):
            self.flags.clear(COMMAND)
        return envelope

    def client(self, listener: Callable[[Answer], None] | None = None, name: str = "") -> "MailboxClient":
        """Create a client that commands this device. With a listener, answers go to it instead of a mailbox."""
        self.clients += 1
        return MailboxClient(self, name or f"{self.name}.desk{self.clients}", listener)

    def carry(
        self,
        direction: Direction,
        message: Answer,
        client: "MailboxClient",
        arrive: Callable[[], None],
        writes: Sequence[Signal[Any]],
    ) -> None:
        """Deliver a message, once and immediately unless the disturbance delays, loses or doubles it."""
        number = self._numbers[direction]
        self._numbers[direction] = number + 1
        delays = self.disturbance.arrivals(direction, number)
        if not delays:
            self.report(client, "lost", message)
        for copy, delay in enumerate(delays):
            if copy:
                self.report(client, "doubled", message)
            if delay <= 0:
                arrive()
                continue
            self.report(client, "late", message, f"{delay:.6f} s")
            at = self.kernel.now + round(delay * 1e6)
            self.kernel.at(at, arrive, Rank.DEVICE, f"{self.name}.link", writes=writes)

    def report(self, client: "MailboxClient", event: Event, message: Answer | None, text: str = "") -> None:
        """Call all watchers."""
        if self.watchers:
            traffic = Traffic(self.kernel.now / 1e6, client.name, event, message, text)
            for watcher in self.watchers:
                watcher(traffic)


class MailboxClient:
    """The mailbox of one controlling program: it sends commands and receives replies. One program uses it at a time."""

    def __init__(self, pair: MailboxPair, name: str, listener: Callable[[Answer], None] | None) -> None:
        self.pair, self.name = pair, name
        self._listener = listener
        self._flag = 0
        self._mail: Mailbox[Answer] | None = None
        if listener is None:
            self._mail = Mailbox(pair.kernel, f"{name}.replies", CAPACITY)
            self._flag = COMMAND << len(pair.replies)
            pair.replies.append(self._mail.count)
        self._open = True

    @property
    def clock(self) -> float:
        """Cell time in seconds."""
        return self.pair.kernel.now / 1e6

    def send(self, message: Message) -> None:
        """Put a command into the device's mailbox and set its flag, or refuse it if the table does not allow it."""
        pair = self.pair
        pair.report(self, "sent", message)
        try:
            pair.vocabulary.check(message, pair.letters)
        except MessageRefused as error:
            self._refuse(error.refusal)
            return
        writes: Sequence[Signal[Any]] = (pair.commands.count, pair.flags.bits)

        pair.carry("command", message, self, lambda: self._arrive(message), writes)

    def deliver(self, answer: Answer) -> None:
        """Deliver an answer to this client. It is dropped if the client is closed or its mailbox is full."""
        mail = self._mail
        writes: Sequence[Signal[Any]] = () if mail is None else (mail.count, self.pair.flags.bits)
        self.pair.carry("reply", answer, self, lambda: self._land(answer), writes)

    def receive(self, timeout: float | None = None) -> Answer | None:
        """Wait for the next answer and return it; None if ``timeout`` seconds pass first."""
        if self._mail is None:
            raise KernelError(
                f"answers to {self.name} go to its listener",
                hint="create the client without a listener to wait for answers",
            )
        answer = self._mail.get() if timeout is None else self._mail.get(timeout)
        if not len(self._mail):
            self.pair.flags.clear(self._flag)
        return answer

    def close(self) -> None:
        """Stop receiving: later answers are dropped."""
        self._open = False

    def _arrive(self, message: Message) -> None:
        self.pair.flags.set(COMMAND)  # set before the command: a device that takes the last command clears the flag
        if self.pair.commands.offer(ArrivedCommand(message, self)):
            self.pair.tally.served += 1
            return
        room = self.pair.commands.capacity
        self._refuse(Refusal(Code.FULL, f"{room} of {room} commands wait for {self.pair.name}", message.sequence))

    def _refuse(self, refusal: Refusal) -> None:
        self.pair.report(self, "refused", refusal)
        self.deliver(self.pair.tally.count(refusal))

    def _land(self, answer: Answer) -> None:
        if self._open and self._listener is not None:
            self.pair.report(self, "delivered", answer)
            self._listener(answer)
        elif self._open and self._mail is not None and self._mail.offer(answer):
            self.pair.report(self, "delivered", answer)
            self.pair.flags.set(self._flag)
        else:
            self.pair.report(self, "dropped", answer)


def find_pair(kernel: Kernel, name: str = "") -> MailboxPair:
    """Find the mailboxes of a device of a cell by its name; without a name, those of the only device."""
    found = {known: pair for (of, known), pair in _PAIRS.items() if of == id(kernel)}
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        names = ", ".join(sorted(found)) or "none"
        raise KernelError(f"the cell has {len(found)} devices with mailboxes: {names}", hint="write cell:NAME")
    if name not in found:
        raise UnknownName("device with mailboxes", name, found)
    return found[name]


# A kernel cannot be weakly referenced. A pair holds its kernel, so the id is valid as long as the pair lives.
_PAIRS: WeakValueDictionary[tuple[int, str], MailboxPair] = WeakValueDictionary()
