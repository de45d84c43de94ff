"""Mazes from common text files: blocks of ``#``, or cells between posts as micromouse contests write them.

::

    #######        o---o---o
    #     #        |       |
    # ### #        o   o   o
    #     #        |   |   |
    #######        o---o---o

In the first kind every ``#`` (or ``X``) is a block; ``.`` and blanks are free. In the second, posts are ``o`` or ``+``,
walls ``---`` and ``|``; every cell is four characters wide and two lines high.
"""

from pathlib import Path
from typing import Final

from drycell.base import FieldError, read_text
from drycell.learn.world.plan import PLASTER, FloorPlan, Wall

LARGEST: Final = 512  # characters a line, and lines
_BLOCKS: Final = "#X█"
_POSTS: Final = "o+"


def maze_from_file(path: str | Path, cell: float, material: str = PLASTER) -> FloorPlan:
    """The plan in a maze file; ``cell`` is the side of a block or a cell, in metres."""
    return read_maze(read_text(Path(path)), Path(path).stem, cell, material)


def read_maze(text: str, name: str, cell: float, material: str = PLASTER) -> FloorPlan:
    """The plan that a maze's text draws; the lower left corner is the origin."""
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    if not 0.01 <= cell <= 100.0:
        raise FieldError(f"the maze {name!r} has cells of {cell:g} m, 0.01 to 100 m can be", hint="metres are meant")
    if not lines or len(lines) > LARGEST or max(map(len, lines)) > LARGEST:
        raise FieldError(
            f"the maze {name!r} has {len(lines)} lines of up to {max(map(len, lines), default=0)} characters",
            hint=f"1 to {LARGEST} of each can be",
        )
    posts = lines[0].lstrip()[:1] in tuple(_POSTS)
    edges = _between_posts(lines, name) if posts else _round_blocks(lines, name)
    height = len(lines) // 2 if posts else len(lines)
    walls = [
        Wall((x * cell, (height - y) * cell), (u * cell, (height - v) * cell), material)
        for (x, y), (u, v) in _joined(edges)
    ]
    if not walls:
        raise FieldError(f"the maze {name!r} has no walls", hint="draw them as # blocks, or as o---o and |")
    return FloorPlan(name, tuple(walls))


Edge = tuple[tuple[int, int], tuple[int, int]]


def _round_blocks(lines: list[str], name: str) -> set[Edge]:
    """The edges between blocks and free squares."""
    full: set[tuple[int, int]] = set()
    for y, line in enumerate(lines):
        for x, sign in enumerate(line):
            if sign in _BLOCKS:
                full.add((x, y))
            elif sign not in " .SEGsg":
                raise FieldError(
                    f"line {y + 1}, column {x + 1} of the maze {name!r} is {sign!r}",
                    hint="write # for a block, . or a blank for free floor",
                )
    edges: set[Edge] = set()
    for x, y in full:
        sides = {(x - 1, y): ((x, y), (x, y + 1)), (x + 1, y): ((x + 1, y), (x + 1, y + 1))}
        sides |= {(x, y - 1): ((x, y), (x + 1, y)), (x, y + 1): ((x, y + 1), (x + 1, y + 1))}
        edges |= {edge for beside, edge in sides.items() if beside not in full}
    return edges


def _between_posts(lines: list[str], name: str) -> set[Edge]:
    """The edges drawn between posts."""
    edges: set[Edge] = set()
    for number, line in enumerate(lines):
        y = number // 2
        for column, sign in enumerate(line):
            x = column // 4
            if number % 2 == 0 and sign == "-":
                edges.add(((x, y), (x + 1, y)))
            elif number % 2 == 1 and sign == "|" and column % 4 == 0:
                edges.add(((x, y), (x, y + 1)))
            elif not (sign in " SGEsg*" or (number % 2 == 0 and column % 4 == 0 and sign in _POSTS)):
                raise FieldError(
                    f"line {number + 1}, column {column + 1} of the maze {name!r} is {sign!r}",
                    hint="posts (o or +) are four characters apart, walls between them are --- and |",
                )
    return edges


def _joined(edges: set[Edge]) -> list[Edge]:
    """Edges that follow one another in a line made one, in a fixed order."""
    joined: list[Edge] = []
    for start, end in sorted(edges, key=lambda edge: (_across(edge), edge)):
        if joined and joined[-1][1] == start and _across(joined[-1]) == _across((start, end)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _across(edge: Edge) -> tuple[int, int]:
    """Which way an edge lies, and in which row or column."""
    (x, y), (u, _) = edge
    return (0, x) if x == u else (1, y)
