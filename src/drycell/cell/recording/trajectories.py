"""Joint trajectories in columns. Equal curves are kept once: a program that loops moves the same way every time."""

import hashlib
from collections.abc import Sequence

import numpy as np

from drycell.cell.recording.columns import Columns, Table
from drycell.errors import RecordingError
from drycell.world import JointTrajectory


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


def read_trajectories(trajectories: Table, curves: Table, dofs: Sequence[int]) -> list[list[JointTrajectory]]:
    """The trajectories of every linkage, in order; ``dofs`` are the numbers of joints of the linkages."""
    numbers = trajectories["linkage"].tolist()
    curve = trajectories["curve"].tolist()
    pieces = curves["pieces"].astype(np.int64)
    if numbers and not (min(numbers) >= 0 and max(numbers) < len(dofs)):
        raise RecordingError(f"trajectories/linkage has numbers outside 0…{len(dofs) - 1}")
    if curve and not (min(curve) >= 0 and max(curve) < len(pieces)):
        raise RecordingError(f"trajectories/curve has numbers outside 0…{len(pieces) - 1}")
    if len(pieces) and int(pieces.min()) < 1:
        raise RecordingError("curves/pieces has numbers below 1")
    # A curve is that of the linkage that uses it: the number of joints follows.
    joints = np.zeros(len(pieces), np.int64)
    for number, used in zip(numbers, curve, strict=True):
        if joints[used] not in (0, dofs[number]):
            raise RecordingError(f"curve {used} is followed with {joints[used]} joints and with {dofs[number]}")
        joints[used] = dofs[number]
    breaks, values = curves["breaks"].astype(float), curves["coefficients"].astype(float)
    first_break = np.concatenate(([0], np.cumsum(pieces + 1)))
    first_value = np.concatenate(([0], np.cumsum(pieces * 4 * joints)))
    if first_break[-1] != len(breaks) or first_value[-1] != len(values):
        raise RecordingError(
            f"curves need {first_break[-1]} breaks and {first_value[-1]} coefficients, "
            f"there are {len(breaks)} and {len(values)}"
        )
    found: list[list[JointTrajectory]] = [[] for _ in dofs]
    starts, ends = trajectories["start"].tolist(), trajectories["end"].tolist()
    for number, used, start, end in zip(numbers, curve, starts, ends, strict=True):
        shape = (int(pieces[used]), 4, dofs[number])
        coefficients = values[first_value[used] : first_value[used + 1]].reshape(shape)
        found[number].append(
            JointTrajectory(start, breaks[first_break[used] : first_break[used + 1]], coefficients, end=end)
        )
    return found
