"""The world: bodies in a tree with their motions, what is known of materials, queries at an instant, monitors, gravity.

May use units, errors, spatial, kernel and geometry. Everything here is a function of time: bodies are never stepped.
"""

from drycell.world.body import Body, Segment, Workpoint
from drycell.world.contact import Contact, first_contact, first_within
from drycell.world.contact_signal import ContactSignal, watch_contact
from drycell.world.episode import Crash, NearMiss
from drycell.world.gravity import Gravity
from drycell.world.ledger import Ledger, Step
from drycell.world.linkage import Linkage, LinkKinematics
from drycell.world.material import Material, Materials
from drycell.world.monitor import CrashMonitor
from drycell.world.motion import FOREVER, Fall, Motion, Rest, Sampled, Travel
from drycell.world.presence import Touch
from drycell.world.rules import CrashRules, Who
from drycell.world.scene import Clearance, Scene
from drycell.world.sight import Hit, Sight
from drycell.world.tolerance import Drawn, Law, Spread, Tolerance, deviate, draw
from drycell.world.trajectory import JointTrajectory, hold
from drycell.world.world import World

__all__ = [
    "FOREVER",
    "Body",
    "Clearance",
    "Contact",
    "ContactSignal",
    "Crash",
    "CrashMonitor",
    "CrashRules",
    "Drawn",
    "Fall",
    "Gravity",
    "Hit",
    "JointTrajectory",
    "Law",
    "Ledger",
    "LinkKinematics",
    "Linkage",
    "Material",
    "Materials",
    "Motion",
    "NearMiss",
    "Rest",
    "Sampled",
    "Scene",
    "Segment",
    "Sight",
    "Spread",
    "Step",
    "Tolerance",
    "Touch",
    "Travel",
    "Who",
    "Workpoint",
    "World",
    "deviate",
    "draw",
    "first_contact",
    "first_within",
    "hold",
    "watch_contact",
]
