"""Faults of an emulated line, drawn from a seed: late, spoilt and lost answers, and a plug that is pulled."""

from dataclasses import dataclass
from random import Random

from drycell.errors import FieldError


@dataclass(frozen=True, slots=True)
class LineFaults:
    """How often, and how, a line misbehaves. The shares are of commands; at most one befalls each.

    ``unplug`` is the number of the command after which the plug is pulled, before it is answered.
    """

    late: float = 0.0
    late_by: float = 0.5
    garbage: float = 0.0
    lost_prompt: float = 0.0
    silent: float = 0.0
    unplug: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("late", "garbage", "lost_prompt", "silent")}
        for name, share in shares.items():
            if not 0.0 <= share <= 1.0:
                raise FieldError(f"{name} is {share:g}, not 0 ≤ {share:g} ≤ 1", hint="give a share of the commands")
        if sum(shares.values()) > 1.0 + 1e-9:
            raise FieldError(f"the shares of faults add up to {sum(shares.values()):g}, more than 1")

    def verdict(self, number: int, answer: bytes) -> "Verdict":
        """What happens to the answer of a command, the first being 1: the same for the same seed."""
        if self.unplug is not None and number >= self.unplug:
            return Verdict(b"", unplugged=True)
        # A stream of its own for each command: what happened to others does not shift it.
        stream = Random(f"{self.seed}/{number}")
        drawn = stream.random()
        for kind, share in (
            ("late", self.late),
            ("garbage", self.garbage),
            ("lost prompt", self.lost_prompt),
            ("silent", self.silent),
        ):
            if drawn < share:
                return self._spoil(kind, answer, stream)
            drawn -= share
        return Verdict(answer)

    def _spoil(self, kind: str, answer: bytes, stream: Random) -> "Verdict":
        match kind:
            case "late":
                return Verdict(answer, late=self.late_by)
            case "garbage":
                return Verdict(_spoilt(answer, stream))
            case "lost prompt":
                return Verdict(answer.removesuffix(b">"))
        return Verdict(b"")


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
