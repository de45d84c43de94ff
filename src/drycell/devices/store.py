"""A store: keeps parts in slots, knows which are free, and writes down what came when and went when."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from drycell.base import Pose, Problem, ProgramError, Quantity, Several, Whole, within
from drycell.cell import Cell, Device, Live, Material
from drycell.geometry import ShapeModel
from drycell.kernel import Output, Rank, seconds
from drycell.world import FOREVER, LiveBody, LiveWorkpoint

_SIZE: Final = Quantity("length", above=0.0)


class Store(
    Device,
    kind="store",
    kw_only=False,
    icon="apps",
    example={
        "shape": {"box": ["400 mm", "300 mm", "20 mm"]},
        "grid": [4, 3],
        "pitch": ["90 mm", "90 mm"],
    },
):
    """A body that keeps parts in slots, in rows along its y and columns along its x axis."""

    shape: ShapeModel
    """Its geometry."""
    grid: Annotated[tuple[int, int], Several((Whole(), Whole()), "[4, 3]")]
    """How many slots there are along x and y."""
    pitch: Annotated[tuple[float, float], Several((_SIZE, _SIZE), "[60 mm, 60 mm]")]
    """Distance from one slot to the next along x and y."""
    material: Material = "plastic"
    """What it is made of."""

    def problems(self) -> Iterable[Problem]:
        """There is at least one slot."""
        yield from super().problems()
        if min(self.grid) < 1:
            yield Problem(
                ("grid",), f"there cannot be {self.grid[0]} × {self.grid[1]} slots", "write for example [4, 3]"
            )

    def signals(self) -> Iterable[str]:
        """How many parts lie in it, and whether every slot is taken."""
        return ("count", "full")

    def build(self, cell: Cell, name: str) -> "LiveStore":
        """Sets it up."""
        return LiveStore(cell, name, self)


@dataclass(slots=True)
class Slot:
    """A place for one part. Its workpoint is on the store's top, in the middle of the slot, pointing down."""

    number: int
    workpoint: LiveWorkpoint
    part: LiveBody | None = None


@dataclass(slots=True)
class Stay:
    """A part in a store: from when on, until when (None: it is there), in seconds, and in which slot (None: beside)."""

    part: str
    kind: str
    machined_by: tuple[str, ...]
    slot: int | None
    since: float
    until: float | None = None


class LiveStore(Live[Store]):
    """A body with slots, numbered from 1, the first row first.

    ``count`` says how many parts lie in it, ``full`` whether every slot is taken.
    """

    def __init__(self, cell: Cell, name: str, model: Store) -> None:
        super().__init__(cell, name, model)
        kernel, world, ledger = cell.kernel, cell.world, cell.part_tracking
        with within("shape"):
            shape = model.shape.solid(cell.folder)
        body = LiveBody(name, shape, material=model.material)
        self.body: LiveBody = world.add(body, *cell.standing(model, body))
        self.stays: list[Stay] = []
        self._kernel, self._world, self._ledger = kernel, world, ledger
        self._lying: dict[LiveBody, tuple[Stay, Slot | None]] = {}
        lower, upper = shape.bounds
        middle = (0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]), upper[2])
        self.slots = [
            Slot(number, self._workpoint(number, middle, number - 1))
            for number in range(1, model.grid[0] * model.grid[1] + 1)
        ]
        self.points: tuple[str, ...] = tuple(slot.workpoint.name for slot in self.slots)
        self.count = Output(kernel, name, f"{name}.count", 0)
        self.full = Output(kernel, name, f"{name}.full", False)
        ledger.keep()
        ledger.concerns(self.count, self.full)
        world.subscribe(self._changed)

    def slot(self, number: int) -> Slot:
        """The slot of a number, from 1 on."""
        if not 1 <= number <= len(self.slots):
            raise ProgramError(f"{self.name} has no slot {number}: not 1 ≤ {number} ≤ {len(self.slots)}")
        return self.slots[number - 1]

    @property
    def next_free(self) -> LiveWorkpoint:
        """Where the next part can be put: the first slot that is free."""
        self._kernel.note_read(self.full.name)
        for slot in self.slots:
            if slot.part is None:
                return slot.workpoint
        raise ProgramError(
            f"{self.name} is full: {len(self.slots)} of {len(self.slots)} slots are taken",
            hint=f"wait for room first: wait(~{self.name}.full)",
        )

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """All that lies in it now, in the order it came."""
        return tuple(self._lying)

    # ---------------------------------------------------------------- inside

    def _workpoint(self, number: int, middle: tuple[float, float, float], index: int) -> LiveWorkpoint:
        (columns, rows), (along, across) = self.model.grid, self.model.pitch
        row, column = divmod(index, columns)
        x = middle[0] + (column - (columns - 1) / 2) * along
        y = middle[1] + (row - (rows - 1) / 2) * across
        pose = Pose(x, y, middle[2]) @ Pose.turn_x(math.pi)
        return self._world.add_workpoint(f"{self.name}.slot{number}", self.body, pose)

    def _changed(self, body: LiveBody) -> None:
        if body in self._lying or self._holds(body):
            # Not while others are still being told that it came or went.
            writes = self._ledger.may_change(self.count, self.full)
            self._kernel.at(self._kernel.now, lambda: self._look(body), Rank.DEVICE, self.name, writes=writes)

    def _holds(self, body: LiveBody) -> bool:
        """Whether a body is a part that lies in the store, or on parts that do."""
        while body.part and body.gone == FOREVER and body.parent is not None:
            if body.parent is self.body:
                return True
            body = body.parent
        return False

    def _look(self, body: LiveBody) -> None:
        for part in self._world.subtree(body):
            if part.part:
                self._book(part)
        self.count.tell(len(self._lying))
        self.full.tell(all(slot.part is not None for slot in self.slots))

    def _book(self, body: LiveBody) -> None:
        here = self._holds(body)
        if body in self._lying:
            stay, slot = self._lying[body]
            if here and slot is self._slot_of(body, slot):
                return
            del self._lying[body]
            stay.until = seconds(self._kernel.now)
            if slot is not None:
                slot.part = None
            self._ledger.unstored(body)
            if not here:
                self._kernel.journal.write("unstores", body.name, store=self.name, slot=stay.slot)
        if here:
            self._keep(body)

    def _keep(self, part: LiveBody) -> None:
        slot = self._slot_of(part, None)
        if slot is not None:
            slot.part = part
        number = None if slot is None else slot.number
        kind, by = self._ledger.kind_of(part), self._ledger.machined_by(part)
        stay = Stay(part.name, kind, by, number, seconds(self._kernel.now))
        self.stays.append(stay)
        self._lying[part] = (stay, slot)
        self._ledger.stored(part, self.name)
        self._kernel.journal.write("stores", part.name, store=self.name, slot=number)

    def _slot_of(self, part: LiveBody, own: Slot | None) -> Slot | None:
        """The slot that a part's middle is in, if no other part has it; between two, one that is free."""
        local = self._world.relative(self.body, part)
        lower, upper = part.shape.bounds if part.shape is not None else ((0.0,) * 3, (0.0,) * 3)
        u, v, _ = local.point([0.5 * (low + high) for low, high in zip(lower, upper, strict=True)])
        along, across = self.model.pitch
        for slot in self.slots:
            x, y, _ = slot.workpoint.local.position
            inside = abs(u - x) <= along / 2 and abs(v - y) <= across / 2
            if inside and (slot.part is None or slot is own):
                return slot
        return None
