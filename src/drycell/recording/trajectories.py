"""Joint trajectories in columns. Equal curves are kept once: a program that loops moves the same way every time."""

import hashlib
from collections.abc import Sequence
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from drycell.base import RecordingError
from drycell.recording.columns import Columns, Table
from drycell.world import JointTrajectory

Integers = NDArray[np.int64]

_LONGEST: Final = 1e12  # seconds
_KEPT: Final = 512  # trajectories held ready for reading on


class TrajectoryWriter:
    """Puts trajectories down that can no longer be cut."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._curves: dict[bytes, int] = {}

    def write(self, linkage: int, trajectory: JointTrajectory) -> None:
        """One trajectory of a linkage."""
        columns = self._columns
        columns["trajectories/linkage"].append(linkage)
        columns["trajectories/start"].append(trajectory.start)
        columns["trajectories/end"].append(trajectory.end)
        columns["trajectories/curve"].append(self._curve(trajectory))

    def _curve(self, trajectory: JointTrajectory) -> int:
        breaks, coefficients = trajectory.breaks, trajectory.coefficients
        digest = hashlib.blake2b(breaks.tobytes(), digest_size=16, person=b"breaks")
        digest.update(coefficients.tobytes())
        key = digest.digest()
        found = self._curves.get(key)
        if found is None:
            found = self._curves[key] = len(self._curves)
            self._columns["curves/pieces"].append(len(breaks) - 1)
            self._columns["curves/breaks"].extend(breaks.tolist())
            self._columns["curves/coefficients"].extend(coefficients.ravel().tolist())
        return found


class Curves:
    """The curves of a recording, each of them as long as the linkage that follows it has joints."""

    def __init__(self, table: Table, joints: Integers) -> None:
        self._joints, self._pieces = joints, table["pieces"].astype(np.int64)
        self._breaks, self._values = table["breaks"].astype(float), table["coefficients"].astype(float)
        if len(self._pieces) and int(self._pieces.min()) < 1:
            raise RecordingError("curves/pieces has numbers below 1")
        if not (np.abs(self._breaks) < _LONGEST).all():
            raise RecordingError("curves/breaks has times that are none")
        self._first_break = np.concatenate(([0], np.cumsum(self._pieces + 1)))
        self._first_value = np.concatenate(([0], np.cumsum(self._pieces * 4 * joints)))
        if self._first_break[-1] != len(self._breaks) or self._first_value[-1] != len(self._values):
            raise RecordingError(
                f"curves need {self._first_break[-1]} breaks and {self._first_value[-1]} coefficients, "
                f"there are {len(self._breaks)} and {len(self._values)}"
            )

    def trajectory(self, curve: int, start: int, end: int) -> JointTrajectory:
        """A curve followed from one instant to another."""
        breaks = self._breaks[self._first_break[curve] : self._first_break[curve + 1]]
        values = self._values[self._first_value[curve] : self._first_value[curve + 1]]
        shape = (int(self._pieces[curve]), 4, int(self._joints[curve]))
        return JointTrajectory(start, breaks, values.reshape(shape), end=end)


class Trajectories(Sequence[JointTrajectory]):
    """The trajectories of one linkage in order, made when they are asked for: a day of moves would fill the memory."""

    def __init__(self, curves: Curves, starts: list[int], ends: list[int], numbers: list[int]) -> None:
        self._curves, self.starts, self._ends, self._numbers = curves, starts, ends, numbers
        self._made: dict[int, JointTrajectory] = {}

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, place: int) -> JointTrajectory: ...
    @overload
    def __getitem__(self, place: slice) -> list[JointTrajectory]: ...

    def __getitem__(self, place: int | slice) -> JointTrajectory | list[JointTrajectory]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        found = self._made.get(place)
        if found is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            found = self._curves.trajectory(self._numbers[place], self.starts[place], self._ends[place])
            self._made[place] = found
        return found


def read_trajectories(table: Table, curves: Table, dofs: Sequence[int]) -> list[Trajectories]:
    """The trajectories of every linkage; ``dofs`` are the numbers of joints of the linkages."""
    linkage, curve = table["linkage"].astype(np.int64), table["curve"].astype(np.int64)
    for what, column, count in (("linkage", linkage, len(dofs)), ("curve", curve, curves.length)):
        if len(column) and not (column.min() >= 0 and column.max() < count):
            raise RecordingError(f"trajectories/{what} has numbers outside 0…{count - 1}")
    # A curve has the joints of the linkage that follows it.
    joints = np.zeros(curves.length, np.int64)
    followed = np.array(dofs, np.int64)[linkage]
    joints[curve] = followed
    if not (joints[curve] == followed).all():
        raise RecordingError("a curve is followed by linkages with different numbers of joints")
    made = Curves(curves, joints)
    starts, ends = table["start"].astype(np.int64), table["end"].astype(np.int64)
    found = []
    for number in range(len(dofs)):
        rows = np.flatnonzero(linkage == number)
        if not len(rows) or (np.diff(starts[rows]) < 0).any():
            raise RecordingError(f"the trajectories of linkage {number} are missing or not in the order of time")
        found.append(Trajectories(made, starts[rows].tolist(), ends[rows].tolist(), curve[rows].tolist()))
    return found
