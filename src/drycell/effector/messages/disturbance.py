"""Messages that come late, twice or never, and commands that fail by chance: the same for the same seed, always.

What happens to a message depends on the seed, the device, the way it goes and its number on that way alone, so that a
run is repeated exactly in cell time, and message for message in real time.
"""

from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Annotated, Final, Literal

from drycell.base import Quantity, Thing

Way = Literal["command", "reply"]
Share = Annotated[float, Quantity("ratio", least=0.0, most=1.0)]

PROMPT: Final = (0.0,)
"""What happens to a message that nothing happens to: it comes once, at once."""


class Trouble(Thing):
    """How often messages come late, never or twice, and commands fail by chance."""

    late: Share = 0.0
    """Fraction of messages that come late."""
    lost: Share = 0.0
    """Fraction of messages that never arrive."""
    doubled: Share = 0.0
    """Fraction of messages that arrive twice."""
    failing: Share = 0.0
    """Fraction of commands that fail by chance, without being tried."""
    latest: Annotated[float, Quantity("time", above=0.0, most=3600.0)] = 0.1
    """Greatest delay of a late message."""

    def bound(self, seed: int = 0, device: str = "") -> "Disturbance":
        """The trouble of one device in a run; devices with the same seed differ by their names."""
        return Disturbance(self, seed, device)


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Decides for every message of a device when it arrives, and for every command whether it fails."""

    trouble: Trouble = Trouble()  # noqa: RUF009  # frozen
    seed: int = 0
    device: str = ""

    def __bool__(self) -> bool:
        trouble = self.trouble
        return bool(trouble.late or trouble.lost or trouble.doubled or trouble.failing)

    def arrivals(self, way: Way, number: int) -> tuple[float, ...]:
        """The delay of each arrival of a message, in seconds: one if it arrives once, none if it is lost."""
        trouble = self.trouble
        if not (trouble.late or trouble.lost or trouble.doubled):
            return PROMPT
        stream = self._stream(way, number)
        # Every draw is made every time: what one trouble does never shifts another.
        lost, late, doubled = (stream.random() < share for share in (trouble.lost, trouble.late, trouble.doubled))
        first, second = stream.uniform(0, trouble.latest), stream.uniform(0, trouble.latest)
        if lost:
            return ()
        delay = first if late else 0.0
        return (delay, delay + second) if doubled else (delay,)

    def fails(self, number: int) -> bool:
        """Whether a device reports that the command of that number failed, without having tried it."""
        failing = self.trouble.failing
        return failing > 0 and self._stream("failure", number).random() < failing

    def _stream(self, what: str, number: int) -> Random:
        digest = sha256(f"{self.seed}/{self.device}/{what}/{number}".encode()).digest()
        return Random(int.from_bytes(digest[:8], "big"))


CALM: Final = Disturbance()
"""Nothing goes wrong."""
