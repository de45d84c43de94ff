"""Xacro files: URDF with macros, expanded by the package of that name (extra ``xacro``). They contain Python
expressions, so they are code: a cell that names one runs only from a trusted folder."""

import contextlib
import io
import threading
from collections.abc import Mapping
from pathlib import Path

from drycell.base import MechanismError
from drycell.robots.mesh_search import MeshSearch

_ONE_AT_A_TIME = threading.Lock()  # xacro keeps its state in its module


def is_xacro(path: str | Path) -> bool:
    """Whether the name of a file is that of a xacro file."""
    return Path(path).suffix.lower() == ".xacro"


def expand_xacro(path: Path, search: MeshSearch, arguments: Mapping[str, str] | None = None) -> str:
    """Return the URDF text that a xacro file expands to. This runs the Python expressions in the file.

    Args:
        path: The file.
        search: Finds packages for ``$(find package)``, as it finds meshes.
        arguments: Values of the file's arguments (``<xacro:arg>``).

    Raises:
        MechanismError: xacro is not installed, or the file has a mistake.
    """
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise MechanismError(
            f"{path}: reading xacro files needs the extra 'xacro', which is not installed",
            hint="pip install 'path/to/drycell[xacro]', or expand the file: xacro robot.xacro > robot.urdf",
        ) from None

    def find(package: str) -> str:
        return str(next(folder for folder in search.roots(package) if folder.is_dir()))  # the last is the file's own

    printed = io.StringIO()
    functions = substitution_args._eval_dict
    with _ONE_AT_A_TIME, contextlib.redirect_stderr(printed):  # xacro prints where it was
        kept = substitution_args._eval_find, functions["find"]
        # Without this it asks ROS, which is not installed here.
        substitution_args._eval_find, functions["find"] = find, find
        try:
            return str(xacro.process_file(str(path), mappings=dict(arguments or {})).toxml())
        except Exception as error:  # of the expressions in the file: anything
            text = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise MechanismError(
                f"{path}: xacro cannot expand it: {text[:200]}",
                hint="name the folders of the packages it uses in 'packages', and its arguments in 'arguments'",
            ) from error
        finally:
            substitution_args._eval_find, functions["find"] = kept
