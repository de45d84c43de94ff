"""Create, list, show and check families: several models of one robot with the same motors and the same nodes.

A family lists its motors with their limits, its sensors, the nodes that every model must have, and how the motors move
them. A model defines the solids of each node. Models of one family can replace one another during a session.


examples:
  drycell family list
  drycell family show box-frame                      prints motors, sensors, nodes and models
  drycell family new --from data.yaml -o mine.yaml
  drycell family check mine.yaml                     lists every missing node, motor or limit with its line

The data for --from is a family file that may omit unknown values: only `family`, `motors` with `limits`, and `nodes`
are required.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drycell.robots import FamilyFile, Mechanism

_TEXTS = {
    "list": """\
List the families that come with drycell, with the number of motors, nodes and sensors, and their models.

example:
  drycell family list""",
    "show": """\
Print the motors, sensors, nodes and models of a family, and the source of its data.

example:
  drycell family show box-frame""",
    "new": """\
Create a family file from data: check it, fill in defaults, and write it with one model.

example:
  drycell family new --from data.yaml -o mine.yaml""",
    "check": """\
Check a family file, and report every missing node, motor or limit with its line. The exit code is 1 if any is missing.

example:
  drycell family check mine.yaml""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell family``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _action(actions, "list", "list the families that come with drycell, and their models")
    show = _action(actions, "show", "show the motors, sensors, nodes and models of a family")
    show.add_argument("family", metavar="NAME", help="a family from the library, or a family file")
    new = _action(actions, "new", "create a family from data")
    new.add_argument(
        "--from",
        dest="data",
        metavar="FILE",
        required=True,
        help="data: motors, limits, sensors, nodes and their motions",
    )
    new.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: NAME.yaml)")
    new.add_argument("--force", action="store_true", help="overwrite an existing file")
    check = _action(actions, "check", "report what is missing, with the file and line")
    check.add_argument("file", metavar="FILE", help="a family file")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    return actions.add_parser(
        name, help=text, description=_TEXTS[name], formatter_class=argparse.RawDescriptionHelpFormatter
    )


def main(options: argparse.Namespace) -> int:
    """Perform the action and return the exit code."""
    actions = {"list": _list, "show": _show, "new": _new, "check": _check}
    return actions[options.action](options)


def _list(options: argparse.Namespace) -> int:
    from drycell.robots import family_names, load_family

    for name in family_names():
        family = load_family(name)
        model = family.model()
        models = ", ".join(f"{each} (default)" if each == family.default else each for each in family.models)
        print(
            f"{name:<16} {model.dof} motors, {len(model.links)} nodes, {len(family.sensors)} sensors; models {models}"
        )
    return 0


def _show(options: argparse.Namespace) -> int:
    from drycell.base import read_text
    from drycell.robots import read_family

    spec, path = _spec(options.family)
    family = read_family(read_text(path), str(path), path.parent)
    model = family.model()
    print(f"{spec.family}: {spec.title}" if spec.title else spec.family)
    print("\nmotors")
    for joint, home in zip(model.joints, model.home, strict=True):
        kind = "turns" if joint.revolute else "slides"
        print(f"  {joint.name:<12} {kind:<7} {joint.range:<24} starts at {joint.show(home)}, at most {_speed(joint)}")
    if family.sensors:
        print("\nsensors\n  " + ", ".join(family.sensors))
    print("\nnodes")
    print("\n".join(_nodes(model, spec)))
    print("\nmodels")
    for name, mechanism in family.models.items():
        seen = [link for link in mechanism.links if link.shape is not None]
        pieces = sum(len(link.shape.pieces()) for link in seen if link.shape is not None)
        base = "" if mechanism.base is None else f", base of {len(mechanism.base.pieces())}"
        mark = "  (default)" if name == family.default else ""
        print(f"  {name:<12} {len(seen)} of {len(mechanism.links)} nodes seen, {pieces} solids{base}{mark}")
    print(f"\nsource  {' '.join(spec.source.split())}")
    return 0


def _nodes(model: "Mechanism", spec: "FamilyFile") -> Iterator[str]:
    for link in model.links:
        on = "base" if link.parent < 0 else model.links[link.parent].name
        moves = [
            f"{move.by} {move.axis}{'' if move.ratio == 1.0 else f' × {move.ratio:g}'}"
            for move in spec.nodes[link.name].moves
        ]
        yield f"  {link.name:<12} on {on:<12} moved by {', '.join(moves) or 'nothing'}"


def _speed(joint: object) -> str:
    from drycell.base import deg, mm
    from drycell.robots import Joint

    if not isinstance(joint, Joint):
        return ""
    return f"{joint.speed / (deg if joint.revolute else mm):.4g} {joint.unit}/s"


def _check(options: argparse.Namespace) -> int:
    from drycell.base import read_text
    from drycell.robots import read_family

    path = Path(options.file)
    family = read_family(read_text(path), str(path), path.parent)
    model = family.model()
    models = "1 model" if len(family.models) == 1 else f"{len(family.models)} models"
    print(f"{path}: family {family.name!r}, {model.dof} motors, {len(model.links)} nodes; {models}: nothing missing")
    return 0


def _new(options: argparse.Namespace) -> int:
    from drycell.base import read_text, text_beside
    from drycell.robots import completed, file_text, read_draft, read_family

    if options.output is not None:
        _free(Path(options.output), options.force)
    path = Path(options.data)
    draft = read_draft(read_text(path), str(path))
    target = Path(options.output or f"{draft.family.replace('/', '-')}.yaml")
    _free(target, options.force)
    text = file_text(completed(draft), "Made with `drycell family new`.")
    family = read_family(text, str(target), target.parent)  # raises an error before anything is written
    with text_beside(target) as file:
        file.write(text)
    model = family.model()
    counts = f"{model.dof} motors, {len(model.links)} nodes and model {family.default!r}"
    print(f"family {family.name!r} with {counts}: {target}")
    print(f"  next      drycell family show {target}")
    return 0


def _spec(given: str) -> "tuple[FamilyFile, Path]":
    from drycell.base import UnknownName, read_text, read_thing
    from drycell.robots import LIBRARY, SHAPES, FamilyFile, family_names

    path = Path(given)
    if path.suffix not in (".yaml", ".yml"):
        if given not in family_names():
            raise UnknownName("family", given, family_names())
        path = LIBRARY / f"{given}.yaml"
    return read_thing(FamilyFile, read_text(path), str(path), SHAPES), path


def _free(path: Path, force: bool) -> None:
    """Refuse to replace an existing file without --force."""
    from drycell.base import FileError

    if path.exists() and not force:
        raise FileError(f"there is already a file {str(path)!r}", hint="give another name with -o, or --force")
