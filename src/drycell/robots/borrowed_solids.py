"""The solids of a URDF file on a robot that keeps its own data: joints, limits, accelerations, masses and figures."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from drycell.base import MechanismError, Pose, deg, mm
from drycell.geometry import Compound
from drycell.robots.links import BASE

if TYPE_CHECKING:
    from drycell.geometry import Shape
    from drycell.robots.mechanism import Mechanism

# Two descriptions of one arm agree if their links are this close to each other in every pose that is compared.
_NEAR: Final = 1 * mm
_TURNED: Final = 0.5 * deg
_SHARES: Final = (0.5, 0.3, 0.8, 0.62)  # the poses to compare: all joints at these fractions of their ranges
_ENDLESS: Final = 180 * deg


def with_solids(mechanism: "Mechanism", source: "Mechanism", file: str) -> "Mechanism":
    """A mechanism with the solids of another description of the same robot.

    Args:
        mechanism: The robot, which keeps everything but its solids.
        source: The robot as the file describes it.
        file: The name of the file, for messages.

    Raises:
        MechanismError: The two are not the same robot: their joints differ in number, or their links do not move alike.
    """
    if source.dof != mechanism.dof:
        raise MechanismError(
            f"{file} has {source.dof} joints up to its tip, but {mechanism.name} has {mechanism.dof}",
            hint="name the link of the flange as 'tip', or remove 'model' to use the file alone",
        )
    poses = [_poses(mechanism, source, share) for share in _SHARES]
    driver: dict[int, int] = {}  # the last joint before each link of the file; −1 before the first
    parts: dict[int, list[tuple[Pose, Shape]]] = {BASE: []}
    if source.base is not None:
        parts[BASE].append((Pose(), source.base))
    for number, link in enumerate(source.links):
        before = driver.get(link.parent, -1)
        driver[number] = max((before, *(drive.joint for drive in link.drives)))
        if link.shape is None:
            continue
        carrier = _carrier(mechanism, driver[number])
        offsets = [(Pose() if carrier == BASE else ours[carrier]).inverse() @ theirs[number] for ours, theirs in poses]
        for other in offsets[1:]:
            shift, turn = offsets[0].distance_to(other)
            if shift > _NEAR or turn > _TURNED:
                name = "the base" if carrier == BASE else mechanism.links[carrier].name
                raise MechanismError(
                    f"link {link.name!r} of {file} does not move like {name} of {mechanism.name}: "
                    f"they differ by {shift / mm:.1f} mm and {turn / deg:.1f} deg",
                    hint="use the URDF file of the same robot, or remove 'model' to use the file alone",
                )
        parts.setdefault(carrier, []).append((offsets[0], link.shape))
    links = tuple(
        replace(link, shape=_joined(parts.get(number, [])), deviation=0.0)
        for number, link in enumerate(mechanism.links)
    )
    notes = (*mechanism.notes, *source.notes, f"the solids are those of {file}")
    data = None if mechanism.data is None else replace(mechanism.data, outline="own")
    return replace(
        mechanism,
        base=_joined(parts[BASE]),
        links=links,
        base_deviation=0.0,
        gripper=source.gripper,
        notes=notes,
        data=data,
    )


def _poses(mechanism: "Mechanism", source: "Mechanism", share: float) -> tuple[list[Pose], list[Pose]]:
    values = []
    for joint in mechanism.joints:
        low, high = joint.lower, joint.upper
        if joint.revolute:
            low, high = max(low, -_ENDLESS), min(high, _ENDLESS)
        values.append(low + share * (high - low))
    return mechanism.link_poses(values), source.link_poses(values)


def _carrier(mechanism: "Mechanism", joint: int) -> int:
    """The link that a joint moves directly."""
    if joint < 0:
        return BASE
    return next(k for k, link in enumerate(mechanism.links) if any(drive.joint == joint for drive in link.drives))


def _joined(parts: "list[tuple[Pose, Shape]]") -> "Shape | None":
    if not parts:
        return None
    return parts[0][1] if len(parts) == 1 and parts[0][0] == Pose() else Compound(tuple(parts))
