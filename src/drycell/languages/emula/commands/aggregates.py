"""Functions of aggregates and strings, and those that take subroutines."""

from drycell.languages.emula import syntax
from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Refusal, Value, checked, is_true, show


@routine("aggsize", "AGGSIZE(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def aggsize(call: Invocation) -> Value:
    """How many elements an aggregate has, or signs a string."""
    value = call.value(0)
    if not isinstance(value, (tuple, str)):
        raise call.refuse(0, "an aggregate or a string", value)
    return len(value)


@routine("any", "ANY(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def any_(call: Invocation) -> Value:
    """1 if one of the elements is not zero."""
    return int(any(is_true(each) for each in _elements(call)))


@routine("all", "ALL(aggregate)", group="aggregates", arguments=(1, 1), gives=True)
def all_(call: Invocation) -> Value:
    """1 if no element is zero."""
    return int(all(is_true(each) for each in _elements(call)))


@routine("str", "STR(a)", group="aggregates", arguments=(1, 1), gives=True)
def str_(call: Invocation) -> Value:
    """A value as a string, as DISPLAY prints it."""
    return checked(show(call.value(0)))


@routine("apply", "APPLY($ name, <a,b>)", group="aggregates", arguments=(2, 2), gives=True)
def apply(call: Invocation) -> Value | None:
    """Calls a subroutine with the elements of an aggregate as its arguments."""
    return _called(call, call.value(0), _elements(call, 1))


@routine("map", "MAP($ name, <a,b>)", group="aggregates", arguments=(2, 2), gives=True)
def map_(call: Invocation) -> Value:
    """Calls a subroutine for each element of an aggregate; an aggregate of what it gives."""
    what, found = call.value(0), []
    for each in _elements(call, 1):
        value = _called(call, what, (each,))
        if value is None:
            raise Refusal("MAP wants a subroutine that returns a value")
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
    return call.evaluator.call_value(what, given, node)
