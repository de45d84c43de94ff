"""What there is to see: the tree of things and their meshes."""

from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.host.tree import tree


@request("tree")
def tell_tree(session: HostSession) -> Reply:
    """Everything there is, by name."""
    return tree(session)


@request("mesh")
def mesh(session: HostSession, *, key: str) -> Reply:
    """The triangles of a key that the tree has named."""
    return {"key": key}, session.meshes.bytes_of(key)
