"""Published measurements: tables 11 and 12 of Eriksson, Enhancements in Virtual Robotics, De Montfort University, 1996.

An ABB IRB 2000 moved a tool past a sensor, eight times at each of three speeds, while another computer sampled the
sensor; the same was done in a simulated cell. The tables give the average number of samples in "the sets of detection –
non detection". The tool's dimensions (figure 18) and the detection ranges, measured on a machine tool, are lost.
"""

from dataclasses import dataclass
from typing import Final

from drycell.base import mm

PASSES: Final = 8
SIDES: Final = ("real", "virtual")


@dataclass(frozen=True)
class PassSetting:
    """A speed of the arm in m/s, and the sampling rate of the sensor in Hz."""

    speed: float
    rate: float

    @property
    def step(self) -> float:
        """The distance that the tool moves between two samples, in m."""
        return self.speed / self.rate


@dataclass(frozen=True)
class PublishedTable:
    """Average numbers of samples per pass, one for each setting, of the real and of the virtual sensor."""

    number: int
    title: str
    real: tuple[float, float, float]
    virtual: tuple[float, float, float]

    def row(self, side: str) -> tuple[float, float, float]:
        """Return the row of one side of the comparison."""
        return self.real if side == "real" else self.virtual


@dataclass(frozen=True)
class SpeedReading:
    """One reading of the speeds above the columns of both tables."""

    title: str
    settings: tuple[PassSetting, PassSetting, PassSetting]


TABLES: Final = {
    "photoelectric": PublishedTable(11, "photoelectric", (18.625, 18.875, 9.25), (18.75, 18.375, 9.5)),
    "inductive": PublishedTable(12, "inductive", (18.5, 18.25, 9.625), (18.875, 18.5, 9.625)),
}

# Samples times millimetres per sample give about 225, 195 and 208 mm at the printed speeds, so no single length fits.
# The rows of the simulation, which ran at nominal speed, agree. At 22, 44 and 88 mm/s one length fits within 0.4
# samples. It is not known which speeds were used.
READINGS: Final = (
    SpeedReading(
        "speeds as printed", (PassSetting(24 * mm, 2.0), PassSetting(42 * mm, 4.0), PassSetting(88 * mm, 4.0))
    ),
    SpeedReading(
        "speeds read as 22, 44, 88", (PassSetting(22 * mm, 2.0), PassSetting(44 * mm, 4.0), PassSetting(88 * mm, 4.0))
    ),
)
