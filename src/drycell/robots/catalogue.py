"""The robot library of drycell: data files with published dimensions, loaded by name."""

from functools import cache
from pathlib import Path

from drycell.base import UnknownName, read_text
from drycell.robots.family import Family
from drycell.robots.mechanism import Mechanism

LIBRARY = Path(__file__).parent / "library"


def robot_names() -> list[str]:
    """The names that :func:`load_robot` accepts; the models of a family are named ``family/model``."""
    names: list[str] = []
    for path in sorted(LIBRARY.glob("*.yaml")):
        names.append(path.stem)
        if _is_family(path):
            names += [f"{path.stem}/{model}" for model in load_family(path.stem).models]
    return names


@cache
def load_robot(name: str) -> Mechanism:
    """Load a robot of the library.

    Args:
        name: A robot, one model of a family (``family/model``), or a family for its default model.

    Raises:
        UnknownName: The library has no such robot.
    """
    from drycell.robots.description import read_robot

    stem, slash, model = name.partition("/")
    path = LIBRARY / f"{stem}.yaml"
    if stem not in _stems():
        raise UnknownName("robot", name, robot_names())
    if _is_family(path):
        return load_family(stem).model(model if slash else None)
    if slash:
        raise UnknownName("robot", name, robot_names())
    return read_robot(read_text(path), path.name, LIBRARY)


@cache
def load_family(name: str) -> Family:
    """Load a family of the library with all its models. Raises UnknownName if the library does not have it."""
    from drycell.robots.family import read_family

    path = LIBRARY / f"{name}.yaml"
    if name not in family_names():
        raise UnknownName("family", name, family_names())
    return read_family(read_text(path), path.name, LIBRARY)


def family_names() -> list[str]:
    """The names of the families in the library."""
    return sorted(stem for stem in _stems() if _is_family(LIBRARY / f"{stem}.yaml"))


def robot_from_file(path: str | Path, model: str | None = None) -> Mechanism:
    """Load a robot from your own file.

    Args:
        path: A YAML file as in the library, or a URDF file.
        model: The model, if the file describes a family; its default model if not given.

    Raises:
        FileError: The file cannot be read, or has mistakes.
    """
    from drycell.robots.description import read_robot
    from drycell.robots.family import read_family
    from drycell.robots.urdf import read_urdf

    path = Path(path)
    text = read_text(path)
    if path.suffix in (".urdf", ".xml"):
        return read_urdf(text, str(path), path.parent)
    if is_family(text):
        return read_family(text, str(path), path.parent).model(model)
    return read_robot(text, str(path), path.parent)


def _stems() -> list[str]:
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


def is_family(text: str) -> bool:
    """Whether a text is a family file, not a robot file."""
    return any(line.startswith("family:") for line in text.splitlines())


@cache
def _is_family(path: Path) -> bool:
    return is_family(read_text(path))
