"""Devices as a controlling program sees them: one function for each command, in SI units, no formats to remember.

The same program drives the device in a cell, in cell time; the device as a process; or one on another host::

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
    VOCABULARY,
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
"""Seconds in which a command that is not queued is answered."""
MOVE_TIMEOUT: Final = 60.0
"""Seconds in which a queued command is done."""
MOST_OPEN: Final = 4096
"""Commands that may be without a reply at one time."""
_INSTANT: Final = 0.5e-6  # seconds: less than cell time can tell apart


T = TypeVar("T")
Reals = dict[str, float]
"""The reals of a reply by name."""


class Ticket(Generic[T]):
    """A command that was sent: wait for its reply here, now or later."""

    def __init__(
        self, calls: "Calls", command: CommandEntry, message: Message, sent: float, read: Callable[[Reals], T]
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
    ) -> None:
        self.channel, self.device, self.source, self.numbered = channel, device, source, numbered
        self.strays = 0
        """Replies that belong to no command: doubled ones, or such that came after they were given up."""
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
        VOCABULARY.check(message)
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


def _reason(reply: ReplyEntry, message: Message) -> str:
    number = reply.unpack(message)["reason"]
    return reply.real("reason").choices.get(int(number), f"reason {number:g}")


C = TypeVar("C", bound="DeviceClient")
F = TypeVar("F", bound=Callable[..., object])

_AS_IT_IS: Final = -1
_KIND: Final = {word: number for number, word in KINDS.items()}


def speaks(letters: str) -> Callable[[F], F]:
    """Marks the function that gives a command, so that a test can hold it against the table."""

    def mark(function: F) -> F:
        function.__dict__["speaks"] = letters
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Done:
    """How a queued command ended: gap and force then, what ended it, how long it took, and how many still wait."""

    gap: float
    force: float
    ended_by: int
    elapsed: float
    waiting: int


@dataclass(frozen=True, slots=True)
class Status:
    """The end effector at an instant. Distances are None where a finger has nothing near."""

    gap: float
    target: float
    position_gain: float
    rate_gain: float
    left: float | None
    right: float | None
    beam_broken: bool


@dataclass(frozen=True, slots=True)
class Gains:
    """Gains of the servo, in 1/s² and 1/s."""

    position_gain: float
    rate_gain: float


@dataclass(frozen=True, slots=True)
class DebugSwitches:
    """Which kinds of debugging output are on."""

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
    """What touches a pad: how many cells, with which force, where its centre is, greatest pressure, area."""

    cells: int
    force: float
    centre: tuple[float, float]
    peak: float
    area: float


class DeviceClient:
    """A device at the far end of a channel; what all devices have. One thread or program uses it at a time."""

    table: ClassVar[DeviceTable]

    def __init__(self, channel: Channel, *, source: str = "P", numbered: bool = True) -> None:
        self.calls = Calls(channel, self.table, source=source, numbered=numbered)

    def begin(self, letters: str, **values: float) -> Ticket[Reals]:
        """Give any command of the table by its letters, with its reals by name."""
        return self.calls.begin(letters, values, plain)

    @speaks("DBG")
    def debug(
        self,
        *,
        flags: bool | None = None,
        messages: bool | None = None,
        control: bool | None = None,
        graphics: bool | None = None,
    ) -> DebugSwitches:
        """Switch kinds of debugging output on or off; None leaves one as it is. Gives what is on then."""
        wanted = {"flags": flags, "messages": messages, "control": control, "graphics": graphics}
        values = {name: float(_AS_IT_IS if on is None else on) for name, on in wanted.items()}
        return DebugSwitches(**{name: bool(on) for name, on in self.calls.ask("DBG", **values).items()})

    @speaks("QUI")
    def quit(self) -> int:
        """End the device. Gives how many queued commands failed by it."""
        dropped = int(self.calls.ask("QUI")["dropped"])
        self.close()
        return dropped

    def reconnect(self, timeout: float = TIMEOUT) -> None:
        """Begin anew after the connection was lost. Commands that had no reply are given up."""
        self.calls.forget("reconnected before the reply came")
        self.calls.channel.reopen(timeout)

    def close(self) -> None:
        """Leave the device as it is, and the connection."""
        self.calls.forget("the connection was closed")
        self.calls.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class GripperClient(DeviceClient):
    """The parallel-jaw end effector."""

    table = GRIPPER

    @speaks("INI")
    def initialise(self, timeout: float = MOVE_TIMEOUT) -> Done:
        """Open the jaws to their stop and find zero: needed before the first move. Waits until it is done."""
        return self.calls.begin("INI", {}, _done).wait(timeout)

    @speaks("MOV")
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
        """Queue a move to a gap. A force or a time given ends it, too; so do the beam and something near, if asked."""
        ends = _ends(gap=True, force=force > 0, beam=until_beam, near=until_near, time=time > 0)
        return self._move("position", gap, speed, ends, force, time)

    @speaks("MOV")
    def move_at(
        self,
        speed: float,
        *,
        force: float = 0.0,
        time: float = 0.0,
        until_beam: bool = False,
        until_near: bool = False,
    ) -> Ticket[Done]:
        """Queue a move at a rate: the gap grows by it, or shrinks when it is negative, until a condition or a stop."""
        if speed == 0:  # in the message it stands for the device's own speed, and closes
            raise FieldError("a move at a rate of 0 m/s goes nowhere", hint="give a speed: above 0 opens, below closes")
        ends = _ends(gap=False, force=force > 0, beam=until_beam, near=until_near, time=time > 0)
        return self._move("rate", 0.0, speed, ends, force, time)

    @speaks("MOV")
    def ratchet_to(
        self, gap: float, *, opening: bool = False, speed: float = 0.0, force: float = 0.0, time: float = 0.0
    ) -> Ticket[Done]:
        """Queue a move to a gap that only ever closes, or only opens: what is gained is never given back."""
        ends = _ends(gap=True, force=force > 0, time=time > 0)
        # The sign of the speed is the way it may go; 0 closes at the device's own speed.
        signed = (abs(speed) or GRIPPER.command("MOV").real("speed").high) if opening else -abs(speed)
        return self._move("ratchet", gap, signed, ends, force, time)

    @speaks("MOV")
    def squeeze(self, force: float, *, gap: float = 0.0, speed: float = 0.0, time: float = 0.0) -> Ticket[Done]:
        """Queue a move towards a gap that ends when the jaws press with a force, and goes on pressing with it."""
        if force == 0:  # in the message it stands for all the force that the device has
            raise FieldError("a squeeze with a force of 0 N", hint="give a force, or use move_to(gap)")
        ends = _ends(gap=True, force=True, time=time > 0)
        return self._move("force", gap, speed, ends, force, time)

    @speaks("STA")
    def status(self) -> Status:
        """The state now, whatever is queued."""
        reals = self.calls.ask("STA")
        left, right = unpack_proximity(reals["proximity"])
        return Status(
            reals["gap"],
            reals["target"],
            reals["position_gain"],
            reals["rate_gain"],
            left,
            right,
            bool(reals["crossfire"]),
        )

    @speaks("GAI")
    def set_gains(self, position_gain: float, rate_gain: float) -> Gains:
        """Set the gains of the servo from now on."""
        return Gains(**self.calls.ask("GAI", position_gain=position_gain, rate_gain=rate_gain))

    @speaks("ABT")
    def abort(self) -> int:
        """Stop the jaws at once. Gives how many commands failed by it; their tickets raise CommandFailed."""
        return int(self.calls.ask("ABT")["dropped"])

    def _move(self, kind: str, gap: float, speed: float, ends: int, force: float, time: float) -> Ticket[Done]:
        values = {"kind": _KIND[kind], "gap": gap, "speed": speed, "ends": ends, "force": force, "time": time}
        return self.calls.begin("MOV", values, _done)


class WristClient(DeviceClient):
    """The force/torque sensor."""

    table = WRIST

    @speaks("STA")
    def status(self) -> Load:
        """Force and torque now."""
        values = list(self.calls.ask("STA").values())
        return Load((values[0], values[1], values[2]), (values[3], values[4], values[5]))

    @speaks("TAR")
    def tare(self) -> None:
        """Take the load of now as zero."""
        self.calls.ask("TAR")


class PadClient(DeviceClient):
    """The tactile pad."""

    table = PAD

    @speaks("STA")
    def status(self) -> PadStatus:
        """What touches the pad now."""
        reals = self.calls.ask("STA")
        centre = (reals["centre_x"], reals["centre_y"])
        return PadStatus(int(reals["cells"]), reals["force"], centre, reals["peak"], reals["area"])

    @speaks("ROW")
    def row(self, row: int) -> tuple[float, ...]:
        """Pressure on the six cells of a row, from 1 at the tip, in Pa."""
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
    """The device at an address: ``cell:NAME`` in a program of a cell, ``unix:PATH`` or ``tcp:HOST:PORT`` elsewhere.

    A device that listens beyond its own host asks for a ``token``. Without numbers replies are tied to commands by
    their order alone. Raises LinkLost when nobody is there.
    """
    return kind(open_channel(address, token=token), numbered=numbered)


def _done(reals: Reals) -> Done:
    return Done(reals["gap"], reals["force"], int(reals["ended_by"]), reals["elapsed"], int(reals["waiting"]))


def _ends(*, gap: bool = False, force: bool = False, beam: bool = False, near: bool = False, time: bool = False) -> int:
    return AT_GAP * gap + AT_FORCE * force + AT_BEAM * beam + AT_PROXIMITY * near + AT_TIME * time
