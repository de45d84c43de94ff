"""Controllers: numbered and named inputs and outputs, wired to signals of sensors, devices and other controllers.

All signals of a cell are its blackboard, which everybody may look at. A program that runs on a controller sees only
what is wired to that: its lines, by number or by name, and its robot.
"""

from collections.abc import Mapping
from typing import Any, Final

from drycell.errors import KernelError, ProgramError, did_you_mean
from drycell.kernel import Condition, Kernel, Rank, Reserved, Signal, Timer, acted, asked, ticks
from drycell.kernel.signal import Value
from drycell.robots import HandlingRobot
from drycell.units import ms

PULSE: Final = 200 * ms
LINES: Final = 8
Key = int | str
Wiring = Mapping[Key, Signal[Any]]


class NoLine(ProgramError, AttributeError):
    """A program asks for an input or output that its controller does not have."""


class Controller:
    """The lines of one controller, and the robot it moves, if it moves one.

    Numbered lines go from 1 to 8, or to the highest that is wired; one without a wire is off, and nobody sees it set.
    ``known`` are all controllers of the cell by name, to say whose a line is.
    """

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        robot: HandlingRobot | None = None,
        inputs: Wiring | None = None,
        outputs: Wiring | None = None,
        *,
        pulse: float = PULSE,
        known: "Mapping[str, Controller] | None" = None,
    ) -> None:
        self.name = name
        self.inputs: dict[Key, Signal[Any]] = dict(inputs or {})
        self.outputs: dict[Key, Signal[Any]] = dict(outputs or {})
        self.pulse_width = self._width(pulse)
        self._robot, self._kernel = robot, kernel
        self._known = known if known is not None else {name: self}
        self._unseen: dict[Key, bool] = {}  # outputs without a wire
        self._pulses: dict[Key, Timer] = {}
        for key, signal in self.outputs.items():
            if isinstance(signal, Reserved):
                raise signal.refusal(f"output {key} of controller {name!r}")
        for key in (*self.inputs, *self.outputs):
            if isinstance(key, int) and key < 1:
                raise KernelError(f"controller {name!r} cannot have a line {key}", hint="lines are numbered from 1 on")

    @property
    def robot(self) -> HandlingRobot:
        """The robot it moves."""
        if self._robot is None:
            raise ProgramError(f"controller {self.name!r} moves no robot", hint="wire one to it: robot: arm")
        return self._robot

    @property
    def moves_robot(self) -> bool:
        """Whether there is one."""
        return self._robot is not None

    # ---------------------------------------------------------------- inputs

    def input(self, key: Key) -> Value:
        """What is on an input now: on or off, or a number if a measuring sensor is wired to it."""
        signal = self._line("input", key)
        if signal is None:
            return False
        answer: Value = signal.value
        asked(signal, answer)
        return answer

    def inputs_value(self) -> int:
        """All numbered inputs as one number, input 1 being its lowest bit."""
        last = _last(self.inputs)
        return sum(bool(self.input(number)) << (number - 1) for number in range(1, last + 1))

    def on(self, key: Key) -> Condition:
        """That an input is on: ``wait(io.on(3))``; a named one can be written ``io.part_at_pick``."""
        return self._wired("input", key).is_on

    def rises(self, key: Key) -> Condition:
        """The edge at which an input comes on."""
        return self._wired("input", key).rises()

    def falls(self, key: Key) -> Condition:
        """The edge at which an input goes off."""
        return self._wired("input", key).falls()

    def __getattr__(self, name: str) -> Condition:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.on(name)

    # ---------------------------------------------------------------- outputs

    def output(self, key: Key) -> Value:
        """What was last set on an output."""
        signal = self._line("output", key)
        return self._unseen.get(key, False) if signal is None else signal.value

    def set_output(self, key: Key, value: Value = True) -> None:
        """Sets an output, for good; a pulse on it ends with this."""
        self._end_pulse(key)
        self._set(key, value)

    def pulse(self, key: Key, width: float | None = None) -> None:
        """Sets an output and resets it after a while; returns at once. One given meanwhile makes it longer."""
        until = self._kernel.now + ticks(self.pulse_width if width is None else self._width(width))
        if key in self._pulses:
            until = max(until, self._pulses[key].time)
        self._end_pulse(key)
        self._set(key, True)
        signal = self._line("output", key)
        owner = f"{self.name}.output.{key}"
        self._pulses[key] = self._kernel.at(
            until,
            lambda: self._reset(key),
            Rank.DEVICE,
            owner,
            writes=() if signal is None else (signal,),
        )

    def _set(self, key: Key, value: Value) -> None:
        acted()
        signal = self._line("output", key)
        if signal is None:
            self._unseen[key] = bool(value)
        else:
            signal.set(value)

    def _reset(self, key: Key) -> None:
        del self._pulses[key]
        self._set(key, False)

    def _end_pulse(self, key: Key) -> None:
        timer = self._pulses.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _width(self, width: float) -> float:
        if ticks(width) < 1:
            raise KernelError(f"controller {self.name!r}: a pulse of {width:g} s", hint="give a time such as 200 ms")
        return width

    # ---------------------------------------------------------------- lines

    def _line(self, what: str, key: Key) -> Signal[Any] | None:
        """The signal on a line; None where a numbered one has no wire."""
        wires = self.inputs if what == "input" else self.outputs
        found = wires.get(key)
        if found is None and not (isinstance(key, int) and 1 <= key <= _last(wires)):
            raise self._no_line(what, key, wires)
        return found

    def _wired(self, what: str, key: Key) -> Signal[Any]:
        found = self._line(what, key)
        if found is None:
            hint = f"wire it: controllers: {{{self.name}: {{{what}s: {{{key}: SIGNAL}}}}}}"
            raise NoLine(f"nothing is wired to {what} {key} of controller {self.name!r}", hint=hint)
        return found

    def _no_line(self, what: str, key: Key, wires: Wiring) -> NoLine:
        if isinstance(key, int):
            return NoLine(f"controller {self.name!r} has no {what} {key}: not 1 ≤ {key} ≤ {_last(wires)}")
        for other in self._known.values():
            theirs = other.inputs if what == "input" else other.outputs
            if other is not self and (key in theirs or any(signal.name == key for signal in theirs.values())):
                return NoLine(
                    f"controller {self.name!r} has no {what} {key!r}: that is wired to controller {other.name!r}",
                    hint=f"a program uses its own controller's lines only; wire it to {self.name!r}, too",
                )
        here = next((line for line, signal in wires.items() if signal.name == key), None)
        names = [each for each in wires if isinstance(each, str)]
        hint = f"it is {what} {here!r} here" if here is not None else did_you_mean(key, names)
        return NoLine(f"controller {self.name!r} has no {what} {key!r}", hint=hint)


def _last(wires: Wiring) -> int:
    """The highest number a line has."""
    return max(LINES, *(key for key in wires if isinstance(key, int)), LINES)
