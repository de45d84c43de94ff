"""Faults of an emulated line, drawn from a seed: late, spoilt and lost answers, and a plug that is pulled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from drycell.base import FieldError, UnknownName

KINDS: Final = ("late", "garbage", "lost_prompt", "silent", "unplug")


@dataclass(frozen=True, slots=True)
class LineFaults:
    """How often, and how, a line misbehaves. The shares are of commands; at most one fault befalls each.

    ``at`` names the fault of certain commands, the first being 1: ``{12: "garbage", 30: "unplug"}``.
    """

    late: float = 0.0
    garbage: float = 0.0
    lost_prompt: float = 0.0
    silent: float = 0.0
    at: Mapping[int, str] = field(default_factory=dict)
    late_by: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for name, share in self._shares():
            if not 0.0 <= share <= 1.0:
                raise FieldError(f"{name} is not 0 ≤ {share:g} ≤ 1", hint="give a share of the commands")
        if (whole := sum(share for _, share in self._shares())) > 1.0 + 1e-9:
            raise FieldError(f"the shares of faults add up to {whole:g}, more than 1")
        for kind in self.at.values():
            if kind not in KINDS:
                raise UnknownName("fault of a line", kind, KINDS)

    def verdict(self, number: int, answer: bytes) -> "Verdict":
        """What happens to the answer of a command: the same for the same seed."""
        # A stream of its own for each command: what happened to others does not shift it.
        stream = Random(f"{self.seed}/{number}")
        kind, drawn = self.at.get(number), stream.random()
        for name, share in self._shares():
            if kind is None and drawn < share:
                kind = name
            drawn -= share
        match kind:
            case "late":
                return Verdict(answer, late=self.late_by)
            case "garbage":
                return Verdict(_spoilt(answer, stream))
            case "lost_prompt":
                return Verdict(answer.removesuffix(b">"))
            case "silent":
                return Verdict(b"")
            case "unplug":
                return Verdict(b"", unplugged=True)
        return Verdict(answer)

    def _shares(self) -> tuple[tuple[str, float], ...]:
        return (
            ("late", self.late),
            ("garbage", self.garbage),
            ("lost_prompt", self.lost_prompt),
            ("silent", self.silent),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What goes out, how many seconds late, and whether the plug is pulled instead."""

    answer: bytes
    late: float = 0.0
    unplugged: bool = False


def _spoilt(answer: bytes, stream: Random) -> bytes:
    """Some bytes replaced, as a wrong framing does it."""
    spoilt = bytearray(answer)
    for _ in range(max(1, len(spoilt) // 4)):
        spoilt[stream.randrange(len(spoilt))] = stream.randrange(128, 256)
    return bytes(spoilt)
