"""Robots: mechanisms with their kinematics, the robot library of drycell, and motion control.

It may use base, kernel, geometry, world, record, cell and handling. It does not know sensors or devices.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.robots.arm import Arm as Arm
    from drycell.robots.catalogue import (
        LIBRARY as LIBRARY,
        family_names as family_names,
        load_family as load_family,
        load_robot as load_robot,
        models_in_file as models_in_file,
        robot_from_file as robot_from_file,
        robot_heads as robot_heads,
        robot_names as robot_names,
        thumbnail as thumbnail,
    )
    from drycell.robots.controller import MotionController as MotionController
    from drycell.robots.datasheet import DataSheet as DataSheet
    from drycell.robots.description import SHAPES as SHAPES, RobotHead as RobotHead, file_text as file_text
    from drycell.robots.dh import DHRow as DHRow, mechanism_from_dh as mechanism_from_dh
    from drycell.robots.draft import FamilyDraft as FamilyDraft, completed as completed, read_draft as read_draft
    from drycell.robots.family import (
        FamilyFile as FamilyFile,
        exchangeable as exchangeable,
        read_family as read_family,
    )
    from drycell.robots.links import (
        BASE as BASE,
        Drive as Drive,
        Joint as Joint,
        Link as Link,
        Mark as Mark,
    )
    from drycell.robots.maker_motion import usual_motion as usual_motion
    from drycell.robots.mechanism import Mechanism as Mechanism
    from drycell.robots.modelfile import ModelFile as ModelFile
    from drycell.robots.move import Move as Move
    from drycell.robots.pace import joint_pace as joint_pace, path_pace as path_pace
    from drycell.robots.path import pitch_and_roll as pitch_and_roll
    from drycell.robots.path_controllers import (
        IndependentController as IndependentController,
        StandardController as StandardController,
    )
    from drycell.robots.plan import Plan as Plan
    from drycell.robots.recorded_mechanism import mechanism_from as mechanism_from
    from drycell.robots.robot import LiveRobot as LiveRobot, Robot as Robot
    from drycell.robots.simpler import SimplerModel as SimplerModel, simpler_model as simpler_model
    from drycell.robots.solution import (
        OutOfReach as OutOfReach,
        Reach as Reach,
        Solution as Solution,
    )
    from drycell.robots.stepping_controller import SteppingController as SteppingController
    from drycell.robots.target import (
        above as above,
        approach as approach,
        name_of as name_of,
        offset as offset,
        shifted as shifted,
        turned as turned,
    )
    from drycell.robots.tool import MountedTool as MountedTool, Tool as Tool, mounted as mounted
    from drycell.robots.tool_station import LiveToolStation as LiveToolStation, ToolStation as ToolStation
    from drycell.robots.toolbox import (
        TOOLS as TOOLS,
        load_tool as load_tool,
        tool_from_file as tool_from_file,
        tool_heads as tool_heads,
        tool_names as tool_names,
    )
    from drycell.robots.toolsheet import ToolSheet as ToolSheet
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
