"""Forward kinematics in three forms, and bounds on how far links can move.

* :func:`forward` generates a function in plain floats for one mechanism. Every pose that drycell publishes comes from
  it: it is the fastest for a single configuration, and its bits do not depend on a library.
* :func:`link_positions` evaluates many configurations at once with numpy. It is used for culling and measuring, where
  an error of 1e-12 m does not matter.
* :class:`PinModel` is the chain to the flange in pinocchio, for Jacobians and for numerical inverse kinematics. Its
  poses are never published.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Rows, bare_pose, give_rows
from drycell.robots.links import BASE, Drive, Link, turn

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


def link_positions(links: Sequence[Link], joints: Array) -> tuple[Array, Array]:
    """Link positions (n, links, 3) and rotations (n, links, 3, 3) for joints (n, dof): for culling only."""
    n = len(joints)
    positions = np.empty((n, len(links), 3))
    rotations = np.empty((n, len(links), 3, 3))
    for index, link in enumerate(links):
        origin = link.origin
        if link.parent < 0:
            position = np.broadcast_to(origin.translation, (n, 3))
            rotation = np.broadcast_to(origin.rotation, (n, 3, 3))
        else:
            base = rotations[:, link.parent]
            position = positions[:, link.parent] + base @ origin.translation
            rotation = base @ origin.rotation
        for drive in link.drives:
            amount = drive.ratio * joints[:, drive.joint] + drive.offset
            if drive.kind == "prismatic":
                position = position + amount[:, None] * (rotation @ np.array(drive.axis))
            else:
                rotation = rotation @ _turns(np.array(drive.axis), amount)
        positions[:, index] = position
        rotations[:, index] = rotation
    return positions, rotations


def _turns(axis: Array, angles: Array) -> Array:
    """Rotations (n, 3, 3) about one axis (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    along = np.outer(axis, axis)
    c, s = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    turned: Array = c * (np.eye(3) - along) + along + s * cross
    return turned


def chain_to(links: Sequence[Link], link: int) -> list[int]:
    """The links from the base to a given link, in order."""
    chain: list[int] = []
    while link >= 0:
        chain.append(link)
        link = links[link].parent
    return chain[::-1]


def levers(links: Sequence[Link], lower: Sequence[float], upper: Sequence[float]) -> Array:
    """(dof, links): the greatest travel of a link's origin per unit of joint travel, in any configuration."""
    rows = [link_levers(links, last, lower, upper) for last in range(len(links))]
    return np.array(rows).reshape(len(links), len(lower)).T


def link_levers(
    links: Sequence[Link], last: int, lower: Sequence[float], upper: Sequence[float], after: int = BASE
) -> Array:
    """(dof,): the levers of one link relative to the link ``after``, which carries it.

    For a revolute joint, the lever is a bound on the distance of the link's origin from the joint's axis: the sum of
    the lengths in between. Lengths along the axis do not count as long as all rotation axes in between are parallel.
    """
    bounds = np.zeros(len(lower))
    # Follow the chain of rotations, slides and fixed offsets to this link.
    chain = chain_to(links, last)
    first = chain.index(after) + 1 if after >= 0 else 0
    for place, index in enumerate(chain[first:], first):
        for order, drive in enumerate(links[index].drives):
            if drive.kind == "prismatic":
                bounds[drive.joint] += abs(drive.ratio)
            else:
                bounds[drive.joint] += abs(drive.ratio) * _radius(links, chain[place:], order, lower, upper)
    return bounds


def _radius(
    links: Sequence[Link], chain: Sequence[int], order: int, lower: Sequence[float], upper: Sequence[float]
) -> float:
    """The maximum distance of the last link's origin from the axis of one revolute drive of the first link."""
    axis: Array | None = np.array(
        links[chain[0]].drives[order].axis
    )  # in the current link frame; None after an axis that is not parallel
    total = 0.0

    def across(vector: Array) -> float:
        return float(np.linalg.norm(vector if axis is None else vector - axis * (axis @ vector)))

    for place, index in enumerate(chain):
        link = links[index]
        if place > 0:
            total += across(link.origin.translation)
            if axis is not None:
                axis = link.origin.rotation.T @ axis
        for drive in link.drives[order + 1 :] if place == 0 else link.drives:
            direction = np.array(drive.axis)
            if drive.kind == "prismatic":
                ends = (drive.ratio * limits[drive.joint] + drive.offset for limits in (lower, upper))
                total += max(map(abs, ends)) * across(direction)
            elif axis is not None and float(np.linalg.norm(np.cross(axis, direction))) > 1e-12:
                axis = None
    # Rounding errors in the poses must not break the bound.
    return total * (1.0 + 1e-12) + 1e-15


def turns(links: Sequence[Link], dof: int) -> Array:
    """(dof, links): the greatest rotation of a link in radians per unit of joint travel: 0, 1, or a gear ratio."""
    return np.array([link_turns(links, last, dof) for last in range(len(links))]).reshape(len(links), dof).T


def link_turns(links: Sequence[Link], last: int, dof: int, after: int = BASE) -> Array:
    """(dof,): the turns of one link relative to the link ``after``, which carries it."""
    bounds = np.zeros(dof)
    chain = chain_to(links, last)
    for index in chain[chain.index(after) + 1 if after >= 0 else 0 :]:
        for drive in links[index].drives:
            if drive.kind == "revolute":
                bounds[drive.joint] += abs(drive.ratio)
    return bounds


def last_common(links: Sequence[Link], one: int, other: int) -> int:
    """The last common link of the chains to two links; −1 is the base."""
    common = BASE
    for first, second in zip(chain_to(links, one), chain_to(links, other), strict=False):
        if first != second:
            break
        common = first
    return common


def frame_pose(poses: Sequence[Pose], link: int, pose: Pose = IDENTITY) -> Pose:
    """A frame fixed on a link, relative to the base."""
    return pose if link < 0 else poses[link] @ pose


Forward = Callable[[Sequence[float]], list[Pose]]
Names = list[str]  # of twelve numbers, row by row

_Z = (0.0, 0.0, 1.0)


def forward(links: Sequence[Link]) -> Forward:
    """Generate the function from joint values to the link frames, relative to the base.

    Every pose of a mechanism that drycell publishes comes from such a function.
    """
    lines, frames = _frames(links, range(len(links)))
    lines.insert(0, "def link_poses(q):")
    for index, frame in frames.items():
        lines += [f"    p{index} = bare_pose(Pose)", f"    give_rows(p{index}, ({', '.join(frame)}))"]
    lines.append(f"    return [{', '.join(f'p{index}' for index in frames)}]")
    made: Forward = _compiled(lines, "link_poses")
    return made


def flange_rows(links: Sequence[Link], link: int, pose: Pose) -> Callable[[Sequence[float]], Rows]:
    """Generate the function from joint values to the matrix of one frame on a link, which verifies inverse kinematics.

    It is accurate to 1e-14, not bit for bit like :func:`forward`, and takes a quarter of the time.
    """
    links = [replace(each, origin=tidy(each.origin)) for each in links]
    lines, frames = _frames(links, chain_to(links, link))
    lines.insert(0, "def flange_rows(q):")
    end = [repr(value) for value in tidy(pose).rows]
    frame = [f"f{place}" for place in range(12)]
    lines += _product(frame, frames[link], end) if link >= 0 else []
    lines.append(f"    return {', '.join(frame if link >= 0 else end)}")
    made: Callable[[Sequence[float]], Rows] = _compiled(lines, "flange_rows")
    return made


def tidy(pose: Pose) -> Pose:
    """A pose without residues such as cos(90°) = 6e-17, so that zero terms can be dropped from products."""
    rows = [0.0 if abs(value) < 1e-15 else value for value in pose.rows]
    for place in (0, 1, 2, 4, 5, 6, 8, 9, 10):
        if abs(rows[place]) > 1.0 - 1e-15:
            rows[place] = math.copysign(1.0, rows[place])
    a, b, c, x, d, e, f, y, g, h, i, z = rows
    return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))


def between(before: Pose, after: Pose) -> Callable[[Rows], Rows]:
    """Generate the function from the matrix of a pose to that of ``before @ pose @ after``."""
    before, after = tidy(before), tidy(after)
    given, half, whole = ([f"{letter}{place}" for place in range(12)] for letter in "pqr")
    lines = [
        "def between(rows):",
        f"    {', '.join(given)} = rows",
        *_product(half, [repr(value) for value in before.rows], given),
        *_product(whole, half, [repr(value) for value in after.rows]),
        f"    return {', '.join(whole)}",
    ]
    made: Callable[[Rows], Rows] = _compiled(lines, "between")
    return made


def _frames(links: Sequence[Link], wanted: Iterable[int]) -> tuple[list[str], dict[int, Names]]:
    """The lines of code that compute link frames from joint values ``q``, and the variable names of each frame."""
    lines: list[str] = []
    frames: dict[int, Names] = {}
    for index in wanted:
        link = links[index]
        origin = [repr(value) for value in link.origin.rows]
        if link.parent < 0:
            frame = origin
        else:
            frame = [f"o{index}_{place}" for place in range(12)]
            lines += _product(frame, frames[link.parent], origin)
        for number, drive in enumerate(link.drives):
            moved = [f"d{index}_{number}_{place}" for place in range(12)]
            lines += _driven(moved, frame, drive, f"{index}_{number}")
            frame = moved
        frames[index] = frame
    return lines, frames


def _compiled(lines: Sequence[str], name: str) -> Any:
    names: dict[str, object] = {
        "cos": math.cos, "sin": math.sin, "turn": turn, "Pose": Pose, "bare_pose": bare_pose, "give_rows": give_rows,
    }  # fmt: skip
    exec("\n".join(lines), names)
    return names[name]


def _product(into: Names, one: Names, other: Names) -> Names:
    """The lines of code that multiply two displacements."""
    lines: list[str] = []
    for row in range(3):
        left = one[4 * row : 4 * row + 3]
        for column in range(4):
            right = [other[4 * k + column] for k in range(3)]
            terms = [_times(a, b) for a, b in zip(left, right, strict=True)]
            if column == 3:
                terms.append(one[4 * row + 3])
            _let(lines, into, 4 * row + column, _sum(terms))
    return lines


def _let(lines: list[str], into: Names, place: int, text: str) -> None:
    """Add a line that computes a number. A single variable or a constant is substituted instead."""
    if " " in text:
        lines.append(f"    {into[place]} = {text}")
    else:
        into[place] = text


def _driven(into: Names, frame: Names, drive: Drive, mark: str) -> Names:
    """The lines of code that move a frame by a drive."""
    amount = _sum([_times(repr(drive.ratio), f"q[{drive.joint}]"), repr(drive.offset)])
    if drive.kind == "prismatic":
        lines = [f"    m{mark} = {amount}"]
        shift = [_times(repr(value), f"m{mark}") for value in drive.axis]
        for row in range(3):
            turned = frame[4 * row : 4 * row + 3]
            into[4 * row : 4 * row + 3] = turned
            steps = [_times(a, f"({b})" if "*" in b else b) for a, b in zip(turned, shift, strict=True)]
            _let(lines, into, 4 * row + 3, _sum([*steps, frame[4 * row + 3]]))
        return lines
    if drive.axis != _Z:
        turned = [f"r{mark}_{place}" for place in range(12)]
        return [f"    {', '.join(turned)} = turn({drive.axis!r}, {amount}).rows", *_product(into, frame, turned)]
    lines = [f"    m{mark} = {amount}", f"    c{mark}, s{mark} = cos(m{mark}), sin(m{mark})"]
    for row in range(3):
        a, b, c, x = frame[4 * row : 4 * row + 4]
        _let(lines, into, 4 * row, _sum([_times(a, f"c{mark}"), _times(b, f"s{mark}")]))
        _let(lines, into, 4 * row + 1, _sum([_times(b, f"c{mark}"), _minus(_times(a, f"s{mark}"))]))
        into[4 * row + 2 : 4 * row + 4] = c, x
    return lines


def _times(a: str, b: str) -> str:
    """A product, simplified for zeros and ones."""
    if "0.0" in (a, b) or "-0.0" in (a, b):
        return "0.0"
    if a == "1.0":
        return b
    if b == "1.0":
        return a
    if a == "-1.0":
        return _minus(b)
    if b == "-1.0":
        return _minus(a)
    return f"{_factor(a)} * {_factor(b)}"


def _factor(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _minus(text: str) -> str:
    if text == "0.0":
        return text
    return text[1:] if text.startswith("-") else f"-{text}"


def _sum(terms: Sequence[str]) -> str:
    """A sum in the given order, without zeros."""
    left = [term for term in terms if term not in ("0.0", "-0.0")]
    return " + ".join(left).replace("+ -", "- ") if left else "0.0"


class PinModel:
    """The chain from base to flange as a pinocchio model with one joint for each drive."""

    def __init__(self, mechanism: "Mechanism") -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        gears: list[tuple[int, float]] = []
        parent, between = 0, IDENTITY
        for index in chain_to(mechanism.links, mechanism.flange.link):
            link = mechanism.links[index]
            between = between @ link.origin
            for number, drive in enumerate(link.drives):
                axis = np.array(drive.axis)
                between = between @ replace(drive, ratio=0.0).pose(0.0)  # the constant offset of the drive
                kind = pin.JointModelRevoluteUnaligned if drive.kind == "revolute" else pin.JointModelPrismaticUnaligned
                if drive.axis == (0.0, 0.0, 1.0):
                    joint = pin.JointModelRZ() if drive.kind == "revolute" else pin.JointModelPZ()
                else:
                    joint = kind(axis)
                parent = self.model.addJoint(parent, joint, pin.SE3(between.matrix), f"{link.name}.{number}")
                gears.append((drive.joint, drive.ratio))
                between = IDENTITY
        end = pin.SE3((between @ mechanism.flange.pose).matrix)
        self.flange = self.model.addFrame(pin.Frame("flange", parent, 0, end, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()
        # Drive values from joint values: a joint may have several drives, or none in this chain (a gripper's motor).
        self.gear: Array = np.zeros((len(gears), mechanism.dof))
        for row, (column, ratio) in enumerate(gears):
            self.gear[row, column] = ratio

    def place(self, joints: Array) -> None:
        """Set the joint values of the model."""
        self.pin.framesForwardKinematics(self.model, self.data, self.gear @ joints)

    def jacobian(self, joints: Array) -> Array:
        """(6, dof): velocity and angular velocity of the flange in the base frame, per unit of joint speed."""
        drives = self.gear @ joints
        frame = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        full = self.pin.computeFrameJacobian(self.model, self.data, drives, self.flange, frame)
        return np.asarray(full).reshape(6, -1) @ self.gear  # pinocchio drops the axis of a single joint

    def residual(self, joints: Array, target: object) -> tuple[Array, Array]:
        """The error twist to a ``pin.SE3`` in the flange frame, and its derivative with respect to the joints."""
        self.place(joints)
        error = self.data.oMf[self.flange].actInv(target)
        twist = self.pin.log6(error).vector
        drives = self.gear @ joints
        local = self.pin.computeFrameJacobian(self.model, self.data, drives, self.flange, self.pin.ReferenceFrame.LOCAL)
        slope = -self.pin.Jlog6(error.inverse()) @ np.asarray(local).reshape(6, -1) @ self.gear
        return np.asarray(twist), np.asarray(slope)
