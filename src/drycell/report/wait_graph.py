"""Wait-for graphs: stuck programs, the signals they wait for, and the programs that could set those."""

import os
from collections.abc import Sequence
from typing import Final

from drycell.kernel import Blocked
from drycell.report.charts import coordinate, escaped, label, shortened, svg

_BOX: Final = (230.0, 50.0)  # width and height of a node
_GAP: Final = (150.0, 22.0)  # between columns and rows
_EDGE: Final = 12.0
_LETTERS: Final = 30  # that fit into a node
_LEGEND: Final = 46.0


def wait_for_graph(blocked: Sequence[Blocked]) -> str:
    """Return an SVG drawing of programs that wait (left) and of the signals that they wait for (right).

    A solid arrow leads from a program to a signal that it waits for, and a dashed arrow from a signal to a program that
    could set it, if it could continue. A deadlock is a cycle of arrows, or a signal that nothing can set. The page
    that shows it sets the colours ``--ink``, ``--soft``, ``--pale``, ``--main`` and ``--bad``.
    """
    signals = list(dict.fromkeys(name for each in blocked for name in each.signals))
    known = all(each.sets is not None for each in blocked)
    rows = max(len(blocked), len(signals), 1)
    height = _EDGE + rows * (_BOX[1] + _GAP[1]) + _LEGEND
    right = _EDGE + _BOX[0] + _GAP[0]
    tops = {"program": _tops(len(blocked), rows), "signal": _tops(len(signals), rows)}
    body = [_MARKERS]
    for row, each in enumerate(blocked):
        for name in each.signals:
            start, end = tops["program"][row] - 7, tops["signal"][signals.index(name)] - 7
            title = f"{each.process} waits for {each.waits_for}"
            body.append(_arrow(_EDGE + _BOX[0], start, right, end, "waits", title))
        for name in each.sets or ():
            if name in signals:
                start, end = tops["signal"][signals.index(name)] + 9, tops["program"][row] + 9
                title = f"{name} can be set by {each.process} only after it continues"
                body.append(_arrow(right, start, _EDGE + _BOX[0], end, "sets", title))
    settable = {name for each in blocked for name in each.sets or ()}
    for row, each in enumerate(blocked):
        place = f"{os.path.basename(each.file)}:{each.line}"
        text = f"{place} · {each.waits_for}"
        body.append(_node(_EDGE, tops["program"][row], each.process, text, "", f"{each.process}: {text}", 6))
    for row, name in enumerate(signals):
        nobody = known and name not in settable
        text = "set by a waiting program" if name in settable else "nothing can set it" if nobody else "signal"
        body.append(_node(right, tops["signal"][row], name, text, "bad" if nobody else "", f"{name}: {text}", 24))
    below = height - _LEGEND + 16
    body.append(_line(_EDGE, below) + label(_EDGE + 42, below + 4, "program waits for signal", "wait-text"))
    if settable & set(signals):
        body.append(_line(_EDGE + 230, below, "sets"))
        body.append(label(_EDGE + 272, below + 4, "only this program could set the signal", "wait-text"))
    names = ", ".join(each.process for each in blocked)
    return svg(right + _BOX[0] + _EDGE, height, "".join(body), f"Wait-for graph of {names}", "wait-graph")


_MARKERS: Final = (
    "<style>.wait-graph text { font: 12px system-ui, Roboto, sans-serif; fill: var(--soft); }"
    " .wait-graph .wait-name { font-size: 13px; font-weight: 600; fill: var(--ink); }"
    " .wait-graph .wait-node { fill: var(--pale); stroke: var(--soft); }"
    " .wait-graph .wait-node.bad { stroke: var(--bad); stroke-width: 2; }"
    " .wait-graph text.bad { fill: var(--bad); }"
    " .wait-graph .waits { stroke: var(--bad); stroke-width: 1.8; fill: none; }"
    " .wait-graph .sets { stroke: var(--main); stroke-width: 1.4; stroke-dasharray: 5 4; fill: none; }"
    " .wait-graph .waits-head { fill: var(--bad); } .wait-graph .sets-head { fill: var(--main); }</style>"
    "<defs>"
    + "".join(
        f'<marker id="{kind}-head" class="{kind}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z"/></marker>'
        for kind in ("waits", "sets")
    )
    + "</defs>"
)


def _tops(count: int, rows: int) -> list[float]:
    """The middle of each node of a column, which is centred beside the longer one."""
    pitch = _BOX[1] + _GAP[1]
    first = _EDGE + (rows - count) * pitch / 2 + _BOX[1] / 2
    return [first + row * pitch for row in range(count)]


def _node(x: float, middle: float, name: str, text: str, kind: str, title: str, round_: int) -> str:
    width, height = _BOX
    return (
        f'<g><title>{escaped(title)}</title><rect class="wait-node {kind}" x="{coordinate(x)}" '
        f'y="{coordinate(middle - height / 2)}" width="{coordinate(width)}" height="{coordinate(height)}" '
        f'rx="{round_}"/>'
        + label(x + 14, middle - 4, shortened(name, _LETTERS), "wait-name")
        + label(x + 14, middle + 14, shortened(text, _LETTERS + 4), kind)
        + "</g>"
    )


def _arrow(x: float, y: float, to_x: float, to_y: float, kind: str, title: str) -> str:
    bend = (to_x - x) * 0.45
    points = (x, y, x + bend, y, to_x - bend, to_y, to_x, to_y)
    a, b, c, d, e, f, g, h = map(coordinate, points)
    return (
        f'<path class="{kind}" d="M{a} {b}C{c} {d} {e} {f} {g} {h}" marker-end="url(#{kind}-head)">'
        f"<title>{escaped(title)}</title></path>"
    )


def _line(x: float, y: float, kind: str = "waits") -> str:
    return _arrow(x, y, x + 34, y, kind, "")
