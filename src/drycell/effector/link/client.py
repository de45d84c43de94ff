"""Devices as a controlling program sees them: one function for each command, in SI units, no formats to remember.

The same program drives the device in a cell, in cell time; the device as a process; or one on another host::

    with connect("unix:gripper.sock") as gripper:      # or "tcp:localhost:4711", or "cell:hand" in a program of a cell
        gripper.initialise()
        ticket = gripper.move_to(20 * mm, force=10)
        print(gripper.status().gap)
        ticket.wait()
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypeVar, overload

from drycell.base import FieldError
from drycell.effector.link.calls import MOVE_TIMEOUT, TIMEOUT, Calls, Channel, Reals, Ticket, plain
from drycell.effector.link.framing import Framing
from drycell.effector.link.opening import open_channel
from drycell.effector.messages import GRIPPER, PAD, WRIST, DeviceTable, unpack_proximity
from drycell.effector.messages.table import AT_BEAM, AT_FORCE, AT_GAP, AT_PROXIMITY, AT_TIME, KINDS

C = TypeVar("C", bound="Client")
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
class Debugging:
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
class Touch:
    """What touches a pad: how many cells, with which force, where its centre is, greatest pressure, area."""

    cells: int
    force: float
    centre: tuple[float, float]
    peak: float
    area: float


class Client:
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
    ) -> Debugging:
        """Switch kinds of debugging output on or off; None leaves one as it is. Gives what is on then."""
        wanted = {"flags": flags, "messages": messages, "control": control, "graphics": graphics}
        values = {name: float(_AS_IT_IS if on is None else on) for name, on in wanted.items()}
        return Debugging(**{name: bool(on) for name, on in self.calls.ask("DBG", **values).items()})

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


class Gripper(Client):
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


class Wrist(Client):
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


class Pad(Client):
    """The tactile pad."""

    table = PAD

    @speaks("STA")
    def status(self) -> Touch:
        """What touches the pad now."""
        reals = self.calls.ask("STA")
        centre = (reals["centre_x"], reals["centre_y"])
        return Touch(int(reals["cells"]), reals["force"], centre, reals["peak"], reals["area"])

    @speaks("ROW")
    def row(self, row: int) -> tuple[float, ...]:
        """Pressure on the six cells of a row, from 1 at the tip, in Pa."""
        return tuple(self.calls.ask("ROW", row=row).values())


@overload
def connect(address: str, *, token: str = "", framing: Framing = "text", numbered: bool = True) -> Gripper: ...


@overload
def connect(address: str, kind: type[C], *, token: str = "", framing: Framing = "text", numbered: bool = True) -> C: ...


def connect(
    address: str,
    kind: type[Client] = Gripper,
    *,
    token: str = "",
    framing: Framing = "text",
    numbered: bool = True,
) -> Client:
    """The device at an address: ``cell:NAME`` in a program of a cell, ``unix:PATH`` or ``tcp:HOST:PORT`` elsewhere.

    A device that listens beyond its own host asks for a ``token``. Without numbers replies are tied to commands by
    their order alone. Raises LinkLost when nobody is there.
    """
    return kind(open_channel(address, token=token, framing=framing), numbered=numbered)


def _done(reals: Reals) -> Done:
    return Done(reals["gap"], reals["force"], int(reals["ended_by"]), reals["elapsed"], int(reals["waiting"]))


def _ends(*, gap: bool = False, force: bool = False, beam: bool = False, near: bool = False, time: bool = False) -> int:
    return AT_GAP * gap + AT_FORCE * force + AT_BEAM * beam + AT_PROXIMITY * near + AT_TIME * time
