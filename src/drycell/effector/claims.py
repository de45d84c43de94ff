"""What replies of devices claim of the cell, as data: a claim of one's own device is one more :class:`Claim`.

Two devices that claim contrary things of one subject are in conflict. How a claim is read off the six reals, how long
it holds, and by how much numbers may differ is said here; who is to be compared with whom follows from the subject.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from drycell.effector.messages import unpack_proximity
from drycell.effector.messages.table import AT_FORCE, AT_GAP, KINDS, REASONS

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
