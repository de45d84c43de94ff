"""A checker of what devices answer: it watches their mailboxes and points out what contradicts, repeats, or fits twice.

- *conflicting*: two devices claim contrary things of the cell, such as a jaw that presses, a pad that nothing touches;
- *ambiguous*: a reply without a number that fits two commands or more that wait for one;
- *redundant*: a reply to a command that has been answered already, or that nobody has given.

What a reply claims is data, as the table of messages is: a claim of one's own device is one more :class:`Claim`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from drycell.devices.effector.station import Station
from drycell.messages import Message, Refusal, Vocabulary
from drycell.messages.traffic import Traffic

Kind = Literal["conflicting", "ambiguous", "redundant"]
Reals = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a reply of a device (by name and letters) says about a subject: true, false, or nothing (None).

    It holds until the device is given one of the commands that may change it, by their letters.
    """

    device: str
    reply: str
    subject: str
    says: Callable[[Reals], bool | None]
    words: tuple[str, str]
    """How it reads: true, false."""
    until: tuple[str, ...] = ()


HOLDING: Final = "something is held"
CLAIMS: Final = (
    Claim(
        "gripper",
        "DON",
        HOLDING,
        lambda reals: None if reals["ended_by"] == 0 else reals["force"] > 0.0,
        ("presses on something", "presses on nothing"),
        until=("INI", "MOV", "ABT", "QUI"),
    ),
    Claim("pad", "STA", HOLDING, lambda reals: reals["cells"] > 0, ("is touched", "is touched by nothing")),
)


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
    value: bool


class Checker:
    """Watches devices from now on. ``doubts`` are all that it has found; ``listeners`` are told of each at once."""

    def __init__(self, devices: Iterable[Station], claims: Iterable[Claim] = CLAIMS) -> None:
        self.doubts: list[Doubt] = []
        self.listeners: list[Callable[[Doubt], None]] = []
        self._claims = tuple(claims)
        self._open: dict[tuple[str, str], list[Message]] = {}  # of a device and who controls it, in order
        self._claimed: dict[tuple[str, str], _Claimed] = {}  # by subject and device
        for device in devices:
            device.pair.watchers.append(lambda traffic, of=device: self._see(of, traffic))  # type: ignore[misc]

    def found(self, kind: Kind) -> list[Doubt]:
        """The doubts of one kind."""
        return [doubt for doubt in self.doubts if doubt.kind == kind]

    # ---------------------------------------------------------------- what is seen

    def _see(self, device: Station, traffic: Traffic) -> None:
        waiting = self._open.setdefault((device.name, traffic.peer), [])
        message = traffic.message
        if traffic.event == "sent" and isinstance(message, Message):
            waiting.append(message)
            self._void(device, message.command)
        elif traffic.event == "delivered" and isinstance(message, Refusal):
            same = [each for each in waiting if each.sequence == message.sequence]
            if same:
                waiting.remove(same[0])
        elif traffic.event == "delivered" and isinstance(message, Message):
            self._answered(device, waiting, message, traffic.time)
            self._claim(device, message, traffic.time)

    def _answered(self, device: Station, waiting: list[Message], reply: Message, time: float) -> None:
        fitting = [each for each in waiting if _fits(device, each, reply)]
        if not fitting:
            number = "" if reply.sequence is None else f" {reply.sequence}"
            text = f"{device.name} answers {reply.command}{number}, and no command waits for that"
            self._doubt(time, "redundant", (device.name,), text)
            return
        if len(fitting) > 1:
            told = " and ".join(str(each) for each in fitting)
            self._doubt(time, "ambiguous", (device.name,), f"{device.name} answers {reply}; it fits {told}")
        waiting.remove(fitting[0])

    def _claim(self, device: Station, reply: Message, time: float) -> None:
        for claim in self._claims:
            if (claim.device, claim.reply) != (device.table.name, reply.command):
                continue
            value = claim.says(device.table.reply(reply.command).unpack(reply))
            if value is None:
                continue
            mine = _Claimed(time, device.name, claim, value)
            for (subject, other), known in self._claimed.items():
                if subject == claim.subject and other != device.name and known.value != value:
                    text = f"{claim.subject}: {_words(known)} since {known.time:.3f} s, but {_words(mine)}"
                    self._doubt(time, "conflicting", (known.device, device.name), text)
            self._claimed[claim.subject, device.name] = mine

    def _void(self, device: Station, command: str) -> None:
        """What a device has claimed no longer holds once it is given another command; nor what others said of that."""
        ended = {
            known.claim.subject
            for known in self._claimed.values()
            if known.device == device.name and command in known.claim.until
        }
        self._claimed = {key: known for key, known in self._claimed.items() if key[0] not in ended}

    def _doubt(self, time: float, kind: Kind, devices: tuple[str, ...], text: str) -> None:
        doubt = Doubt(time, kind, devices, text)
        self.doubts.append(doubt)
        for listener in self.listeners:
            listener(doubt)


def _fits(device: Station, command: Message, reply: Message) -> bool:
    known: Vocabulary = device.pair.vocabulary
    entry = known.device(command.destination).command(command.command)
    if reply.command not in entry.replies or reply.source != command.destination:
        return False
    return reply.sequence is None or reply.sequence == command.sequence


def _words(claimed: _Claimed) -> str:
    return f"{claimed.device} {claimed.claim.words[0 if claimed.value else 1]}"
