"""Shapes on their way to browsers: named by what they are, so that none is asked of the stage or sent twice."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

_KEPT: Final = 256_000_000  # bytes


class Meshes:
    """The bytes of meshes by key; the least used are forgotten when they are too many."""

    def __init__(self, limit: int = _KEPT) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def get(self, key: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        """The mesh of this key, fetched the first time."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        mesh = await fetch()
        if key not in self._kept:
            self._kept[key] = mesh
            self._size += len(mesh)
        while self._size > self._limit:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
        return mesh
