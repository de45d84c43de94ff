"""Motions in columns: a row of ``segments`` for each change of motion or attachment, a row of its kind for the rest.

The n-th segment of a kind belongs to the n-th row of that kind's table.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from drycell.base import Pose, RecordingError
from drycell.recording.columns import Columns, Table
from drycell.world import Fall, Linkage, LinkMotion, Motion, Rest, Sampled, Segment, Travel

KINDS: Final = ("rest", "travel", "fall", "sampled", "link")
WORLD: Final = -1  # the number of the parent of a body that hangs on nothing

Numbered = tuple[int, int, int, Motion]  # body, start, parent, motion


class MotionWriter:
    """Puts segments down. ``number`` tells a linkage's place in the description of the world."""

    def __init__(self, columns: Columns, number: Callable[[Linkage], int]) -> None:
        self._columns = columns
        self._number = number

    def write(self, body: int, segment: Segment, parent: int) -> None:
        """One segment of a body."""
        columns = self._columns
        kind = self._motion(segment.motion)
        columns["segments/body"].append(body)
        columns["segments/start"].append(segment.start)
        columns["segments/parent"].append(parent)
        columns["segments/kind"].append(KINDS.index(kind))

    def _motion(self, motion: Motion) -> str:
        columns = self._columns
        if type(motion) is Rest:
            columns["rest/pose"].extend(motion.pose(0).rows)
            return "rest"
        if type(motion) is LinkMotion:
            columns["link/linkage"].append(self._number(motion.linkage))
            columns["link/index"].append(motion.index)
            return "link"
        if type(motion) is Travel or type(motion) is Fall:
            kind = "travel" if type(motion) is Travel else "fall"
            columns[f"{kind}/start"].append(motion.start)
            columns[f"{kind}/end"].append(motion.end)
            columns[f"{kind}/pose"].extend(motion.first.rows)
            columns[f"{kind}/velocity"].extend(motion.velocity)
            if type(motion) is Fall:
                columns["fall/gravity"].extend(motion.gravity)
            return kind
        if type(motion) is Sampled:
            columns["sampled/count"].append(len(motion.times))
            columns["samples/time"].extend(motion.times)
            for pose in motion.poses:
                columns["samples/pose"].extend(pose.rows)
            return "sampled"
        raise RecordingError(
            f"a motion of type {type(motion).__name__} cannot be recorded: known are {', '.join(KINDS)}",
            hint="give the body a Sampled motion, or add the kind to drycell.recording.motions",
        )


def read_segments(table: Callable[[str], Table], bodies: int, link: Callable[[int, int], Motion]) -> Iterator[Numbered]:
    """All segments in the order they were put down, with real motions; ``link`` finds the motion of a link."""
    segments = table("segments")
    body, parent, kind = segments["body"], segments["parent"], segments["kind"]
    if segments.length:
        for what, column, low, high in (
            ("body", body, 0, bodies),
            ("parent", parent, WORLD, bodies),
            ("kind", kind, 0, len(KINDS)),
        ):
            if int(column.min()) < low or int(column.max()) >= high:
                raise RecordingError(f"segments/{what} has numbers outside {low}…{high - 1}")
    counts = np.bincount(kind, minlength=len(KINDS)).tolist()
    motions = {name: _READERS[name](table) for name in KINDS if name != "link"}
    links = table("link")
    motions["link"] = map(link, links["linkage"].tolist(), links["index"].tolist())
    for name, count in zip(KINDS, counts, strict=True):
        rows = table(name).length
        if rows != count:
            raise RecordingError(f"{count} segments are of kind {name!r}, but there are {rows} of them")
    iterators = [motions[name] for name in KINDS]
    numbers = zip(body.tolist(), segments["start"].tolist(), parent.tolist(), kind.tolist(), strict=True)
    for number, start, above, which in numbers:
        yield number, start, above, next(iterators[which])


def _rests(table: Callable[[str], Table]) -> Iterator[Motion]:
    return (Rest(_pose(rows)) for rows in table("rest")["pose"].tolist())


def _travels(table: Callable[[str], Table]) -> Iterator[Motion]:
    columns = [table("travel")[name].tolist() for name in ("start", "end", "pose", "velocity")]
    return (Travel(start, end, _pose(rows), velocity) for start, end, rows, velocity in zip(*columns, strict=True))


def _falls(table: Callable[[str], Table]) -> Iterator[Motion]:
    columns = [table("fall")[name].tolist() for name in ("start", "end", "pose", "velocity", "gravity")]
    return (
        Fall(start, end, _pose(rows), velocity, gravity)
        for start, end, rows, velocity, gravity in zip(*columns, strict=True)
    )


def _sampled(table: Callable[[str], Table]) -> Iterator[Motion]:
    samples = table("samples")
    times, poses = samples["time"].tolist(), samples["pose"].tolist()
    first = 0
    for count in table("sampled")["count"].tolist():
        last = first + count
        if count < 0 or last > len(times):
            raise RecordingError(f"a sampled motion has {count} samples, {len(times) - first} are left")
        yield Sampled(times[first:last], [_pose(rows) for rows in poses[first:last]])
        first = last


_READERS: Final[dict[str, Callable[[Callable[[str], Table]], Iterator[Motion]]]] = {
    "rest": _rests,
    "travel": _travels,
    "fall": _falls,
    "sampled": _sampled,
}


def _pose(rows: Sequence[float]) -> Pose:
    a, b, c, x, d, e, f, y, g, h, i, z = rows
    return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))
