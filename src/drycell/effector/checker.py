"""A checker of what devices answer: it watches their mailboxes and points out what contradicts, repeats, or fits twice.

- *conflicting*: two devices claim contrary things of the cell, such as a jaw that presses, a pad that nothing touches;
- *ambiguous*: a reply without a number that fits two commands or more that wait for one;
- *redundant*: a reply to a command that has been answered already, or that nobody has given.

What a reply claims is data: a claim of one's own device is one more :class:`Claim`. How it is read off the six reals,
how long it holds, and by how much numbers may differ is said there; who is compared with whom follows from the subject.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from drycell.effector.device import LiveMessageDevice
from drycell.effector.messages import VOCABULARY, Message, Refusal, unpack_proximity
from drycell.effector.messages.message import Traffic
from drycell.effector.messages.vocabulary import AT_FORCE, AT_GAP, KINDS, REASONS

Reals = Mapping[str, float]
_MOVES: Final = ("INI", "MOV", "ABT", "QUI")  # commands by which the jaws move, or let go


@dataclass(frozen=True, slots=True)
class Claim:
    """What a reply of a device (by name and letters) says about a subject: yes or no, a number, or nothing (None).

    ``says`` is given the reals of the reply, and those of the command that it answers.
    """

    device: str
    reply: str
    subject: str
    says: Callable[[Reals, Reals], float | None]
    words: tuple[str, str]
    """How it reads: if it is so, or with the number in place of {}; if it is not so, or the number is 0."""
    within: float = 0.0
    """By how much it may differ from what another device claims."""
    until: tuple[str, ...] = ()
    """Commands to the device that may change it, by their letters: while one is under way nothing is known."""
    lasts: float = math.inf
    """Seconds for which it holds."""

    def text(self, value: float) -> str:
        """What is claimed, in words."""
        return self.words[0 if value else 1].format(f"{value:.1f}")


def _pressed(told: Reals, asked: Reals) -> float | None:
    """The force on what is between the jaws; None: not known, or on the ends of their stroke."""
    opens = KINDS.get(int(asked.get("kind", 0))) in ("rate", "ratchet") and asked.get("speed", 0.0) > 0.0
    if told["force"] > 0.0 and (opens or told["gap"] < _CLOSED):
        return None
    return told["force"]


def _force_when_done(told: Reals, asked: Reals) -> float | None:
    # Ended by anything else the jaws still brake, and may press on something yet.
    return _pressed(told, asked) if told["ended_by"] in (AT_GAP, AT_FORCE) else None


def _force_when_failed(told: Reals, asked: Reals) -> float | None:
    reason = REASONS.get(int(told["reason"]))
    return _pressed(told, asked) if reason in ("blocked", "missed", "lost hold") else None


def _force_on_pad(told: Reals, asked: Reals) -> float | None:
    # What is pushed by one finger touches it without a force.
    return None if told["cells"] > 0 and told["force"] <= 0.0 else told["force"]


def _sees(told: Reals, asked: Reals) -> float | None:
    near = any(each is not None for each in unpack_proximity(told["proximity"]))
    return float(near or told["crossfire"] > 0)


def _yes(says: Callable[[Reals, Reals], float | None]) -> Callable[[Reals, Reals], float | None]:
    """Whether a number is above 0, in place of the number."""

    def above_zero(told: Reals, asked: Reals) -> float | None:
        value = says(told, asked)
        return None if value is None else float(value > 0.0)

    return above_zero


HOLDING: Final = "something is held"
FORCE: Final = "force between the jaws"
BETWEEN: Final = "something is between the jaws"
_CLOSED: Final = 1e-6  # metres: a gap at which the fingers press on each other
_GIVE: Final = 1.0  # newtons: a jaw that is at its gap may press by so much more until it stands
_PRESSES: Final = ("presses on something", "presses on nothing")
_PRESSES_WITH: Final = ("presses with {} N", "presses with 0 N")
CLAIMS: Final = (
    Claim("gripper", "DON", HOLDING, _yes(_force_when_done), _PRESSES, until=_MOVES),
    Claim("gripper", "FAI", HOLDING, _yes(_force_when_failed), _PRESSES, until=_MOVES),
    Claim("pad", "STA", HOLDING, _yes(_force_on_pad), ("is pressed", "is touched by nothing")),
    Claim("gripper", "DON", FORCE, lambda *both: _force_when_done(*both) or None, _PRESSES_WITH, _GIVE, until=_MOVES),
    Claim("gripper", "FAI", FORCE, lambda *both: _force_when_failed(*both) or None, _PRESSES_WITH, _GIVE, until=_MOVES),
    Claim("pad", "STA", FORCE, lambda *both: _force_on_pad(*both) or None, ("is pressed with {} N", ""), _GIVE),
    # Only at one instant: an arm may carry the jaws to something, or away from it, at any time.
    Claim("gripper", "STA", BETWEEN, _sees, ("sees something", "sees nothing"), until=_MOVES, lasts=0.0),
    Claim("pad", "STA", BETWEEN, lambda told, _: 1.0 if told["cells"] > 0 else None, ("is touched", ""), lasts=0.0),
)
"""What drycell's own devices claim."""


Kind = Literal["conflicting", "ambiguous", "redundant"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that is not right: when (in seconds), of which kind, with which devices, and in words."""

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


class Checker:
    """Watches devices from now on. ``doubts`` are all that it has found; ``listeners`` are told of each at once.

    Two devices that tell the same are no fault, but one of them may be spared: ``repeated`` has each such pair once.
    """

    def __init__(self, devices: Iterable[LiveMessageDevice[Any]], claims: Iterable[Claim] = CLAIMS) -> None:
        self.doubts: list[Doubt] = []
        self.repeated: list[Doubt] = []
        self.listeners: list[Callable[[Doubt], None]] = []
        self._claims = tuple(claims)
        self._devices = {device.name: device for device in devices}
        self._open: dict[tuple[str, str], list[Message]] = {}  # of a device and who controls it, in order
        self._claimed: dict[tuple[str, str], _Claimed] = {}  # by subject and device
        for device in self._devices.values():
            device.pair.watchers.append(lambda traffic, of=device: self._see(of, traffic))  # type: ignore[misc]

    def found(self, kind: Kind) -> list[Doubt]:
        """The doubts of one kind."""
        return [doubt for doubt in self.doubts if doubt.kind == kind]

    # ---------------------------------------------------------------- what is seen

    def _see(self, device: LiveMessageDevice[Any], traffic: Traffic) -> None:
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
        elif traffic.event in ("lost", "dropped"):  # a command that does not come, or a reply: nothing is waited for
            gone = [each for each in waiting if each is message or _fits(device, each, message)]
            if gone:
                waiting.remove(gone[0])

    def _refused(self, waiting: list[Message], refusal: Refusal) -> None:
        # Most are refused at once: without a number it is the last one that is meant.
        same = [place for place, each in enumerate(waiting) if each.sequence == refusal.sequence]
        if same:
            del waiting[same[-1]]

    def _answered(self, device: LiveMessageDevice[Any], waiting: list[Message], reply: Message, time: float) -> None:
        fitting = [each for each in waiting if _fits(device, each, reply)]
        if not fitting:
            number = "" if reply.sequence is None else f" {reply.sequence}"
            text = f"{device.name} answers {reply.command}{number}, and no command waits for that"
            self._doubt(time, "redundant", (device.name,), text)
            return  # whatever it tells, it is not of now
        if len(fitting) > 1:
            told = " and ".join(str(each) for each in fitting)
            self._doubt(time, "ambiguous", (device.name,), f"{device.name} answers {reply}; it fits {told}")
        waiting.remove(fitting[0])
        self._claim(device, fitting[0], reply, time)

    # ---------------------------------------------------------------- what is claimed

    def _claim(self, device: LiveMessageDevice[Any], command: Message, reply: Message, time: float) -> None:
        told, asked = (VOCABULARY.entry(each).unpack(each) for each in (reply, command))
        for claim in self._claims:
            if (claim.device, claim.reply) != (device.table.name, reply.command) or self._changing(claim.subject):
                continue
            value = claim.says(told, asked)
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
            self._doubt(mine.time, "conflicting", devices, text)
        elif not any(
            set(each.devices) == set(devices) and each.text.startswith(f"{subject}: ") for each in self.repeated
        ):
            text = f"{subject}: {_words(known)}, and {_words(mine)}"
            self.repeated.append(Doubt(mine.time, "redundant", devices, text))

    def _changing(self, subject: str) -> bool:
        """Whether a command is under way that may change what is so."""
        return any(
            self._changes(self._devices[name], each.command, subject)
            for (name, _), waiting in self._open.items()
            for each in waiting
        )

    def _changes(self, device: LiveMessageDevice[Any], command: str, subject: str) -> bool:
        return any(
            claim.subject == subject and claim.device == device.table.name and command in claim.until
            for claim in self._claims
        )

    def _void(self, device: LiveMessageDevice[Any], command: str) -> None:
        """What was claimed, by whomever, no longer holds once a device is given a command that may change it."""
        self._claimed = {
            (subject, other): known
            for (subject, other), known in self._claimed.items()
            if not self._changes(device, command, subject)
        }

    def _doubt(self, time: float, kind: Kind, devices: tuple[str, ...], text: str) -> None:
        doubt = Doubt(time, kind, devices, text)
        self.doubts.append(doubt)
        for listener in self.listeners:
            listener(doubt)


def _fits(device: LiveMessageDevice[Any], command: Message, reply: Message) -> bool:
    replies = next((each.replies for each in device.table.commands if each.letters == command.command), ())
    if reply.command not in replies or reply.source != command.destination:
        return False
    return reply.sequence is None or reply.sequence == command.sequence


def _words(claimed: _Claimed) -> str:
    return f"{claimed.device} {claimed.claim.text(claimed.value)}"
