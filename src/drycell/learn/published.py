"""What the thesis measured: tables 30, 32 and 36, three random starts each, and table 37's weights."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Row:
    """One learning process as printed: steps, hours on the workstation, and the error level at the end."""

    steps: int
    hours: float
    error: float


TABLES: Final[dict[int, tuple[int, tuple[Row, ...]]]] = {
    40: (30, (Row(967, 16, 0.08), Row(1340, 28, 0.10), Row(1103, 23, 0.09))),
    42: (32, (Row(1350, 26, 0.10), Row(1680, 32, 0.09), Row(1223, 24, 0.10))),
    49: (36, (Row(2130, 36, 0.08), Row(2020, 35, 0.10), Row(1660, 31, 0.10))),
}
"""By figure of the architecture: the number of the table, and its rows."""

MISPRINTED: Final = (47, 48)
"""Figures whose tables, 33 and 35, repeat table 32 digit by digit, which three different trainings cannot."""

TABLE_37: Final = """\
# Thesis, table 37: Nomad for control objective I; rows front, left, right, motion, bias
3.0482	-2.1261	-1.5926
-0.0700	1.8066	-1.5813
-0.3647	-1.5101	2.2930
2.9331	-2.3152	-2.1373
-2.4647	0.4235	-0.1275
"""
