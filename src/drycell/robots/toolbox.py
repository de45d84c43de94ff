"""The library of grippers and other tools: data files with published figures, loaded by name, and your own files."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import FileError, UnknownName, read_text
from drycell.robots.catalogue import is_urdf
from drycell.robots.xacro_file import expand_xacro, is_xacro

if TYPE_CHECKING:
    from drycell.robots.tool_file import ToolHead, ToolModel

TOOLS: Final = Path(__file__).parent / "tools"


def tool_names() -> list[str]:
    """The names that :func:`load_tool` accepts."""
    return sorted(path.stem for path in TOOLS.glob("*.yaml"))


@cache
def load_tool(name: str) -> "ToolModel":
    """Load a gripper or another tool from the library.

    >>> hand = load_tool("robotiq-2f-85")
    >>> hand.sheet.payload, hand.sheet.recalled
    (5.0, ('payload', 'mass', 'stroke', 'lowest speed', 'lowest force'))

    Args:
        name: Its name; :func:`tool_names` has all of them.

    Raises:
        UnknownName: The library has no such tool.
    """
    from drycell.robots.tool_file import read_tool

    if name not in tool_names():
        raise UnknownName("tool", name, tool_names())
    path = TOOLS / f"{name}.yaml"
    return read_tool(read_text(path), path.name, TOOLS)


@cache
def tool_heads() -> "dict[str, ToolHead]":
    """The heads of all tool files in the library by name: their figures, without the solids."""
    from drycell.robots.tool_file import read_tool_head

    return {name: read_tool_head(read_text(TOOLS / f"{name}.yaml"), f"{name}.yaml") for name in tool_names()}


def tool_from_file(path: str | Path) -> "ToolModel":
    """Load a gripper or another tool from your own file.

    Args:
        path: A YAML file as in the library, or the URDF of a gripper or of an arm with a gripper.

    Raises:
        FileError: The file cannot be read, has mistakes, or is the URDF of something without a gripper.
    """
    from drycell.robots.mesh_search import MeshSearch
    from drycell.robots.tool_file import ToolModel, read_tool

    path = Path(path)
    if not is_urdf(path):
        return read_tool(read_text(path), str(path), path.parent)
    from drycell.robots.urdf import read_urdf_gripper

    text = expand_xacro(path, MeshSearch(path.parent), None) if is_xacro(path) else read_text(path)
    found = read_urdf_gripper(text, str(path), path.parent)
    if found is None:
        hint = "name a URDF file with two fingers that open and close, or write a tool file"
        raise FileError(f"{path} has no gripper", hint=hint)
    return ToolModel.of_fingers(found)
