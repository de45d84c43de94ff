"""Calibration: how joint angles and counts of the encoders belong together, for one arm on one controller."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from drycell.datafile import read_text, read_tree, validated
from drycell.errors import FieldError, FileError
from drycell.fields import Angle
from drycell.units import deg

Row = tuple[float, ...]


@dataclass(frozen=True)
class Calibration:
    """Counts = matrix · (angles − home): the controller counts from the home position.

    ``counts_per_degree`` has a number for each axis, negative where the controller counts the other way round than
    drycell, or a row of numbers for each axis, where motors act on several joints (a differential wrist). ``home`` are
    the joint angles at which all counts are zero, which is where HOME leaves the arm. ``tolerance`` is how
    many counts off its target an axis may rest.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    counts_per_degree: tuple[float, ...] | tuple[Row, ...]
    home: tuple[Angle, ...]
    tolerance: int = 10

    def __post_init__(self) -> None:
        axes = len(self.home)
        matrix = np.array(self.counts_per_degree, dtype=float)
        if matrix.ndim == 1:
            matrix = np.diag(matrix)
        if matrix.shape != (axes, axes):
            raise FieldError(
                f"counts_per_degree is for {matrix.shape[0]} axes, home for {axes}",
                hint="give a number, or a row of numbers, for each axis",
            )
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-6:
            raise FieldError(
                "counts_per_degree does not tell the joints apart: the angles cannot be had from the counts",
                hint="no axis may have 0, and no two rows may say the same",
            )
        if self.tolerance < 1:
            raise FieldError(f"a tolerance of {self.tolerance} counts is never kept", hint="give 1 or more")

    @property
    def axes(self) -> int:
        """How many there are."""
        return len(self.home)

    @cached_property
    def _matrix(self) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        matrix = np.array(self.counts_per_degree, dtype=float)
        return np.diag(matrix) if matrix.ndim == 1 else matrix

    def counts(self, joints: Sequence[float]) -> tuple[int, ...]:
        """The counts of joint angles, the nearest whole ones."""
        away = (np.array(joints, dtype=float) - np.array(self.home)) / deg
        return tuple(round(float(count)) for count in self._matrix @ away)

    def joints(self, counts: Sequence[int]) -> tuple[float, ...]:
        """The joint angles of counts."""
        away = np.linalg.solve(self._matrix, np.array(counts, dtype=float))
        return tuple(float(angle) for angle in away * deg + np.array(self.home))


SCORBOT: Final = Calibration(
    # From memory and unverified, for the ER 4u, which has the same arm: no data sheet was at hand. Home is 169.3, 0,
    # 504.3 mm, pitch −63.5°, by drycell's kinematics. Another published table (marked there as not verified) has 80
    # counts a turn and gears of 635.5, 457.56 and 125.54 : 1, that is 141.2, 101.7, 101.7, 27.9, 27.9: shoulder and
    # elbow differ by 10 %. Axes are counted, not motors: the wrist is a differential, whose motors turn for either.
    counts_per_degree=(141.889, 113.511, 113.511, 27.9, 27.9),
    home=(0.0, -120.251 * deg, 95.033 * deg, 88.718 * deg, 0.0),
)
"""What an arm of this make has about, in the cell and on the line. Measure your own before it is to be trusted."""


def load_calibration(path: str | Path) -> Calibration:
    """A calibration from a YAML file; all that is wrong with it comes in one error."""
    file = str(path)
    node = read_tree(read_text(Path(path)), file)
    made, mistakes = validated(Calibration, node)
    if mistakes:
        raise FileError.of(file, mistakes)
    assert isinstance(made, Calibration)
    return made
