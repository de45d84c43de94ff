"""Random numbers from streams named after their owner: what one owner draws never shifts what another draws."""

from hashlib import sha256
from random import Random


class Streams:
    """Random streams, each derived from the run's seed and the owner's name alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def of(self, owner: str) -> Random:
        """The owner's stream; the same object every time."""
        stream = self._streams.get(owner)
        if stream is None:
            digest = sha256(f"{self._seed}/{owner}".encode()).digest()
            stream = self._streams[owner] = Random(int.from_bytes(digest, "big"))
        return stream
