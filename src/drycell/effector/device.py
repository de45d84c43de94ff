"""The base of all devices that are commanded by messages: mailboxes, a queue, replies, and debugging output.

A device is an entry of the table of messages and a method for each of its commands: ``on_status`` returns the reals of
the reply, by name. The device starts a queued command with ``begin`` when its turn comes, and ends it with ``done`` or
``failed``. All other commands are answered at once.

Order of replies: queued commands are answered in the order in which they were sent, and so are commands that are
answered at once. The order between the two kinds, and the order of refusals, is undefined: match replies by number.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from drycell.base import FieldError, Problem, Quantity, Several, UnknownName
from drycell.cell import Cell, Device, Live, M
from drycell.effector.messages import VOCABULARY, Code, CommandEntry, DeviceTable, Handling, Refusal
from drycell.effector.messages.mailboxes import ArrivedCommand, MailboxPair
from drycell.effector.messages.message import LinkTrouble, Traffic
from drycell.effector.messages.vocabulary import REASONS
from drycell.kernel import DeviceOutput, Kernel, Rank, Signal, Timer, ticks
from drycell.world import LiveBody

DebugKind = Literal["flags", "messages", "control", "graphics"]
DEBUG_KINDS: Final[tuple[DebugKind, ...]] = get_args(DebugKind)
"""Event flags, messages, actions of the device, and drawing; in the order of the command DBG."""


@dataclass(frozen=True, slots=True)
class DebugRecord:
    """One line of debugging output: time in seconds, device, kind, text, and numbers by name."""

    time: float
    device: str
    kind: DebugKind
    what: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        fields = "".join(f" {name}={value}" for name, value in self.fields.items())
        return f"{self.time:.6f} {self.device} {self.kind}: {self.what}{fields}"


class Debugging:
    """The four switches for debugging output of a device, initially off."""

    def __init__(self, kernel: Kernel, device: str) -> None:
        self._kernel, self._device = kernel, device
        self._on: dict[DebugKind, bool] = dict.fromkeys(DEBUG_KINDS, False)
        self.listeners: list[Callable[[DebugRecord], None]] = []

    def __getitem__(self, kind: DebugKind) -> bool:
        return self._on[kind]

    def switch(self, kind: DebugKind, on: bool) -> None:
        """Switch one kind on or off."""
        if kind not in self._on:
            raise UnknownName("kind of debugging output", kind, DEBUG_KINDS)
        self._on[kind] = on

    @property
    def switches(self) -> tuple[float, ...]:
        """All four switches as reals, 0 or 1."""
        return tuple(float(self._on[kind]) for kind in DEBUG_KINDS)

    def note(self, kind: DebugKind, what: str, **fields: object) -> None:
        """Write a line of debugging output, if its kind is switched on."""
        if not self._on[kind]:
            return
        self._kernel.journal.write("debug", self._device, output=kind, what=what, **fields)
        record = DebugRecord(self._kernel.now / 1e6, self._device, kind, what, fields)
        for listener in self.listeners:
            listener(record)


Values = Mapping[str, float]
QUEUE: Final = 32
"""The most commands that can wait; a device refuses further commands."""
_NUMBERS: Final = {word: number for number, word in REASONS.items()}


@dataclass(slots=True)
class Job:
    """A queued command with its reals by name, its number in the queue, and the tick at which it was started."""

    envelope: ArrivedCommand
    command: CommandEntry
    values: Values
    number: int
    began: int | None = None


class _Times(Several):
    """The limits of a declared interval of time, lower one first."""

    def check(self, value: Any) -> tuple[float, float]:
        """Check both times; the lower one comes first."""
        low, high = super().check(value)
        if low > high:
            raise FieldError("the lower time comes first", hint=f"write {self.example}")
        return low, high


Times = Annotated[tuple[float, float], _Times((Quantity("time", least=0.0),) * 2, "[0 s, 300 ms]")]
AT_ONCE: Final = (0.0, 0.0)


class MessageDevice(Device):
    """Base of the models of devices that are commanded by messages."""

    def signals(self) -> Iterable[str]:
        """The event flags and the commands of its mailboxes, and whether the device has quit."""
        return ("flags.bits", "commands.count", "gone")

    def unplaced(self, what: str, hint: str) -> Iterable[Problem]:
        """Yield a problem for each field that gives a pose to a device that cannot have one.

        Args:
            what: What is wrong.
            hint: What to try.
        """
        for name in ("at", "rpy", "on", "parent"):
            if name in self.given:
                yield Problem((name,), what, hint)


class LiveMessageDevice(Live[M]):
    """A running device that is commanded by messages.

    Args:
        cell: the cell it belongs to.
        name: its name there.
        model: its model.
        table: the commands and replies it understands.
        body: the body it is attached to, if it has one.
        trouble: the rates at which messages and commands fail.
        hesitates: limits of the delay before it starts a queued command, in seconds; drawn again each time.
        carries: limits of the delay of a reply, in seconds; drawn each time, so replies may overtake each other.
    """

    def __init__(
        self,
        cell: Cell,
        name: str,
        model: M,
        table: DeviceTable,
        body: LiveBody | None,
        *,
        trouble: LinkTrouble,
        hesitates: tuple[float, float] = AT_ONCE,
        carries: tuple[float, float] = AT_ONCE,
    ) -> None:
        super().__init__(cell, name, model)
        kernel = cell.kernel
        self.table, self.body, self.kernel = table, body, kernel
        known = table in VOCABULARY.devices
        self.pair = MailboxPair(
            kernel,
            name,
            table.letter,
            disturbance=trouble.bound(cell.seed, name),
            vocabulary=VOCABULARY if known else VOCABULARY.with_device(table),
        )
        self.debugging = Debugging(kernel, name)
        self.gone = DeviceOutput(kernel, name, f"{name}.gone", False)
        """Whether it has quit."""
        self.job: Job | None = None
        """The queued command that is being executed."""
        self._hesitates, self._carries = hesitates, carries
        self._queue: deque[Job] = deque()
        self._taken = 0
        self._begin: Timer | None = None
        self.pair.subscribe(self._arrived, lambda: (self.gone, *self.may_write()))
        self.pair.flags.bits.subscribe(lambda bits: self.debugging.note("flags", "flags", bits=f"{bits:#b}"))
        self.pair.watchers.append(self._log_traffic)

    @property
    def waiting(self) -> int:
        """Number of commands in the queue."""
        return len(self._queue)

    # ---------------------------------------------------------------- for kinds of devices to override or call

    def begin(self, job: Job) -> None:
        """Start a queued command. Call ``done`` or ``failed`` at its end."""
        raise NotImplementedError

    def problem(self, command: CommandEntry, values: Values) -> str | None:
        """Return why this device cannot execute a command that the table allows; None if it can."""
        return None

    def halt(self) -> None:
        """Stop the command that is being executed."""

    def report(self) -> dict[str, float]:
        """Further reals of the replies DON and FAI, by name."""
        return {}

    def may_write(self) -> Sequence[Signal[Any]]:
        """Signals that a command may set, besides those of replies."""
        return ()

    def answer(self, command: CommandEntry, envelope: ArrivedCommand, values: Values) -> dict[str, float] | None:
        """Execute a command at once; returns the reals of its reply by name, or None if it is already answered."""
        reals: dict[str, float] | None = getattr(self, f"on_{command.name}")(envelope, values)
        return reals

    def drawn(self, what: str, limits: tuple[float, float]) -> int:
        """Draw a time within limits, in ticks; from a declared interval if the limits differ."""
        low, high = limits
        # Nothing else is computed from it, so a search covers it by the order of events.
        return ticks(low if low == high else self.kernel.interval(f"{self.name} {what}", low, high))

    def done(self, **reals: float) -> None:
        """Answer that the current command is done, and start the next."""
        self._over("DON", reals)
        self._next()

    def failed(self, reason: str) -> None:
        """Answer that the current command has failed, and start the next."""
        self._over("FAI", {"reason": float(_NUMBERS[reason])})
        self._next()

    def drop(self, reason: str) -> int:
        """Fail the current command and all in the queue; returns their number."""
        if self._begin is not None:
            self._begin.cancel()
            self._begin = None
        jobs = [*([self.job] if self.job else []), *self._queue]
        self._queue.clear()
        for self.job in jobs:
            self._over("FAI", {"reason": float(_NUMBERS[reason])})
        return len(jobs)

    def refuse(self, envelope: ArrivedCommand, code: Code, what: str) -> None:
        """Refuse a command."""
        refusal = Refusal(code, what, envelope.message.sequence)
        self.pair.report(envelope.client, "refused", refusal)
        envelope.client.deliver(self.pair.tally.count(refusal))

    def after(self, when: int, action: Any) -> Timer:
        """Schedule an action that may send a reply."""
        writes = (*self.pair.replies, self.gone, *self.may_write())
        return self.kernel.at(when, action, Rank.DEVICE, self.name, writes=writes)

    # ---------------------------------------------------------------- commands that all devices have

    def on_debug(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Set the switches that are given as 0 or 1."""
        for kind in DEBUG_KINDS:
            if values[kind] >= 0:
                self.debugging.switch(kind, values[kind] > 0)
        return dict(zip(DEBUG_KINDS, self.debugging.switches, strict=True))

    def on_quit(self, envelope: ArrivedCommand, values: Values) -> None:
        """Quit: commands in the queue fail, and later ones are refused."""
        self.halt()
        self.debugging.note("control", "quits")
        dropped = self.drop("quitting")
        self._answer(envelope, "QUI", {"dropped": dropped})
        self.gone.publish(True)  # after the reply, so that the reply is sent before this signal can end the run

    # ---------------------------------------------------------------- inside

    def _arrived(self) -> None:
        # Runs in an event of the device, so the sender does not wait for the device to act.
        self.after(self.kernel.now, self._serve)

    def _serve(self) -> None:
        envelope = self.pair.take()
        if envelope is None:
            return
        message = envelope.message
        if self.gone.peek():
            self.refuse(envelope, Code.GONE, f"{self.name} has quit")
            return
        command = self.table.command(message.command)
        values = command.unpack(message)
        self.debugging.note("control", "takes", command=command.name, waiting=len(self._queue))
        problem = self.problem(command, values)
        if problem is not None:
            self.refuse(envelope, Code.LIMIT, problem)
            return
        if command.handling is Handling.QUEUED:
            if len(self._queue) >= QUEUE:
                self.refuse(envelope, Code.FULL, f"{QUEUE} of {QUEUE} commands wait for {self.name}")
                return
            self._queue.append(Job(envelope, command, values, self._taken))
            self._taken += 1
            self._next()
            return
        reals = self.answer(command, envelope, values)
        if reals is not None:
            self._answer(envelope, command.replies[0], reals)

    def _next(self) -> None:
        if self.job is not None or not self._queue or self._begin is not None:
            return
        self._begin = self.after(self.kernel.now + self.drawn("hesitates", self._hesitates), self._start)

    def _start(self) -> None:
        self._begin = None
        self.job = job = self._queue.popleft()
        job.began = self.kernel.now
        self.debugging.note("control", "begins", command=job.command.name, waiting=len(self._queue))
        if self.pair.disturbance.fails(job.number):
            self.failed("random failure")
        else:
            self.begin(job)

    def _over(self, letters: str, reals: dict[str, float]) -> None:
        job, self.job = self.job, None
        if job is None:
            return
        elapsed = 0.0 if job.began is None else (self.kernel.now - job.began) / 1e6
        values = {**self.report(), "elapsed": elapsed, "waiting": float(len(self._queue)), **reals}
        known = {real.name for real in self.table.reply(letters).reals}
        self.debugging.note("control", "ends", command=job.command.name, by=letters)
        self._answer(job.envelope, letters, {name: value for name, value in values.items() if name in known})

    def _answer(self, envelope: ArrivedCommand, letters: str, reals: Mapping[str, float]) -> None:
        packed = self.table.reply(letters).pack(**reals)
        if self._carries == AT_ONCE:
            envelope.reply(letters, packed)
            return
        span = self.drawn("carries", self._carries)
        link, writes = f"{self.name}.link", tuple(self.pair.replies)
        self.kernel.at(
            self.kernel.now + span, lambda: envelope.reply(letters, packed), Rank.DEVICE, link, writes=writes
        )

    def _log_traffic(self, traffic: Traffic) -> None:
        self.debugging.note("messages", traffic.event, message=str(traffic.message), peer=traffic.peer)
