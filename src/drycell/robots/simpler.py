"""Simpler models: a mechanism whose nodes have fewer, cheaper solids, and how close each of them is to the original."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from drycell.geometry import Shape, Simplified, simplify
from drycell.robots.mechanism import Mechanism

Heard = Callable[[str], None]


@dataclass(frozen=True)
class SimplerModel:
    """A mechanism with the same joints and nodes as ``original``, and what became of each node that has solids."""

    mechanism: Mechanism
    original: Mechanism
    nodes: dict[str, Simplified]

    @property
    def changed(self) -> bool:
        """Whether any node could be made simpler."""
        return any(node.changed for node in self.nodes.values())

    @property
    def pieces(self) -> tuple[int, int]:
        """All convex pieces, before and after."""
        counts = [node.pieces for node in self.nodes.values()]
        return sum(before for before, _ in counts), sum(after for _, after in counts)

    @property
    def faces(self) -> tuple[int, int]:
        """All triangles it is drawn with, before and after."""
        counts = [node.faces for node in self.nodes.values()]
        return sum(before for before, _ in counts), sum(after for _, after in counts)


def simpler_model(
    mechanism: Mechanism,
    *,
    closeness: float | None = None,
    volume: float | None = None,
    name: str | None = None,
    heard: Heard = lambda node: None,
) -> SimplerModel:
    """A mechanism with simpler solids: each node within ``closeness`` metres, or a share of ``volume``.

    ``heard`` is called with each node before its turn.
    """
    nodes: dict[str, Simplified] = {}

    def made(node: str, shape: Shape | None) -> Shape | None:
        if shape is None:
            return None
        heard(node)
        same = next((done for done in nodes.values() if done.original == shape), None)  # a pair of fingers, say
        nodes[node] = same or simplify(shape, closeness=closeness, volume=volume)
        return nodes[node].shape

    base = made("base", mechanism.base)
    links = tuple(replace(link, shape=made(link.name, link.shape)) for link in mechanism.links)
    simple = replace(mechanism, name=name or f"{mechanism.name}-simple", base=base, links=links)
    return SimplerModel(simple, mechanism, nodes)
