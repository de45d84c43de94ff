"""Denavit–Hartenberg tables: build a serial arm from one table.

Standard (Denavit and Hartenberg 1955, Paul 1981): frame i is frame i−1 turned by θ about z, shifted by d along z, then
shifted by a along x and turned by α about x. Modified (Craig 1986): a and α come first and belong to the row before the
joint, then θ and d. In both conventions, drycell's link frame is on the joint's axis and turns with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from drycell.base import IDENTITY, MechanismError, Pose
from drycell.robots.links import BASE, Drive, Joint, Link, Mark
from drycell.robots.mechanism import Mechanism

if TYPE_CHECKING:
    from drycell.geometry import Shape

Convention = Literal["standard", "modified"]


@dataclass(frozen=True, slots=True)
class DHRow:
    """One row of a table. The joint's value is added to ``theta`` (revolute) or to ``d`` (prismatic)."""

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0


def dh_links(
    joints: Sequence[Joint],
    rows: Sequence[DHRow],
    convention: Convention = "standard",
    shapes: "Sequence[Shape | None] | None" = None,
    names: Sequence[str] | None = None,
) -> tuple[tuple[Link, ...], Mark]:
    """The links of a table, and the frame of its last row as the flange. Raises MechanismError if they do not fit."""
    if len(rows) != len(joints):
        raise MechanismError(
            f"the table has {len(rows)} rows for {len(joints)} joints", hint="give one row for each joint"
        )
    if convention not in ("standard", "modified"):
        raise MechanismError(f"unknown convention {convention!r}", hint="write 'standard' or 'modified'")
    links: list[Link] = []
    between = IDENTITY  # from the last link frame to the next joint's frame at zero
    for number, (joint, row) in enumerate(zip(joints, rows, strict=True)):
        bend = Pose(row.a, 0.0, 0.0) @ Pose.turn_x(row.alpha)
        if convention == "modified":
            between = between @ bend
        if joint.revolute:
            # d does not depend on the joint, and a turn and a shift along one axis commute.
            drive = Drive(number, "revolute", offset=row.theta)
            after = Pose(0.0, 0.0, row.d)
        else:
            between = between @ Pose.turn_z(row.theta)
            drive = Drive(number, "prismatic", offset=row.d)
            after = IDENTITY
        name = names[number] if names else joint.name
        links.append(
            Link(name, BASE if number == 0 else number - 1, between, (drive,), shapes[number] if shapes else None)
        )
        between = after @ bend if convention == "standard" else after
    return tuple(links), Mark(len(links) - 1, between)


def mechanism_from_dh(
    name: str,
    joints: Sequence[Joint],
    rows: Sequence[DHRow],
    *,
    convention: Convention = "standard",
    shapes: "Sequence[Shape | None] | None" = None,
    base: "Shape | None" = None,
    tool: Pose = IDENTITY,
    home: Sequence[float] = (),
    source: str = "",
) -> Mechanism:
    """Build a serial arm from its joints and a Denavit–Hartenberg table.

    Args:
        name: The name of the mechanism.
        joints: Its joints, in radians or metres.
        rows: One row of the table for each joint.
        convention: ``"standard"`` or ``"modified"``.
        shapes: The shape of each link, in the link's frame.
        base: The shape of the base.
        tool: The flange relative to the last frame of the table.
        home: The joint values it starts at; zero by default.
        source: Where the numbers come from.

    Raises:
        MechanismError: The table or a joint is not valid.
    """
    links, last = dh_links(joints, rows, convention, shapes)
    return Mechanism(
        name,
        tuple(joints),
        links,
        Mark(last.link, last.pose @ tool),
        base=base,
        home=tuple(home),
        source=source,
    )
