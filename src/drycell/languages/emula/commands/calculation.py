"""Functions of numbers, aggregates and strings, and functions that call subroutines."""

import math
from collections.abc import Callable

from drycell.languages.emula import syntax
from drycell.languages.emula.routines import Invocation, routine
from drycell.languages.emula.values import Value, bounded, checked, described, is_true, show
from drycell.languages.kit import StatementError

Work = Callable[[float], "int | float"]


def _mapped(name: str, value: Value, work: Work) -> Value:
    if isinstance(value, tuple):
        return tuple(_mapped(name, each, work) for each in value)
    if not isinstance(value, (int, float)):
        raise StatementError(f"{name} needs a number, not {described(value)}")
    try:
        return bounded(work(value))
    except (ValueError, OverflowError):
        raise StatementError(f"{name} of {value:g} is undefined") from None


def _enter(name: str, summary: str, work: Callable[[Invocation], Work]) -> None:
    def run(call: Invocation) -> Value:
        return _mapped(name.upper(), call.value(0), work(call))

    run.__doc__ = summary
    routine(name, f"{name.upper()}(a)", group="mathematics", arguments=(1, 1), gives=True)(run)


def _plain(name: str, summary: str, work: Work) -> None:
    _enter(name, summary, lambda call: work)


_plain("abs", "The absolute value.", abs)
_plain("sqrt", "The square root.", math.sqrt)
_plain("exp", "The exponential function.", math.exp)
_plain("ln", "The natural logarithm.", math.log)
_plain("int", "A number without its fraction.", math.trunc)
_plain("round", "The nearest whole number; halves are rounded to the even one: ROUND(2.5) is 2.", round)
_plain("real", "Converts a number to a REAL.", float)
_enter("sin", "The sine of an angle.", lambda call: lambda a: math.sin(a * call.session.units.angle))
_enter("cos", "The cosine of an angle.", lambda call: lambda a: math.cos(a * call.session.units.angle))
_enter("tan", "The tangent of an angle.", lambda call: lambda a: math.tan(a * call.session.units.angle))
_enter("asin", "The arc sine, as an angle.", lambda call: lambda a: math.asin(a) / call.session.units.angle)
_enter("acos", "The arc cosine, as an angle.", lambda call: lambda a: math.acos(a) / call.session.units.angle)
_enter("atan", "The arc tangent, as an angle.", lambda call: lambda a: math.atan(a) / call.session.units.angle)


@routine("atan2", "ATAN2(y, x)", group="mathematics", arguments=(2, 2), gives=True)
def atan2(call: Invocation) -> Value:
    """The angle of the direction (x, y) in the plane."""
    return math.atan2(call.number(0), call.number(1)) / call.session.units.angle


def _numbers(call: Invocation) -> list[int | float]:
    value = call.value(0) if len(call) == 1 else tuple(call.values())
    found = list(value) if isinstance(value, tuple) else [value]
    if not found:
        raise StatementError(f"{call.routine.name.upper()} of an empty aggregate is undefined")
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
    """The largest of several numbers."""
    return max(_numbers(call))


@routine("sum", "SUM(a, b, …)", "SUM(aggregate)", group="mathematics", arguments=(1, None), gives=True)
def sum_(call: Invocation) -> Value:
    """The sum of several numbers."""
    return bounded(sum(_numbers(call)))


@routine("aggsize", "AGGSIZE(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def aggsize(call: Invocation) -> Value:
    """The number of elements of an aggregate, or of characters of a string."""
    value = call.value(0)
    if not isinstance(value, (tuple, str)):
        raise call.refuse(0, "an aggregate or a string", value)
    return len(value)


@routine("any", "ANY(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def any_(call: Invocation) -> Value:
    """1 if any element is not zero, otherwise 0."""
    return int(any(is_true(each) for each in _elements(call)))


@routine("all", "ALL(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def all_(call: Invocation) -> Value:
    """1 if no element is zero, otherwise 0."""
    return int(all(is_true(each) for each in _elements(call)))


@routine("str", "STR(a)", group="aggregates", arguments=(1, 1), gives=True)
def str_(call: Invocation) -> Value:
    """Converts a value to a string, as DISPLAY prints it."""
    return checked(show(call.value(0)))


@routine("apply", "APPLY($ name, <a,b>)", group="aggregates", arguments=(2, 2), gives=True)
def apply(call: Invocation) -> Value | None:
    """Calls a subroutine with the elements of an aggregate as its arguments."""
    return _called(call, call.value(0), _elements(call, 1))


@routine("map", "MAP($ name, <a,b>)", group="aggregates", arguments=(2, 2), gives=True)
def map_(call: Invocation) -> Value:
    """Calls a subroutine for each element of an aggregate, and returns the aggregate of the results."""
    what, found = call.value(0), []
    for each in _elements(call, 1):
        value = _called(call, what, (each,))
        if value is None:
            raise StatementError("MAP needs a subroutine that returns a value")
        found.append(value)
    return checked(tuple(found))


def _elements(call: Invocation, place: int = 0) -> tuple[Value, ...]:
    value = call.value(place)
    if not isinstance(value, tuple):
        raise call.refuse(place, "an aggregate", value)
    return value


def _called(call: Invocation, what: Value, arguments: tuple[Value, ...]) -> Value | None:
    given: list[syntax.Expression] = [syntax.Given(call.span, each) for each in arguments]
    node = syntax.Call(call.span, call.arguments[0], given)
    return call.session.call_value(what, given, node)
