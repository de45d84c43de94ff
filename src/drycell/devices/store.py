"""Stores: devices that keep parts in slots and record when each part arrived and left."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from drycell.base import Pose, Problem, ProgramError, Quantity, Several, Whole, within
from drycell.cell import Cell, Device, Live, Material
from drycell.geometry import Box, ShapeModel
from drycell.kernel import DeviceOutput, Rank, seconds
from drycell.looks import OWN, Look, tube
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
    """A body that keeps parts in a grid of slots, in columns along its x and rows along its y axis.

    Each slot has a workpoint on the top of the body, in the middle of the slot, that points down.

    >>> from drycell import Box, Cell, Store, mm
    >>> cell = Cell("store")
    >>> store = cell.add("store", Store(Box(400*mm, 300*mm, 20*mm), grid=(4, 3), pitch=(90*mm, 90*mm)))
    >>> store.next_free.name, store.full.value
    ('store.slot1', False)
    """

    shape: ShapeModel
    """Geometry of the store."""
    grid: Annotated[tuple[int, int], Several((Whole(), Whole()), "[4, 3]")]
    """Number of slots along x and y."""
    pitch: Annotated[tuple[float, float], Several((_SIZE, _SIZE), "[60 mm, 60 mm]")]
    """Distance from one slot to the next along x and y."""
    material: Material = "plastic"
    """Material of the store."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if the grid has no slots."""
        yield from super().problems()
        if min(self.grid) < 1:
            yield Problem(
                ("grid",), f"a grid of {self.grid[0]} × {self.grid[1]} has no slots", "write for example [4, 3]"
            )

    def signals(self) -> Iterable[str]:
        """``count`` is the number of parts in it; ``full`` is on while every slot is taken."""
        return ("count", "full")

    def look(self) -> Look | None:
        """Its shape with a mark at each slot."""
        if not isinstance(self.shape, Box):
            return None
        made = Look().add(OWN, "plastic", tint="slate")
        (columns, rows), (along, across) = self.grid, self.pitch
        size = 0.42 * min(along, across)
        for row in range(rows):
            for column in range(columns):
                at = ((column - (columns - 1) / 2) * along, (row - (rows - 1) / 2) * across, self.shape.z / 2 - 0.0006)
                made = made.add(tube(size, 0.88 * size, 0.0012, 0.0003), "plastic", at, tint="light")
        return made

    def build(self, cell: Cell, name: str) -> "LiveStore":
        """Add the store to a cell."""
        return LiveStore(cell, name, self)


@dataclass(slots=True)
class Slot:
    """A place for one part, with its workpoint."""

    number: int
    workpoint: LiveWorkpoint
    part: LiveBody | None = None


@dataclass(slots=True)
class Stay:
    """The stay of a part in a store, in seconds. ``until`` is None until it leaves, ``slot`` None if it is in none."""

    part: str
    kind: str
    machined_by: tuple[str, ...]
    slot: int | None
    since: float
    until: float | None = None


class LiveStore(Live[Store]):
    """A store in a running cell. Slots are numbered from 1, row by row.

    ``count`` is the number of parts in it. ``full`` is on while every slot is taken.
    """

    def __init__(self, cell: Cell, name: str, model: Store) -> None:
        super().__init__(cell, name, model)
        kernel, world, tracking = cell.kernel, cell.world, cell.part_tracking
        with within("shape"):
            shape = model.shape.solid(cell.folder)
        body = LiveBody(name, shape, material=model.material)
        self.body: LiveBody = world.add(body, *cell.standing(model, body))
        self.stays: list[Stay] = []
        self._kernel, self._world, self._tracking = kernel, world, tracking
        self._lying: dict[LiveBody, tuple[Stay, Slot | None]] = {}
        lower, upper = shape.bounds
        middle = (0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]), upper[2])
        self.slots = [
            Slot(number, self._workpoint(number, middle, number - 1))
            for number in range(1, model.grid[0] * model.grid[1] + 1)
        ]
        self.points: tuple[str, ...] = tuple(slot.workpoint.name for slot in self.slots)
        self.count = DeviceOutput(kernel, name, f"{name}.count", 0)
        self.full = DeviceOutput(kernel, name, f"{name}.full", False)
        tracking.keep()
        tracking.concerns(self.count, self.full)
        world.subscribe(self._changed)

    def slot(self, number: int) -> Slot:
        """Return a slot.

        Args:
            number: The number of the slot, from 1.

        Raises:
            ProgramError: There is no such slot.
        """
        if not 1 <= number <= len(self.slots):
            raise ProgramError(f"{self.name} has no slot {number}: {number} is not between 1 and {len(self.slots)}")
        return self.slots[number - 1]

    @property
    def next_free(self) -> LiveWorkpoint:
        """The workpoint of the first free slot. Raises ProgramError if the store is full."""
        self._kernel.note_read(self.full.name)
        for slot in self.slots:
            if slot.part is None:
                return slot.workpoint
        raise ProgramError(
            f"{self.name} is full: {len(self.slots)} of {len(self.slots)} slots are taken",
            hint=f"wait for a free slot first: wait(~{self.name}.full)",
        )

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """The parts in the store now, in order of arrival."""
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
            # Scheduled after all subscribers were notified of the change.
            writes = self._tracking.may_change(self.count, self.full)
            self._kernel.at(self._kernel.now, lambda: self._look(body), Rank.DEVICE, self.name, writes=writes)

    def _holds(self, body: LiveBody) -> bool:
        """Whether a body is a part that lies in the store, or on parts in it."""
        while body.part and body.gone == FOREVER and body.parent is not None:
            if body.parent is self.body:
                return True
            body = body.parent
        return False

    def _look(self, body: LiveBody) -> None:
        for part in self._world.subtree(body):
            if part.part:
                self._update(part)
        self.count.publish(len(self._lying))
        self.full.publish(all(slot.part is not None for slot in self.slots))

    def _update(self, body: LiveBody) -> None:
        here = self._holds(body)
        if body in self._lying:
            stay, slot = self._lying[body]
            if here and slot is self._slot_of(body, slot):
                return
            del self._lying[body]
            stay.until = seconds(self._kernel.now)
            if slot is not None:
                slot.part = None
            self._tracking.unstored(body)
            if not here:
                self._kernel.journal.write("unstores", body.name, store=self.name, slot=stay.slot)
        if here:
            self._keep(body)

    def _keep(self, part: LiveBody) -> None:
        slot = self._slot_of(part, None)
        if slot is not None:
            slot.part = part
        number = None if slot is None else slot.number
        kind, by = self._tracking.kind_of(part), self._tracking.machined_by(part)
        stay = Stay(part.name, kind, by, number, seconds(self._kernel.now))
        self.stays.append(stay)
        self._lying[part] = (stay, slot)
        self._tracking.stored(part, self.name)
        self._kernel.journal.write("stores", part.name, store=self.name, slot=number)

    def _slot_of(self, part: LiveBody, own: Slot | None) -> Slot | None:
        """The slot that contains the middle of a part, if it is free or already the part's own."""
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
