"""Where the arm of a URDF ends, and the gripper beyond it.

URDF has no notion of a gripper: fingers are ordinary links. The arm ends at the link that branches into fingers,
that is, where several branches begin with fewer joints after it than before it, or before a joint that is named after a
finger. Branches that one motor moves, or two mirrored ones, make a gripper: the two links that reach farthest are its
jaws. Anything else beyond the flange stays a joint of the robot.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose, mm
from drycell.robots.kinematics import chain_to, frame_pose
from drycell.robots.links import BASE, Drive, Joint, Link, Mark
from drycell.robots.mechanism import Mechanism

if TYPE_CHECKING:
    from drycell.geometry import Shape

_FINGERS: Final = ("finger", "knuckle", "thumb", "jaw", "claw")
_TIP: Final = 10 * mm  # the TCP is this far inside the fingertips, or a quarter of the finger
_LEAST: Final = 1 * mm  # jaws that move less do not open and close
_CLOSED: Final = 0.5  # a gripper closes to at most this fraction of its opening
_STEPS: Final = 32  # positions at which the gap is checked
_SQUARE: Final = 0.98  # cosine: a jaw axis this close to an axis of the flange is that axis


_Clouds = dict[int, Array]  # the corners of links that have a solid


@dataclass(frozen=True, slots=True)
class FingerBranch:
    """A joint between two links, and whether it moves."""

    parent: str
    child: str
    joint: str
    moves: bool


def default_tip(root: str, branches: Sequence[FingerBranch]) -> str:
    """The link that carries the flange if none is named: the last one of the longest chain, before any fingers.

    Args:
        root: The link that does not move.
        branches: All joints, parents first.
    """
    depth, rigid = {root: 0}, {root: root}
    begun: dict[str, int] = {}  # how many joints move away from each rigid group of links
    up: dict[str, FingerBranch] = {}
    for branch in branches:
        depth[branch.child] = depth[branch.parent] + branch.moves
        rigid[branch.child] = branch.child if branch.moves else rigid[branch.parent]
        begun[rigid[branch.parent]] = begun.get(rigid[branch.parent], 0) + branch.moves
        up[branch.child] = branch
    places = {link: place for place, link in enumerate(depth)}
    tip = max(depth, key=lambda link: (depth[link], places[link]))
    chain: list[FingerBranch] = []
    link = tip
    while link in up:
        chain.append(up[link])
        link = up[link].parent
    for branch in reversed(chain):
        before = depth[branch.parent]
        after = depth[tip] - before
        named = any(word in f"{branch.joint} {branch.child}".lower() for word in _FINGERS)
        named |= branch.moves and after == 1 and "gripper" in branch.joint.lower()  # a single jaw
        spread = branch.moves and begun[rigid[branch.parent]] > 1 and before > after
        if before and (named or spread):
            return branch.parent
    return tip


@dataclass(frozen=True, slots=True)
class ArmWithGripper:
    """An arm without the fingers, and its gripper."""

    arm: Mechanism
    gripper: Mechanism


def find_gripper(whole: Mechanism) -> ArmWithGripper | None:
    """Split the gripper off a mechanism whose flange is on its palm. Returns None if those links are not a gripper."""
    palm = _palm(whole)
    beyond = _beyond(whole, palm)
    if not beyond or BASE in palm:
        return None
    fingers = _fingers(whole, palm, beyond)
    jaws = _Jaws.of(fingers)
    if jaws is None:
        return None
    kept = [index for index in range(len(whole.links)) if index not in beyond]
    used = sorted({drive.joint for index in kept for drive in whole.links[index].drives})
    places = {old: new for new, old in enumerate(kept)} | {BASE: BASE}
    numbers = {old: new for new, old in enumerate(used)}
    links = tuple(
        replace(
            link,
            parent=places[link.parent],
            drives=tuple(replace(drive, joint=numbers[drive.joint]) for drive in link.drives),
        )
        for link in (whole.links[index] for index in kept)
    )
    arm = replace(
        whole,
        joints=tuple(whole.joints[number] for number in used),
        links=links,
        flange=replace(whole.flange, link=places[whole.flange.link]),
        home=tuple(whole.home[number] for number in used),
    )
    return ArmWithGripper(arm, jaws.gripper())


def lone_gripper(whole: Mechanism) -> Mechanism | None:
    """The gripper that a whole URDF describes, whose root is its mounting face; None if it describes something else."""
    whole = replace(whole, flange=Mark(BASE))
    palm = _palm(whole)
    jaws = _Jaws.of(_fingers(whole, palm, _beyond(whole, palm)))
    if jaws is None:
        return None
    solids = [(pose, whole.links[index].shape) for index, pose in palm.items() if index != BASE]
    solids.append((IDENTITY, whole.base))
    return replace(jaws.gripper(), name=whole.name, base=_one([(pose, each) for pose, each in solids if each]))


def _palm(whole: Mechanism) -> dict[int, Pose]:
    """The links that are fixed to the flange, with their poses relative to it."""
    links = whole.links
    tops: dict[int, int] = {BASE: BASE}
    for index, link in enumerate(links):
        tops[index] = index if link.drives else tops[link.parent]
    top = tops[whole.flange.link]
    poses = {top: IDENTITY}
    for index, link in enumerate(links):
        if tops[index] == top and index != top:
            poses[index] = poses[link.parent] @ link.origin
    back = (poses[whole.flange.link] @ whole.flange.pose).inverse()
    return {index: back @ pose for index, pose in poses.items()}


def _beyond(whole: Mechanism, palm: dict[int, Pose]) -> set[int]:
    """The links that joints beyond the palm move."""
    found: set[int] = set()
    for index, link in enumerate(whole.links):
        if index not in palm and (link.parent in palm or link.parent in found):
            found.add(index)
    return found


def _fingers(whole: Mechanism, palm: dict[int, Pose], beyond: set[int]) -> Mechanism | None:
    """The moving links beyond the palm as a mechanism of one joint; links fixed to a finger are part of it."""
    places = {index: (BASE, pose) for index, pose in palm.items()}
    links: list[Link] = []
    solids: list[list[tuple[Pose, Shape]]] = []
    for index in sorted(beyond):
        link = whole.links[index]
        parent, pose = places[link.parent]
        pose = pose @ link.origin
        if link.drives:
            links.append(Link(link.name, parent, pose, link.drives))
            solids.append([])
            places[index] = (len(links) - 1, IDENTITY)
        else:
            places[index] = (parent, pose)
        if link.shape is not None:
            solids[places[index][0]].append((places[index][1], link.shape))
    links = [replace(link, shape=_one(parts)) for link, parts in zip(links, solids, strict=True)]
    masters = sorted({drive.joint for link in links for drive in link.drives})
    outside = {drive.joint for index, link in enumerate(whole.links) if index not in beyond for drive in link.drives}
    if not 1 <= len(masters) <= 2 or outside & set(masters):
        return None
    joints = [whole.joints[number] for number in masters]
    if len(joints) == 2 and not _coupled(links, joints):
        return None
    if not all(math.isfinite(joint.lower) for joint in joints):
        return None
    joined = [replace(link, drives=tuple(_by_first(drive, masters, joints) for drive in link.drives)) for link in links]
    return Mechanism(f"{whole.name} gripper", (joints[0],), tuple(joined), Mark(BASE), source=whole.source)


def _one(parts: "list[tuple[Pose, Shape]]") -> "Shape | None":
    from drycell.geometry import Compound

    if len(parts) == 1 and parts[0][0] == IDENTITY:
        return parts[0][1]
    return Compound(tuple(parts)) if parts else None


def _coupled(links: Sequence[Link], joints: Sequence[Joint]) -> bool:
    """Whether two joints are the two halves of one gripper: of one kind, with equal strokes, moving one finger each."""
    first, second = joints
    strokes = (first.upper - first.lower, second.upper - second.lower)
    return (
        first.kind == second.kind
        and math.isclose(*strokes, rel_tol=0.05)
        and len({link.drives[0].joint for link in links if link.parent == BASE}) == 2
    )


def _by_first(drive: Drive, masters: Sequence[int], joints: Sequence[Joint]) -> Drive:
    """A drive by the first of one or two joints. The second moves from its limit nearest to zero as the first does."""
    if drive.joint == masters[0]:
        return replace(drive, joint=0)
    first, second = joints
    mirrored = (abs(first.lower) <= abs(first.upper)) != (abs(second.lower) <= abs(second.upper))
    ratio = (second.upper - second.lower) / (first.upper - first.lower) * (-1.0 if mirrored else 1.0)
    start = second.upper if mirrored else second.lower
    offset = start - ratio * first.lower
    return Drive(0, drive.kind, drive.axis, drive.ratio * ratio, drive.ratio * offset + drive.offset)


@dataclass(frozen=True, slots=True)
class _Jaws:
    """Two fingers of a mechanism with one joint, the frame between them, and a point on each inner face."""

    fingers: Mechanism
    tcp: Pose
    points: tuple[Mark, Mark]
    open: float
    closed: float

    @classmethod
    def of(cls, fingers: Mechanism | None) -> "_Jaws | None":
        """Find the jaws of a mechanism; None if there are none that open and close."""
        if fingers is None:
            return None
        ends = (fingers.joints[0].lower, fingers.joints[0].upper)
        clouds = [_clouds(fingers, end) for end in ends]
        solid = list(clouds[0])
        if len(solid) < 2:
            return None
        out = _outwards([cloud for each in clouds for cloud in each.values()])
        reach = {place: max(float((each[place] @ out).max()) for each in clouds) for place in solid}
        chosen = sorted(solid, key=lambda place: (-round(reach[place], 4), place))
        one = chosen[0]
        other = next((place for place in chosen[1:] if not _carries(fingers.links, one, place)), None)
        if other is None:
            return None
        across = _across(fingers, out, one, other, clouds)
        if across is None:
            return None
        return cls._between(fingers, ends, out, across, (one, other), clouds)

    @classmethod
    def _between(
        cls,
        fingers: Mechanism,
        ends: tuple[float, float],
        out: Array,
        across: Array,
        pair: tuple[int, int],
        clouds: list[_Clouds],
    ) -> "_Jaws | None":
        # The joint value at which the jaws are farther apart is the open one.
        middles = [_middle(each[pair[0]], across) - _middle(each[pair[1]], across) for each in clouds]
        wide = 0 if abs(middles[0]) > abs(middles[1]) else 1
        if middles[wide] < 0.0:  # the first jaw is the one at +x
            pair = (pair[1], pair[0])
        cloud = clouds[1 - wide]  # closed: there the inner faces of turning fingers are parallel
        top, bottom = cloud[pair[0]], cloud[pair[1]]
        tips = [_fingertip(each, out) for each in (top, bottom)]
        inner = (float((tips[0] @ across).min()), float((tips[1] @ across).max()))
        reach = min(float((each @ out).max()) for each in (top, bottom))
        length = reach - max(float((each @ out).min()) for each in (top, bottom))
        beside = np.cross(out, across)
        level = reach - min(_TIP, 0.25 * length)
        side = 0.5 * sum(0.5 * float((each @ beside).max() + (each @ beside).min()) for each in tips)
        places = [across * inner[k] + beside * side + out * level for k in range(2)]
        poses = fingers.link_poses([ends[1 - wide]])
        marks = [Mark(pair[k], poses[pair[k]].inverse() @ Pose(*places[k].tolist())) for k in range(2)]
        middle = 0.5 * (places[0] + places[1])
        a, b, c, d, e, f, g, h, i, j, k, m = np.column_stack((across, beside, out, middle)).ravel().tolist()
        tcp = Pose.of_rows((a, b, c, d, e, f, g, h, i, j, k, m))
        found = cls(fingers, tcp, (marks[0], marks[1]), ends[wide], ends[1 - wide])
        return found._usable()

    def _gap(self, value: float) -> float:
        poses = self.fingers.link_poses([value])
        one, other = (frame_pose(poses, mark.link, mark.pose) for mark in self.points)
        return float((one.translation - other.translation) @ self.tcp.rotation[:, 0])

    def _usable(self) -> "_Jaws | None":
        """These jaws with their range cut to where the gap shrinks and is not negative; None if they do not close."""
        values = np.linspace(self.open, self.closed, _STEPS + 1).tolist()
        gaps = [self._gap(value) for value in values]
        last = 0
        while last < _STEPS and gaps[last + 1] < gaps[last] and gaps[last + 1] >= 0.0:
            last += 1
        closed = values[last]
        if last < _STEPS and gaps[last + 1] < 0.0 <= gaps[last]:
            low, high = values[last], values[last + 1]
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self._gap(middle) >= 0.0 else (low, middle)
            closed = low
        return replace(self, closed=closed) if self._gap(closed) <= _CLOSED * gaps[0] else None

    def gripper(self) -> Mechanism:
        """The mechanism that a gripper needs: frames at the TCP and on both jaws, open at the start."""
        joint = self.fingers.joints[0]
        limited = replace(joint, lower=min(self.open, self.closed), upper=max(self.open, self.closed))
        frames = (("tcp", Mark(BASE, self.tcp)), ("jaw1", self.points[0]), ("jaw2", self.points[1]))
        return replace(
            self.fingers,
            joints=(limited,),
            home=(self.open,),
            frames=frames,
            flange=Mark(BASE, self.tcp),
        )


def _clouds(fingers: Mechanism, value: float) -> _Clouds:
    """The corners of the solids relative to the palm, at a joint value."""
    poses = fingers.link_poses([value])
    return {
        place: link.shape.triangles(1e-4)[0] @ pose.rotation.T + pose.translation
        for place, (link, pose) in enumerate(zip(fingers.links, poses, strict=True))
        if link.shape is not None
    }


def _outwards(clouds: Sequence[Array]) -> Array:
    """The axis of the flange along which the fingers point."""
    middle = np.mean([0.5 * (cloud.max(axis=0) + cloud.min(axis=0)) for cloud in clouds], axis=0)
    axis = int(np.argmax(np.abs(middle)))
    out = np.zeros(3)
    out[axis] = math.copysign(1.0, middle[axis])
    return out


def _across(fingers: Mechanism, out: Array, one: int, other: int, clouds: list[_Clouds]) -> Array | None:
    """The direction in which the jaws move, at right angles to the fingers."""
    moved = [_centre(clouds[1][place]) - _centre(clouds[0][place]) for place in (one, other)]
    apart = moved[0] - moved[1]  # how the jaws move relative to each other
    apart = apart - out * float(apart @ out)
    length = float(np.linalg.norm(apart))
    if length < _LEAST:
        return None
    apart = apart / length
    axis = int(np.argmax(np.abs(apart)))
    if abs(apart[axis]) > _SQUARE:
        apart = np.zeros(3)
        apart[axis] = 1.0
    return apart


def _centre(cloud: Array) -> Array:
    middle: Array = 0.5 * (cloud.max(axis=0) + cloud.min(axis=0))
    return middle


def _middle(cloud: Array, axis: Array) -> float:
    return float(_centre(cloud) @ axis)


def _fingertip(cloud: Array, out: Array) -> Array:
    """The corners of the outer quarter of a finger."""
    along = cloud @ out
    least, most = float(along.min()), float(along.max())
    return cloud[along >= most - 0.25 * (most - least)]


def _carries(links: Sequence[Link], one: int, other: int) -> bool:
    return one in chain_to(links, other) or other in chain_to(links, one)
