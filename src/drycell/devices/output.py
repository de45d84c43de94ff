"""Outputs of devices: signals that the device itself sets, and nobody else."""

from typing import Any, Final

from drycell.errors import KernelError
from drycell.kernel import Kernel, Signal
from drycell.kernel.signal import V
from drycell.kernel.strand import current_strand

_DISTURBED: Final = "to see what a wrong one does, put a fault on it: cell.fault({name!r}, 'stuck')"


class Output(Signal[V]):
    """A signal that tells what a device does. Programs, controllers and rules of others may read it, but not set it.

    Faults act on it as on any signal, and whoever attends a run may force it from outside.
    """

    __slots__ = ("owner",)

    def __init__(
        self, kernel: Kernel, owner: str, name: str, initial: V, *, unit: str = "", quiet: bool = False
    ) -> None:
        if name in kernel.signals:
            raise KernelError(f"there is a signal '{name}' already", hint=f"give {owner} or the signal another name")
        super().__init__(kernel, name, initial, unit=unit, quiet=quiet)
        self.owner = owner
        kernel.signals[name] = self

    def tell(self, value: V, writer: str | None = None) -> None:
        """The device sets it."""
        super().set(value, writer)

    def set(self, value: V, writer: str | None = None) -> None:
        """Refused where a program or the building of a cell does it; what comes from outside the run is let through."""
        # While a program's write is being answered by devices, its strand has no kernel.
        if writer is None and (hasattr(current_strand(), "kernel") or not self.kernel.running):
            raise refused(self, "a program" if self.kernel.running else "the build of a cell")
        super().set(value, writer)


def refused(signal: Output[Any], who: str) -> KernelError:
    """The error about somebody who wants to set a device's output."""
    inputs = [
        name
        for name, each in signal.kernel.signals.items()
        if name.startswith(f"{signal.owner}.") and not isinstance(each, Output)
    ]
    hint = f"what can be set there: {', '.join(inputs)}; " if inputs else ""
    return KernelError(
        f"{who} cannot set '{signal.name}': it tells what {signal.owner!r} does, which sets it itself",
        hint=hint + _DISTURBED.format(name=signal.name),
    )
