"""Patterns: where parts go on a pallet or in a tray, place by place, layer by layer."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from drycell.base import Angle, Name, NoLess, Pose, Problem, Quantity, Several, Thing, Whole, format_length
from drycell.world import LiveWorkpoint

_SIZE: Final = Quantity("length", above=0.0)
_LENGTH: Final = Quantity("length")
_SHARED: Final = 1e-6  # metres: places that overlap by less only touch

Sizes = Annotated[tuple[float, float, float], Several((_SIZE,) * 3, "[200 mm, 150 mm, 100 mm]")]
Grid = Annotated[tuple[int, int], Several((Whole(), Whole()), "[4, 3]")]
Shift = Annotated[tuple[float, float], Several((_LENGTH, _LENGTH), "[100 mm, 0 mm]")]


class Block(Thing):
    """Places for equal parts, in columns along x and rows along y.

    >>> from drycell import Block, deg, mm
    >>> block = Block(size=(200*mm, 100*mm, 80*mm), grid=(2, 3), gap=10*mm, turn=90*deg)
    >>> [round(value / mm) for value in block.extent]  # two parts of 100 mm along x, three of 200 mm along y
    [-105, 105, -310, 310]
    """

    size: Sizes
    """Length, width and height of a part; the length is along x before it is turned."""
    grid: Grid = (1, 1)
    """Number of columns along x and of rows along y."""
    gap: NoLess = 0.0
    """Distance between neighbouring parts."""
    turn: Angle = 0.0
    """How each part is turned about the vertical axis."""
    at: Shift = (0.0, 0.0)
    """Middle of the block, relative to the middle of the pattern."""
    part: Name = "part"
    """The kind of part that goes there."""

    def problems(self) -> Iterable[Problem]:
        """A block needs at least one column and one row."""
        yield from super().problems()
        if min(self.grid) < 1:
            yield Problem(
                ("grid",), f"a grid of {self.grid[0]} × {self.grid[1]} has no places", "write for example [4, 3]"
            )

    @property
    def footprint(self) -> tuple[float, float]:
        """The length and width of the box around a turned part, in metres."""
        (length, width, _), c, s = self.size, abs(math.cos(self.turn)), abs(math.sin(self.turn))
        return length * c + width * s, length * s + width * c

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """The lower and upper x, and the lower and upper y, of all its places."""
        (u, v), (x, y), (columns, rows) = self.footprint, self.at, self.grid
        along, across = columns * u + (columns - 1) * self.gap, rows * v + (rows - 1) * self.gap
        return x - along / 2, x + along / 2, y - across / 2, y + across / 2

    def middles(self) -> Iterator[tuple[int, int, float, float]]:
        """The column, row, x and y of each place, row by row from the corner at −x and −y."""
        (u, v), (columns, rows) = self.footprint, self.grid
        x, _, y, _ = self.extent
        for row in range(rows):
            for column in range(columns):
                yield column + 1, row + 1, x + u / 2 + column * (u + self.gap), y + v / 2 + row * (v + self.gap)


class PartLayer(Block):
    """A layer of a pattern: a block, and further blocks beside it for parts of other sizes.

    >>> from drycell import Block, PartLayer, mm
    >>> small = Block(size=(100*mm, 100*mm, 50*mm), grid=(1, 2), at=(150*mm, 0))
    >>> layer = PartLayer(size=(200*mm, 200*mm, 80*mm), beside=(small,))
    >>> round(layer.height / mm), sum(1 for block in layer.blocks for place in block.middles())
    (80, 3)
    """

    beside: tuple[Block, ...] = ()
    """Further blocks of the layer, for example for parts of another size."""

    def problems(self) -> Iterable[Problem]:
        """Blocks of a layer must not overlap."""
        yield from super().problems()
        blocks = self.blocks
        for number, block in enumerate(blocks[1:]):
            for other in blocks[: number + 1]:
                (a, b, c, d), (e, f, g, h) = block.extent, other.extent
                along, across = min(b, f) - max(a, e), min(d, h) - max(c, g)
                if along > _SHARED and across > _SHARED:
                    what = f"this block overlaps another one by {format_length(along)} × {format_length(across)}"
                    yield Problem(("beside", number), what, "move it with 'at', or make its grid smaller")

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the layer, in the order in which they are filled."""
        return (self, *self.beside)

    @property
    def height(self) -> float:
        """The height of the highest part, in metres: the next layer stands on it."""
        return max(block.size[2] for block in self.blocks)


@dataclass(frozen=True, slots=True)
class PatternPlace(LiveWorkpoint):
    """A place in a pattern. As a target, it is the middle of the part's top, with the tool pointing down."""

    number: int
    """Its number in the order of filling, from 1."""
    part: str
    """The kind of part that goes there."""
    size: tuple[float, float, float]
    """Length, width and height of the part in metres."""
    layer: int
    """Its layer, from 1."""
    row: int
    """Its row in the block, from 1."""
    column: int
    """Its column in the block, from 1."""

    @property
    def corner(self) -> Pose:
        """The middle of the part's bottom, relative to the body of the pattern: x along its length, z up."""
        return self.local @ Pose.turn_x(math.pi) @ Pose(z=-self.size[2])


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """A place of a pattern without a body: its middle on the layer, and the height on which the part stands."""

    block: Block
    layer: int
    row: int
    column: int
    x: float
    y: float
    z: float


def block_places(layers: Sequence[PartLayer], repeat: int = 1) -> Iterator[BlockPlace]:
    """Yield all places of a pattern, in the order in which they are filled.

    >>> from drycell.handling import PartLayer, block_places
    >>> boxes = PartLayer(size=(0.2, 0.15, 0.1), grid=(2, 1), gap=0.01)
    >>> [(round(each.x, 3), each.y, each.z) for each in block_places([boxes], repeat=2)]
    [(-0.105, 0.0, 0.0), (0.105, 0.0, 0.0), (-0.105, 0.0, 0.1), (0.105, 0.0, 0.1)]

    Args:
        layers: The layers, from below.
        repeat: How many times the layers are repeated.
    """
    z, number = 0.0, 0
    for _ in range(repeat):
        for layer in layers:
            number += 1
            for block in layer.blocks:
                for column, row, x, y in block.middles():
                    yield BlockPlace(block, number, row, column, x, y, z)
            z += layer.height
