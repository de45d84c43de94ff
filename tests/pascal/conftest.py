"""What tests of Pascal share: programs run at once, without a cell, and a controller that notes what it is told."""

from collections.abc import Callable, Sequence

import pytest

from drycell.languages.kit import Source
from drycell.languages.pascal import PascalError, compile_pascal


class Recorder:
    """A controller that notes each command with its time. ``inputs`` gives the inputs that are on at a time."""

    def __init__(self, inputs: Callable[[float], Sequence[int]] = lambda time: ()) -> None:
        self.told: list[tuple[object, ...]] = []
        self.time = 0.0
        self._inputs = inputs

    def move_to(self, x: float, y: float, z: float, pitch: float, roll: float) -> None:
        self.told.append(("move_to", *(round(each, 6) for each in (x, y, z, pitch, roll))))

    def move_by(self, x: float, y: float, z: float) -> None:
        self.told.append(("move_by", *(round(each, 6) for each in (x, y, z))))

    def move_pulses(self, pulses: Sequence[int]) -> None:
        self.told.append(("move_pulses", *pulses))

    def set_speed(self, grade: int) -> None:
        self.told.append(("speed", grade))

    def stop_axis(self, axis: int) -> None:
        self.told.append(("stop", axis))

    def wait_position(self) -> None:
        self.told.append(("wait",))
        self.time += 2.0

    def set_gripper(self, opened: bool) -> None:
        self.told.append(("gripper", "open" if opened else "close"))

    def input(self, number: int) -> bool:
        return number in self._inputs(self.time)

    def pulse(self, output: int) -> None:
        self.told.append(("pulse", output))

    def wait_interrupt(self, code: str, timeout: float) -> bool:
        self.told.append(("interrupt", code, timeout))
        return code == "R1"

    def delay(self, seconds: float) -> None:
        self.time += seconds


Shown = Callable[[str], str]
Mistakes = Callable[[str], list[str]]


@pytest.fixture
def shown() -> Shown:
    """What a program prints."""

    def run(text: str) -> str:
        lines: list[str] = []
        compile_pascal(Source(text, "test.pas"), Recorder(), echo=lines.append)()
        return "\n".join(lines)

    return run


@pytest.fixture
def trouble() -> Shown:
    """What goes wrong in a program when it runs, with its place."""

    def run(text: str) -> str:
        program = compile_pascal(Source(text, "test.pas"), Recorder(), echo=lambda line: None)
        with pytest.raises(PascalError) as caught:
            program()
        (found,) = caught.value.diagnostics
        return f"{found.span.line}:{found.span.column} {found.what}"

    return run


@pytest.fixture
def mistakes() -> Mistakes:
    """What is wrong with a text, with the places."""

    def read(text: str) -> list[str]:
        with pytest.raises(PascalError) as caught:
            compile_pascal(Source(text, "test.pas"))
        return [f"{each.span.line}:{each.span.column} {each.what}" for each in caught.value.diagnostics]

    return read
