"""A checker for the replies of several devices: finds replies that contradict each other or fit no single command.

- *conflicting*: two devices contradict each other, such as a jaw that presses and a pad that nothing touches;
- *ambiguous*: a reply without a number fits two or more commands that wait for a reply;
- *redundant*: a reply to a command that has already been answered, or that was never sent.

A :class:`Claim` describes what a reply says about the cell: how to read it from the six reals, how long it is valid,
and how much numbers may differ. The checker compares claims about one subject. Add a claim for your own device.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from drycell.effector.device import LiveMessageDevice
from drycell.effector.messages import DeviceTable, Message, Refusal, Traffic, Watcher, unpack_proximity
from drycell.effector.messages.vocabulary import AT_FORCE, AT_GAP, KINDS, REASONS

Reals = Mapping[str, float]
_MOVES: Final = ("INI", "MOV", "ABT", "QUI")  # commands that move the jaws, or release a part


@dataclass(frozen=True, slots=True)
class Claim:
    """What a reply of a device (given by name and letters) claims about a subject: yes or no, a number, or None.

    ``says`` gets the reals of the reply, and those of the command that it answers.
    """

    device: str
    reply: str
    subject: str
    says: Callable[[Reals, Reals], float | None]
    words: tuple[str, str]
    """The text if it is true, with {} for the number, and the text if it is false or 0."""
    within: float = 0.0
    """Allowed difference from the claim of another device."""
    until: tuple[str, ...] = ()
    """Letters of the commands that may change it. While one of them is executed, nothing is known."""
    lasts: float = math.inf
    """Validity in seconds."""

    def text(self, value: float) -> str:
        """Return the claim in words."""
        return self.words[0 if value else 1].format(f"{value:.1f}")


def _pressed(reply: Reals, command: Reals) -> float | None:
    """The force on the part between the jaws; None if it is not known, or acts on the ends of their stroke."""
    opens = KINDS.get(int(command.get("kind", 0))) in ("rate", "ratchet") and command.get("speed", 0.0) > 0.0
    if reply["force"] > 0.0 and (opens or reply["gap"] < _CLOSED):
        return None
    return reply["force"]


def _force_when_done(reply: Reals, command: Reals) -> float | None:
    # After any other end condition the jaws are still braking, and may press on a part later.
    return _pressed(reply, command) if reply["ended_by"] in (AT_GAP, AT_FORCE) else None


def _force_when_failed(reply: Reals, command: Reals) -> float | None:
    reason = REASONS.get(int(reply["reason"]))
    return _pressed(reply, command) if reason in ("blocked", "missed", "lost hold") else None


def _force_on_pad(reply: Reals, command: Reals) -> float | None:
    # A part that one finger pushes touches it without a force.
    return None if reply["cells"] > 0 and reply["force"] <= 0.0 else reply["force"]


def _sees(reply: Reals, command: Reals) -> float | None:
    near = any(each is not None for each in unpack_proximity(reply["proximity"]))
    return float(near or reply["crossfire"] > 0)


def _yes(says: Callable[[Reals, Reals], float | None]) -> Callable[[Reals, Reals], float | None]:
    """Turn a number into yes or no: whether it is above 0."""

    def above_zero(reply: Reals, command: Reals) -> float | None:
        value = says(reply, command)
        return None if value is None else float(value > 0.0)

    return above_zero


HOLDING: Final = "something is held"
FORCE: Final = "force between the jaws"
BETWEEN: Final = "something is between the jaws"
_CLOSED: Final = 1e-6  # metres: a gap at which the fingers press on each other
_GIVE: Final = 1.0  # newtons: a jaw at its gap may press harder by this much until it is at rest
_PRESSES: Final = ("presses on something", "presses on nothing")
_PRESSES_WITH: Final = ("presses with {} N", "presses with 0 N")
CLAIMS: Final = (
    Claim("gripper", "DON", HOLDING, _yes(_force_when_done), _PRESSES, until=_MOVES),
    Claim("gripper", "FAI", HOLDING, _yes(_force_when_failed), _PRESSES, until=_MOVES),
    Claim("pad", "STA", HOLDING, _yes(_force_on_pad), ("is pressed", "is touched by nothing")),
    Claim("gripper", "DON", FORCE, lambda *both: _force_when_done(*both) or None, _PRESSES_WITH, _GIVE, until=_MOVES),
    Claim("gripper", "FAI", FORCE, lambda *both: _force_when_failed(*both) or None, _PRESSES_WITH, _GIVE, until=_MOVES),
    Claim("pad", "STA", FORCE, lambda *both: _force_on_pad(*both) or None, ("is pressed with {} N", ""), _GIVE),
    # Valid for one instant only: an arm may move the jaws to a part, or away from it, at any time.
    Claim("gripper", "STA", BETWEEN, _sees, ("sees something", "sees nothing"), until=_MOVES, lasts=0.0),
    Claim("pad", "STA", BETWEEN, lambda reply, _: 1.0 if reply["cells"] > 0 else None, ("is touched", ""), lasts=0.0),
)
"""The claims of drycell's own devices."""


Kind = Literal["conflicting", "ambiguous", "redundant"]


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """An inconsistency: time in seconds, kind, devices, and a text."""

    time: float
    kind: Kind
    devices: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.time:.3f} s  {self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class _Claimed:
    time: float
    device: str
    claim: Claim
    value: float


@dataclass(frozen=True, slots=True)
class _Checked:
    """A device whose replies are watched: its name in messages to people, and its table."""

    name: str
    table: DeviceTable


class Checker:
    """Watches the replies of devices. ``found`` lists the inconsistencies; ``listeners`` are called with each.

    Two devices that agree are not a fault, but one of them may be superfluous: ``repeated`` contains each such pair
    once.

    Args:
        devices: the devices of a cell to watch. For others, use ``watcher``.
        claims: what their replies say about the cell.
    """

    def __init__(self, devices: Iterable[LiveMessageDevice[Any]], claims: Iterable[Claim] = CLAIMS) -> None:
        self.found: list[Inconsistency] = []
        self.repeated: list[Inconsistency] = []
        self.listeners: list[Callable[[Inconsistency], None]] = []
        self._claims = tuple(claims)
        self._devices: dict[str, _Checked] = {}
        self._open: dict[tuple[str, str], list[Message]] = {}  # by device and client, in the order they were sent
        self._claimed: dict[tuple[str, str], _Claimed] = {}  # by subject and device
        for device in devices:
            device.pair.watchers.append(self.watcher(device.name, device.table))

    def watcher(self, name: str, table: DeviceTable) -> Watcher:
        """Add a device by its name and its table, and return what to call with its traffic."""
        device = self._devices[name] = _Checked(name, table)
        return lambda traffic: self._see(device, traffic)

    def of_kind(self, kind: Kind) -> list[Inconsistency]:
        """Return the inconsistencies of one kind."""
        return [each for each in self.found if each.kind == kind]

    # ---------------------------------------------------------------- traffic

    def _see(self, device: _Checked, traffic: Traffic) -> None:
        waiting = self._open.setdefault((device.name, traffic.peer), [])
        message = traffic.message
        if isinstance(message, Refusal):
            if traffic.event in ("delivered", "lost", "dropped"):
                self._refused(waiting, message)
        elif message is None:
            return
        elif traffic.event == "sent":
            waiting.append(message)
            self._void(device, message.command)
        elif traffic.event == "delivered":
            self._answered(device, waiting, message, traffic.time)
        elif traffic.event in ("lost", "dropped"):  # a command or a reply that never arrives, so nothing waits for it
            gone = [each for each in waiting if each is message or _fits(device, each, message)]
            if gone:
                waiting.remove(gone[0])

    def _refused(self, waiting: list[Message], refusal: Refusal) -> None:
        # Most refusals come at once: without a number it is the last command.
        same = [place for place, each in enumerate(waiting) if each.sequence == refusal.sequence]
        if same:
            del waiting[same[-1]]

    def _answered(self, device: _Checked, waiting: list[Message], reply: Message, time: float) -> None:
        fitting = [each for each in waiting if _fits(device, each, reply)]
        if not fitting:
            number = "" if reply.sequence is None else f" {reply.sequence}"
            text = f"{device.name} answers {reply.command}{number}, but no command waits for this reply"
            self._note(time, "redundant", (device.name,), text)
            return  # it does not describe the current state
        if len(fitting) > 1:
            commands = " and ".join(str(each) for each in fitting)
            self._note(time, "ambiguous", (device.name,), f"{device.name} answers {reply}; it fits {commands}")
        waiting.remove(fitting[0])
        self._claim(device, fitting[0], reply, time)

    # ---------------------------------------------------------------- claims

    def _claim(self, device: _Checked, command: Message, reply: Message, time: float) -> None:
        said = device.table.reply(reply.command).unpack(reply)
        asked = device.table.command(command.command).unpack(command)
        for claim in self._claims:
            if (claim.device, claim.reply) != (device.table.name, reply.command) or self._changing(claim.subject):
                continue
            value = claim.says(said, asked)
            if value is None:
                continue
            mine = _Claimed(time, device.name, claim, value)
            for (subject, other), known in self._claimed.items():
                if subject == claim.subject and other != device.name and time - known.time <= known.claim.lasts:
                    self._compare(known, mine)
            self._claimed[claim.subject, device.name] = mine

    def _compare(self, known: _Claimed, mine: _Claimed) -> None:
        subject, devices = mine.claim.subject, (known.device, mine.device)
        if abs(known.value - mine.value) > max(known.claim.within, mine.claim.within):
            text = f"{subject}: {_words(known)} since {known.time:.3f} s, but {_words(mine)}"
            self._note(mine.time, "conflicting", devices, text)
        elif not any(
            set(each.devices) == set(devices) and each.text.startswith(f"{subject}: ") for each in self.repeated
        ):
            text = f"{subject}: {_words(known)}, and {_words(mine)}"
            self.repeated.append(Inconsistency(mine.time, "redundant", devices, text))

    def _changing(self, subject: str) -> bool:
        """Whether a command is being executed that may change the subject."""
        return any(
            self._changes(self._devices[name], each.command, subject)
            for (name, _), waiting in self._open.items()
            for each in waiting
        )

    def _changes(self, device: _Checked, command: str, subject: str) -> bool:
        return any(
            claim.subject == subject and claim.device == device.table.name and command in claim.until
            for claim in self._claims
        )

    def _void(self, device: _Checked, command: str) -> None:
        """Forget all claims that a command to a device may change."""
        self._claimed = {
            (subject, other): known
            for (subject, other), known in self._claimed.items()
            if not self._changes(device, command, subject)
        }

    def _note(self, time: float, kind: Kind, devices: tuple[str, ...], text: str) -> None:
        found = Inconsistency(time, kind, devices, text)
        self.found.append(found)
        for listener in self.listeners:
            listener(found)


def _fits(device: _Checked, command: Message, reply: Message) -> bool:
    replies = next((each.replies for each in device.table.commands if each.letters == command.command), ())
    if reply.command not in replies or reply.source != command.destination:
        return False
    return reply.sequence is None or reply.sequence == command.sequence


def _words(claimed: _Claimed) -> str:
    return f"{claimed.device} {claimed.claim.text(claimed.value)}"
