"""List the robots and tools in the library, or show one: the maker's data with its source, joints and a picture.

Write a range with two dots: 5kg.. means at least 5 kg, ..900mm at most 900 mm, and 5kg..10kg between the two. In the
list, * marks values from general knowledge that no source confirms. The column "motion" says "given" if the arm's data
includes the speed and acceleration of every joint, and "estimated" if some are estimated from reach and payload.


examples:
  drycell robots                                         prints a table of all robots and one of all tools
  drycell robots --maker fanuc --payload 5kg..10kg
  drycell robots --reach 1.2m.. --axes 7
  drycell robots --category external                     lists tracks, turntables, positioners and gantries
  drycell robots --kind gripper                          lists grippers with fingers
  drycell robots --kind tool --payload 2kg..             lists grippers, vacuum cups, magnets, torches and other tools
  drycell robots ur5e --picture out/ur5e.svg

in a cell file                                           in Python
  robots:                                                  cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    arm: {model: ur5e, gripper: robotiq-2f-85}
"""

import argparse
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, N, Pose, kg, mm, render, s

if TYPE_CHECKING:
    from drycell.robots import DataSheet, Mechanism, RobotHead, ToolSheet

_WIDTH: Final = 100  # characters in a line of text
_KINDS: Final = ("robot", "tool", "gripper", "vacuum", "magnet", "torch", "dispenser", "probe")
_OUTLINES: Final = {"own": "own", "generic": "generic"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell robots``."""
    parser.add_argument("robot", metavar="NAME", nargs="?", help="a robot or a tool from the library")
    parser.add_argument("--kind", choices=_KINDS, help="list only robots, only tools, or only tools of one kind")
    parser.add_argument("--maker", metavar="NAME", help="list only robots by this maker; part of the name is enough")
    parser.add_argument(
        "--category",
        metavar="NAME",
        help="list only robots and tools of this category, such as cobot, SCARA or external (axes)",
    )
    parser.add_argument("--payload", metavar="RANGE", help="list only robots with this payload, such as 5kg..")
    parser.add_argument("--reach", metavar="RANGE", help="list only robots with this reach, such as ..900mm")
    parser.add_argument("--axes", metavar="N", type=int, help="list only robots with this number of axes")
    parser.add_argument("--picture", metavar="FILE", help="draw NAME: shaded (.png, requires the `film` extra) or .svg")


def main(options: argparse.Namespace) -> int:
    """Print the list or the robot, and return the exit code."""
    if options.robot is not None:
        if any((options.kind, options.maker, options.category, options.payload, options.reach, options.axes)):
            what = "--kind, --maker, --category, --payload, --reach and --axes are for lists"
            raise DrycellError(what, hint="remove them, or the name")
        _show(options.robot)
        if options.picture:
            _draw(options.robot, options.picture)
            print(f"\ndrawn: {options.picture}")
        return 0
    if options.picture:
        raise DrycellError("--picture needs a robot or a tool", hint="drycell robots NAME --picture FILE")
    _list(options)
    return 0


def _list(options: argparse.Namespace) -> None:
    from drycell.base import UnknownName
    from drycell.robots import robot_heads, tool_heads

    payload = None if options.payload is None else _range(options.payload, "mass", "--payload")
    if options.maker:
        makers = {head.maker for head in robot_heads().values()} | {head.maker for head in tool_heads().values()}
        if not any(options.maker.casefold() in maker.casefold() for maker in makers):
            raise UnknownName("maker", options.maker, makers - {""})
    found: list[str] = []
    if options.kind in (None, "robot"):
        rows, count = _robots(options, payload)
        if rows:
            _print_table([("name", "axes", "payload", "reach", "mass", "motion", "solids", "robot"), *rows])
            print()
        found.append(f"{len(rows)} of {count} robots")
    only_robots = [name for name in ("--reach", "--axes") if getattr(options, name[2:]) is not None]
    if options.kind not in (None, "robot") and only_robots:
        raise DrycellError(f"{only_robots[0]} is for robots", hint="remove it, or --kind")
    if options.kind != "robot" and not only_robots:
        rows, count = _tools(options, payload)
        if rows:
            _print_table([("name", "kind", "payload", "stroke", "force", "mass", "solids", "tool"), *rows])
            print()
        found.append(f"{len(rows)} of {count} tools")
    print(f"{', '.join(found)}; drycell robots NAME shows one")


def _robots(options: argparse.Namespace, payload: tuple[float, float] | None) -> tuple[list[tuple[str, ...]], int]:
    """The rows of the robots that the options select, and the number of all robots."""
    from drycell.robots import family_names, load_robot, robot_heads, robot_names

    reach = None if options.reach is None else _range(options.reach, "length", "--reach")
    heads = robot_heads()
    families = set(family_names())
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
    return rows, len(robot_names())


def _tools(options: argparse.Namespace, payload: tuple[float, float] | None) -> tuple[list[tuple[str, ...]], int]:
    """The rows of the tools that the options select, and the number of all tools."""
    from drycell.robots import tool_heads

    heads, rows = tool_heads(), []
    for name, head in heads.items():
        sheet = head.sheet
        if options.kind not in (None, "tool", sheet.kind):
            continue
        if options.maker and options.maker.casefold() not in sheet.maker.casefold():
            continue
        if options.category and options.category.casefold() not in sheet.category.casefold():
            continue
        if payload and not _within(sheet.payload, payload):
            continue
        figures = dict(_tool_figures(sheet, "*"))
        shown = tuple(figures.get(each, "") for each in ("payload", "stroke", "force", "mass"))
        rows.append((name, sheet.kind, *shown, sheet.solids, sheet.title))
    return rows, len(heads)


def _tool_figures(sheet: "ToolSheet", mark: str) -> list[tuple[str, str]]:
    """The figures of a tool that are known, as text; a mark follows those without a source."""
    found = []
    for name, value, unit, text in (
        ("payload", sheet.payload, kg, "kg"),
        ("stroke", sheet.stroke, mm, "mm"),
        ("speed", sheet.speed, mm, "mm/s"),
        ("force", sheet.force or sheet.suction, N, "N"),
        ("closing time", sheet.closing_time, s, "s"),
        ("vacuum", sheet.vacuum, 1000.0, "kPa"),
        ("evacuation", sheet.evacuation, s, "s"),
        ("mass", sheet.mass, kg, "kg"),
    ):
        if value is not None:
            ends = value if isinstance(value, tuple) else (value,)
            names = (f"lowest {name}", name)[-len(ends) :]
            figures = [f"{v / unit:.4g}{mark if n in sheet.recalled else ''}" for v, n in zip(ends, names, strict=True)]
            found.append((name, f"{'..'.join(figures)} {text}"))
    return found


def _figures(data: "DataSheet | None", head: "RobotHead | None") -> tuple[str, ...]:
    if data is None or head is None:
        return ("", "", "", "", "own")

    def figure(name: str, value: float | None, unit: float, text: str) -> str:
        return "" if value is None else f"{value / unit:.6g} {text}{'*' if name in data.recalled else ''}"

    estimated = any(each.speed is None or each.acceleration is None for each in head.joints.values())
    return (
        figure("payload", data.payload, kg, "kg"),
        figure("reach", data.reach, mm, "mm"),
        figure("mass", data.mass, kg, "kg"),
        "estimated" if estimated else "given",
        _OUTLINES.get(data.outline, f"of {data.outline}"),
    )


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _range(text: str, dimension: str, option: str) -> tuple[float, float]:
    """The limits of a range such as ``5kg..``, in SI units. Raises DrycellError."""
    from drycell.base import parse

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
    from drycell.base import UnknownName
    from drycell.robots import load_robot, robot_heads, robot_names, tool_heads, tool_names

    if name in tool_names():
        _show_tool(name)
        return
    if name.partition("/")[0] not in robot_names():
        makers = {head.maker for head in robot_heads().values()} | {head.maker for head in tool_heads().values()}
        if any(name.casefold() in maker.casefold() for maker in makers):
            hint = f"list what the library has of this maker with drycell robots --maker {name.casefold()}"
            raise DrycellError(f"{name!r} is a maker, not a robot or tool", hint=hint)
        raise UnknownName("robot or tool", name, [*robot_names(), *tool_names()])
    mechanism = load_robot(name)
    data = mechanism.data
    if data is not None:
        print(f"{name}: {data.title}\n")
        _print_sheet([*_sheet(data, mechanism), ("motion", _motion(mechanism))])
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


def _show_tool(name: str) -> None:
    from drycell.robots import load_tool

    tool = load_tool(name)
    sheet = tool.sheet
    print(f"{name}: {sheet.title}\n")
    rows = [("kind", sheet.kind), ("maker", sheet.maker), ("category", sheet.category), *_tool_figures(sheet, "*")]
    if sheet.suction is not None and sheet.payload is None and sheet.limit is not None:
        rows.append(("bears", f"{sheet.limit:.4g} kg at rest, without a margin"))
    if sheet.recalled:
        rows.append(("*", "general knowledge, no source"))
    if sheet.solids == "generic":
        rows.append(("solids", "generic: a plain outline, not the shape of this tool"))
    rows += [("missing", f"{what}: {why}") for what, why in sheet.missing]
    _print_sheet([(what, value) for what, value in rows if value])
    print()
    if tool.fingers is not None:
        print(tool.fingers)
        return
    print("tool centre point at " + ", ".join(f"{value / mm:.1f}" for value in tool.tcp.position) + " mm")
    print(f"source {tool.source}")


def _print_sheet(rows: Sequence[tuple[str, str]]) -> None:
    for what, value in rows:
        print(textwrap.fill(value, _WIDTH, initial_indent=f"  {what:<14}", subsequent_indent=" " * 16))


def _sheet(data: "DataSheet", mechanism: "Mechanism") -> list[tuple[str, str]]:
    figures = (
        ("payload", data.payload, kg, "kg"),
        ("reach", data.reach, mm, "mm"),
        ("repeatability", data.repeatability, mm, "mm"),
        ("mass", data.mass, kg, "kg"),
    )
    rows = [("maker", data.maker), ("category", data.category)]
    rows += [("argument", f"{name}: {render(value, str(value.dimension))}") for name, value in mechanism.arguments]
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
    from drycell.robots import Robot, load_tool, mounted, tool_names
    from drycell.world import LiveBody

    cell = Cell(name)
    if name in tool_names():
        mounted(cell, name, load_tool(name), cell.world.add(LiveBody("stand")), Pose())
    else:
        cell.add("arm", Robot(name))
    if Path(path).suffix.lower() != ".svg":
        save_picture(cell.world, path)
        return
    drawing = LineDrawing(cell.world)
    drawing.expose(0, tuple(cell.world.bodies.values()))
    drawing.save(path)
