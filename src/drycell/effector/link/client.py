"""The client library: a class for each device with a method for each command, in SI units.

The same program can drive a device of a cell in cell time, a device that runs as a process, or a device on another
host::

    with connect("unix:gripper.sock") as gripper:      # or "tcp:localhost:4711", or "cell:hand" in a program of a cell
        gripper.initialise()
        ticket = gripper.move_to(20 * mm, force=10)
        print(gripper.status().gap)
        ticket.wait()
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, overload

from drycell.base import FieldError, ProgramError
from drycell.effector.link.channel import Channel, CommandFailed, LinkError, LinkLost, LinkTimeout, open_channel
from drycell.effector.messages import (
    GRIPPER,
    LAST_SEQUENCE,
    PAD,
    WRIST,
    Answer,
    CommandEntry,
    DeviceTable,
    Message,
    MessageRefused,
    Refusal,
    ReplyEntry,
    advice,
    unpack_proximity,
)
from drycell.effector.messages.vocabulary import AT_BEAM, AT_FORCE, AT_GAP, AT_PROXIMITY, AT_TIME, KINDS

TIMEOUT: Final = 5.0
"""Seconds to wait for the reply to a command that is answered at once."""
MOVE_TIMEOUT: Final = 60.0
"""Seconds to wait for the reply to a queued command."""
MOST_OPEN: Final = 4096
"""The most commands without a reply at one time."""
_RESOLUTION: Final = 0.5e-6  # seconds: less than the resolution of cell time


T = TypeVar("T")
Reals = dict[str, float]
"""The reals of a reply by name."""


class Ticket(Generic[T]):
    """A command that was sent. Wait for its reply with ``wait``, ``poll`` or ``within``."""

    def __init__(
        self, calls: "Calls", command: CommandEntry, message: Message, sent: float, read: Callable[[Reals], T]
    ) -> None:
        self.command, self.message, self.sent = command, message, sent
        self.reply: Message | None = None
        self.error: MessageRefused | LinkError | None = None
        self._calls, self._read = calls, read

    @property
    def over(self) -> bool:
        """Whether its reply has been received. ``poll`` receives more replies first."""
        return self.reply is not None or self.error is not None

    def poll(self) -> bool:
        """Receive replies without waiting, and return whether the one to this command is among them."""
        self._calls.receive_all()
        return self.over

    def wait(self, timeout: float = MOVE_TIMEOUT) -> T:
        """Wait until the command is done and return its result.

        Args:
            timeout: longest time to wait, in seconds.

        Raises:
            CommandFailed: if the device answers that the command has failed.
            MessageRefused: if the device refuses the command.
            LinkLost: if the connection is lost.
            LinkTimeout: if there is no reply in time; wait again to continue.
        """
        return self._read(self._calls.wait(self, timeout))

    def within(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for an answer; return whether there is one. ``wait`` then returns or raises it."""
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
    """Sends commands to one device and assigns replies to them: by number, or by order if there are no numbers.

    Without numbers, a reply is assigned to the oldest command that may get it. A program has no other choice if the
    protocol has no numbers, and the assignment is wrong as soon as a reply is lost, doubled or overtaken. One thread or
    program uses it at a time.
    """

    def __init__(
        self,
        channel: Channel,
        device: DeviceTable,
        *,
        source: str = "P",
        numbered: bool = True,
    ) -> None:
        self.channel, self.device, self.source, self.numbered = channel, device, source, numbered
        self.strays = 0
        """Number of replies without a command: doubled replies, and replies that arrived too late."""
        self._numbers = count(1)
        self._open: dict[int, Ticket[Any]] = {}
        self._notice: Refusal | None = None  # the last refusal about the connection itself

    @property
    def waiting(self) -> int:
        """Number of commands without a reply."""
        return len(self._open)

    def begin(self, letters: str, values: Mapping[str, float], read: Callable[[Reals], T]) -> Ticket[T]:
        """Send a command.

        Args:
            letters: the command, by its three letters.
            values: its reals by name.
            read: turns the reals of the reply into the result of the ticket.

        Raises:
            MessageRefused: if the table does not allow the command.
            LinkLost: if the connection is lost.
        """
        command = self.device.command(letters)
        if len(self._open) >= MOST_OPEN:
            raise ProgramError(
                f"{MOST_OPEN} commands to {self.channel.name} have no reply yet", hint="wait for some tickets first"
            )
        number = next(self._numbers) & LAST_SEQUENCE
        sequence = number if self.numbered else None
        message = Message(self.source, self.device.letter, letters, command.pack(**values), sequence)
        command.check(message)
        ticket = Ticket(self, command, message, self.channel.clock, read)
        self._open[number] = ticket
        try:
            self.channel.send(message)
        except LinkLost as error:
            raise self._lose(error) from None
        return ticket

    def ask(self, letters: str, **values: float) -> Reals:
        """Send a command, wait for its reply, and return the reals. A reply that arrives too late is dropped."""
        ticket = self.begin(letters, values, as_sent)
        try:
            return ticket.wait(TIMEOUT)
        except LinkTimeout:
            self._open = {number: other for number, other in self._open.items() if other is not ticket}
            raise

    def wait(self, ticket: Ticket[Any], timeout: float) -> Reals:
        """Receive answers until there is one for a ticket."""
        channel = self.channel
        end = channel.clock + timeout
        while not ticket.over:
            left = end - channel.clock
            try:
                answer = channel.receive(left) if left > _RESOLUTION else None
            except LinkLost as error:
                self._lose(error)
                continue
            if answer is not None:
                self._assign(answer)
            elif end - channel.clock <= _RESOLUTION:
                raise LinkTimeout(channel.name, str(ticket), timeout)
        return self._result(ticket)

    def receive_all(self) -> None:
        """Assign all replies that have arrived, without waiting. Raises LinkLost."""
        try:
            while (answer := self.channel.receive(0)) is not None:
                self._assign(answer)
        except LinkLost as error:
            raise self._lose(error) from None

    def forget(self, why: str) -> None:
        """Give up all commands without a reply. Their tickets raise LinkLost."""
        self._lose(LinkLost(self.channel.name, why))

    def _result(self, ticket: Ticket[Any]) -> Reals:
        if ticket.error is not None:
            raise ticket.error
        assert ticket.reply is not None  # over, and no error
        return self.device.reply(ticket.reply.command).unpack(ticket.reply)

    def _assign(self, answer: Answer) -> None:
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
        """Return the number of the open ticket that an answer belongs to."""
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
        """Fail all open tickets with the loss, and add the last refusal of the device to the error."""
        with suppress(LinkLost):
            while (answer := self.channel.receive(0)) is not None:
                self._assign(answer)
        if self._notice is not None:
            why = f"{error.why}; before that it said {self._notice}"
            error = LinkLost(error.where or self.channel.name, why, advice(self._notice.code))
            self._notice = None
        for ticket in self._open.values():
            ticket.error = error
        self._open.clear()
        return error


def as_sent(reals: Reals) -> Reals:
    """Return the reals unchanged."""
    return reals


def _reason(reply: ReplyEntry, message: Message) -> str:
    number = reply.unpack(message)["reason"]
    return reply.real("reason").choices.get(int(number), f"reason {number:g}")


C = TypeVar("C", bound="DeviceClient")
F = TypeVar("F", bound=Callable[..., object])

_AS_IT_IS: Final = -1
_KIND: Final = {word: number for number, word in KINDS.items()}


def sends(letters: str) -> Callable[[F], F]:
    """Mark the method that sends a command, so that a test can compare it with the table."""

    def mark(function: F) -> F:
        function.__dict__["sends"] = letters
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a queued command: gap in m, force in N, end condition, duration in s, and commands in the queue."""

    gap: float
    force: float
    ended_by: int
    elapsed: float
    waiting: int


@dataclass(frozen=True, slots=True)
class GripperStatus:
    """The state of the end effector, in metres; ``left`` and ``right`` are None if nothing is near the finger."""

    gap: float
    target: float
    position_gain: float
    rate_gain: float
    left: float | None
    right: float | None
    beam_broken: bool


@dataclass(frozen=True, slots=True)
class Gains:
    """The gains of the servo, in 1/s² and 1/s."""

    position_gain: float
    rate_gain: float


@dataclass(frozen=True, slots=True)
class DebugSwitches:
    """The switches of debugging output."""

    flags: bool
    messages: bool
    control: bool
    graphics: bool


@dataclass(frozen=True, slots=True)
class Load:
    """Force in N and torque in N·m, in the sensor's frame."""

    force: tuple[float, float, float]
    torque: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class PadStatus:
    """The contact on a pad: number of cells, force in N, centre in m, maximum pressure in Pa, and area in m²."""

    cells: int
    force: float
    centre: tuple[float, float]
    peak: float
    area: float


class DeviceClient:
    """Base of all clients: a device at the other end of a channel. One thread or program uses it at a time."""

    table: ClassVar[DeviceTable]

    def __init__(self, channel: Channel, *, source: str = "P", numbered: bool = True) -> None:
        self.calls = Calls(channel, self.table, source=source, numbered=numbered)

    def begin(self, letters: str, **values: float) -> Ticket[Reals]:
        """Send any command of the table by its letters, with its reals by name."""
        return self.calls.begin(letters, values, as_sent)

    @sends("DBG")
    def debug(
        self,
        *,
        flags: bool | None = None,
        messages: bool | None = None,
        control: bool | None = None,
        graphics: bool | None = None,
    ) -> DebugSwitches:
        """Switch kinds of debugging output on or off; None leaves one unchanged. Returns all switches."""
        wanted = {"flags": flags, "messages": messages, "control": control, "graphics": graphics}
        values = {name: float(_AS_IT_IS if on is None else on) for name, on in wanted.items()}
        return DebugSwitches(**{name: bool(on) for name, on in self.calls.ask("DBG", **values).items()})

    @sends("QUI")
    def quit(self) -> int:
        """End the device. Returns the number of queued commands that failed."""
        dropped = int(self.calls.ask("QUI")["dropped"])
        self.close()
        return dropped

    def reconnect(self, timeout: float = TIMEOUT) -> None:
        """Connect again after the connection was lost. Commands without a reply are given up."""
        self.calls.forget("reconnected before the reply came")
        self.calls.channel.reopen(timeout)

    def close(self) -> None:
        """Close the connection. The device keeps running."""
        self.calls.forget("the connection was closed")
        self.calls.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class GripperClient(DeviceClient):
    """A client of the parallel-jaw end effector."""

    table = GRIPPER

    @sends("INI")
    def initialise(self, timeout: float = MOVE_TIMEOUT) -> Done:
        """Open the jaws to their stop and find zero. Needed before the first move. Waits until it is done."""
        return self.calls.begin("INI", {}, _done).wait(timeout)

    @sends("MOV")
    def move_to(
        self,
        gap: float,
        *,
        speed: float = 0.0,
        force: float = 0.0,
        time: float = 0.0,
        until_beam: bool = False,
        until_near: bool = False,
    ) -> Ticket[Done]:
        """Queue a move to a gap.

        Args:
            gap: target gap in metres.
            speed: maximum speed in m/s; 0 for the default.
            force: force in N that also ends the move; 0 for none.
            time: time in seconds that also ends the move; 0 for none.
            until_beam: whether a broken beam ends the move.
            until_near: whether something near a finger ends the move.
        """
        ends = _ends(gap=True, force=force > 0, beam=until_beam, near=until_near, time=time > 0)
        return self._move("position", gap, speed, ends, force, time)

    @sends("MOV")
    def move_at(
        self,
        speed: float,
        *,
        force: float = 0.0,
        time: float = 0.0,
        until_beam: bool = False,
        until_near: bool = False,
    ) -> Ticket[Done]:
        """Queue a move at a constant speed in m/s, opening if it is positive, until an end condition or a stop."""
        if speed == 0:  # in the message 0 means: close at the default speed
            raise FieldError(
                "a move at a rate of 0 m/s does not move", hint="give a positive speed to open, a negative one to close"
            )
        ends = _ends(gap=False, force=force > 0, beam=until_beam, near=until_near, time=time > 0)
        return self._move("rate", 0.0, speed, ends, force, time)

    @sends("MOV")
    def ratchet_to(
        self, gap: float, *, opening: bool = False, speed: float = 0.0, force: float = 0.0, time: float = 0.0
    ) -> Ticket[Done]:
        """Queue a move to a gap that only closes or only opens, and never moves back."""
        ends = _ends(gap=True, force=force > 0, time=time > 0)
        # The sign of the speed is its direction; 0 closes at the default speed.
        signed = (abs(speed) or GRIPPER.command("MOV").real("speed").high) if opening else -abs(speed)
        return self._move("ratchet", gap, signed, ends, force, time)

    @sends("MOV")
    def squeeze(self, force: float, *, gap: float = 0.0, speed: float = 0.0, time: float = 0.0) -> Ticket[Done]:
        """Queue a move towards a gap that ends when the jaws press with ``force`` newtons, and keeps pressing."""
        if force == 0:  # in the message 0 means: the maximum force of the device
            raise FieldError("a squeeze needs a force above 0 N", hint="give a force, or use move_to(gap)")
        ends = _ends(gap=True, force=True, time=time > 0)
        return self._move("force", gap, speed, ends, force, time)

    @sends("STA")
    def status(self) -> GripperStatus:
        """Return the current state. The device answers at once, even if commands are queued."""
        reals = self.calls.ask("STA")
        left, right = unpack_proximity(reals["proximity"])
        return GripperStatus(
            reals["gap"],
            reals["target"],
            reals["position_gain"],
            reals["rate_gain"],
            left,
            right,
            bool(reals["crossfire"]),
        )

    @sends("GAI")
    def set_gains(self, position_gain: float, rate_gain: float) -> Gains:
        """Set the gains of the servo, in 1/s² and 1/s."""
        return Gains(**self.calls.ask("GAI", position_gain=position_gain, rate_gain=rate_gain))

    @sends("ABT")
    def abort(self) -> int:
        """Stop the jaws at once. Returns the number of commands that failed; their tickets raise CommandFailed."""
        return int(self.calls.ask("ABT")["dropped"])

    def _move(self, kind: str, gap: float, speed: float, ends: int, force: float, time: float) -> Ticket[Done]:
        values = {"kind": _KIND[kind], "gap": gap, "speed": speed, "ends": ends, "force": force, "time": time}
        return self.calls.begin("MOV", values, _done)


class WristClient(DeviceClient):
    """A client of the force/torque sensor."""

    table = WRIST

    @sends("STA")
    def status(self) -> Load:
        """Return the current force and torque."""
        values = list(self.calls.ask("STA").values())
        return Load((values[0], values[1], values[2]), (values[3], values[4], values[5]))

    @sends("TAR")
    def tare(self) -> None:
        """Set the current load as zero."""
        self.calls.ask("TAR")


class PadClient(DeviceClient):
    """A client of the tactile pad."""

    table = PAD

    @sends("STA")
    def status(self) -> PadStatus:
        """Return the current contact."""
        reals = self.calls.ask("STA")
        centre = (reals["centre_x"], reals["centre_y"])
        return PadStatus(int(reals["cells"]), reals["force"], centre, reals["peak"], reals["area"])

    @sends("ROW")
    def row(self, row: int) -> tuple[float, ...]:
        """Return the pressure on the six cells of a row in Pa. Row 1 is at the tip."""
        return tuple(self.calls.ask("ROW", row=row).values())


@overload
def connect(address: str, *, token: str = "", numbered: bool = True) -> GripperClient: ...


@overload
def connect(address: str, kind: type[C], *, token: str = "", numbered: bool = True) -> C: ...


def connect(
    address: str,
    kind: type[DeviceClient] = GripperClient,
    *,
    token: str = "",
    numbered: bool = True,
) -> DeviceClient:
    """Connect to a device.

    Args:
        address: ``cell:NAME`` in a program of a cell, ``unix:PATH`` or ``tcp:HOST:PORT`` elsewhere.
        kind: the class of the client: GripperClient, WristClient or PadClient.
        token: the token that a device on another host requires.
        numbered: whether to number commands. Without numbers, replies are assigned to commands by their order.

    Raises:
        LinkLost: if no device listens there.

    >>> from drycell import Cell, Effector
    >>> cell = Cell("bench")
    >>> hand = cell.add("hand", Effector())
    >>> @cell.program
    ... def planner():
    ...     with connect("cell:hand") as gripper:
    ...         gripper.initialise()
    ...         print(f"{gripper.status().gap * 1000:.0f} mm")
    >>> result = cell.run()
    65 mm
    """
    return kind(open_channel(address, token=token), numbered=numbered)


def _done(reals: Reals) -> Done:
    return Done(reals["gap"], reals["force"], int(reals["ended_by"]), reals["elapsed"], int(reals["waiting"]))


def _ends(*, gap: bool = False, force: bool = False, beam: bool = False, near: bool = False, time: bool = False) -> int:
    return AT_GAP * gap + AT_FORCE * force + AT_BEAM * beam + AT_PROXIMITY * near + AT_TIME * time
