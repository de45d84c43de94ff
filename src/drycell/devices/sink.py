"""A sink: takes what comes to rest on it out of the cell, and writes it down."""

from dataclasses import dataclass

from drycell.world.ledger import Ledger
from drycell.kernel import Kernel, Output, Rank, seconds
from drycell.world import FOREVER, Body, World


@dataclass(frozen=True, slots=True)
class Taken:
    """A part that a sink has taken: when, in seconds, which, of what kind, and who had worked on it."""

    time: float
    part: str
    kind: str
    machined_by: tuple[str, ...]


class Sink:
    """A body on which parts end. ``count`` says how many have."""

    def __init__(self, kernel: Kernel, world: World, ledger: Ledger, name: str, body: Body) -> None:
        self.name = name
        self.body: Body = body
        self.points: tuple[str, ...] = ()
        self.taken: list[Taken] = []
        self._kernel, self._world, self._ledger = kernel, world, ledger
        self.count = Output(kernel, name, f"{name}.count", 0)
        ledger.kept = True
        ledger.concerns(self.count)
        world.subscribe(self._changed)

    def _changed(self, body: Body) -> None:
        if body.part and body.gone == FOREVER and body.parent is self.body:
            # Not while others are still being told that it came.
            writes = self._ledger.may_change(self.count)
            self._kernel.at(self._kernel.now, lambda: self._take(body), Rank.DEVICE, self.name, writes=writes)

    def _take(self, body: Body) -> None:
        if body.gone != FOREVER or body.parent is not self.body:
            return
        parts = [each for each in self._world.subtree(body) if each.part]
        for part in parts:
            by = self._ledger.machined_by(part)
            kind = self._ledger.kind_of(part)
            self.taken.append(Taken(seconds(self._kernel.now), part.name, kind, by))
            self._kernel.journal.write("sinks", part.name, into=self.name, machined_by=by)
            self._ledger.sunk(part, self.name)
        self._world.remove(body)
        self.count.tell(len(self.taken))
