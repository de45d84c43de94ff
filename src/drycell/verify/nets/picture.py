"""Pictures of nets: places as rings with their tokens, transitions as bars, laid out in layers."""

from pathlib import Path
from typing import Final

from drycell.files import text_beside
from drycell.pictures.diagram import Arrow, Diagram, Node, lay_out
from drycell.verify.nets.coloured import Bag, ColouredNet
from drycell.verify.nets.coloured import Marking as ColouredMarking
from drycell.verify.nets.net import Marking, Net, Position

_ROW: Final = 58.0
_PER_SIGN: Final = 6.4

Link = tuple[str, str, str, bool]
"""From, to, what is written at it, whether it forbids."""


def net_picture(
    net: Net | ColouredNet, marking: Marking | ColouredMarking | None = None, *, arrange: bool = False
) -> str:
    """A net with a marking as SVG. Positions of its own are kept, unless it is to be arranged anew."""
    tokens: dict[str, int | Bag] = dict(zip(net.places, net.initial if marking is None else marking, strict=True))
    links = _plain_links(net) if isinstance(net, Net) else _coloured_links(net)
    names = [*net.places, *net.transitions]
    number = {name: at for at, name in enumerate(names)}
    own: dict[str, Position | None] = {
        name: each.at for group in (net.places, net.transitions) for name, each in group.items()
    }
    kept = not arrange and all(at is not None for at in own.values())
    layout = lay_out(
        len(names),
        [(number[start], number[end]) for start, end, _, _ in links],
        [number[name] for name in net.places if tokens[name]],
    )
    column = max(70.0, 46 + _PER_SIGN * max(map(len, names), default=0))
    diagram = Diagram(net.name)
    for name in names:
        x, y = layout.nodes[number[name]]
        at = own[name] if kept else None
        at = (x * column, y * _ROW) if at is None else at
        if name in net.places:
            held = tokens[name]
            if isinstance(held, int):
                diagram.nodes.append(Node(at, "round", name, dots=held))
            else:
                words = f"{name} {{{', '.join(map(str, held))}}}" if held else name
                diagram.nodes.append(Node(at, "round", words, dots=len(held)))
        else:
            diagram.nodes.append(Node(at, "bar", _words(net, name)))
    for (start, end, text, forbids), points in zip(links, layout.arrows, strict=True):
        through = [] if kept else [(x * column, y * _ROW) for x, y in points[1:-1]]
        diagram.arrows.append(Arrow(number[start], number[end], through, text, forbids))
    return diagram.svg()


def save_picture_of_net(
    net: Net | ColouredNet, path: str | Path, marking: Marking | ColouredMarking | None = None
) -> None:
    """Writes the picture to a file."""
    text = net_picture(net, marking)
    with text_beside(path) as file:
        file.write(text)


def _plain_links(net: Net) -> list[Link]:
    found: list[Link] = []
    for it in net.transitions.values():
        found += [(place, it.name, _weight(weight), False) for place, weight in it.takes.items()]
        found += [(it.name, place, _weight(weight), False) for place, weight in it.gives.items()]
        found += [(place, it.name, _weight(weight), True) for place, weight in it.unless.items()]
    return found


def _coloured_links(net: ColouredNet) -> list[Link]:
    found: list[Link] = []
    for it in net.transitions.values():
        found += [(place, it.name, pattern.text, False) for place, pattern in it.takes]
        found += [(it.name, place, giver.text, False) for place, giver in it.gives]
    return found


def _weight(weight: int) -> str:
    return "" if weight == 1 else str(weight)


def _words(net: Net | ColouredNet, name: str) -> str:
    """The name of a transition, and how long it lasts or where it fires."""
    if isinstance(net, Net):
        low, high = net.transitions[name].lasts
        lasts = f"{low:g} s" if low == high else f"{low:g}–{high:g} s"
        return f"{name} [{lasts}]" if net.transitions[name].timed else name
    where = net.transitions[name].where
    return name if where is None else f"{name} [{where.text}]"
