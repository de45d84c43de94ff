"""Simplified models: a mechanism with fewer and cheaper solids, and how close each node is to the original."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from drycell.geometry import Shape, Simplified, simplify
from drycell.robots.mechanism import Mechanism

Heard = Callable[[str], None]


@dataclass(frozen=True)
class SimplerModel:
    """A simplified mechanism with the joints and nodes of ``original``, and the result for each node with solids."""

    mechanism: Mechanism
    original: Mechanism
    nodes: dict[str, Simplified]

    @property
    def changed(self) -> bool:
        """Whether any node was simplified."""
        return any(node.changed for node in self.nodes.values())

    @property
    def pieces(self) -> tuple[int, int]:
        """The number of convex pieces, before and after."""
        counts = [node.pieces for node in self.nodes.values()]
        return sum(before for before, _ in counts), sum(after for _, after in counts)

    @property
    def faces(self) -> tuple[int, int]:
        """The number of drawn triangles, before and after."""
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
    """Simplify the solids of a mechanism. The new solids enclose the original ones.

    Args:
        mechanism: The original.
        closeness: How far a node may extend beyond the original, in metres.
        volume: How much volume a node may gain, as a fraction of the original.
        name: The name of the new mechanism; by default that of the original with ``-simple``.
        heard: Called with the name of each node before it is simplified.
    """
    nodes: dict[str, Simplified] = {}

    def made(node: str, shape: Shape | None) -> Shape | None:
        if shape is None:
            return None
        heard(node)
        same = next((done for done in nodes.values() if done.original == shape), None)  # such as a pair of fingers
        nodes[node] = same or simplify(shape, closeness=closeness, volume=volume)
        return nodes[node].shape

    base = made("base", mechanism.base)
    links = tuple(replace(link, shape=made(link.name, link.shape)) for link in mechanism.links)
    simple = replace(mechanism, name=name or f"{mechanism.name}-simple", base=base, links=links)
    return SimplerModel(simple, mechanism, nodes)
