"""Forward kinematics of one configuration: a function written for the mechanism at hand, in plain floats.

Poses of mechanisms are asked for more often than anything else. Most numbers of a mechanism's data are 0 or 1; what
they would be multiplied with or added to is left out, and nothing is looked up. The sums are those of the textbook, in
its order.
"""

import math
from collections.abc import Callable, Sequence

from drycell.base import Pose, bare_pose, give_rows
from drycell.robots.link import Drive, Link, turn

Forward = Callable[[Sequence[float]], list[Pose]]
Names = list[str]  # of twelve numbers, row by row

_Z = (0.0, 0.0, 1.0)


def forward(links: Sequence[Link]) -> Forward:
    """The function from joint values to the link frames seen from the base.

    Every pose drycell publishes of a mechanism comes from such a function.
    """
    lines = ["def link_poses(q):"]
    frames: list[Names] = []
    for index, link in enumerate(links):
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
        frames.append(frame)
    for index, frame in enumerate(frames):
        lines += [f"    p{index} = bare_pose(Pose)", f"    give_rows(p{index}, ({', '.join(frame)}))"]
    lines.append(f"    return [{', '.join(f'p{index}' for index in range(len(frames)))}]")
    names: dict[str, object] = {
        "cos": math.cos, "sin": math.sin, "turn": turn, "Pose": Pose, "bare_pose": bare_pose, "give_rows": give_rows,
    }  # fmt: skip
    exec("\n".join(lines), names)
    made: Forward = names["link_poses"]  # type: ignore[assignment]
    return made


def _product(into: Names, one: Names, other: Names) -> Names:
    """The lines that multiply two displacements."""
    lines = []
    for row in range(3):
        left = one[4 * row : 4 * row + 3]
        for column in range(4):
            right = [other[4 * k + column] for k in range(3)]
            terms = [_times(a, b) for a, b in zip(left, right, strict=True)]
            if column == 3:
                terms.append(one[4 * row + 3])
            lines.append(f"    {into[4 * row + column]} = {_sum(terms)}")
    return lines


def _driven(into: Names, frame: Names, drive: Drive, mark: str) -> Names:
    """The lines that move a frame by a drive."""
    amount = _sum([_times(repr(drive.ratio), f"q[{drive.joint}]"), repr(drive.offset)])
    if drive.kind == "prismatic":
        lines = [f"    m{mark} = {amount}"]
        way = [_times(repr(value), f"m{mark}") for value in drive.axis]
        for row in range(3):
            turned = frame[4 * row : 4 * row + 3]
            lines += [f"    {name} = {was}" for name, was in zip(into[4 * row : 4 * row + 3], turned, strict=True)]
            steps = [_times(a, f"({b})" if "*" in b else b) for a, b in zip(turned, way, strict=True)]
            lines.append(f"    {into[4 * row + 3]} = {_sum([*steps, frame[4 * row + 3]])}")
        return lines
    if drive.axis != _Z:
        turned = [f"r{mark}_{place}" for place in range(12)]
        return [f"    {', '.join(turned)} = turn({drive.axis!r}, {amount}).rows", *_product(into, frame, turned)]
    lines = [f"    m{mark} = {amount}", f"    c{mark}, s{mark} = cos(m{mark}), sin(m{mark})"]
    for row in range(3):
        a, b, c, x = frame[4 * row : 4 * row + 4]
        along, across, up, at = into[4 * row : 4 * row + 4]
        lines += [
            f"    {along} = {_sum([_times(a, f'c{mark}'), _times(b, f's{mark}')])}",
            f"    {across} = {_sum([_times(b, f'c{mark}'), _minus(_times(a, f's{mark}'))])}",
            f"    {up} = {c}",
            f"    {at} = {x}",
        ]
    return lines


def _times(a: str, b: str) -> str:
    """A product, but for zeros and ones."""
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
    """A sum in order, but for zeros."""
    left = [term for term in terms if term not in ("0.0", "-0.0")]
    return " + ".join(left).replace("+ -", "- ") if left else "0.0"
