"""Tool stations: places where a robot with a tool changer puts down one tool and picks up another."""

import math
from typing import Final

from drycell.base import MotionError, Pose, ProgramError, Size, within
from drycell.cell import Cell, Device, Live, Material
from drycell.geometry import ShapeModel
from drycell.handling import Holder
from drycell.kernel import DeviceOutput
from drycell.robots.tool import AnyTool, MountedTool, Tool, mounted
from drycell.world import LiveBody, LiveWorkpoint, World

_APART: Final = 0.5e-3  # metres: a changer locks within this distance of the tool
_TILTED: Final = math.radians(0.5)
_DOWN: Final = Pose.turn_x(math.pi)


class ToolStation(
    Device,
    kind="tool_station",
    icon="construction",
    example={"shape": {"box": ["120 mm", "120 mm", "20 mm"]}, "tool": "vacuum-cup-30", "height": "120 mm"},
):
    """A place for a tool that robots pick up and put down with a tool changer.

    The tool stands with its mounting face up, ``height`` above the middle of the station's top. The workpoint ``dock``
    is where the flange goes. The signal ``present`` is on while a tool is there.

    >>> from drycell import Box, Cell, Robot, ToolStation, mm
    >>> cell = Cell("changer")
    >>> station = ToolStation(shape=Box(100*mm, 100*mm, 20*mm), tool="vacuum-cup-30", height=60*mm, at=(400*mm, 200*mm))
    >>> dock = cell.add("dock", station)
    >>> arm = cell.add("arm", Robot("ur5e"))
    >>> @cell.program
    ... def change():
    ...     arm.take_tool(dock)
    ...     print(arm.gripper.name, dock.present.value)
    >>> _ = cell.run()
    dock/tool False
    """

    shape: ShapeModel
    """Geometry of the station."""
    tool: AnyTool | None = None
    """The tool that stands in it at the start; none by default."""
    height: Size
    """Height of the mounting face above the top: at least the length of the tool."""
    material: Material = "aluminium"
    """Material of the station."""

    def signals(self) -> tuple[str, ...]:
        """``present`` is on while a tool is in the station."""
        return ("present",)

    def build(self, cell: Cell, name: str) -> "LiveToolStation":
        """Add the station, with its tool, to a cell."""
        return LiveToolStation(cell, name, self)


class LiveToolStation(Live[ToolStation]):
    """A tool station in a running cell."""

    def __init__(self, cell: Cell, name: str, model: ToolStation) -> None:
        super().__init__(cell, name, model)
        with within("shape"):
            shape = model.shape.solid(cell.folder)
        body = LiveBody(name, shape, material=model.material)
        self.body: LiveBody = cell.world.add(body, *cell.standing(model, body))
        lower, upper = shape.bounds
        at = Pose((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, upper[2] + model.height) @ _DOWN
        self.dock: LiveWorkpoint = cell.world.add_workpoint(f"{name}.dock", self.body, at)
        """Where the flange of a robot goes, with its z axis down."""
        self.points = (self.dock.name,)
        self.present = DeviceOutput(cell.kernel, name, f"{name}.present", model.tool is not None)
        self.tool: Holder | MountedTool | None = None
        """The tool that is in the station now."""
        if model.tool is not None:
            assert isinstance(model.tool, Tool)
            with within("tool"):
                self.tool = mounted(cell, f"{name}/tool", model.tool.described(cell), self.body, at @ model.tool.pose)

    def give(self, flange: LiveBody, robot: str) -> Holder | MountedTool:
        """Lock the tool to a flange.

        Args:
            flange: The flange.
            robot: The name of the robot.

        Raises:
            ProgramError: There is no tool, or the flange is not at it.
        """
        tool = self.tool
        if tool is None:
            raise ProgramError(f"{robot} finds no tool in {self.name}", hint=f"check {self.name}.present first")
        self._check(self.cell.world, flange, robot)
        self.cell.world.attach(_body_of(tool), flange)
        self.tool = None
        self.note("gives", tool=tool.name, robot=robot)
        self.present.publish(False)
        return tool

    def accept(self, tool: Holder | MountedTool, flange: LiveBody, robot: str) -> None:
        """Take the tool from a flange.

        Args:
            tool: The tool.
            flange: The flange that it is locked to.
            robot: The name of the robot.

        Raises:
            ProgramError: There is a tool already, the tool holds a part, or the flange is not at the dock.
        """
        if self.tool is not None:
            raise ProgramError(
                f"{robot} cannot put {tool.name} into {self.name}: {self.tool.name} is there",
                hint="put it into an empty station",
            )
        if isinstance(tool, Holder) and tool.load:
            raise ProgramError(
                f"{robot} cannot put {tool.name} down: it holds {tool.load[0].name}", hint="open it first"
            )
        self._check(self.cell.world, flange, robot)
        self.cell.world.attach(_body_of(tool), self.body)
        self.tool = tool
        self.note("accepts", tool=tool.name, robot=robot)
        self.present.publish(True)

    def _check(self, world: World, flange: LiveBody, robot: str) -> None:
        metres, radians = world.pose(flange).distance_to(world.pose(self.dock))
        if metres > _APART or radians > _TILTED:
            raise ProgramError(
                f"the flange of {robot} is {metres * 1e3:.2f} mm and {math.degrees(radians):.2f} deg from "
                f"{self.dock.name}; "
                f"a tool changer locks within {_APART * 1e3:g} mm and {math.degrees(_TILTED):g} deg",
                hint=f"move the flange there: {robot}.take_tool({self.name!r})",
            )


def _body_of(tool: Holder | MountedTool) -> LiveBody:
    body = tool.palm if isinstance(tool, Holder) else tool.body
    if body is None:
        raise MotionError(f"{tool.name} has no body, so it cannot stand in a station")
    return body
