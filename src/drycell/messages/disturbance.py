"""Messages that come late, twice or never, and commands that fail by chance: the same for the same seed, always.

What happens to a message depends on the seed, the device, the way it goes and its number on that way alone, so that a
run is repeated exactly in cell time, and message for message in real time.
"""

from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Final, Literal

from drycell.errors import FieldError

Way = Literal["command", "reply"]

PROMPT: Final = (0.0,)
"""What happens to a message that nothing happens to: it comes once, at once."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How probable each trouble is, 0 to 1, and how late a late message is at most, in seconds.

    Devices of one seed are told apart by ``device``, their name: else all would have the same troubles.
    """

    seed: int = 0
    late: float = 0.0
    lost: float = 0.0
    doubled: float = 0.0
    failing: float = 0.0
    latest: float = 0.1
    device: str = ""

    def __post_init__(self) -> None:
        for name in ("late", "lost", "doubled", "failing"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise FieldError(f"{name} is {value}, a probability of 0 … 1", hint=f"{name}=0.05 is one in twenty")
        if not 0 < self.latest <= 3600:
            raise FieldError(f"latest is {self.latest} s, limits 0 … 3600", hint="0.1 is a usual delay")

    def __bool__(self) -> bool:
        return bool(self.late or self.lost or self.doubled or self.failing)

    def arrivals(self, way: Way, number: int) -> tuple[float, ...]:
        """After how many seconds a message arrives: once for each arrival, so nothing when it is lost."""
        if not (self.late or self.lost or self.doubled):
            return PROMPT
        stream = self._stream(way, number)
        # Every draw is made every time: what one trouble does never shifts another.
        lost, late, doubled = stream.random() < self.lost, stream.random() < self.late, stream.random() < self.doubled
        first, second = stream.uniform(0, self.latest), stream.uniform(0, self.latest)
        if lost:
            return ()
        delay = first if late else 0.0
        return (delay, delay + second) if doubled else (delay,)

    def fails(self, number: int) -> bool:
        """Whether a device reports failure of the command of that number without having tried."""
        return self.failing > 0 and self._stream("failure", number).random() < self.failing

    def _stream(self, what: str, number: int) -> Random:
        digest = sha256(f"{self.seed}/{self.device}/{what}/{number}".encode()).digest()
        return Random(int.from_bytes(digest[:8], "big"))


CALM: Final = Disturbance()
"""Nothing goes wrong."""
