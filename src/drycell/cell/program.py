"""Programs of a cell: functions whose parameters name what they use."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from drycell.errors import DrycellError, ProgramError, UnknownName
from drycell.fields import Scalar

Function = Callable[..., object]
Given = Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A function to be started with the run; ``given`` are plain values for some of its parameters."""

    function: Function
    given: Mapping[str, Given] = field(default_factory=dict)
    daemon: bool = False
    priority: int = 0
    controller: str | None = None

    def arguments(
        self, offered: Mapping[str, object], missing: Callable[[str, str], DrycellError] | None = None
    ) -> list[object]:
        """What its parameters ask for by name: given values, robots, bodies, workpoints, signals, or ``cell``.

        ``missing(program, parameter)`` makes the error about one that is not among what is offered.
        """
        name = getattr(self.function, "__name__", "program")
        known = {**offered, **self.given}
        values: list[object] = []
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise ProgramError(
                    f"program {name}() has the parameter '{parameter}', which cannot name a thing of the cell",
                    hint="name the robots, bodies, workpoints and signals it uses, one plain parameter each",
                )
            if parameter.name in known:
                values.append(known[parameter.name])
            elif parameter.default is not parameter.empty:
                values.append(parameter.default)
            elif missing is not None:
                raise missing(name, parameter.name)
            else:
                raise UnknownName(f"thing in the cell for program {name}() called", parameter.name, known)
        return values
