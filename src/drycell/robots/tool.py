"""Tools on a flange: grippers, vacuum cups, magnets, torches and plain tool centre points, mounted on a robot."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from drycell.base import (
    CellFileError,
    Describer,
    FileName,
    InvalidThing,
    Naming,
    OneOf,
    Pose,
    Problem,
    did_you_mean,
)
from drycell.cell import Place, PlacedThing
from drycell.handling import Gripper, Holder, Suction
from drycell.robots.mechanism import Mechanism
from drycell.robots.toolbox import load_tool, tool_from_file, tool_names
from drycell.world import LiveBody

if TYPE_CHECKING:
    from drycell.base import Plain
    from drycell.cell import Cell
    from drycell.robots.tool_file import ToolModel


@dataclass(frozen=True)
class _ToolName(Naming):
    """The name of a tool of the library; in Python, the mechanism of a gripper is also allowed."""

    def take(self, written: "Plain") -> str:
        """Read a name."""
        return Naming().check(written)

    def check(self, value: Any) -> Any:
        """Check a mechanism or a name."""
        return value if isinstance(value, Mechanism) else Naming().check(value)

    def write(self, value: str | Mechanism) -> "Plain":
        """Write the name. Raises CellFileError for a mechanism, which has no name in files."""
        if isinstance(value, str):
            return value
        raise CellFileError(
            f"the gripper {value.name!r} is not from the library, so a cell file cannot name it",
            hint="use the name of a tool of the library (drycell robots --kind tool), or a tool file: Tool(file=…)",
        )

    def schema(self, describer: Describer) -> dict[str, Any]:
        """One of the names in the library."""
        return {"type": "string", "enum": tool_names()}


class Tool(PlacedThing, kw_only=False, compact="model"):
    """A tool on the flange: a gripper, a vacuum cup, a torch …, from the library or a file, or only a TCP.

    >>> from drycell import Cell, Pose, Robot, Tool, mm
    >>> cell = Cell()
    >>> arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85", tools={"camera": Tool(at=(60*mm, 0, 30*mm))}))
    >>> round(arm.tool.z / mm)
    153
    >>> arm.tool = "camera"
    >>> round(arm.tool.z / mm)
    30
    """

    model: Annotated[str | Mechanism, _ToolName()] | None = None
    """The tool, by its name in the library."""
    file: FileName | None = None
    """A tool file, or the URDF file of a gripper, that describes it instead."""
    at: Place = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """Where it is mounted, relative to the flange. Without a model or a file, the tool centre point."""

    def problems(self) -> Iterable[Problem]:
        """Only one of ``model`` and ``file`` can be given."""
        yield from super().problems()
        if self.model is not None and self.file is not None:
            hint = "name a tool of the library as 'model', or a file that describes one as 'file'"
            yield Problem((), "'model' and 'file' are both given", hint)

    @property
    def is_frame(self) -> bool:
        """Whether it is only a tool centre point."""
        return self.model is None and self.file is None

    def described(self, cell: "Cell") -> "ToolModel":
        """The tool that the model or the file describes.

        Args:
            cell: The cell, whose folder the file is in.

        Raises:
            UnknownName: The library has no such tool.
            FileError: The file cannot be read, or has mistakes.
        """
        from drycell.robots.tool_file import ToolModel

        if isinstance(self.model, Mechanism):
            return ToolModel.of_fingers(self.model)
        if self.file is None:
            return load_tool(str(self.model))
        path = cell.folder / self.file
        if not path.is_file():
            there = sorted(each.name for each in path.parent.iterdir()) if path.parent.is_dir() else []
            hint = did_you_mean(path.name, there)
            raise InvalidThing(Tool, [Problem(("file",), f"there is no file {self.file!r}", hint)])
        return tool_from_file(path)

    def signals(self, name: str) -> tuple[str, ...]:
        """The signals that it has, as far as the cell file shows.

        Args:
            name: The name of the tool, such as ``arm/gripper``.
        """
        if self.is_frame:
            return ()
        if isinstance(self.model, str) and self.model in tool_names():
            kind = load_tool(self.model).sheet.kind
            if kind == "vacuum":
                return (f"{name}.holding", f"{name}.vacuum")
            if kind != "gripper":
                return (f"{name}.holding",) if kind == "magnet" else ()
        return (f"{name}.holding", f"{name}.moving")


@dataclass(frozen=True)
class ToolType(OneOf):
    """A tool. In Python, the name of a tool, a mechanism and a pose are also allowed."""

    def check(self, value: Any) -> Any:
        """Check a tool, or convert a name, a mechanism or a pose to one."""
        if isinstance(value, Pose):
            return Tool(at=value)
        return Tool(value) if isinstance(value, str | Mechanism) else super().check(value)


AnyTool = Annotated[Tool | str | Mechanism | Pose, ToolType(Tool)]


@dataclass(frozen=True, eq=False)
class MountedTool:
    """A tool that holds nothing, or only a tool centre point: ``tcp`` is relative to where it is mounted."""

    name: str
    tcp: Pose
    body: LiveBody | None = None
    mass: float | None = None
    """Its mass in kg; None if it is not known."""

    @property
    def bodies(self) -> tuple[LiveBody, ...]:
        """Its solid, if it has one."""
        return () if self.body is None else (self.body,)


def mounted(cell: "Cell", name: str, model: "ToolModel", flange: LiveBody, at: Pose) -> Holder | MountedTool:
    """Add a tool to the world, on a flange.

    Args:
        cell: The cell.
        name: The name of the tool, such as ``arm/gripper``.
        model: What is mounted.
        flange: The body that carries it.
        at: Where its mounting face is, relative to the flange.
    """
    sheet, place = model.sheet, (cell.kernel, cell.world, cell.gravity, name)
    made: Holder
    if model.fingers is not None:
        made = Gripper(*place, model.fingers, flange, at)
    elif model.cups:
        made = Suction(
            *place,
            model.solid,
            model.tcp,
            model.cups,
            flange,
            at,
            magnetic=sheet.kind == "magnet",
            deviation=model.deviation,
            evacuation=sheet.evacuation or 0.0,
        )
    else:
        body = LiveBody(name, model.solid, material="aluminium", deviation=model.deviation)
        cell.world.add(body, flange, at)
        return MountedTool(name, model.tcp, body, sheet.mass)
    made.mass, made.payload = sheet.mass, sheet.limit
    return made
