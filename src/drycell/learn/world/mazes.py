"""Mazes from text: blocks of ``#``, or cells between posts as micromouse contests write them.

::

    #######        o---o---o
    #S    #        |S      |
    # ### #        o   o   o
    #    G#        |   | G |
    #######        o---o---o

In the first form every ``#`` (or ``X``) is a block. In the second, posts are ``o`` or ``+``, walls ``---`` and ``|``;
each cell is four characters wide and two lines high. ``S`` is where a run starts, and ``G`` where it ends.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drycell.base import FieldError, read_text
from drycell.learn.world.floor_plans import PLASTER, FloorPlan, Point, WallSegment

LARGEST: Final = 512  # characters of a line, and lines
_BLOCKS: Final = "#X█"
_POSTS: Final = "o+"
Square = tuple[int, int]  # column and row, from the upper left
Edge = tuple[Square, Square]


@dataclass(frozen=True)
class Maze(FloorPlan):
    """A maze. A run goes from the start to the goal, or back; ``route`` has the middles of the squares between them."""

    route: tuple[Point, ...] = ()


def maze_from_file(path: str | Path, size: float, material: str = PLASTER) -> Maze:
    """Read a maze file; ``size`` is the side of a block or a cell, in metres."""
    return maze(Path(path).stem, read_text(Path(path)), size, material)


def maze(name: str, text: str, size: float, material: str = PLASTER) -> Maze:
    """Create a maze from its text; the lower left corner is the origin.

    Args:
        name: its name.
        text: its drawing.
        size: the side of a block or a cell, in metres.
        material: the material of the walls.

    Raises:
        FieldError: The drawing has other characters, no walls, or no way from S to G.

    >>> found = maze("bend", "####\\n#SG#\\n####", 1.0)
    >>> found.route
    ((1.5, 1.5), (2.5, 1.5))
    """
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    longest = max(map(len, lines), default=0)
    if not 0.01 <= size <= 100.0:
        raise FieldError(
            f"the maze {name!r} has cells of {size:g} m, but they must be 0.01 to 100 m",
            hint="write 'cell: 2 m'",
        )
    if not 0 < len(lines) <= LARGEST or longest > LARGEST:
        what = f"the maze {name!r} has {len(lines)} lines of up to {longest} characters"
        raise FieldError(what, hint=f"draw 1 to {LARGEST} lines of at most {LARGEST} characters")
    posts = lines[0].lstrip()[:1] in tuple(_POSTS)
    edges, marks = (_between_posts if posts else _round_blocks)(lines, name)
    height = len(lines) // 2 if posts else len(lines)
    walls = tuple(
        WallSegment((x * size, (height - y) * size), (u * size, (height - v) * size), material)
        for (x, y), (u, v) in _joined(edges)
    )
    if not walls:
        raise FieldError(f"the maze {name!r} has no walls", hint="draw them as # blocks, or as o---o and |")
    squares = _route(edges, marks, name, longest, len(lines))
    return Maze(name, walls, tuple(((x + 0.5) * size, (height - y - 0.5) * size) for x, y in squares))


def _round_blocks(lines: list[str], name: str) -> tuple[set[Edge], dict[str, Square]]:
    """The edges between blocks and free squares, and the squares of S and G."""
    full: set[Square] = set()
    marks: dict[str, Square] = {}
    for y, line in enumerate(lines):
        for x, character in enumerate(line):
            if character in _BLOCKS:
                full.add((x, y))
            elif character in "SG":
                marks[character] = (x, y)
            elif character not in " .":
                raise _unknown(name, y, x, character, "write # for a block, and . or a blank for free floor")
    edges: set[Edge] = set()
    for x, y in full:
        sides = {(x - 1, y): ((x, y), (x, y + 1)), (x + 1, y): ((x + 1, y), (x + 1, y + 1))}
        sides |= {(x, y - 1): ((x, y), (x + 1, y)), (x, y + 1): ((x, y + 1), (x + 1, y + 1))}
        edges |= {edge for beside, edge in sides.items() if beside not in full}
    return edges, marks


def _between_posts(lines: list[str], name: str) -> tuple[set[Edge], dict[str, Square]]:
    """The edges drawn between posts, and the squares of S and G."""
    edges: set[Edge] = set()
    marks: dict[str, Square] = {}
    for number, line in enumerate(lines):
        y = number // 2
        for column, character in enumerate(line):
            x, at_post = column // 4, column % 4 == 0
            if number % 2 == 0 and character == "-":
                edges.add(((x, y), (x + 1, y)))
            elif number % 2 == 1 and character == "|" and at_post:
                edges.add(((x, y), (x, y + 1)))
            elif character in "SG":
                marks[character] = (x, y)
            elif character != " " and not (number % 2 == 0 and at_post and character in _POSTS):
                hint = "posts (o or +) are four characters apart, walls between them are --- and |"
                raise _unknown(name, number, column, character, hint)
    return edges, marks


def _unknown(name: str, y: int, x: int, character: str, hint: str) -> FieldError:
    return FieldError(f"line {y + 1}, column {x + 1} of the maze {name!r} is {character!r}", hint=hint)


def _joined(edges: set[Edge]) -> list[Edge]:
    """The edges, with those that follow each other in a line as one, in a fixed order."""
    joined: list[Edge] = []
    for start, end in sorted(edges, key=lambda edge: (_row(edge), edge)):
        if joined and joined[-1][1] == start and _row(joined[-1]) == _row((start, end)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _row(edge: Edge) -> tuple[int, int]:
    """The direction of an edge, and its row or column."""
    (x, y), (u, _) = edge
    return (0, x) if x == u else (1, y)


def _route(edges: set[Edge], marks: dict[str, Square], name: str, wide: int, high: int) -> list[Square]:
    """The squares on the shortest way from S to G; none if neither is drawn."""
    if not marks:
        return []
    if len(marks) < 2:
        missing = "G" if "S" in marks else "S"
        raise FieldError(f"the maze {name!r} has no {missing}", hint="draw S where a run starts and G where it ends")
    came: dict[Square, Square] = {}
    waiting = deque([marks["S"]])
    while waiting:
        square = waiting.popleft()
        if square == marks["G"]:
            found = [square]
            while found[-1] != marks["S"]:
                found.append(came[found[-1]])
            return found[::-1]
        for beside, edge in _beside(square):
            free = edge not in edges and 0 <= beside[0] < wide and 0 <= beside[1] < high
            if free and beside not in came and beside != marks["S"]:
                came[beside] = square
                waiting.append(beside)
    raise FieldError(f"the maze {name!r} has no way from S to G", hint="open a wall between them")


def _beside(square: Square) -> Iterator[tuple[Square, Edge]]:
    """The four squares beside a square, each with the edge between them."""
    x, y = square
    yield (x - 1, y), ((x, y), (x, y + 1))
    yield (x + 1, y), ((x + 1, y), (x + 1, y + 1))
    yield (x, y - 1), ((x, y), (x + 1, y))
    yield (x, y + 1), ((x, y + 1), (x + 1, y + 1))
