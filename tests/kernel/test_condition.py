"""Conditions: combining, comparing, naming, and their text in reports."""

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from drycell.base import KernelError
from drycell.kernel import Condition, Kernel, delay, now, wait


def test_texts_read_like_the_expression() -> None:
    kernel = Kernel()
    a, b = kernel.signal("m1.ready", False), kernel.signal("m2.count", 0)
    assert str(a | (b > 3)) == "m1.ready | m2.count > 3"
    assert str((a.is_on | (b == 1)) & ~a) == "(m1.ready | m2.count == 1) & ~m1.ready"
    assert str(~(b <= 2)) == "~(m2.count <= 2)"
    assert str(a.rises() & (b != 0)) == "m1.ready rises & m2.count != 0"
    assert str((a & (b >= 1)).named("machine.idle")) == "machine.idle"
    assert repr(a.is_off) == "<Condition ~m1.ready>"


def test_comparisons_hold_as_numbers_do() -> None:
    kernel = Kernel()
    x = kernel.signal("x", 2.0)
    tests: list[tuple[Callable[[float], Condition], list[bool]]] = [
        (lambda v: x > v, [True, False, False]),
        (lambda v: x >= v, [True, True, False]),
        (lambda v: x < v, [False, False, True]),
        (lambda v: x <= v, [False, True, True]),
        (lambda v: x == v, [False, True, False]),
        (lambda v: x != v, [True, False, True]),
        (x.exceeds, [True, False, False]),
    ]
    for make, expected in tests:
        assert [make(value).holds() for value in (1.0, 2.0, 3.0)] == expected


def test_a_condition_over_three_signals_wakes_at_the_instant_it_holds() -> None:
    kernel = Kernel()
    a, b, c = (kernel.signal(name, False) for name in "abc")
    for time, signal in ((1, a), (2, c), (3, b)):
        kernel.at(time * 1_000_000, lambda signal=signal: signal.set(True))
    kernel.at(4_000_000, lambda: c.set(False))

    def program() -> float:
        wait(a & b & ~c)
        return now()

    process = kernel.spawn(program)
    kernel.run()
    assert process.result == 4.0


def test_an_edge_with_a_level_means_while() -> None:
    kernel = Kernel()
    eye, armed = kernel.signal("eye", False), kernel.signal("armed", False)

    def world() -> None:
        for time_on in (1, 1):
            delay(time_on)
            eye.set(True)
            delay(0.1)
            eye.set(False)
            armed.set(True)

    def program() -> float:
        wait(eye.rises() & armed)
        return now()

    process = kernel.spawn(program)
    kernel.spawn(world)
    kernel.run()
    assert process.result == pytest.approx(2.1)


def test_impossible_edges_are_refused() -> None:
    kernel = Kernel()
    a, b = kernel.signal("a", False), kernel.signal("b", False)
    with pytest.raises(KernelError, match="two edges never happen in one change: a rises & b rises"):
        a.rises() & b.rises()
    with pytest.raises(KernelError, match="an edge cannot be negated"):
        ~a.rises()
    assert str((a.rises() | b.rises()) & (a.changes() | b.is_on)) == "(a rises | b rises) & (a changes | b)"


def test_error_for_waiting_for_a_plain_value_shows_the_correct_form() -> None:
    kernel = Kernel()
    a = kernel.signal("a", False)
    kernel.spawn(lambda: wait(a.value and a), name="program")  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="cannot wait for False, which is of type bool") as caught:
        kernel.run()
    assert "write &, | and ~" in str(caught.value)


def test_signals_are_compared_with_plain_values_only() -> None:
    kernel = Kernel()
    a, b = kernel.signal("a", 1), kernel.signal("b", 1)
    with pytest.raises(KernelError, match="cannot be compared with <Signal b = 1>"):
        _ = a == b
    with pytest.raises(KernelError, match="holds int and cannot be compared with 'x'"):
        _ = a == "x"


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(["a", "b", "c"]))
    kind = draw(st.sampled_from(["and", "or", "not"]))
    first = draw(expressions(depth - 1))
    if kind == "not":
        return f"(~{first})"
    second = draw(expressions(depth - 1))
    return f"({first} {'&' if kind == 'and' else '|'} {second})"


@given(expressions())
def test_conditions_obey_boolean_algebra_and_possible_is_exact_enough(text: str) -> None:
    """``possible`` with all signals free must allow whatever any valuation gives, and with none free only the truth."""
    kernel = Kernel()
    signals = {name: kernel.signal(name, False) for name in "abc"}
    condition = eval(text, {name: signal.is_on for name, signal in signals.items()})
    outcomes = set()
    for values in itertools.product((False, True), repeat=3):
        for signal, value in zip(signals.values(), values, strict=True):
            signal.set(value)
        truth = bool(eval(text, dict(zip("abc", map(_Bit, values), strict=True))))
        outcomes.add(truth)
        assert condition.holds() is truth
        assert condition.possible({}) == (truth, not truth)
    may_be_true, may_be_false = condition.possible(dict.fromkeys(signals.values()))
    assert may_be_true or True not in outcomes
    assert may_be_false or False not in outcomes


class _Bit:
    """A plain truth value with the operators of a condition."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __and__(self, other: "_Bit") -> "_Bit":
        return _Bit(self.value and other.value)

    def __or__(self, other: "_Bit") -> "_Bit":
        return _Bit(self.value or other.value)

    def __invert__(self) -> "_Bit":
        return _Bit(not self.value)

    def __bool__(self) -> bool:
        return self.value
