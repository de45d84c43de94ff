"""The world: bodies in a tree with their motions, what is known of materials, queries at an instant, monitors.

May use units, errors, spatial, kernel and geometry. Everything here is a function of time: bodies are never stepped.
"""

from drycell.world.body import Body, Segment, Workpoint
from drycell.world.linkage import Linkage, LinkKinematics
from drycell.world.material import Material, Materials
from drycell.world.motion import FOREVER, Fall, Motion, Rest, Sampled, Travel
from drycell.world.scene import Hit, Scene, Touch
from drycell.world.trajectory import JointTrajectory, hold
from drycell.world.world import World

__all__ = [
    "FOREVER",
    "Body",
    "Fall",
    "Hit",
    "JointTrajectory",
    "LinkKinematics",
    "Linkage",
    "Material",
    "Materials",
    "Motion",
    "Rest",
    "Sampled",
    "Scene",
    "Segment",
    "Touch",
    "Travel",
    "Workpoint",
    "World",
    "hold",
]
