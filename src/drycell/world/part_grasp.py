"""How a part is grasped in one of its stable states: data that replaces what a gripper would compute."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from drycell.base import InvalidThing, Pose, Position, Problem, Rpy, Size, Thing, Vector

if TYPE_CHECKING:
    from drycell.geometry import Shape


class PartGrasp(Thing):
    """A grasp of a part in a stable state. Fields that are not given are computed.

    The frame of a stable state has its origin on the surface, below the centre of mass, and z up. For a part that
    stands as it is modelled, its axes are those of the part.
    """

    at: Position | None = None
    """Where the tool centre point goes, relative to the frame of the stable state."""
    rpy: Rpy = (math.pi, 0.0, 0.0)
    """Rotation of the tool there: roll, pitch and yaw. By default it points straight down, with the jaws along x."""
    approach: Size | None = None
    """Distance from which the tool approaches; 80 mm by default."""
    depart: Size | None = None
    """Distance to which it departs with the part; 80 mm by default."""
    held_at: Position | None = None
    """Taught: where the frame of the stable state is relative to the tool centre point once the gripper has closed."""
    held_rpy: Rpy = (math.pi, 0.0, 0.0)
    """Taught, with ``held_at``: how that frame is turned then."""

    @property
    def pose(self) -> Pose | None:
        """The tool centre point in the frame of the stable state; None if it is computed."""
        return None if self.at is None else Pose.of_rpy(*self.rpy, at=self.at)

    @property
    def held(self) -> Pose | None:
        """Where the state's frame is, relative to the tool centre point, once the gripper has closed; if taught."""
        return None if self.held_at is None else Pose.of_rpy(*self.held_rpy, at=self.held_at)


def checked_grasps(
    grasps: Mapping[str, PartGrasp] | None, shape: "Shape | None", names: Mapping[str, Vector] = MappingProxyType({})
) -> dict[str, PartGrasp]:
    """Return grasps by the name of the state.

    Args:
        grasps: The grasps; None if there are none.
        shape: The shape of the part.
        names: Names that its stable states have been given.

    Raises:
        InvalidThing: The shape has no stable state with such a name.
        GeometryError: The shape has no stable states.
    """
    if not grasps or shape is None:
        return {}
    from drycell.geometry import stable_states

    states = stable_states(shape).named(names)
    known = [state.name for state in states]
    unknown = [name for name in grasps if name not in known]
    if unknown:
        hint = f"its states are {', '.join(known)}: `drycell states` shows them"
        what = "the shape has no stable state {!r}"
        raise InvalidThing(PartGrasp, [Problem(("grasps", name), what.format(name), hint) for name in unknown])
    return dict(grasps)
