"""Recording of commands, for tests of robot programs without a cell."""

from collections.abc import Callable, Collection

Command = tuple[object, ...]


class CommandRecorder:
    """The base of machines that move nothing and record their commands.

    ``commands`` has the commands in order, each with its arguments. ``time`` advances by delays, and by ``motion``
    seconds for each motion that a program waits for.
    """

    def __init__(self, inputs: Callable[[float], Collection[int]] = lambda time: (), *, motion: float) -> None:
        """``inputs`` returns the numbers of the inputs that are on at a time, in seconds."""
        self.commands: list[Command] = []
        self.time = 0.0
        self._inputs, self._motion = inputs, motion

    def record(self, *command: object) -> None:
        """Add a command."""
        self.commands.append(command)

    def moved(self) -> None:
        """Let the time of a motion pass."""
        self.time += self._motion

    def input(self, number: int) -> bool:
        """Whether an input is on. Not recorded."""
        return number in self._inputs(self.time)

    def delay(self, seconds: float) -> None:
        """Let time pass. Not recorded."""
        self.time += seconds
