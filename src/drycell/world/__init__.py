"""The world: bodies in a tree with their motions, materials, queries at an instant, collision monitors, gravity.

The package may use base, kernel and geometry. Everything here is a function of time: bodies are never stepped.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.world.body import (
        LiveBody as LiveBody,
        LiveWorkpoint as LiveWorkpoint,
        Segment as Segment,
        Settling as Settling,
        chain as chain,
        lineage as lineage,
    )
    from drycell.world.broad_phase import BallTable as BallTable
    from drycell.world.collision_monitor import CollisionMonitor as CollisionMonitor
    from drycell.world.collision_rules import CollisionRules as CollisionRules, WatchedPairs as WatchedPairs, Who as Who
    from drycell.world.contact import (
        Contact as Contact,
        ContactSearch as ContactSearch,
        first_contact as first_contact,
        first_within as first_within,
        watch_contact as watch_contact,
    )
    from drycell.world.drop import bounce as bounce, keep_share as keep_share, mean_bounce as mean_bounce
    from drycell.world.gravity import Gravity as Gravity
    from drycell.world.linkage import Linkage as Linkage, LinkKinematics as LinkKinematics, LinkMotion as LinkMotion
    from drycell.world.load import CarriedLoad as CarriedLoad, mass_of as mass_of
    from drycell.world.material import Material as Material, Materials as Materials
    from drycell.world.motion import (
        ALWAYS as ALWAYS,
        FOREVER as FOREVER,
        SECOND as SECOND,
        Fall as Fall,
        Motion as Motion,
        Rest as Rest,
        Sampled as Sampled,
        Ticks as Ticks,
        Travel as Travel,
    )
    from drycell.world.motion_piece import (
        Linear as Linear,
        linear_motion as linear_motion,
        rests_from as rests_from,
    )
    from drycell.world.pair_state import (
        AT_REST as AT_REST,
        Collision as Collision,
        NearMiss as NearMiss,
        contact_threshold as contact_threshold,
    )
    from drycell.world.part_grasp import PartGrasp as PartGrasp, checked_grasps as checked_grasps
    from drycell.world.part_tracking import PartStep as PartStep, PartTracking as PartTracking
    from drycell.world.path import (
        STRAIGHT as STRAIGHT,
        Along as Along,
        ArcPath as ArcPath,
        ArcPathPiece as ArcPathPiece,
    )
    from drycell.world.scene import (
        Hit as Hit,
        Scene as Scene,
    )
    from drycell.world.tolerance import (
        DrawnBody as DrawnBody,
        Law as Law,
        Spread as Spread,
        ToleranceLimits as ToleranceLimits,
        deviate as deviate,
        draw as draw,
    )
    from drycell.world.trajectory import JointTrajectory as JointTrajectory, hold as hold
    from drycell.world.tumbling import (
        Moving as Moving,
        TumbledPath as TumbledPath,
        dropped as dropped,
        thrown as thrown,
        tumble as tumble,
        tumbled_states as tumbled_states,
        tumbling_body as tumbling_body,
    )
    from drycell.world.world import World as World
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
