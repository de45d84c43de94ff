"""Pictures of precedence graphs: a box for each task with its times, the critical path in colour."""

from dataclasses import replace
from typing import Final

from drycell.pictures.diagram import Arrow, Diagram, Node, lay_out
from drycell.plan.precedence import TaskGraph

_ROW: Final = 66.0
_GAP: Final = 30.0


def precedence_picture(graph: TaskGraph) -> str:
    """The graph as SVG; tasks with durations say when they begin and end at the earliest."""
    spans = graph.schedule()
    path, whole = graph.critical_path()
    critical = set(path) if whole > 0 else set()
    names = list(graph.tasks)
    number = {name: at for at, name in enumerate(names)}
    links = [(before, name) for name, task in graph.tasks.items() for before in task.after]
    nodes = []
    for name in names:
        times = f"{spans[name].begin:g}–{spans[name].end:g} s" if whole > 0 else ""
        nodes.append(Node((0.0, 0.0), "box", name, times, accent=name in critical))
    layout = lay_out(
        len(names),
        [(number[start], number[end]) for start, end in links],
        room=[(node.room[0] + _GAP / 2, node.room[1] + _GAP / 2) for node in nodes],
        joint=_GAP / 2,
    )
    diagram = Diagram(graph.name)
    for node, (x, y) in zip(nodes, layout.nodes, strict=True):
        diagram.nodes.append(replace(node, at=(x, y * _ROW)))
    for (start, end), points in zip(links, layout.arrows, strict=True):
        both = start in critical and end in critical and path.index(end) == path.index(start) + 1
        through = [(x, y * _ROW) for x, y in points[1:-1]]
        diagram.arrows.append(Arrow(number[start], number[end], through, accent=both))
    return diagram.svg()
