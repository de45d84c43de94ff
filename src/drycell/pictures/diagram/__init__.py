"""Diagrams: directed graphs laid out in layers and drawn as SVG; nets and precedence graphs are drawn with them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.pictures.diagram.drawing import Arrow as Arrow, Diagram as Diagram, Node as Node, wide as wide
    from drycell.pictures.diagram.layering import Layout as Layout, lay_out as lay_out
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
