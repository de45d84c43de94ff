"""Diagrams: directed graphs laid out in layers and drawn as SVG; nets and precedence graphs are drawn with them."""

from drycell.pictures.diagram.drawing import Arrow, Diagram, Node, wide
from drycell.pictures.diagram.layering import Layout, lay_out

__all__ = ["Arrow", "Diagram", "Layout", "Node", "lay_out", "wide"]
