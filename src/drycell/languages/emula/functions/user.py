"""User functions: sensors nobody has thought of, as Python functions.

::

    def warmth(look, body, gain=1.0):
        return gain / max(look.distance("hand", body), 0.001)

``attach (4, warmth, parta, 2)`` calls it once a basic cycle of every move with a :class:`Look` and the arguments; what
it returns is the sensor's value.
"""

import math
from collections.abc import Callable, Sequence

from drycell.base import DrycellError, ProgramError
from drycell.languages.emula.functions.function import Answer, SensorFunction
from drycell.languages.emula.functions.look import Look

UserFunction = Callable[..., float]


class FromUser(SensorFunction):
    """Calls a function of the user's."""

    def __init__(self, name: str, function: UserFunction, arguments: Sequence[object]) -> None:
        super().__init__()
        self.name, self._function, self._arguments = name, function, tuple(arguments)

    def read(self, look: Look) -> Answer:
        try:
            value = self._function(look, *self._arguments)
        except DrycellError:
            raise
        except Exception as error:
            raise ProgramError(
                f"sensor function {self.name!r} of sensor {look.sensor} failed: {type(error).__name__}: {error}",
                hint="it is called as function(look, *arguments) and returns a number",
            ) from error
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise ProgramError(
                f"sensor function {self.name!r} of sensor {look.sensor} gave {value!r}",
                hint="it must return a finite number",
            )
        return Answer(float(value), f"{self.name} gives {value:g}")

    def describe(self) -> str:
        return ",".join((self.name, *(str(argument) for argument in self._arguments)))
