"""The support that all devices on messages share: mailboxes, a queue, answers, debugging output, and how it ends.

A device is an entry of the table and a method for each of its commands: ``on_status(values)`` gives the six reals of
the reply, by name. What the table says is queued is begun by ``begin`` when its turn comes, and ends with ``done`` or
``failed``. Everything else is answered at once.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from drycell.base import FieldError, Problem, Quantity, Several, UnknownName
from drycell.cell import Cell, Device, Live, M
from drycell.effector.messages import Code, CommandEntry, DeviceTable, Handling, Refusal
from drycell.effector.messages.mailboxes import ArrivedCommand, MailboxPair
from drycell.effector.messages.message import LinkTrouble, Traffic
from drycell.effector.messages.vocabulary import REASONS
from drycell.kernel import Kernel, Output, Rank, Signal, Timer, ticks
from drycell.world import LiveBody

DebugKind = Literal["flags", "messages", "control", "graphics"]
DEBUG_KINDS: Final[tuple[DebugKind, ...]] = get_args(DebugKind)
"""Event flags; messages that come and go; what the device does; what is drawn of it. The order of the command DBG."""


@dataclass(frozen=True, slots=True)
class DebugRecord:
    """One line of debugging output: when (in seconds), of which device and kind, what, and its numbers by name."""

    time: float
    device: str
    kind: DebugKind
    what: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        told = "".join(f" {name}={value}" for name, value in self.fields.items())
        return f"{self.time:.6f} {self.device} {self.kind}: {self.what}{told}"


class Debugging:
    """The four switches of a device, all off at first."""

    def __init__(self, kernel: Kernel, device: str) -> None:
        self._kernel, self._device = kernel, device
        self._on: dict[DebugKind, bool] = dict.fromkeys(DEBUG_KINDS, False)
        self.listeners: list[Callable[[DebugRecord], None]] = []

    def __getitem__(self, kind: DebugKind) -> bool:
        return self._on[kind]

    def switch(self, kind: DebugKind, on: bool) -> None:
        """Switches one kind, and no other."""
        if kind not in self._on:
            raise UnknownName("kind of debugging output", kind, DEBUG_KINDS)
        self._on[kind] = on

    @property
    def switches(self) -> tuple[float, ...]:
        """All four as reals, 0 or 1."""
        return tuple(float(self._on[kind]) for kind in DEBUG_KINDS)

    def note(self, kind: DebugKind, what: str, **fields: object) -> None:
        """Tells something, if its kind is switched on."""
        if not self._on[kind]:
            return
        self._kernel.journal.write("debug", self._device, output=kind, what=what, **fields)
        record = DebugRecord(self._kernel.now / 1e6, self._device, kind, what, fields)
        for listener in self.listeners:
            listener(record)


Values = Mapping[str, float]
QUEUE: Final = 32
"""Commands that may wait; one more is refused."""
_NUMBERS: Final = {word: number for number, word in REASONS.items()}


@dataclass(slots=True)
class Job:
    """A queued command: which, its reals by name, its number among them, and when it was begun (in ticks)."""

    envelope: ArrivedCommand
    command: CommandEntry
    values: Values
    number: int
    began: int | None = None


class _Times(Several):
    """The limits of a declared interval of time, the lower one first."""

    def check(self, value: Any) -> tuple[float, float]:
        """Two times in order."""
        low, high = super().check(value)
        if low > high:
            raise FieldError("the lower time comes first", hint=f"write {self.example}")
        return low, high


Times = Annotated[tuple[float, float], _Times((Quantity("time", least=0.0),) * 2, "[0 s, 300 ms]")]
AT_ONCE: Final = (0.0, 0.0)


class MessageDevice(Device):
    """A device that is commanded by messages."""

    def signals(self) -> Iterable[str]:
        """The event flags and the commands of its mailboxes, and whether it has quit."""
        return ("flags.bits", "commands.count", "gone")

    def unplaced(self, what: str, hint: str) -> Iterable[Problem]:
        """Problems if a place is given to a device that has none of its own."""
        for name in ("at", "rpy", "on", "parent"):
            if name in self.given:
                yield Problem((name,), what, hint)


class LiveMessageDevice(Live[M]):
    """A device in a run that is commanded by messages.

    ``hesitates`` is how long it waits before it begins a queued command, ``carries`` how long a reply is under way: two
    limits of a declared interval each, drawn anew every time. Replies that are under way may overtake each other.
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
        self.pair = MailboxPair(kernel, name, table.letter, disturbance=trouble.bound(cell.seed, name))
        self.debugging = Debugging(kernel, name)
        self.gone = Output(kernel, name, f"{name}.gone", False)
        """Whether it has quit."""
        self.job: Job | None = None
        """What is being done."""
        self._hesitates, self._carries = hesitates, carries
        self._queue: deque[Job] = deque()
        self._taken = 0
        self._begin: Timer | None = None
        self.pair.subscribe(self._arrived, lambda: (self.gone, *self.may_write()))
        self.pair.flags.bits.subscribe(lambda bits: self.debugging.note("flags", "flags", bits=f"{bits:#b}"))
        self.pair.watchers.append(self._told)

    @property
    def waiting(self) -> int:
        """How many commands wait in the queue."""
        return len(self._queue)

    # ---------------------------------------------------------------- for the kinds of devices

    def begin(self, job: Job) -> None:
        """Begin a queued command; it ends with ``done`` or ``failed``."""
        raise NotImplementedError

    def problem(self, command: CommandEntry, values: Values) -> str | None:
        """Why this device cannot do what the table allows; None: it can."""
        return None

    def halt(self) -> None:
        """Stop what is being done."""

    def report(self) -> dict[str, float]:
        """What a reply DON or FAI tells besides its own reals."""
        return {}

    def may_write(self) -> Sequence[Signal[Any]]:
        """Signals that may be set in answer to a command, besides those of replies."""
        return ()

    def answer(self, command: CommandEntry, envelope: ArrivedCommand, values: Values) -> dict[str, float] | None:
        """Do a command that is answered at once: the reals of its reply by name; None if it has been answered."""
        reals: dict[str, float] | None = getattr(self, f"on_{command.name}")(envelope, values)
        return reals

    def drawn(self, what: str, limits: tuple[float, float]) -> int:
        """A time within limits, in ticks; a declared interval, unless they are one."""
        low, high = limits
        # Only turned into ticks: then a search goes through it by the order of events.
        return ticks(low if low == high else self.kernel.interval(f"{self.name} {what}", low, high))

    def done(self, **reals: float) -> None:
        """What was under way is done: answer it, and begin the next."""
        self._over("DON", reals)
        self._next()

    def failed(self, reason: str) -> None:
        """What was under way was not done: answer it, and begin the next."""
        self._over("FAI", {"reason": float(_NUMBERS[reason])})
        self._next()

    def drop(self, reason: str) -> int:
        """Everything under way or queued fails; says how many those were."""
        if self._begin is not None:
            self._begin.cancel()
            self._begin = None
        jobs = [*([self.job] if self.job else []), *self._queue]
        self._queue.clear()
        for self.job in jobs:
            self._over("FAI", {"reason": float(_NUMBERS[reason])})
        return len(jobs)

    def refuse(self, envelope: ArrivedCommand, code: Code, what: str) -> None:
        """Answer that a command is not served."""
        refusal = Refusal(code, what, envelope.message.sequence)
        self.pair.tell(envelope.client, "refused", refusal)
        envelope.client.deliver(self.pair.tally.count(refusal))

    def after(self, when: int, action: Any) -> Timer:
        """Have something done that may end in a reply."""
        writes = (*self.pair.replies, self.gone, *self.may_write())
        return self.kernel.at(when, action, Rank.DEVICE, self.name, writes=writes)

    # ---------------------------------------------------------------- commands that all devices have

    def on_debug(self, envelope: ArrivedCommand, values: Values) -> dict[str, float]:
        """Switches what is named 0 or 1."""
        for kind in DEBUG_KINDS:
            if values[kind] >= 0:
                self.debugging.switch(kind, values[kind] > 0)
        return dict(zip(DEBUG_KINDS, self.debugging.switches, strict=True))

    def on_quit(self, envelope: ArrivedCommand, values: Values) -> None:
        """Ends: what is queued fails, and whatever comes later is refused."""
        self.halt()
        self.debugging.note("control", "quits")
        dropped = self.drop("quitting")
        self._answer(envelope, "QUI", {"dropped": dropped})
        self.gone.tell(True)  # after the reply: whoever ends the run by it lets that out first

    # ---------------------------------------------------------------- inside

    def _arrived(self) -> None:
        # In a step of the device's own: who sends is not kept busy by what is done about it.
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
        told = {**self.report(), "elapsed": elapsed, "waiting": float(len(self._queue)), **reals}
        known = {real.name for real in self.table.reply(letters).reals}
        self.debugging.note("control", "ends", command=job.command.name, by=letters)
        self._answer(job.envelope, letters, {name: value for name, value in told.items() if name in known})

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

    def _told(self, traffic: Traffic) -> None:
        self.debugging.note("messages", traffic.event, message=str(traffic.message), peer=traffic.peer)
