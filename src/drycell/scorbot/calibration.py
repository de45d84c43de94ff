"""Calibration: how joint angles and encoder counts correspond, for one arm on one controller."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, cast

import numpy as np

from drycell.base import Angle, Many, Problem, Thing, deg, read_text, read_thing, type_of

CountRow = tuple[float, ...]
Rows = Annotated[tuple[float, ...] | tuple[CountRow, ...], Many(Many(type_of(float), single=True))]


class Calibration(Thing, kw_only=False):
    """Counts = matrix · (angles − home): the controller counts from the home position."""

    counts_per_degree: Rows
    """A number for each axis, negative if the controller counts in the opposite direction, or a row of numbers for each
    axis if motors act on several joints (a differential wrist)."""
    home: tuple[Angle, ...]
    """Joint angles at which all counts are zero, where HOME leaves the arm."""
    tolerance: int = 10
    """Counts by which a stationary axis may miss its target."""

    def problems(self) -> Iterator[Problem]:
        """The matrix must be square and invertible, and the tolerance at least 1."""
        axes, place = len(self.home), ("counts_per_degree",)
        if [len(row) for row in self._rows] != [axes] * axes:
            what = f"counts_per_degree is for {len(self.counts_per_degree)} axes, home for {axes}"
            yield Problem(place, what, "give a number, or a row of numbers, for each axis")
        elif abs(np.linalg.det(self._matrix)) < 1e-6:
            what = "counts_per_degree is singular: the counts do not determine the angles"
            yield Problem(place, what, "no axis may have 0, and no two rows may be equal")
        if self.tolerance < 1:
            yield Problem(("tolerance",), f"a tolerance of {self.tolerance} counts can never be met", "give 1 or more")

    @property
    def axes(self) -> int:
        """Number of axes."""
        return len(self.home)

    @cached_property
    def _rows(self) -> tuple[CountRow, ...]:
        """The rows of the matrix; one number per axis gives a diagonal matrix."""
        rows = cast(tuple[CountRow, ...], self.counts_per_degree)  # the schema turns a single number into a row
        if any(len(row) != 1 for row in rows):
            return rows
        return tuple(tuple(row[0] if i == k else 0.0 for k in range(len(rows))) for i, row in enumerate(rows))

    @cached_property
    def _matrix(self) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        return np.array(self._rows, dtype=float).reshape(self.axes, self.axes)

    def counts(self, joints: Sequence[float]) -> tuple[int, ...]:
        """Convert joint angles in radians to counts, rounded to the nearest."""
        away = (np.array(joints, dtype=float) - np.array(self.home)) / deg
        return tuple(round(float(count)) for count in self._matrix @ away)

    def joints(self, counts: Sequence[int]) -> tuple[float, ...]:
        """Convert counts to joint angles in radians."""
        away = np.linalg.solve(self._matrix, np.array(counts, dtype=float))
        return tuple(float(angle) for angle in away * deg + np.array(self.home))


SCORBOT: Final = Calibration(
    # Unverified values for the ER 4u, which has the same arm; no data sheet was available. Home is 169.3, 0,
    # 504.3 mm, pitch −63.5°, by drycell's kinematics. Another published table (marked there as not verified) has 80
    # counts per turn and gears of 635.5, 457.56 and 125.54 : 1, that is 141.2, 101.7, 101.7, 27.9, 27.9: shoulder and
    # elbow differ by 10 %. The counts are per axis, not per motor: both motors of the differential wrist move either
    # axis.
    counts_per_degree=(141.889, 113.511, 113.511, 27.9, 27.9),
    home=(0.0, -120.251 * deg, 95.033 * deg, 88.718 * deg, 0.0),
)
"""Approximate values for this make of arm, used in cells. Measure your own arm before you use them on it."""


def load_calibration(path: str | Path) -> Calibration:
    """Read a calibration from a YAML file. Raises FileError with all mistakes in it."""
    return read_thing(Calibration, read_text(Path(path)), str(path))
