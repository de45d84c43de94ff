"""Typos in Python programs are reported with the probable correction."""

import math

import pytest

from drycell.base import KernelError, ProgramError
from drycell.kernel import Kernel, delay, interval, wait


def message(program: object, kind: type[Exception]) -> str:
    kernel = Kernel()
    kernel.spawn(program, name="robot")  # type: ignore[arg-type]
    with pytest.raises(kind) as caught:
        kernel.run()
    return str(caught.value)


@pytest.mark.parametrize("given", ["3 s", None, math.nan, math.inf])
def test_a_time_is_a_finite_number_of_seconds(given: object) -> None:
    text = message(lambda: delay(given), KernelError)  # type: ignore[arg-type]
    assert f"delay takes a time as a finite number of seconds, not {given!r}\n  at 0.000 s, program 'robot'" in text
    assert "try: write a number, 2.5 or 300*ms" in text


def test_a_timeout_is_a_finite_number_of_seconds() -> None:
    kernel = Kernel()
    go = kernel.signal("go", False)
    kernel.spawn(lambda: wait(go, timeout="3 s"), name="robot")  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="wait takes a timeout as a finite number of seconds, not '3 s'"):
        kernel.run()


@pytest.mark.parametrize("given", [(1, 3, "part comes"), ("part comes", "1 s", "3 s")])
def test_an_interval_has_its_name_first_and_numbers_for_limits(given: tuple[object, object, object]) -> None:
    text = message(lambda: interval(*given), KernelError)  # type: ignore[arg-type]
    assert "an interval takes a name and two numbers, not " in text
    assert "interval('part comes', 30, 60)" in text


class Arm:
    def move_linear(self) -> None:
        raise AssertionError("nobody calls it")


def test_an_unknown_name_or_attribute_is_reported_with_the_nearest_known() -> None:
    arm = Arm()

    def moves() -> None:
        arm.move_liner()  # type: ignore[attr-defined]

    def waits() -> None:
        wiat(arm)  # type: ignore[name-defined]  # noqa: F821

    def neither() -> None:
        arm.qqq()  # type: ignore[attr-defined]

    assert "try: did you mean 'move_linear'? look at " in message(moves, ProgramError)
    assert "try: did you mean 'wait'" in message(waits, ProgramError)
    assert "try: look at " in message(neither, ProgramError)
