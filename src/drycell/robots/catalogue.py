"""The robots that come with drycell: data files written from published dimensions, loaded by name."""

from functools import cache
from pathlib import Path

from drycell.base import UnknownName, read_text
from drycell.robots.family import Family
from drycell.robots.mechanism import Mechanism

LIBRARY = Path(__file__).parent / "library"


def robot_names() -> list[str]:
    """The names :func:`load_robot` takes; the models of a family as ``family/model``."""
    names: list[str] = []
    for path in sorted(LIBRARY.glob("*.yaml")):
        names.append(path.stem)
        if _is_family(path):
            names += [f"{path.stem}/{model}" for model in load_family(path.stem).models]
    return names


@cache
def load_robot(name: str) -> Mechanism:
    """A robot of the library; ``family/model`` for one model of a family, a family's name for its default model."""
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
    """A family of the library with all its models."""
    from drycell.robots.family import read_family

    path = LIBRARY / f"{name}.yaml"
    if name not in family_names():
        raise UnknownName("family", name, family_names())
    return read_family(read_text(path), path.name, LIBRARY)


def family_names() -> list[str]:
    """The families of the library."""
    return sorted(stem for stem in _stems() if _is_family(LIBRARY / f"{stem}.yaml"))


def robot_from_file(path: str | Path, model: str | None = None) -> Mechanism:
    """A robot from a file of one's own: YAML as in the library, or URDF. Of a family, its default or another model."""
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
    """Whether a text is a family file and not a robot's."""
    return any(line.startswith("family:") for line in text.splitlines())


@cache
def _is_family(path: Path) -> bool:
    return is_family(read_text(path))
