"""All 152 arms of the library in one cell. Each does the same pick-and-place cycle; a table compares them.

The cycle is the one usual in data sheets: 25 mm up, 305 mm across, 25 mm down, and back, from rest at the pick to rest
at the pick. Here, it excludes load and gripper times; all moves are joint moves, and those at the top of the path blend
within 25 mm.

Try: another cycle, such as 200 mm up and 1000 mm across; or `arm.override = 0.5`.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product

from drycell import Cell, DrycellError, Pose, Robot, deg, kg, m, mm, now, spawn, wait
from drycell.robots import LiveRobot, Mechanism, RobotHead, load_robot, robot_heads

UP, ACROSS = 25 * mm, 305 * mm
STRAIGHT = 100 * deg  # a joint that turns farther on the path makes a detour
WIDTH, GAP = 15 * m, 300 * mm  # of the front row of arms, and between arms
WIDENING = 0.45  # rows are wider by this for each metre to the back, where they look smaller
ACROSS_VIEW = math.atan2(0.75, 1.0)  # the rows stand across the view of drycell picture, which is from the right


def build(cell: Cell) -> None:
    """Add the arms, the smallest in the front row, and the program."""
    heads = {name: head for name, head in robot_heads().items() if head.maker}
    for name, place in places({name: load_robot(name) for name in heads}).items():
        cell.add(name, Robot(name, at=place.position, rpy=place.rpy))

    @cell.program
    def compare() -> None:
        times: dict[str, float] = {}
        for each in [spawn(cycle, arm, times, name=f"cycle of {name}") for name, arm in cell.robots.items()]:
            wait(each)
        print(table(heads, times))


def cycle(arm: LiveRobot, times: dict[str, float]) -> None:
    """Do the cycle twice, and note the time of the second one, which begins where the first one ends."""
    pick, place = (arm.base.pose @ each for each in task(arm.mechanism))
    arm.move(pick)
    for _ in range(2):
        began = now()
        for here, there in ((pick, place), (place, pick)):
            arm.move(here.moved(0, 0, UP), zone=UP)
            arm.move(there.moved(0, 0, UP), zone=UP)
            arm.move(there)
        times[arm.name] = now() - began


def task(arm: Mechanism) -> tuple[Pose, Pose]:
    """Pick and place, relative to the base: in front of the arm, where it works with its tool down without detours."""
    home = arm.forward(arm.home)
    ahead = Pose.turn_z(math.atan2(home.y, home.x))
    # The flange of some SCARAs points up: their tool hangs from the other side of it.
    upright = home.direction((0, 0, 1))[2] > 0.99
    reach = arm.data.reach if arm.data and arm.data.reach else 1.0
    best: tuple[float, Pose, Pose] | None = None
    for yaw, far, high in product((0, 90 * deg, -90 * deg), (0.6, 0.5, 0.7, 0.4, 0.8), (0.2, 0.1, 0.3, 0.0, 0.4)):
        z = home.z - (1 + high) * 2 * UP if upright else high * reach
        pick, place = (
            ahead @ Pose(far * reach, y, z) @ Pose.turn_x(0 if upright else 180 * deg) @ Pose.turn_z(yaw)
            for y in (-ACROSS / 2, ACROSS / 2)
        )
        turned = farthest(arm, [pick, pick.moved(0, 0, UP), place.moved(0, 0, UP), place, pick])
        if best is None or turned < best[0]:
            best = (turned, pick, place)
        if turned < STRAIGHT:
            break
    assert best is not None
    return best[1:]


def farthest(arm: Mechanism, path: Sequence[Pose]) -> float:
    """The greatest travel of a joint between two points of a path, in radians or metres; infinite if one is too far."""
    here, most = arm.home, 0.0
    try:
        for number, pose in enumerate(path):
            there = arm.inverse(pose, near=here).joints
            if number:
                most = max(most, *(abs(b - a) for a, b in zip(here, there, strict=True)))
            here = there
    except DrycellError:
        return math.inf
    return most


def table(heads: Mapping[str, RobotHead], times: Mapping[str, float]) -> str:
    """The data of all arms, by maker and payload."""
    rows = [("name", "maker", "axes", "payload", "reach", "cycle")]
    for name, head in sorted(heads.items(), key=lambda each: (each[1].maker.lower(), each[1].payload or 0, each[0])):
        estimated = any(joint.speed is None or joint.acceleration is None for joint in head.joints.values())
        payload, reach = (
            f"{value / unit:.6g} {text}{'*' if what in head.recalled else ''}"
            for what, value, unit, text in (("payload", head.payload, kg, "kg"), ("reach", head.reach, mm, "mm"))
            if value is not None
        )
        rows.append(
            (name, head.maker, str(len(head.joints)), payload, reach, f"{times[name]:.2f} s{'~' if estimated else ''}")
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [
            *lines,
            "",
            "* general knowledge, without a source",
            "~ estimated: speeds or accelerations are not published, but follow from reach and payload",
        ]
    )


def places(arms: Mapping[str, Mechanism]) -> dict[str, Pose]:
    """Where the arms stand for the picture: in rows, the smallest in front."""
    found: dict[str, Pose] = {}
    row: list[tuple[str, tuple[float, float, float, float, float]]] = []
    y = 0.0
    for name, size in sorted(((name, extent(arm)) for name, arm in arms.items()), key=lambda each: each[1][4]):
        if row and sum(each[1] - each[0] + GAP for _, each in (*row, (name, size))) > WIDTH + WIDENING * y:
            y = stand(row, y, found)
            row = []
        row.append((name, size))
    stand(row, y, found)
    return {name: Pose.turn_z(ACROSS_VIEW) @ place for name, place in found.items()}


def stand(row: list[tuple[str, tuple[float, float, float, float, float]]], y: float, found: dict[str, Pose]) -> float:
    """Place a row, spread over the whole width; returns where the next one begins, to be seen above this one."""
    width = WIDTH + WIDENING * y
    room = (width - sum(right - left for _, (left, right, *_) in row)) / max(len(row) - 1, 1)
    x = -width / 2
    for name, (left, right, front, _, _) in row:
        found[name] = Pose(x - left, y - front, 0.0)
        x += right - left + room
    depth, height = max(back - front for _, (_, _, front, back, _) in row), max(up for _, (*_, up) in row)
    return (
        y + depth + GAP + (0.9 + 0.8 * height / m) * height
    )  # the camera sees the rows at the back at a flatter angle


def extent(arm: Mechanism) -> tuple[float, float, float, float, float]:
    """How far an arm reaches at home: left, right, front, back and up."""
    poses = [Pose(), *arm.link_poses(arm.home)]
    shapes = [arm.base, *(link.shape for link in arm.links)]
    corners = [
        pose.point((x, y, z))
        for pose, shape in zip(poses, shapes, strict=True)
        if shape is not None
        for x, y, z in product(*zip(*shape.bounds, strict=True))
    ]
    (left, front, _), (right, back, up) = (
        tuple(pick(axis) for axis in zip(*corners, strict=True)) for pick in (min, max)
    )
    return left, right, front, back, up
