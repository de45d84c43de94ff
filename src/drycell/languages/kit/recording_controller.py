"""A controller that moves nothing and notes what it is told: for tests of programs without a cell."""

from collections.abc import Callable, Collection, Sequence

Told = tuple[object, ...]


class RecordingController:
    """``told`` has the commands in order, their numbers rounded to six decimals of SI.

    ``inputs`` gives the inputs that are on at a time, ``interrupts`` the codes that come at once. ``time`` passes by
    delays, by ``motion`` seconds whenever a position is waited for, and by interrupts that do not come.
    """

    def __init__(
        self,
        inputs: Callable[[float], Collection[int]] = lambda time: (),
        *,
        interrupts: Collection[str] = (),
        motion: float = 2.0,
    ) -> None:
        self.told: list[Told] = []
        self.time = 0.0
        self._inputs, self._interrupts, self._motion = inputs, interrupts, motion

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        """Noted."""
        self.told.append(("move_to", *_rounded(x, y, z, pitch, roll)))

    def move_by(self, x: float, y: float, z: float) -> None:
        """Noted."""
        self.told.append(("move_by", *_rounded(x, y, z)))

    def move_pulses(self, pulses: Sequence[int]) -> None:
        """Noted."""
        self.told.append(("move_pulses", *pulses))

    def set_speed(self, grade: int) -> None:
        """Noted."""
        self.told.append(("set_speed", grade))

    def stop_axis(self, axis: int) -> None:
        """Noted."""
        self.told.append(("stop_axis", axis))

    def wait_position(self) -> None:
        """Noted; time passes."""
        self.told.append(("wait_position",))
        self.time += self._motion

    def set_gripper(self, opened: bool) -> None:
        """Noted."""
        self.told.append(("set_gripper", opened))

    def input(self, number: int) -> bool:
        """As the script of the inputs says; not noted."""
        return number in self._inputs(self.time)

    def pulse(self, output: int) -> None:
        """Noted."""
        self.told.append(("pulse", output))

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        """Noted; time passes if it does not come."""
        self.told.append(("wait_interrupt", code, timeout))
        came = code in self._interrupts
        self.time += 0.0 if came else timeout
        return came

    def delay(self, seconds: float) -> None:
        """Time passes; not noted."""
        self.time += seconds


def _rounded(*values: float) -> list[float]:
    return [round(value, 6) + 0.0 for value in values]
