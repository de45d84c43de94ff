"""List the robots in the library, or show one: the maker's figures with their source, joints, links and a picture.

A range is written with two dots: 5kg.. is at least 5 kg, ..900mm at most 900 mm, 5kg..10kg between the two. In the
list, * marks figures from general knowledge that no source confirms, and ~ marks arms with speeds or accelerations that
are estimated from reach and payload.


examples:
  drycell robots                                         prints a table of all robots
  drycell robots --maker fanuc --payload 5kg..10kg
  drycell robots --reach 1.2m.. --axes 7
  drycell robots --category external                     lists tracks, turntables, positioners and gantries
  drycell robots ur5e --picture out/ur5e.svg

in a cell file                                           in Python
  robots:                                                  cell.add("arm", Robot("ur5e"))
    arm: {model: ur5e}
"""

import argparse
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import kg, mm

if TYPE_CHECKING:
    from drycell.robots import DataSheet, Mechanism, RobotHead

_WIDTH: Final = 100  # characters in a line of text
_OUTLINES: Final = {"own": "own", "generic": "generic"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell robots``."""
    parser.add_argument("robot", metavar="NAME", nargs="?", help="a robot from the library")
    parser.add_argument("--maker", metavar="NAME", help="list only robots of this maker; a part of the name is enough")
    parser.add_argument(
        "--category",
        metavar="NAME",
        help="list only robots of this category, such as cobot, SCARA or external (axes)",
    )
    parser.add_argument("--payload", metavar="RANGE", help="list only robots with this payload, such as 5kg..")
    parser.add_argument("--reach", metavar="RANGE", help="list only robots with this reach, such as ..900mm")
    parser.add_argument("--axes", metavar="N", type=int, help="list only robots with this number of axes")
    parser.add_argument(
        "--picture", metavar="FILE", help="draw the robot: shaded (.png, requires the `film` extra) or .svg"
    )


def main(options: argparse.Namespace) -> int:
    """Print the list or the robot, and return the exit code."""
    from drycell.base import DrycellError

    if options.robot is not None:
        if any((options.maker, options.category, options.payload, options.reach, options.axes)):
            raise DrycellError(
                "--maker, --category, --payload, --reach and --axes are for lists", hint="remove them, or the name"
            )
        _show(options.robot)
        if options.picture:
            _draw(options.robot, options.picture)
            print(f"\ndrawn: {options.picture}")
        return 0
    if options.picture:
        raise DrycellError("--picture needs a robot", hint="drycell robots NAME --picture FILE")
    _list(options)
    return 0


def _list(options: argparse.Namespace) -> None:
    from drycell.base import UnknownName
    from drycell.robots import family_names, load_robot, robot_heads, robot_names

    payload = None if options.payload is None else _range(options.payload, "mass", "--payload")
    reach = None if options.reach is None else _range(options.reach, "length", "--reach")
    heads = robot_heads()
    families = set(family_names())
    makers = {head.maker for head in heads.values() if head.maker}
    if options.maker and not any(options.maker.casefold() in maker.casefold() for maker in makers):
        raise UnknownName("maker", options.maker, makers)
    rows: list[tuple[str, ...]] = []
    for name in robot_names():
        head = heads.get(name)  # not of a family or one of its models
        axes = load_robot(name).dof if head is None else len(head.joints)
        data = None if head is None else head.data
        if options.maker and (data is None or options.maker.casefold() not in data.maker.casefold()):
            continue
        if options.category and (data is None or options.category.casefold() not in data.category.casefold()):
            continue
        if options.axes is not None and axes != options.axes:
            continue
        if payload and not _within(None if data is None else data.payload, payload):
            continue
        if reach and not _within(None if data is None else data.reach, reach):
            continue
        title = "family" if name in families else "model of a family" if data is None else data.title
        rows.append((name, str(axes), *_figures(data, head), title))
    _print_table([("name", "axes", "payload", "reach", "mass", "solids", "robot"), *rows])
    print(f"\n{len(rows)} of {len(robot_names())}; drycell robots NAME shows one")


def _figures(data: "DataSheet | None", head: "RobotHead | None") -> tuple[str, str, str, str]:
    if data is None:
        return ("", "", "", "own")

    def figure(name: str, value: float | None, unit: float, text: str) -> str:
        return "" if value is None else f"{value / unit:.6g} {text}{'*' if name in data.recalled else ''}"

    estimated = head is not None and any(each.acceleration is None for each in head.joints.values())
    payload = figure("payload", data.payload, kg, "kg")
    return (
        payload + ("~" if estimated else ""),
        figure("reach", data.reach, mm, "mm"),
        figure("mass", data.mass, kg, "kg"),
        _OUTLINES.get(data.outline, f"of {data.outline}"),
    )


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _range(text: str, dimension: str, option: str) -> tuple[float, float]:
    """The limits of a range such as ``5kg..``, in SI units. Raises DrycellError."""
    from drycell.base import DrycellError, parse

    low, dots, high = text.partition("..")
    if not (low or high):
        raise DrycellError(f"{option} {text!r} has no limit", hint=f"write for example {option} 5kg.. or ..900mm")
    least = parse(low, dimension) if low else -math.inf
    most = parse(high, dimension) if high else math.inf if dots else least
    if least > most:
        raise DrycellError(
            f"{option} {text!r} is empty: {low} is more than {high}", hint=f"write {option} {high}..{low}"
        )
    return least, most


def _within(value: float | None, limits: tuple[float, float]) -> bool:
    return value is not None and limits[0] * (1 - 1e-9) <= value <= limits[1] * (1 + 1e-9)


def _show(name: str) -> None:
    from drycell.robots import load_robot

    mechanism = load_robot(name)
    data = mechanism.data
    if data is not None:
        print(f"{name}: {data.title}\n")
        for what, value in (*_sheet(data, mechanism), ("motion", _motion(mechanism))):
            print(textwrap.fill(value, _WIDTH, initial_indent=f"  {what:<14}", subsequent_indent=" " * 16))
        print()
    print(mechanism)


def _motion(mechanism: "Mechanism") -> str:
    """How the arm moves if a cell gives it no controller, and what that is based on."""
    from drycell.base import deg
    from drycell.robots import usual_motion

    usual = usual_motion(mechanism)
    controller = usual.controller
    figures = [controller.law, f"joints synchronised: {controller.synchronisation}"]
    if controller.joint_speed is not None and controller.joint_acceleration is not None:
        figures.append(f"{controller.joint_speed / deg:.0f} deg/s, {controller.joint_acceleration / deg:.0f} deg/s²")
    figures.append(f"lines {controller.linear_speed / mm:.0f} mm/s, {controller.linear_acceleration:g} m/s²")
    return f"{', '.join(figures)} ({usual.source})"


def _sheet(data: "DataSheet", mechanism: "Mechanism") -> list[tuple[str, str]]:
    from drycell.robots.arguments import shown

    figures = (
        ("payload", data.payload, kg, "kg"),
        ("reach", data.reach, mm, "mm"),
        ("repeatability", data.repeatability, mm, "mm"),
        ("mass", data.mass, kg, "kg"),
    )
    rows = [("maker", data.maker), ("category", data.category)]
    rows += [("argument", f"{name}: {shown(value)}") for name, value in mechanism.arguments]
    rows += [
        (name, f"{value / unit:.6g} {text}{' (general knowledge, no source)' if name in data.recalled else ''}")
        for name, value, unit, text in figures
        if value is not None
    ]
    if data.outline == "generic":
        rows.append(("solids", "generic: a plain outline made from the joints, not the shape of this arm"))
    elif data.outline != "own":
        rows.append(("solids", f"those of {data.outline}, stretched to the lengths of this arm"))
    rows += [("missing", f"{what}: {why}") for what, why in data.missing]
    return [(what, value) for what, value in rows if value]


def _draw(name: str, path: str) -> None:
    from drycell.cell import Cell
    from drycell.pictures import LineDrawing, save_picture
    from drycell.robots import Robot

    cell = Cell(name)
    cell.add("arm", Robot(name))
    if Path(path).suffix.lower() != ".svg":
        save_picture(cell.world, path)
        return
    drawing = LineDrawing(cell.world)
    drawing.expose(0, tuple(cell.world.bodies.values()))
    drawing.save(path)
