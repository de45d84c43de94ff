"""Pallets and trays: bodies with a pattern of places that a program fills one after the other."""

from collections.abc import Iterable
from typing import Annotated, Final

from drycell.base import InvalidThing, NoLess, Pose, Problem, ProgramError, Whole, format_length, within
from drycell.cell import Cell, Device, Live, Material
from drycell.geometry import ShapeModel
from drycell.handling import PartLayer, PatternPlace, block_places
from drycell.kernel import DeviceOutput, Rank, Signal
from drycell.world import FOREVER, LiveBody

_DOWN: Final = Pose.of_rows((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0))
_BEYOND: Final = 1e-6  # metres: rounding
_MOST: Final = 10_000  # places

Repeat = Annotated[int, Whole(least=1)]


class Pallet(
    Device,
    kind="pallet",
    kw_only=False,
    icon="view_module",
    example={
        "shape": {"box": ["400 mm", "300 mm", "100 mm"]},
        "layers": [{"size": ["100 mm", "75 mm", "50 mm"], "grid": [3, 3], "gap": "5 mm"}],
        "repeat": 2,
    },
):
    """A body with a pattern of places: layers of parts on a pallet, or nests in a tray.

    ``next()`` of the running pallet gives the next place, and ``arm.place`` puts the held part there. An interlayer is
    a layer with one flat part.

    >>> from drycell import Box, Cell, PartLayer, Pallet, mm
    >>> cell = Cell("palletiser")
    >>> boxes = PartLayer(size=(200*mm, 150*mm, 100*mm), grid=(4, 4))
    >>> pallet = cell.add("pallet", Pallet(Box(800*mm, 600*mm, 144*mm), layers=(boxes,), repeat=3))
    >>> pallet.left
    48
    """

    shape: ShapeModel
    """Geometry of the pallet or tray."""
    layers: tuple[PartLayer, ...]
    """The layers from below. An interlayer is a layer with one part: ``{size: [800 mm, 600 mm, 3 mm], part: card}``."""
    repeat: Repeat = 1
    """How many times the layers are repeated, one above the other."""
    depth: NoLess = 0.0
    """How far below the top the parts stand, in the nests of a tray."""
    material: Material = "beech"
    """Material of the pallet."""

    def problems(self) -> Iterable[Problem]:
        """A pattern needs at least one layer, and at most 10,000 places."""
        yield from super().problems()
        if not self.layers:
            yield Problem(
                ("layers",), "the pattern has no layers", "add '[{size: [200 mm, 150 mm, 100 mm], grid: [4, 3]}]'"
            )
        count = self.repeat * sum(block.grid[0] * block.grid[1] for layer in self.layers for block in layer.blocks)
        if count > _MOST:
            yield Problem(("layers",), f"the pattern has {count} places; the limit is {_MOST}", "use smaller grids")

    def signals(self) -> Iterable[str]:
        """``count`` places are taken; ``full`` is on when none is left; ``exchange`` takes the pallet away."""
        return ("count", "full", "exchange")

    def build(self, cell: Cell, name: str) -> "LivePallet":
        """Add the pallet to a cell."""
        return LivePallet(cell, name, self)


class LivePallet(Live[Pallet]):
    """A pallet or tray in a running cell.

    ``count`` is the number of places that the program has asked for, and ``full`` is on when none is left. Both are
    signals: they are in the record of a run, and a recording repeats them. When the input ``exchange`` turns on, the
    parts on the pallet leave the cell, and the pattern starts again.
    """

    def __init__(self, cell: Cell, name: str, model: Pallet) -> None:
        super().__init__(cell, name, model)
        kernel = cell.kernel
        with within("shape"):
            shape = model.shape.solid(cell.folder)
        body = LiveBody(name, shape, material=model.material)
        self.body: LiveBody = cell.world.add(body, *cell.standing(model, body))
        lower, upper = shape.bounds
        middle = Pose((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, upper[2] - model.depth)
        self._check_room(upper[0] - lower[0], upper[1] - lower[1])
        self.places: tuple[PatternPlace, ...] = tuple(
            PatternPlace(
                f"{name}.place{number}",
                self.body,
                middle @ Pose(each.x, each.y, each.z + each.block.size[2]) @ Pose.turn_z(each.block.turn) @ _DOWN,
                number,
                each.block.part,
                each.block.size,
                each.layer,
                each.row,
                each.column,
            )
            for number, each in enumerate(block_places(model.layers, model.repeat), 1)
        )
        """All places, in the order in which they are filled."""
        self._standing: dict[LiveBody, None] = {}
        self.count = DeviceOutput(kernel, name, f"{name}.count", 0)
        self.full = DeviceOutput(kernel, name, f"{name}.full", False)
        self.exchange: Signal[bool] = self.signal("exchange", False)
        cell.part_tracking.keep()
        cell.part_tracking.concerns(self.count, self.full)
        cell.world.subscribe(self._changed)
        self.exchange.subscribe(self._exchanged, cell.part_tracking.may_change)

    @property
    def left(self) -> int:
        """The number of places left."""
        return len(self.places) - self.count.value

    @property
    def parts(self) -> tuple[LiveBody, ...]:
        """The parts that stand on it now, in order of arrival."""
        return tuple(self._standing)

    def next(self) -> PatternPlace:
        """Return the next place and count it as taken: ``arm.place(pallet.next())``.

        Raises:
            ProgramError: The pallet is full.
        """
        taken = self.count.value
        if taken >= len(self.places):
            raise ProgramError(
                f"{self.name} is full: all {len(self.places)} places in {self.places[-1].layer} layers are taken",
                hint=f"check {self.name}.left first, or exchange the pallet: {self.name}.exchange.set(True)",
            )
        self._count(taken + 1)
        return self.places[taken]

    def reset(self, taken: int = 0) -> None:
        """Start the pattern again. What stands on the pallet stays there.

        Args:
            taken: The number of places that are taken; 0 by default.

        Raises:
            ProgramError: The pattern has fewer places.
        """
        if not 0 <= taken <= len(self.places):
            raise ProgramError(
                f"{self.name} cannot start at place {taken + 1}: it has {len(self.places)} places",
                hint=f"give a number from 0 to {len(self.places)}",
            )
        self._count(taken)

    # ---------------------------------------------------------------- inside

    def _count(self, taken: int) -> None:
        self.count.publish(taken)
        self.full.publish(taken == len(self.places))

    def _check_room(self, length: float, width: float) -> None:
        """The pattern must not reach beyond the pallet."""
        for number, layer in enumerate(self.model.layers):
            for place, block in enumerate(layer.blocks):
                a, b, c, d = block.extent
                over = max(-a - length / 2, b - length / 2, -c - width / 2, d - width / 2)
                if over > _BEYOND:
                    needed = f"{format_length(2 * max(-a, b))} × {format_length(2 * max(-c, d))}"
                    what = (
                        f"this layer reaches {format_length(over)} beyond the pallet: it needs {needed}, and the "
                        f"pallet has {format_length(length)} × {format_length(width)}"
                    )
                    path = ("layers", number) if place == 0 else ("layers", number, "beside", place - 1)
                    raise InvalidThing(Pallet, [Problem(path, what, "use fewer columns or rows, or a smaller gap")])

    def _exchanged(self, on: bool) -> None:
        """Take the parts away, as if an empty pallet were brought."""
        if not on:
            return
        parts = [part for part in self._standing if part.parent is self.body]
        self.note("exchanges", parts=len(self._standing))
        for part in parts:
            for each in list(self.cell.world.subtree(part)):
                if each.part:
                    self.cell.part_tracking.sunk(each, self.name)
        self._standing.clear()
        for part in parts:
            self.cell.world.remove(part)
        self._count(0)

    def _changed(self, body: LiveBody) -> None:
        if body in self._standing or self._carries(body):
            writes = self.cell.part_tracking.may_change(self.count, self.full)
            kernel = self.cell.kernel
            kernel.at(kernel.now, lambda: self._look(body), Rank.DEVICE, self.name, writes=writes)

    def _carries(self, body: LiveBody) -> bool:
        """Whether a body is a part that stands on the pallet, or on parts on it."""
        while body.part and body.gone == FOREVER and body.parent is not None:
            if body.parent is self.body:
                return True
            body = body.parent
        return False

    def _look(self, body: LiveBody) -> None:
        tracking = self.cell.part_tracking
        for part in self.cell.world.subtree(body):
            if not part.part:
                continue
            here = self._carries(part)
            if here and part not in self._standing:
                self._standing[part] = None
                tracking.stored(part, self.name)
            elif not here and part in self._standing:
                del self._standing[part]
                if part.gone == FOREVER:
                    tracking.unstored(part)
