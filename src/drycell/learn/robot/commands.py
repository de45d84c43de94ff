"""The robots' own commands: a program written against them runs on a robot of a floor plan as on the machine.

The Nomad's are those of Nomadic's C library in whole tenths of an inch and of a degree. Frank2 is driven through a data
bus by procedures that its users wrote in Turbo Pascal and the thesis does not print: names and units here are
drycell's own, in millimetres and degrees.
"""

import math

from drycell.base import deg, inch, mm
from drycell.learn.robot.mobile import Mobile

TENTH_INCH, TENTH_DEGREE = inch / 10.0, deg / 10.0


class NomadCommands:
    """``pr``, ``st``, ``get_sn``, ``get_bp`` and the vector ``State``, as Nomadic's programs call them."""

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile
        self.State = [0] * 45  # 17 to 32 are the sonars, in inches; 33 the bumpers, a bit each

    def pr(self, translation: int, steering: int, turret: int = 0) -> bool:
        """Moves by tenths of an inch ahead after turning by tenths of a degree; False if a wall stopped it.

        The turret carries the sensors and turns with the wheels here: a turn of it alone is not modelled.
        """
        if steering:
            self._mobile.turn(steering * TENTH_DEGREE)
        return not (translation and self._mobile.drive(translation * TENTH_INCH).stopped)

    def get_sn(self) -> list[int]:
        """Reads the sonars into ``State[17]`` … ``State[32]``, and returns them."""
        found = self._mobile.read([f"sonar{k}" for k in range(1, 17)])
        self.State[17:33] = [int(each) for each in found.values()]
        return self.State[17:33]

    def get_bp(self) -> int:
        """Reads the bumpers into ``State[33]``, the first as the lowest bit, and returns it."""
        found = self._mobile.read([name for name in self._mobile.sensors if name.startswith("bumper")])
        self.State[33] = sum(1 << bit for bit, pressed in enumerate(found.values()) if pressed)
        return self.State[33]

    def gs(self) -> list[int]:
        """Reads everything, and where the robot is: ``State[34]``, ``[35]`` in tenths of an inch, ``[36]`` the heading
        in tenths of a degree."""
        self.get_sn()
        self.get_bp()
        x, y, heading = self._mobile.place
        self.State[34:37] = [
            round(x / TENTH_INCH),
            round(y / TENTH_INCH),
            round(heading % math.tau / TENTH_DEGREE) % 3600,
        ]
        return self.State


class Frank2Commands:
    """``Forward``, ``TurnLeft``, ``TurnRight``, ``Sonar``, ``Infrared`` and ``Bumper``, pods counted from 1."""

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def Forward(self, millimetres: float) -> bool:
        """Drives ahead; False if a wall stopped it."""
        return not self._mobile.drive(millimetres * mm).stopped

    def TurnLeft(self, degrees: float) -> None:
        """Turns on the spot."""
        self._mobile.turn(degrees * deg)

    def TurnRight(self, degrees: float) -> None:
        """Turns on the spot."""
        self._mobile.turn(-degrees * deg)

    def Sonar(self, pod: int) -> int:
        """The converter's bits, 0 to 4095, high where a wall is near."""
        return int(self._mobile.read([f"pod{pod}"])[f"pod{pod}"])

    def Infrared(self, pod: int) -> bool:
        """Whether something is within 150 mm."""
        return bool(self._mobile.read([f"infrared{pod}"])[f"infrared{pod}"])

    def Bumper(self, pod: int) -> bool:
        """Whether it is pressed."""
        return bool(self._mobile.read([f"bumper{pod}"])[f"bumper{pod}"])
