"""Pictures of nets: places as circles with their tokens, transitions as bars, arranged in layers."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from drycell.base import text_beside
from drycell.nets.coloured import Bag, ColouredNet, Marking as ColouredMarking
from drycell.nets.net import Marking, Net, Position
from drycell.pictures import Arrow, ArrowTip, Diagram, DiagramNode, lay_out, wide

_ROW: Final = 58.0
_TALL_ROW: Final = 120.0  # arcs of coloured nets have labels
_GAP: Final = 26.0
_NEAR_PLACE: Final = 0.3  # position of labels on arcs of coloured nets: places are further apart

Link = tuple[str, str, str, ArrowTip]
"""Start, end, the text at the arc, and its tip."""


def net_picture(
    net: Net | ColouredNet,
    marking: Marking | ColouredMarking | None = None,
    *,
    arrange: bool = False,
    seconds: float = math.inf,
) -> str:
    """Draw a net with a marking as SVG. Positions in the net are used unless ``arrange`` is set.

    Raises an error if arranging the net takes longer than ``seconds`` of wall time.
    """
    tokens: dict[str, int | Bag] = dict(zip(net.places, net.initial if marking is None else marking, strict=True))
    links = _plain_links(net) if isinstance(net, Net) else _coloured_links(net)
    names = [*net.places, *net.transitions]
    number = {name: at for at, name in enumerate(names)}
    own: dict[str, Position | None] = {
        name: each.at for group in (net.places, net.transitions) for name, each in group.items()
    }
    kept = not arrange and all(at is not None for at in own.values())
    nodes = [_node(net, name, tokens) for name in names]
    gap = _GAP + (0 if isinstance(net, Net) else wide(max((text for _, _, text, _ in links), key=len, default="")))
    row = _ROW if isinstance(net, Net) else _TALL_ROW
    layout = lay_out(
        len(names),
        [(number[start], number[end]) for start, end, _, _ in links],
        [number[name] for name in net.places if tokens[name]],
        [(node.room[0] + gap / 2, node.room[1] + gap / 2) for node in nodes],
        _GAP / 2,
        seconds,
    )
    diagram = Diagram(net.name)
    for name, node, (x, y) in zip(names, nodes, layout.nodes, strict=True):
        at = own[name] if kept else None
        diagram.nodes.append(replace(node, at=(x, y * row) if at is None else at))
    for (start, end, text, tip), points in zip(links, layout.arrows, strict=True):
        through = [] if kept else [(x, y * row) for x, y in points[1:-1]]
        near = 0.5 if isinstance(net, Net) else _NEAR_PLACE if start in net.places else 1 - _NEAR_PLACE
        diagram.arrows.append(Arrow(number[start], number[end], through, text, tip, text_at=near))
    return diagram.svg()


def save_picture_of_net(
    net: Net | ColouredNet,
    path: str | Path,
    marking: Marking | ColouredMarking | None = None,
    *,
    seconds: float = math.inf,
) -> None:
    """Write the picture of a net to a file."""
    text = net_picture(net, marking, seconds=seconds)
    with text_beside(path) as file:
        file.write(text)


def _node(net: Net | ColouredNet, name: str, tokens: Mapping[str, int | Bag]) -> DiagramNode:
    """Return the appearance of a place or transition, independent of its position."""
    if name not in net.places:
        return DiagramNode((0.0, 0.0), "bar", _words(net, name))
    held = tokens[name]
    if isinstance(held, int):
        return DiagramNode((0.0, 0.0), "round", name, dots=held)
    inside = ", ".join(f"({', '.join(map(str, each))})" if isinstance(each, tuple) else str(each) for each in held)
    return DiagramNode((0.0, 0.0), "round", f"{name} {{{inside}}}" if held else name, dots=len(held))


def _plain_links(net: Net) -> list[Link]:
    found: list[Link] = []
    for it in net.transitions.values():
        found += [(place, it.name, _weight(weight), "arrow") for place, weight in it.takes.items()]
        found += [(it.name, place, _weight(weight), "arrow") for place, weight in it.gives.items()]
        found += [(place, it.name, _weight(weight), "ring") for place, weight in it.unless.items()]
        found += [(place, it.name, _weight(weight), "none") for place, weight in it.needs.items()]
        found += [(place, it.name, "", "double") for place in it.empties]
    return found


def _coloured_links(net: ColouredNet) -> list[Link]:
    """Merge arcs between the same two nodes, with the texts of all; a token that is taken and given back is written
    once."""
    found: dict[tuple[str, str], list[str]] = {}
    for it in net.transitions.values():
        for place, pattern in it.takes:
            found.setdefault((place, it.name), []).append(pattern.text)
        for place, giver in it.gives:
            found.setdefault((it.name, place), []).append(giver.text)
    links: list[Link] = []
    for (start, end), texts in found.items():
        looked = end in net.places and found.get((end, start)) == texts
        links.append((start, end, "" if looked else " + ".join(texts), "arrow"))
    return links


def _weight(weight: int) -> str:
    return "" if weight == 1 else str(weight)


def _words(net: Net | ColouredNet, name: str) -> str:
    """Return the label of a transition: its name, and its duration or its condition."""
    if isinstance(net, Net):
        low, high = net.transitions[name].lasts
        lasts = f"{low:g} s" if low == high else f"{low:g}–{high:g} s"
        return f"{name} [{lasts}]" if net.transitions[name].timed else name
    where = net.transitions[name].where
    return name if where is None else f"{name} [{where.text}]"
