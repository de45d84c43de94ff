"""List what a cell contains, without running it.

The list shows the tree of bodies, the robots with their joints, the workpoints each robot can reach (and for those it
cannot, why and by how much), the devices with their signals, and the wiring of the controllers.


examples:
  drycell show examples/30_event_cell
  drycell show examples/00_first_cell --save first.yaml     saves a cell built in Python as a cell file
  drycell show --schema > cell.schema.json                  for editors, see below

Editors that use the YAML language server (VS Code, Neovim, …) complete and check cell files with the JSON Schema, if
the first line of cell.yaml is:


  # yaml-language-server: $schema=cell.schema.json

Programs are not loaded. A cell built in Python, and Python files under `uses:`, are code: they run only if you trust
the cell's folder.
"""

import argparse
from typing import TYPE_CHECKING

from drycell.base import DrycellError, mm
from drycell.cli import consent, settings

if TYPE_CHECKING:
    from drycell.cell import Cell, LiveProgram
    from drycell.devices import LiveController
    from drycell.world import LiveBody


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell show``."""
    parser.add_argument(
        "cell", metavar="CELL", nargs="?", help="a cell file, a Python file with build(cell), or a folder with one"
    )
    parser.add_argument("--save", metavar="FILE", help="write the cell as a cell file")
    parser.add_argument(
        "--schema",
        action="store_true",
        help="print the JSON Schema of cell files; with CELL, include the kinds that the cell defines",
    )
    settings.add_argument(parser)
    consent.add_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Print the list or the schema, and return the exit code."""
    if options.schema:
        print(_schema(options))
        return 0
    if options.cell is None:
        raise DrycellError("drycell show needs a cell", hint="drycell show CELL; drycell robots lists the robots")
    from drycell.cell import CellSource

    source = settings.with_settings(CellSource.find(options.cell), options.set)
    consent.check_consent(source, options.trust, programs=False)
    cell = source.build(programs=False)
    print(f"{cell.name}\n")
    print("\n".join(_tree(cell)))
    for robot in cell.robots.values():
        print(f"\n{robot.mechanism}")
    if cell.world.workpoints and cell.robots:
        print("\nreach\n" + "\n".join(_reach(cell)))
    if cell.devices:
        print("\ndevices\n" + "\n".join(_devices(cell)))
    for controller in cell.controllers.values():
        print("\n" + "\n".join(_wiring(controller)))
    if cell.programs:
        print("\nprograms  " + ", ".join(map(_program, cell.programs.items())))
    if options.save:
        cell.save(options.save)
        print(f"\nsaved as {options.save}")
    return 0


def _schema(options: argparse.Namespace) -> str:
    import json

    from drycell.cell import CellSource, Model, known_kinds
    from drycell.editing import cell_schema

    kinds = known_kinds(plug_ins=True)
    if options.cell is not None:
        source = CellSource.find(options.cell)
        consent.check_consent(source, options.trust, programs=False)
        kinds = Model.load(source.path).kinds if source.path.suffix != ".py" else kinds
    return json.dumps(cell_schema(kinds), indent=2, ensure_ascii=False)


def _tree(cell: "Cell") -> list[str]:
    """Return a line for each body, indented below its carrier: shape, material and position in the world."""
    lines = [f"{'body':<32} {'shape':<10} {'material':<12} {'x mm':>9} {'y mm':>9} {'z mm':>9}"]

    def add(body: "LiveBody", depth: int) -> None:
        x, y, z = (round(v / mm, 1) + 0.0 for v in body.pose.position)
        shape = "node" if body.shape is None else type(body.shape).__name__.lower()
        name = "  " * depth + body.name
        lines.append(f"{name:<32} {shape:<10} {body.material:<12} {x:9.1f} {y:9.1f} {z:9.1f}")
        for child in body.children:
            add(child, depth + 1)

    for body in cell.world.bodies.values():
        if body.parent is None:
            add(body, 0)
    return lines


def _devices(cell: "Cell") -> list[str]:
    """Return each device with the initial values of its signals."""
    lines = []
    for name in cell.devices:
        own = [f"{each.name} = {_value(each.peek())}" for each in cell.kernel.signals.values() if _of(name, each.name)]
        lines.append(f"  {name:<10} {cell.models[name].meta.kind:<12} {', '.join(own)}".rstrip())
    return lines


def _of(device: str, signal: str) -> bool:
    return signal.startswith(f"{device}.")


def _value(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _wiring(controller: "LiveController") -> list[str]:
    """Return the lines of a controller with the signals to which they are wired."""
    moves = f", moves {controller.robot.name}" if controller.moves_robot else ""
    lines = [f"controller {controller.name}{moves}"]
    for what, wires in (("input", controller.inputs), ("output", controller.outputs)):
        lines += [f"  {what:<6} {key!s:<14} {signal.name}" for key, signal in wires.items()]
    return lines


def _program(entry: "tuple[str, LiveProgram]") -> str:
    name, program = entry
    return name if program.controller is None else f"{name} (on {program.controller})"


def _reach(cell: "Cell") -> list[str]:
    """Return whether each robot reaches each workpoint with its tool, and if not, why."""
    lines = []
    for robot in cell.robots.values():
        data = robot.mechanism.data
        if data is not None and data.external_axis:  # it carries others, and goes to joint values
            continue
        for name, point in cell.world.workpoints.items():
            verdict = robot.reach(point)
            said = "yes" if verdict else f"no: {verdict.text}" + (f"; {verdict.hint}" if verdict.hint else "")
            lines.append(f"  {robot.name:<10} {name:<24} {said}")
    return lines
