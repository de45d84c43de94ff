"""The cast: every body that ever was in a world, numbered once and for all in the order they came."""

from collections.abc import Iterable

from drycell.world import LiveBody, World


class BodyNumbering:
    """Bodies by number. ``version`` grows whenever one comes or gets another shape."""

    def __init__(self, world: World, bodies: Iterable[LiveBody] | None = None, *, version: int = 0) -> None:
        self.world = world
        self.bodies: list[LiveBody] = []
        self.version = version + 1
        self._numbers: dict[LiveBody, int] = {}
        self._shapes: list[object] = []
        for body in world.bodies.values() if bodies is None else bodies:
            self._enter(body)
        world.subscribe(self._changed)

    def number(self, body: LiveBody) -> int:
        """The number of a body."""
        return self._numbers[body]

    def _enter(self, body: LiveBody) -> None:
        self._numbers[body] = len(self.bodies)
        self.bodies.append(body)
        self._shapes.append(body.shape)

    def _changed(self, body: LiveBody) -> None:
        number = self._numbers.get(body)
        if number is None:
            self._enter(body)
            self.version += 1
        elif self._shapes[number] is not body.shape:
            self._shapes[number] = body.shape
            self.version += 1
