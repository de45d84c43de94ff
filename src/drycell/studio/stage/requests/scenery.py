"""What there is to see: the tree of things and their meshes."""

from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre
from drycell.studio.stage.tree import tree


@request("tree")
def tell_tree(theatre: Theatre) -> Reply:
    """Everything there is, by name."""
    return tree(theatre)


@request("mesh")
def mesh(theatre: Theatre, *, key: str) -> Reply:
    """The triangles of a key that the tree has named."""
    return {"key": key}, theatre.meshes.bytes_of(key)
