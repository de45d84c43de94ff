"""Conditions over signals: what programs wait for, as deadlock reports show it.

A level condition (``signal > 3``, ``signal.is_on``) holds or does not hold at any instant. An edge
(``signal.rises()``) holds only while the change that causes it is evaluated, and counts from the moment a program
waits for it. ``a.rises() & b.is_on`` therefore means "a rises while b is on".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Never

from drycell.base import KernelError

if TYPE_CHECKING:
    from drycell.kernel.signal import Signal, Value

    AnySignal = Signal[Any]

Possible = tuple[bool, bool]
"""(may become true, may become false)"""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A change of a signal that an edge evaluates."""

    signal: AnySignal
    before: Value
    after: Value


class Condition:
    """Something that a program can wait for. Combine conditions with ``&``, ``|`` and ``~``; read one with ``if
    condition:``.

    >>> from drycell import Cell, wait
    >>> cell = Cell()
    >>> ready, parts = cell.signal("ready", True), cell.signal("parts", 0)
    >>> enough = ready & (parts > 2)
    >>> bool(enough), str(enough)
    (False, 'ready & parts > 2')
    """

    __slots__ = ("edges", "signals", "text")

    def __init__(self, signals: tuple[AnySignal, ...], text: str, edges: frozenset[AnySignal] | None = None) -> None:
        self.signals = signals
        self.text = text
        self.edges = edges  # one of these must change before the condition can hold; None: it can hold without a change

    def holds(self) -> bool:
        """Return whether it holds now (an edge never does). A search counts this as a read of its signals."""
        for signal in self.signals:
            signal.kernel.note_read(signal.name)
        return self.evaluate(None)

    def __bool__(self) -> bool:
        return self.holds()

    def __and__(self, other: Condition | AnySignal) -> Condition:
        return All(self, as_condition(other))

    def __rand__(self, other: AnySignal) -> Condition:
        return All(as_condition(other), self)

    def __or__(self, other: Condition | AnySignal) -> Condition:
        return AnyOf(self, as_condition(other))

    def __ror__(self, other: AnySignal) -> Condition:
        return AnyOf(as_condition(other), self)

    def __invert__(self) -> Condition:
        return Not(self)

    def _compared(self, other: object) -> Never:
        """A condition has no order: ``a & b > 2`` is ``(a & b) > 2``, because ``&`` binds more tightly."""
        raise KernelError(
            f"the condition '{self.text}' is compared with {other!r}",
            hint="'&' and '|' bind more tightly than comparisons: write a & (b > 2)",
        )

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Condition {self.text}>"

    def named(self, text: str) -> Condition:
        """Return this condition under a name.

        Args:
            text: The name for reports, such as ``machine.idle``.
        """
        return NamedCondition(self, text)

    def evaluate(self, change: Change | None) -> bool:
        """Return whether it holds, given the ``change`` being evaluated. For the kernel: it leaves no footprint."""
        raise NotImplementedError

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        """Return whether it may become true, and false, if each signal in ``values`` takes any of its values (None: any
        value at all), and other signals do not change."""
        raise NotImplementedError


class Level(Condition):
    """A test of one signal's value."""

    __slots__ = ("_test",)

    def __init__(self, signal: AnySignal, text: str, test: Callable[[Any], bool]) -> None:
        super().__init__((signal,), text)
        self._test = test

    def evaluate(self, change: Change | None) -> bool:
        return self._test(self.signals[0].peek())

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        signal = self.signals[0]
        among = values.get(signal, (signal.peek(),))
        if among is None:
            return True, True
        found = [bool(self._test(value)) for value in among]
        return any(found), not all(found)


class Edge(Condition):
    """A test of one signal's change, from the value before to the value after."""

    __slots__ = ("_test",)

    def __init__(self, signal: AnySignal, text: str, test: Callable[[Any, Any], bool]) -> None:
        super().__init__((signal,), text, frozenset((signal,)))
        self._test = test

    def evaluate(self, change: Change | None) -> bool:
        return change is not None and change.signal is self.signals[0] and self._test(change.before, change.after)

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        among = values.get(self.signals[0], ())
        if among is None:
            return True, True
        return any(self._test(one, other) for one in among for other in among if one != other), True


class All(Condition):
    """Both of two conditions."""

    __slots__ = ("_parts",)

    def __init__(self, first: Condition, second: Condition) -> None:
        edges = second.edges if first.edges is None else first.edges
        if first.edges is not None and second.edges is not None:
            edges = first.edges & second.edges
            if not edges:
                raise KernelError(
                    f"two edges never happen in one change: {first.text} & {second.text}",
                    hint="wait for one edge after the other, or for one edge and the level of the other signal",
                )
        super().__init__(_join(first, second), f"{_inner(first)} & {_inner(second)}", edges)
        self._parts = (first, second)

    def evaluate(self, change: Change | None) -> bool:
        first, second = self._parts
        return first.evaluate(change) and second.evaluate(change)

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        first, second = (part.possible(values) for part in self._parts)
        return first[0] and second[0], first[1] or second[1]


class AnyOf(Condition):
    """At least one of two conditions."""

    __slots__ = ("_parts",)

    def __init__(self, first: Condition, second: Condition) -> None:
        needed = None if first.edges is None or second.edges is None else first.edges | second.edges
        super().__init__(_join(first, second), f"{first.text} | {second.text}", needed)
        self._parts = (first, second)

    def evaluate(self, change: Change | None) -> bool:
        first, second = self._parts
        return first.evaluate(change) or second.evaluate(change)

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        first, second = (part.possible(values) for part in self._parts)
        return first[0] or second[0], first[1] and second[1]


class Not(Condition):
    """The negation of a level condition."""

    __slots__ = ("_part",)

    def __init__(self, part: Condition) -> None:
        if part.edges is not None:
            raise KernelError(
                f"an edge cannot be negated: ~({part.text})", hint="wait for the level, or for the other edge"
            )
        super().__init__(part.signals, f"~({part.text})" if " " in part.text else f"~{part.text}")
        self._part = part

    def evaluate(self, change: Change | None) -> bool:
        return not self._part.evaluate(change)

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        true, false = self._part.possible(values)
        return false, true


class NamedCondition(Condition):
    """A condition with a different name."""

    __slots__ = ("_part",)

    def __init__(self, part: Condition, text: str) -> None:
        super().__init__(part.signals, text, part.edges)
        self._part = part

    def evaluate(self, change: Change | None) -> bool:
        return self._part.evaluate(change)

    def possible(self, values: Mapping[AnySignal, Collection[Value] | None]) -> Possible:
        return self._part.possible(values)


def as_condition(thing: object) -> Condition:
    """Return the condition for an argument of ``wait``: a condition, a signal or a process."""
    if isinstance(thing, Condition):
        return thing
    meant = getattr(thing, "as_condition", None)
    if meant is not None:
        found: Condition = meant()
        return found
    raise KernelError(
        f"cannot wait for {thing!r}, which is of type {type(thing).__name__}",
        hint="wait takes a signal, a condition such as signal > 3, or a process; 'and', 'or' and 'not' return "
        "plain values: write &, | and ~",
    )


def _join(first: Condition, second: Condition) -> tuple[AnySignal, ...]:
    return tuple(dict.fromkeys(first.signals + second.signals))


def _inner(part: Condition) -> str:
    return f"({part.text})" if isinstance(part, AnyOf) else part.text
