"""The robot library of drycell: data files with published dimensions, loaded by name."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import FileError, UnknownName, read_text
from drycell.robots.family import Family
from drycell.robots.mechanism import Mechanism
from drycell.robots.xacro_file import expand_xacro, is_xacro

if TYPE_CHECKING:
    from drycell.robots.description import RobotHead

LIBRARY = Path(__file__).parent / "library"


def robot_names() -> list[str]:
    """The names that :func:`load_robot` accepts; the models of a family are named ``family/model``."""
    names: list[str] = []
    for path in sorted(LIBRARY.glob("*.yaml")):
        names.append(path.stem)
        if _is_family(path):
            names += [f"{path.stem}/{model}" for model in load_family(path.stem).models]
    return names


def load_robot(name: str, arguments: Mapping[str, str | float] | None = None) -> Mechanism:
    """Load a robot from the library.

    >>> load_robot("track", {"travel": "4 m"}).joints[0].range
    '0.0..4000.0 mm'

    Args:
        name: A robot, one model of a family (``family/model``), or a family for its default model.
        arguments: Values of the arguments that its file declares, as text with a unit or in SI units.

    Raises:
        UnknownName: The library has no such robot, or the robot has no such argument.
        MechanismError: The value of an argument is wrong.
    """
    return _load(name, tuple(sorted((arguments or {}).items())))


@cache
def _load(name: str, arguments: tuple[tuple[str, str | float], ...]) -> Mechanism:
    from drycell.robots.description import read_robot

    stem, slash, model = name.partition("/")
    path = LIBRARY / f"{stem}.yaml"
    if stem not in _stems():
        raise UnknownName("robot", name, robot_names())
    if _is_family(path):
        _refuse_arguments(f"family {stem!r}", dict(arguments))
        return load_family(stem).model(model if slash else None)
    if slash:
        raise UnknownName("robot", name, robot_names())
    return read_robot(read_text(path), path.name, LIBRARY, dict(arguments))


def _refuse_arguments(what: str, arguments: Mapping[str, str | float] | None) -> None:
    if arguments:
        hint = "remove them; robot files that declare arguments and xacro files have some"
        raise FileError(f"{what} has no arguments, but {', '.join(arguments)} is given", hint=hint)


@cache
def load_family(name: str) -> Family:
    """Load a family from the library with all its models. Raises UnknownName if the library does not have it."""
    from drycell.robots.family import read_family

    path = LIBRARY / f"{name}.yaml"
    if name not in family_names():
        raise UnknownName("family", name, family_names())
    return read_family(read_text(path), path.name, LIBRARY)


@cache
def robot_heads() -> "dict[str, RobotHead]":
    """The heads of all robot files in the library by name, without families: figures and joints, but not the links."""
    from drycell.robots.description import read_head

    paths = [path for path in sorted(LIBRARY.glob("*.yaml")) if not _is_family(path)]
    return {path.stem: read_head(read_text(path), path.name) for path in paths}


def thumbnail(name: str) -> str:
    """The file of a robot's or tool's thumbnail, relative to the library: ``thumbnails/ur5e.png``; not all have one."""
    return f"thumbnails/{name}.png"


def family_names() -> list[str]:
    """The names of the families in the library."""
    return sorted(stem for stem in _stems() if _is_family(LIBRARY / f"{stem}.yaml"))


def robot_from_file(
    path: str | Path,
    model: str | None = None,
    *,
    tip: str | None = None,
    packages: Mapping[str, str | Path] | None = None,
    arguments: Mapping[str, str | float] | None = None,
) -> Mechanism:
    """Load a robot from your own file.

    Args:
        path: A YAML file as in the library, a URDF file, or a xacro file. A xacro file is code: reading it runs the
            Python expressions in it.
        model: The model of a family file; its default model if not given. Other files have no models.
        tip: The link of a URDF file that the flange is on; by default the last one before a gripper's fingers.
        packages: The folders of packages by name, for ``package://`` addresses in a URDF file.
        arguments: Values of the arguments of a robot file, as text with a unit or in SI units, or of a xacro file.

    Raises:
        FileError: The file cannot be read, or has mistakes.
        UnknownName: The file has no such argument.
        MechanismError: The value of an argument is wrong.
    """
    from drycell.robots.description import read_robot
    from drycell.robots.family import read_family
    from drycell.robots.mesh_search import MeshSearch
    from drycell.robots.urdf import read_urdf

    path = Path(path)
    text = read_text(path)
    if is_urdf(path):
        folders = {name: Path(folder) for name, folder in (packages or {}).items()}
        if is_xacro(path):
            own = {name: str(value) for name, value in (arguments or {}).items()}
            text = expand_xacro(path, MeshSearch(path.parent, folders), own)
        else:
            _refuse_arguments(str(path), arguments)
        return read_urdf(text, str(path), path.parent, tip, folders)
    if is_family(text):
        _refuse_arguments(str(path), arguments)
        return read_family(text, str(path), path.parent).model(model)
    if model is not None:
        raise FileError(f"{path} is a robot, not a family, and has no model {model!r}", hint="remove the model")
    return read_robot(text, str(path), path.parent, arguments)


def models_in_file(path: str | Path) -> dict[str, Mechanism]:
    """All models in your own family file, as ``family/model``. Other files have none.

    >>> from pathlib import Path
    >>> import drycell
    >>> file = Path(drycell.__file__).parent / "robots/library/box-frame.yaml"
    >>> list(models_in_file(file))
    ['box-frame/hand', 'box-frame/stylised', 'box-frame/detailed']
    """
    from drycell.robots.family import read_family

    path = Path(path)
    if is_urdf(path) or not is_family(text := read_text(path)):
        return {}
    return {each.name: each for each in read_family(text, str(path), path.parent).models.values()}


def is_urdf(path: str | Path) -> bool:
    """Whether the name of a file is that of a URDF or xacro file, not of a robot file."""
    return Path(path).suffix.lower() in (".urdf", ".xml") or is_xacro(path)


def _stems() -> list[str]:
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


def is_family(text: str) -> bool:
    """Whether the content is that of a family file, not a robot file."""
    return any(line.startswith("family:") for line in text.splitlines())


@cache
def _is_family(path: Path) -> bool:
    return is_family(read_text(path))
