"""Requests about faults from outside: force or release a signal, add or clear a fault.

A recording repeats requests: see :mod:`drycell.kernel.outside`.
"""

from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError, KernelError
from drycell.kernel import Arguments, Request
from drycell.sensors.faults.kinds import Stuck, Value

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.sensors.faults.disturbance import Disturbance

_FORCED = object()


def forced(cell: "Cell") -> "dict[str, Disturbance]":
    """The disturbances that hold forced signals at their values, by signal."""
    return cell.shared(_FORCED, dict[str, "Disturbance"])


def fault_requests(cell: "Cell") -> dict[str, Request]:
    """The requests, by name. Their arguments are plain data:

    | request | arguments |
    |---|---|
    | ``force`` | ``signal``, ``value`` |
    | ``release`` | ``signal`` |
    | ``fault`` | ``signal``, ``kind``, ``fields`` |
    | ``clear`` | ``signal``, ``kinds`` (a string), ``numbers``: the indices of the faults in ``cell.faults`` |
    """
    handlers = _Handlers(cell)
    return {
        "force": Request(
            lambda given: f"force {given['signal']} = {given['value']!r}",
            handlers.force,
            {"signal": str, "value": Value},
        ),
        "release": Request(lambda given: f"release {given['signal']}", handlers.release, {"signal": str}),
        "fault": Request(_fault_text, handlers.fault, {"signal": str, "kind": str, "fields": dict}),
        "clear": Request(
            lambda given: f"clear {given['kinds']} of {given['signal']}",
            handlers.clear,
            {"signal": str, "kinds": str, "numbers": list},
        ),
    }


def _fault_text(given: Arguments) -> str:
    fields = " ".join(f"{name}={value!r}" for name, value in given["fields"].items())
    return f"fault {given['signal']} {given['kind']} {fields}".rstrip()


class _Handlers:
    """Carry out the requests. Each returns an error, or None."""

    def __init__(self, cell: "Cell") -> None:
        self._cell = cell

    def force(self, who: str, given: Arguments) -> DrycellError | None:
        held, name = forced(self._cell), given["signal"]
        try:
            new: Any = self._cell.fault(name, Stuck(value=given["value"]))
        except DrycellError as error:
            return error
        before = held.get(name)
        held[name] = new
        if before is not None:
            before.end()  # ended afterwards, so that the signal changes directly from one value to the other
        return None

    def release(self, who: str, given: Arguments) -> DrycellError | None:
        held = forced(self._cell).pop(given["signal"], None)
        if held is None:
            return KernelError(f"signal '{given['signal']}' is not forced", hint="force it first")
        held.end()
        return None

    def fault(self, who: str, given: Arguments) -> DrycellError | None:
        try:
            self._cell.fault(given["signal"], given["kind"], **given["fields"])
        except DrycellError as error:
            return error
        return None

    def clear(self, who: str, given: Arguments) -> DrycellError | None:
        known = self._cell.faults
        if not all(isinstance(number, int) and 0 <= number < len(known) for number in given["numbers"]):
            return KernelError(f"signal '{given['signal']}' has no such fault", hint="it may already be over")
        for number in given["numbers"]:
            known[number].end()
        return None
