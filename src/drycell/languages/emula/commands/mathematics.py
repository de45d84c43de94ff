"""Mathematical functions; those of one number go through aggregates element by element."""

import math
from collections.abc import Callable

from drycell.languages.emula.arithmetic import bounded
from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Refusal, Value, described

Work = Callable[[float], "int | float"]


def _mapped(name: str, value: Value, work: Work) -> Value:
    if isinstance(value, tuple):
        return tuple(_mapped(name, each, work) for each in value)
    if not isinstance(value, (int, float)):
        raise Refusal(f"{name} wants a number, not {described(value)}")
    try:
        return bounded(work(value))
    except (ValueError, OverflowError):
        raise Refusal(f"{name} of {value:g} has no value") from None


def _enter(name: str, summary: str, work: Callable[[Invocation], Work]) -> None:
    def run(call: Invocation) -> Value:
        return _mapped(name.upper(), call.value(0), work(call))

    run.__doc__ = summary
    routine(name, f"{name.upper()}(a)", group="mathematics", arguments=(1, 1), gives=True)(run)


def _plain(name: str, summary: str, work: Work) -> None:
    _enter(name, summary, lambda call: work)


_plain("abs", "The magnitude of a number.", abs)
_plain("sqrt", "The square root.", math.sqrt)
_plain("exp", "The exponential function.", math.exp)
_plain("ln", "The natural logarithm.", math.log)
_plain("int", "A number without its fraction.", math.trunc)
_plain("round", "The nearest whole number; halves go to the even one.", round)
_plain("real", "A number as a REAL.", float)
_enter("sin", "The sine of an angle.", lambda call: lambda a: math.sin(a * call.session.measure.angle))
_enter("cos", "The cosine of an angle.", lambda call: lambda a: math.cos(a * call.session.measure.angle))
_enter("tan", "The tangent of an angle.", lambda call: lambda a: math.tan(a * call.session.measure.angle))
_enter("asin", "The angle of a sine.", lambda call: lambda a: math.asin(a) / call.session.measure.angle)
_enter("acos", "The angle of a cosine.", lambda call: lambda a: math.acos(a) / call.session.measure.angle)
_enter("atan", "The angle of a tangent.", lambda call: lambda a: math.atan(a) / call.session.measure.angle)


@routine("atan2", "ATAN2(y, x)", group="mathematics", arguments=(2, 2), gives=True)
def atan2(call: Invocation) -> Value:
    """The angle of a direction in the plane."""
    return math.atan2(call.number(0), call.number(1)) / call.session.measure.angle


def _numbers(call: Invocation) -> list[int | float]:
    value = call.value(0) if len(call) == 1 else tuple(call.values())
    found = list(value) if isinstance(value, tuple) else [value]
    if not found:
        raise Refusal(f"{call.routine.name.upper()} of nothing has no value")
    numbers = []
    for each in found:
        if not isinstance(each, (int, float)):
            raise call.refuse(0, "numbers", each)
        numbers.append(each)
    return numbers


@routine("min", "MIN(a, b, …)", "MIN(aggregate)", group="mathematics", arguments=(1, None), gives=True)
def min_(call: Invocation) -> Value:
    """The smallest of several numbers."""
    return min(_numbers(call))


@routine("max", "MAX(a, b, …)", "MAX(aggregate)", group="mathematics", arguments=(1, None), gives=True)
def max_(call: Invocation) -> Value:
    """The greatest of several numbers."""
    return max(_numbers(call))


@routine("sum", "SUM(a, b, …)", "SUM(aggregate)", group="mathematics", arguments=(1, None), gives=True)
def sum_(call: Invocation) -> Value:
    """The sum of several numbers."""
    return bounded(sum(_numbers(call)))
