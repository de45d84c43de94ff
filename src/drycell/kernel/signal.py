"""Signals: named, typed values of the cell with their history, which programs read, write and wait for.

Only its owner sets a :class:`Reserved` signal, such as a sensor's output; a :class:`DeviceOutput` belongs to a device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from drycell.base import KernelError
from drycell.kernel.condition import Change, Condition, Edge, Level
from drycell.kernel.event import Fibre, current_fibre
from drycell.kernel.inspection import is_users
from drycell.kernel.track import Changes

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.process import Waiter

Value = bool | int | float | str
V = TypeVar("V", bound=Value)
Writes = Callable[[], Iterable["Signal[Any]"]]


class SignalFilter(Protocol):
    """Changes written values before they are published: the faults of a sensor, for example."""

    truth: Any
    """The last value written."""

    def write(self, value: Any) -> Any:
        """Take a written value; return the value to publish."""

    def sample(self, number: int, time: int) -> None:
        """Announce the number of a sample and its time (in ticks) before its value is written."""

    def next_sample(self, after: int) -> int | None:
        """Return the number of the next sample that must be taken and written even if nothing has changed, or None."""

    def reach(self) -> Iterable[Signal[Any]]:
        """Return the other signals that change when this one is written."""


class Signal(Generic[V]):
    """A named value that keeps (time, value, writer) of every change and wakes the programs that wait for it.

    The written value is the truth. The published value, which readers, waiters, subscribers and the history see, is the
    same unless a ``filter`` (a fault) changes it.
    """

    __slots__ = (
        "_answers", "_subscribers", "_type", "_undeclared", "_value", "filter", "history", "initial", "kernel", "name",
        "quiet", "unit", "waiters",
    )  # fmt: skip

    def __init__(self, kernel: Kernel, name: str, initial: V, *, unit: str = "", quiet: bool = False) -> None:
        if type(initial) not in (bool, int, float, str):
            raise KernelError(
                f"signal '{name}' cannot hold {initial!r}, which is of type {type(initial).__name__}",
                hint="a signal holds a bool, int, float or str",
            )
        self.kernel = kernel
        self.name = name
        self.unit = unit
        self.quiet = quiet
        self.initial: V = initial
        self.filter: SignalFilter | None = None
        self.history: Changes[V] = Changes(type(initial), unit, quiet)
        self.history.write(kernel.now, initial, "")
        self.waiters: dict[Waiter, None] = {}
        self._value: V = initial
        self._type = type(initial)
        self._subscribers: list[Callable[[V], None]] = []
        self._answers: tuple[Writes, ...] = ()
        self._undeclared: tuple[Callable[[V], None], ...] = ()

    @property
    def value(self) -> V:
        """The current value."""
        kernel = self.kernel
        kernel.budget -= 1
        if kernel.budget < 0:
            kernel.read_slowly(self.name)
        return self._value

    @value.setter
    def value(self, value: V) -> None:
        raise KernelError(f"signal '{self.name}' cannot be assigned", hint=f"write signal.set({value!r})")

    @property
    def truth(self) -> V:
        """The last value written, unaffected by faults; for tests, recorders and views."""
        if self.filter is None:
            return self._value
        written: V = self.filter.truth
        return written

    def peek(self) -> V:
        """Return the current value without leaving a footprint. For conditions, recorders and views."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self.value)

    def set(self, value: V, writer: str | None = None) -> None:
        """Set the value now. Programs that wait for it are woken at this instant; an equal value changes nothing.

        Args:
            value: The new value, of the signal's type. A float signal also takes a whole number.
            writer: The writer, as the journal names it; by default the running program.

        Raises:
            KernelError: The value has another type, only the owner of the signal may set it, or another thread sets it
                during the run (use ``cell.post``).
        """
        kernel = self.kernel
        if value.__class__ is not self._type:
            value = self.accepted(value)
        if self.filter is not None:
            value = self.filter.write(value)
        kernel.note_write(self.name)
        before = self._value
        if value == before:
            return
        if kernel.thread is not None and kernel.thread != get_ident():
            raise KernelError(
                f"signal '{self.name}' was set from another thread while the cell runs",
                hint=f"use cell.post({{{self.name!r}: value}})",
            )
        self._value = value
        if writer is None:
            writer = kernel.actor_name()
        self.history.write(kernel.now, value, writer)
        if not self.quiet:
            kernel.journal.write("signal", self.name, value=value, writer=writer)
        if self.waiters:  # before the subscribers: a subscriber that resets the signal must not hide the pulse
            change = Change(self, before, value)
            for waiter in tuple(self.waiters):
                waiter.look(change)
        if self._subscribers:
            self._notify(value)

    def subscribe(self, callback: Callable[[V], None], writes: Writes | None = None) -> Callable[[], None]:
        """Call a function on every change, in the step of the writer; for devices.

        Args:
            callback: The function, which gets the new value. It must not block.
            writes: A function that returns the signals that may be set in response, at once or later. It is used to
                find out whether programs can still continue.

        Returns:
            A function that ends the subscription.
        """
        self._subscribers = [*self._subscribers, callback]
        if writes is None:
            self._undeclared = (*self._undeclared, callback)
        else:
            self._answers = (*self._answers, writes)

        def unsubscribe() -> None:
            self._subscribers = [other for other in self._subscribers if other is not callback]

        return unsubscribe

    def disturbed(self) -> None:
        """Called when a filter was added or needs different samples, so that sleeping owners of the signal can
        react."""

    def answered_by(self) -> Iterable[Signal[Any]]:
        """Return the signals that devices may set in response to a change."""
        return (signal for writes in self._answers for signal in writes())

    @property
    def followed_by_user(self) -> bool:
        """Whether a function of the user follows every change, and has not declared what it sets."""
        codes = (getattr(each, "__code__", None) for each in self._undeclared)
        return any(code is not None and is_users(code.co_filename) for code in codes)

    @property
    def has_subscribers(self) -> bool:
        """Whether a device subscribes to the signal."""
        return bool(self._subscribers)

    @property
    def is_on(self) -> Condition:
        """The condition that the value is true (not 0, not empty)."""
        return Level(self, self.name, bool)

    @property
    def is_off(self) -> Condition:
        """The condition that the value is false (0, empty)."""
        return Level(self, f"~{self.name}", operator.not_)

    def as_condition(self) -> Condition:
        """Return the condition that ``wait(signal)`` waits for."""
        return self.is_on

    def rises(self) -> Condition:
        """Return the edge from false to true, or to a greater number.

        Raises:
            KernelError: The signal holds text.
        """
        return Edge(self, f"{self._ordered()} rises", lambda before, after: after > before)

    def falls(self) -> Condition:
        """Return the edge from true to false, or of a number to a smaller one.

        Raises:
            KernelError: The signal holds text.
        """
        return Edge(self, f"{self._ordered()} falls", lambda before, after: after < before)

    def changes(self) -> Condition:
        """Return the condition of any change."""
        return Edge(self, f"{self.name} changes", lambda before, after: True)

    def exceeds(self, limit: V) -> Condition:
        """Return the condition that the value is greater than a ``limit``, in the signal's unit."""
        return self > limit

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # a condition, as in wait(count == 3)
        return self._level("==", operator.eq, other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._level("!=", operator.ne, other)

    def __gt__(self, other: V) -> Condition:
        return self._level(">", operator.gt, other)

    def __ge__(self, other: V) -> Condition:
        return self._level(">=", operator.ge, other)

    def __lt__(self, other: V) -> Condition:
        return self._level("<", operator.lt, other)

    def __le__(self, other: V) -> Condition:
        return self._level("<=", operator.le, other)

    def __and__(self, other: Condition | Signal[Any]) -> Condition:
        return self.is_on & other

    def __or__(self, other: Condition | Signal[Any]) -> Condition:
        return self.is_on | other

    def __invert__(self) -> Condition:
        return self.is_off

    __hash__ = object.__hash__  # signals are compared by identity; == makes a condition

    def __repr__(self) -> str:
        return f"<Signal {self.name} = {self._value!r}>"

    @property
    def value_type(self) -> type[V]:
        """The type of its values: bool, int, float or str."""
        return self._type

    def accepted(self, value: object) -> V:
        """Return a ``value`` in the type of the signal; a float signal also takes a whole number.

        Raises:
            KernelError: The value has another type.
        """
        if isinstance(value, self._type) and value.__class__ is self._type:
            return value
        if self._type is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._type(value)
        raise KernelError(
            f"signal '{self.name}' holds {self._type.__name__}, got {value!r} of type {type(value).__name__}",
            hint=f"convert it first: {self._type.__name__}(value)",
        )

    def _ordered(self) -> str:
        if self._type is str:
            raise KernelError(
                f"signal '{self.name}' holds str, which has no rising or falling edge", hint="use changes()"
            )
        return self.name

    def _level(self, symbol: str, compare: Callable[[Any, Any], bool], other: object) -> Condition:
        if not isinstance(other, (bool, int, float, str)) or isinstance(other, str) != (self._type is str):
            raise KernelError(
                f"signal '{self.name}' holds {self._type.__name__} and cannot be compared with {other!r}",
                hint="compare it with a value of its type; to compare two signals, use their .value",
            )
        return Level(self, f"{self.name} {symbol} {other!r}", lambda value: compare(value, other))

    def _notify(self, value: V) -> None:
        # Subscribers belong to devices: they must not block the program that happens to write, and the program must not
        # swallow their exceptions.
        me = current_fibre()
        on_fibre = me.__class__ is Fibre and hasattr(me, "kernel")
        if on_fibre:
            del me.kernel
        try:
            for callback in self._subscribers:
                callback(value)
        except Exception as error:
            self.kernel.abort(error)
        finally:
            if on_fibre and self.kernel.running:
                me.kernel = self.kernel


class Reserved(Signal[V]):
    """A signal that only its owner sets. Programs, controllers and rules may read it, but not set it.

    Faults act on it as on any signal, and it can be forced from outside the run.
    """

    __slots__ = ()

    def publish(self, value: V, writer: str | None = None) -> None:
        """Set the value on behalf of the owner.

        Args:
            value: The new value, of the signal's type.
            writer: The writer, as the journal names it; by default what is running.
        """
        super().set(value, writer)

    def set(self, value: V, writer: str | None = None) -> None:
        """Raise an error if a program, or code that builds the cell, sets it; input from outside the run is allowed."""
        # While devices respond to a program's write, the program's fibre has no kernel.
        if writer is None and (hasattr(current_fibre(), "kernel") or not self.kernel.running):
            raise self.refusal("a program" if self.kernel.running else "the build of a cell")
        super().set(value, writer)

    def refusal(self, who: str) -> KernelError:
        """Return the error about an attempt to set it; ``who`` tried."""
        return KernelError(
            f"{who} cannot set '{self.name}': it shows {self.meaning}",
            hint=f"{self.instead}to simulate a wrong value, add a fault: cell.fault({self.name!r}, 'stuck')",
        )

    @property
    def meaning(self) -> str:
        """Its meaning, for the error."""
        return "what its owner measures, and only the owner sets it"

    @property
    def instead(self) -> str:
        """The signals that can be set instead, for the error message."""
        return ""


class DeviceOutput(Reserved[V]):
    """A signal that shows the state of a device."""

    __slots__ = ("owner",)

    def __init__(
        self, kernel: Kernel, owner: str, name: str, initial: V, *, unit: str = "", quiet: bool = False
    ) -> None:
        if name in kernel.signals:
            raise KernelError(f"there is a signal '{name}' already", hint=f"give {owner} or the signal another name")
        super().__init__(kernel, name, initial, unit=unit, quiet=quiet)
        self.owner = owner
        kernel.signals[name] = self

    @property
    def meaning(self) -> str:
        """Its meaning, for the error."""
        return f"what {self.owner!r} does, and only the device sets it"

    @property
    def instead(self) -> str:
        """The signals that can be set instead, for the error message."""
        inputs = [
            name
            for name, each in self.kernel.signals.items()
            if name.startswith(f"{self.owner}.") and not isinstance(each, Reserved)
        ]
        return f"set one of its inputs: {', '.join(inputs)}; " if inputs else ""
