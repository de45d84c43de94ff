"""Messages in cell time: a mailbox for commands, one for the replies to each controlling program, an event flag each.

As between processes of VMS: who sends puts a message into the mailbox and sets its flag; who is to act waits for the
flag. A device waits for ``pair.arrived`` and takes what there is; a controlling program has a :class:`MailboxClient`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from drycell.base import KernelError, UnknownName
from drycell.effector.messages.message import (
    CALM,
    Answer,
    Code,
    Event,
    LinkDisturbance,
    Message,
    MessageRefused,
    Refusal,
    Tally,
    Traffic,
    Watcher,
)
from drycell.effector.messages.vocabulary import VOCABULARY
from drycell.kernel import Condition, EventFlags, Kernel, Mailbox, Rank, Signal

COMMAND: Final = 1
"""The event flag that is set while there is a command. Those of replies are 2, 4, 8 … for each mailbox of replies."""
CAPACITY: Final = 64
"""Messages that a mailbox holds; a command for which there is no room is refused."""


@dataclass(frozen=True, slots=True)
class ArrivedCommand:
    """A command that arrived, and the client that its replies go to."""

    message: Message
    client: "MailboxClient"

    def reply(self, command: str, reals: tuple[float, ...]) -> None:
        """Answer it."""
        self.client.deliver(self.message.answer(command, reals))


class MailboxPair:
    """The mailboxes of one device, under its name; ``letters`` are those of the devices that answer here."""

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        letters: str = "G",
        *,
        capacity: int = CAPACITY,
        disturbance: LinkDisturbance = CALM,
    ) -> None:
        self.kernel, self.name, self.letters = kernel, name, letters
        self.disturbance = disturbance
        self.flags = EventFlags(kernel, f"{name}.flags")
        self.commands: Mailbox[ArrivedCommand] = Mailbox(kernel, f"{name}.commands", capacity)
        self.tally = Tally()
        self.watchers: list[Watcher] = []
        """Who is told of everything that goes to and fro."""
        self.replies: list[Signal[Any]] = [self.flags.bits]
        """The signals that a reply may set: what a device that answers later declares as ``writes``."""
        self.clients = 0
        self._numbers = {"command": 0, "reply": 0}
        _PAIRS[id(kernel), name] = self

    @property
    def arrived(self) -> Condition:
        """That there is a command."""
        return self.flags.any_set(COMMAND).named(f"a command for {self.name}")

    def subscribe(self, action: Callable[[], object], writes: Callable[[], Sequence[Signal[Any]]] = lambda: ()) -> None:
        """Have something done in the step that puts in a command; for devices that are no programs.

        ``writes`` tells which signals it may set at once or later, besides replies.
        """
        seen = 0

        def changed(count: int) -> None:
            nonlocal seen
            grown, seen = count > seen, count
            if grown:
                action()

        self.commands.count.subscribe(changed, lambda: (*self.replies, *writes()))

    def take(self) -> ArrivedCommand | None:
        """Take out the oldest command, if there is one; never blocks. The flag is cleared with the last one."""
        envelope = self.commands.poll()
        if not len(self.commands):
            self.flags.clear(COMMAND)
        return envelope

    def client(self, listener: Callable[[Answer], None] | None = None, name: str = "") -> "MailboxClient":
        """A place from which this device is commanded. With a listener, answers go to it and to no mailbox."""
        self.clients += 1
        return MailboxClient(self, name or f"{self.name}.desk{self.clients}", listener)

    def carry(
        self, way: str, message: Answer, client: "MailboxClient", arrive: Callable[[], None], writes: Sequence[Any]
    ) -> None:
        """Have a message arrive: at once, or as the disturbance has it."""
        number = self._numbers[way]
        self._numbers[way] = number + 1
        delays = self.disturbance.arrivals("command" if way == "command" else "reply", number)
        if not delays:
            self.tell(client, "lost", message)
        for copy, delay in enumerate(delays):
            if copy:
                self.tell(client, "doubled", message)
            if delay <= 0:
                arrive()
                continue
            self.tell(client, "late", message, f"{delay:.6f} s")
            at = self.kernel.now + round(delay * 1e6)
            self.kernel.at(at, arrive, Rank.DEVICE, f"{self.name}.link", writes=writes)

    def tell(self, client: "MailboxClient", event: Event, message: Answer | None, text: str = "") -> None:
        """Tell all who watch."""
        if self.watchers:
            seen = Traffic(self.kernel.now / 1e6, client.name, event, message, text)
            for watcher in self.watchers:
                watcher(seen)


class MailboxClient:
    """One controlling program of a device: commands go out, replies come in. One program uses it at a time."""

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
        """Put a command into the mailbox and set its flag; one that the table does not allow is refused."""
        pair = self.pair
        pair.tell(self, "sent", message)
        try:
            VOCABULARY.check(message)
            if message.destination not in pair.letters:
                what = f"{message.destination} does not answer here, only {', '.join(pair.letters)}"
                raise MessageRefused(Refusal(Code.DEVICE, what, message.sequence))
        except MessageRefused as error:
            self._refuse(error.refusal)
            return
        writes: Sequence[Signal[Any]] = (pair.commands.count, pair.flags.bits)

        pair.carry("command", message, self, lambda: self._arrive(message), writes)

    def deliver(self, answer: Answer) -> None:
        """Have an answer arrive at this client; what comes when it is closed, or full, is dropped and told of."""
        mail = self._mail
        writes: Sequence[Signal[Any]] = () if mail is None else (mail.count, self.pair.flags.bits)
        self.pair.carry("reply", answer, self, lambda: self._land(answer), writes)

    def receive(self, timeout: float | None = None) -> Answer | None:
        """The next answer, blocking the program until there is one; None when the time is out first."""
        if self._mail is None:
            raise KernelError(f"answers to {self.name} go to its listener", hint="use a desk without one to wait at")
        answer = self._mail.get() if timeout is None else self._mail.get(timeout)
        if not len(self._mail):
            self.pair.flags.clear(self._flag)
        return answer

    def close(self) -> None:
        """Stop being a client: what still comes is dropped."""
        self._open = False

    def _arrive(self, message: Message) -> None:
        self.pair.flags.set(COMMAND)  # first: a device that acts on the command clears it with the last one
        if self.pair.commands.offer(ArrivedCommand(message, self)):
            self.pair.tally.served += 1
            return
        room = self.pair.commands.capacity
        self._refuse(Refusal(Code.FULL, f"{room} of {room} commands wait for {self.pair.name}", message.sequence))

    def _refuse(self, refusal: Refusal) -> None:
        self.pair.tell(self, "refused", refusal)
        self.deliver(self.pair.tally.count(refusal))

    def _land(self, answer: Answer) -> None:
        if self._open and self._listener is not None:
            self.pair.tell(self, "delivered", answer)
            self._listener(answer)
        elif self._open and self._mail is not None and self._mail.offer(answer):
            self.pair.tell(self, "delivered", answer)
            self.pair.flags.set(self._flag)
        else:
            self.pair.tell(self, "dropped", answer)


def find_pair(kernel: Kernel, name: str = "") -> MailboxPair:
    """The mailboxes of a device of a cell, by name; without one, those of its only device."""
    found = {known: pair for (of, known), pair in _PAIRS.items() if of == id(kernel)}
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        names = ", ".join(sorted(found)) or "none"
        raise KernelError(f"the cell has {len(found)} devices with mailboxes: {names}", hint="write cell:NAME")
    if name not in found:
        raise UnknownName("device with mailboxes", name, found)
    return found[name]


# A kernel cannot be referred to weakly; a pair holds its kernel, so an id stands for it as long as the pair lives.
_PAIRS: WeakValueDictionary[tuple[int, str], MailboxPair] = WeakValueDictionary()
