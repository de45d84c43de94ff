"""Pictures of precedence graphs: a box for each task with its times, the critical path in colour."""

from typing import Final

from drycell.pictures.diagram import Arrow, Diagram, Node, lay_out
from drycell.plan.precedence import TaskGraph

_ROW: Final = 66.0
_PER_SIGN: Final = 6.6


def precedence_picture(graph: TaskGraph) -> str:
    """The graph as SVG; tasks with durations say when they begin and end at the earliest."""
    spans = graph.schedule()
    path, whole = graph.critical_path()
    critical = set(path) if whole > 0 else set()
    names = list(graph.tasks)
    number = {name: at for at, name in enumerate(names)}
    links = [(before, name) for name, task in graph.tasks.items() for before in task.after]
    layout = lay_out(len(names), [(number[start], number[end]) for start, end in links])
    column = max(90.0, 40 + _PER_SIGN * max(map(len, names), default=0))
    diagram = Diagram(graph.name)
    for name in names:
        x, y = layout.nodes[number[name]]
        times = f"{spans[name].begin:g}–{spans[name].end:g} s" if whole > 0 else ""
        diagram.nodes.append(Node((x * column, y * _ROW), "box", name, times, accent=name in critical))
    for (start, end), points in zip(links, layout.arrows, strict=True):
        both = start in critical and end in critical and path.index(end) == path.index(start) + 1
        through = [(x * column, y * _ROW) for x, y in points[1:-1]]
        diagram.arrows.append(Arrow(number[start], number[end], through, accent=both))
    return diagram.svg()
